;;; agentq-manual-tests.el --- The manual says what there is  -*- lexical-binding: t; -*-

;;; Code:

(require 'ert)
(require 'agentq)
(require 'agentq-manual)
(require 'agentq-lsp-mode-clients)

(defun agentq-manual-tests--text ()
  "Return the text of the manual."
  (with-temp-buffer
    (insert-file-contents (seq-find #'file-readable-p agentq-manual--files))
    (buffer-string)))

(defun agentq-manual-tests--unnamed (names)
  "Return those of NAMES that the manual does not name."
  (let ((text (agentq-manual-tests--text))
        (case-fold-search nil))
    (seq-remove (lambda (name) (string-match-p (concat "`\\(?:M-x \\)?" (regexp-quote name) "`") text))
                names)))

(ert-deftest agentq-manual-names-every-command ()
  "Every command that is loaded by its name has its place in the manual."
  (should-not
   (agentq-manual-tests--unnamed
    (with-temp-buffer
      (dolist (file (directory-files (file-name-directory (locate-library "agentq")) t "\\.el\\'"))
        (insert-file-contents file))
      (goto-char (point-min))
      (let (names)
        (while (re-search-forward "^;;;###autoload (autoload '\\([^ ]+\\)\\|^;;;###autoload\n(defun \\([^ ]+\\)" nil t)
          (let ((name (or (match-string 1) (match-string 2))))
            (when (commandp (intern name)) (push name names))))
        (delete-dups names))))))

(ert-deftest agentq-manual-names-every-option ()
  "Every user option has its row in the manual."
  (let (names)
    (mapatoms (lambda (symbol)
                (let ((name (symbol-name symbol)))
                  ;; Hooks of minor modes are found where the modes are.
                  (when (and (string-prefix-p "agentq-" name) (custom-variable-p symbol)
                             (not (string-suffix-p "-hook" name)))
                    (push name names)))))
    (should (member "agentq-program" names))
    (should-not (agentq-manual-tests--unnamed names))))

(ert-deftest agentq-manual-names-every-key ()
  "Every key of the buffers that have keys of their own stands in the manual."
  (let (unnamed)
    (dolist (map (list agentq-chat-mode-map agentq-review-mode-map agentq-review-edit-mode-map
                       agentq-question-mode-map agentq-repl-mode-map agentq-log-map
                       agentq-inspect-mode-map agentq-history-mode-map))
      (map-keymap-internal
       (lambda (event command)
         (dolist (found (if (keymapp command)
                            (let (inner)
                              (map-keymap (lambda (next bound) (push (cons (vector event next) bound) inner))
                                          command)
                              inner)
                          (list (cons (vector event) command))))
           (when (and (symbolp (cdr found))
                      (string-prefix-p "agentq-" (symbol-name (cdr found)))
                      (not (eq 'remap (aref (car found) 0))))
             (push (key-description (car found)) unnamed))))
       map))
    (should-not (agentq-manual-tests--unnamed (delete-dups unnamed)))))

(ert-deftest agentq-manual-links-lead-somewhere ()
  "Each link of the manual names a section, or a page that is there."
  (save-window-excursion
    (agentq-manual)
    (let (lost (count 0))
      (goto-char (point-min))
      (while (forward-button 1 nil nil t)
        (when-let* ((target (button-get (button-at (point)) 'agentq-target)))
          (cl-incf count)
          (if (string-prefix-p "#" target)
              (save-excursion
                (goto-char (point-min))
                (unless (let (found)
                          (while (and (not found) (re-search-forward agentq-manual--heading nil t))
                            (setq found (equal (substring target 1)
                                               (agentq-manual--anchor (match-string 2)))))
                          found)
                  (push target lost)))
            (unless (file-readable-p (car (split-string target "#")))
              (push target lost)))))
      (should (> count 10))
      (should-not lost))
    (kill-buffer)))

;;; agentq-manual-tests.el ends here
