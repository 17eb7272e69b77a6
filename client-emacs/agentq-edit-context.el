;;; agentq-edit-context.el --- A text that is edited at its place  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The text of a hunk is edited in a buffer that has all of the document, narrowed to
;; the text: so the major mode of the file indents and colours the text as it would
;; there.  The nearest lines of the document are shown by an overlay.
;;
;; Invariants:
;; - What stands round the text is read-only, and never taken for a part of the text.
;; - A line that has a text is indented only where the person asks for it, or begins
;;   the line with a closing bracket.
;; - A mode that the file does not have, or that does not see the document, indents
;;   no such line at all: that mode can only guess.
;; - No hook of a mode runs: the buffer has no file, and nothing is to be started for it.

;;; Code:

(require 'agentq-fontify)
(require 'agentq-visible)
(require 'agentq-whole-lines)

(defface agentq-edit-context '((t :inherit shadow))
  "Face of lines of the file round a text that is edited."
  :group 'agentq)

(defconst agentq-edit-context--lines 3 "Lines of the file that are shown on each side.")

(defconst agentq-edit-context--indentation
  (rx (or (seq bos (or "indent-" "electric-indent-" "tab-width" "standard-indent"))
          (seq (or "indent-level" "indent-offset" "indentation-offset" "basic-offset") eos)))
  "Names of the variables that say how the file of a text is indented.")

(defvar-local agentq-edit-context--text nil "Overlay over the text that is edited.")

(defun agentq-edit-context-begin (text hunk)
  "Let TEXT be edited in the current buffer, which is new, at the place of HUNK."
  (let* ((uri (agentq-get Hunk hunk :uri))
         (around (agentq-whole-lines-around hunk))
         (whole-lines (eql 0 (agentq-get Hunk hunk :range :end :character)))
         (is-own (agentq-edit-context--mode (agentq-uri-to-path uri))))
    (insert text)
    (setq agentq-edit-context--text (make-overlay (point-min) (point-max) nil nil t))
    (when around
      (agentq-edit-context--show (car around) (cdr around) whole-lines
                                 (file-name-extension (agentq-uri-to-path uri)))
      (agentq-edit-context--insert (car around) (cdr around) whole-lines))
    (unless (and is-own
                 (or around (equal "create" (agentq-get Hunk hunk :kind)))
                 (not (memq indent-line-function indent-line-ignored-functions)))
      (agentq-edit-context-keep-indentation))
    (agentq-edit-context--choose-blanks)
    (agentq-edit-context-narrow)
    (goto-char (point-min))
    (setq buffer-undo-list nil)
    (set-buffer-modified-p nil)))

(defun agentq-edit-context-text ()
  "Return the text that is edited in the current buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (overlay-start agentq-edit-context--text)
                                    (overlay-end agentq-edit-context--text))))

(defun agentq-edit-context-replace (text)
  "Put TEXT in place of the text that is edited, as one undo step."
  (undo-boundary)
  (agentq-edit-context-narrow)
  (delete-region (point-min) (point-max))
  (insert text)
  (goto-char (point-min)))

(defun agentq-edit-context-narrow ()
  "Make the text that is edited all that can be reached in the current buffer."
  (widen)
  (narrow-to-region (overlay-start agentq-edit-context--text)
                    (overlay-end agentq-edit-context--text))
  (goto-char (max (point-min) (min (point) (point-max)))))

(defun agentq-edit-context-keep-indentation ()
  "Let nothing in the current buffer indent a line that has a text.
A new line begins below the one before."
  (setq-local indent-line-function #'agentq-edit-context--indent-blank
              indent-region-function nil))

(defun agentq-edit-context--indent-blank ()
  "Give the current line the indentation of the one before, if it is blank."
  (when (save-excursion (beginning-of-line) (looking-at-p "[ \t]*$"))
    (delete-region (pos-bol) (pos-eol))
    (insert (save-excursion
              (skip-chars-backward " \t\n")
              (beginning-of-line)
              (looking-at "[ \t]*")
              (match-string-no-properties 0)))))

(defun agentq-edit-context--mode (path)
  "Give the current buffer the mode and the indentation of the file PATH.
Return nil if the file has no mode: the buffer has colours then."
  (let* ((file (or (agentq-buffer-visiting path)
                   (and (file-exists-p path)
                        (find-file-noselect path t))))
         (mode (if file
                   (buffer-local-value 'major-mode file)
                 (assoc-default path auto-mode-alist #'string-match)))
         (is-own (and (symbolp mode) (fboundp mode) (not (eq mode 'fundamental-mode)))))
    (when-let* ((mode (if is-own (major-mode-remap mode)
                        (agentq-fontify-mode (file-name-extension path)))))
      (ignore-errors
        (delay-mode-hooks (funcall mode))))
    (pcase-dolist (`(,name . ,value)
                   (and file (seq-filter #'consp (buffer-local-variables file))))
      (when (string-match-p agentq-edit-context--indentation (symbol-name name))
        (set (make-local-variable name) value)))
    (setq-local electric-indent-inhibit t)
    (add-hook 'post-self-insert-hook #'agentq-edit-context--indent-closer nil t)
    is-own))

(defun agentq-edit-context--choose-blanks ()
  "Indent by spaces or by tabs alone where the current buffer does."
  (let ((has-tabs (save-excursion (goto-char (point-min)) (re-search-forward "^\t" nil t)))
        (has-spaces (save-excursion (goto-char (point-min)) (re-search-forward "^ " nil t))))
    (unless (eq (not has-tabs) (not has-spaces))
      (setq-local indent-tabs-mode (and has-tabs t)))))

(defun agentq-edit-context--indent-closer ()
  "Indent the current line if the bracket that was typed now begins the line."
  (when (and electric-indent-mode
             (memq last-command-event '(?\} ?\) ?\]))
             (save-excursion
               (backward-char)
               (skip-chars-backward " \t")
               (bolp)))
    (indent-according-to-mode)))

(defun agentq-edit-context--insert (before after whole-lines)
  "Insert BEFORE and AFTER round the text of the current buffer, read-only.
With WHOLE-LINES AFTER begins a line, whatever the text ends with."
  (let ((end (overlay-end agentq-edit-context--text)))
    (goto-char end)
    (insert (propertize (concat (if whole-lines "\n" "") after) 'read-only t))
    (move-overlay agentq-edit-context--text (point-min) end)
    (goto-char (point-min))
    (insert (propertize before 'read-only t 'front-sticky '(read-only) 'rear-nonsticky t))
    (move-overlay agentq-edit-context--text (point) (overlay-end agentq-edit-context--text))))

(defun agentq-edit-context--show (before after whole-lines language)
  "Show the last lines of BEFORE and the first of AFTER, code in LANGUAGE.
With WHOLE-LINES they stand on lines of their own."
  (pcase-let ((`(,before . ,after)
               (agentq-edit-context--coloured
                (agentq-visible (agentq-edit-context--nearest before (- agentq-edit-context--lines)))
                (buffer-string)
                (agentq-visible (agentq-edit-context--nearest after agentq-edit-context--lines))
                language)))
    (overlay-put agentq-edit-context--text 'before-string before)
    (unless (string-empty-p after)
      ;; Else the cursor at the end of the text would be seen behind these lines.
      (put-text-property 0 1 'cursor t after))
    (overlay-put agentq-edit-context--text 'agentq-after after)
    (overlay-put agentq-edit-context--text 'after-string after)
    (when whole-lines
      (agentq-edit-context--join)
      (add-hook 'after-change-functions (lambda (&rest _) (agentq-edit-context--join)) nil t))))

(defun agentq-edit-context--nearest (text count)
  "Return the first COUNT lines of TEXT, the last ones if COUNT is negative."
  (with-temp-buffer
    (insert text)
    (goto-char (if (< count 0) (point-max) (point-min)))
    (let ((beside (point)))
      (forward-line count)
      (buffer-substring beside (point)))))

(defun agentq-edit-context--join ()
  "Put the context that follows the text on a line of its own.
The last line of the text is ended when the text is accepted."
  (let* ((after (overlay-get agentq-edit-context--text 'agentq-after))
         (end (overlay-end agentq-edit-context--text)))
    (overlay-put agentq-edit-context--text 'after-string
                 (if (or (= end (overlay-start agentq-edit-context--text))
                         (eq ?\n (char-before end)))
                     after
                   (concat (propertize "\n" 'cursor t) after)))))

(defun agentq-edit-context--coloured (before text after language)
  "Return (BEFORE . AFTER) as code of LANGUAGE that stands round TEXT."
  (with-temp-buffer
    (insert before (substring-no-properties text) after)
    (agentq-fontify-region (point-min) (point-max) language 'agentq-edit-context)
    (cons (buffer-substring (point-min) (+ (point-min) (length before)))
          (buffer-substring (- (point-max) (length after)) (point-max)))))

(provide 'agentq-edit-context)

;;; agentq-edit-context.el ends here
