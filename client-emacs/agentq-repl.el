;;; agentq-repl.el --- Evaluate TypeScript in the live image  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user's own evaluations go to the same Node process that the agent uses.
;; Results are shown in the echo area and kept in a log buffer.

;;; Code:

(require 'agentq-client)

(defvar-local agentq-repl--live nil
  "Non-nil once output of the evaluation under way was shown as it came.")

(defvar-keymap agentq-repl-mode-map
  :doc "Keys of `agentq-repl-mode'."
  :parent special-mode-map
  "e" #'agentq-eval
  "RET" #'agentq-eval
  "C-c C-c" #'agentq-interrupt)

(define-derived-mode agentq-repl-mode special-mode "AgentQ-REPL"
  "Log of evaluations in the live image.
\\{agentq-repl-mode-map}"
  (buffer-disable-undo))

(defun agentq-eval (code &optional module)
  "Evaluate the TypeScript CODE in the live image and show its value.
MODULE, the URI of the module in whose scope to evaluate, is by default
the file of the current buffer; with a prefix argument there is none."
  (interactive (let ((module (unless current-prefix-arg (agentq-repl--module))))
                 (list (agentq-repl-read "Evaluate: " nil module) module)))
  (let ((server (agentq-ensure-server)))
    (agentq-repl--insert server (concat "> " (string-replace "\n" "\n  " code) "\n"))
    (with-current-buffer (agentq-repl-buffer server)
      (setq agentq-repl--live nil))
    (agentq-request server :agentq/evaluate
                    (append (list :code code) (and module (list :module module)))
                    :timeout nil
                    :then (lambda (result) (agentq-repl--show server result))
                    :else (lambda (message &optional _code)
                            (agentq-repl--insert server (concat message "\n"))
                            (message "Agent-Q: %s" message)))))

(defun agentq-eval-region (beg end &optional module)
  "Evaluate the region from BEG to END in the live image.
MODULE as in `agentq-eval'."
  (interactive (list (region-beginning) (region-end)
                     (unless current-prefix-arg (agentq-repl--module))))
  (agentq-eval (buffer-substring-no-properties beg end) module))

(defun agentq-interrupt ()
  "Stop the running evaluation; what was defined before stays."
  (interactive)
  (agentq-request (agentq-ensure-server) :agentq/interrupt nil
                  :then (lambda (result)
                          (message "Agent-Q: %s"
                                   (if (eq t (plist-get result :interrupted))
                                       "interrupted" "nothing to interrupt")))))

(defvar agentq-repl-history nil
  "Code that was read for the live image.")

(defvar agentq-repl--completion-module nil
  "URI of the module in whose scope the code of the minibuffer will run.")

(defvar-keymap agentq-repl-read-map
  :doc "Keys while code for the live image is read."
  :parent minibuffer-local-map
  "TAB" #'completion-at-point)

(defun agentq-repl-read (prompt &optional default module)
  "Read code with PROMPT; TAB completes it from the live image.
DEFAULT is taken for an empty answer.  MODULE is the URI of the module in
whose scope the code will run."
  (let ((server (agentq-ensure-server))
        (agentq-repl--completion-module module))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'completion-at-point-functions
                    (lambda () (agentq-repl-complete server)) nil t))
      (let ((code (read-from-minibuffer
                   (if default
                       (format-prompt (string-trim-right prompt "[: ]+") default)
                     prompt)
                   nil agentq-repl-read-map nil 'agentq-repl-history default)))
        (if (string-empty-p code) (or default code) code)))))

(defun agentq-repl-complete (server)
  "Complete the code before point in the minibuffer from the image of SERVER.
Nothing of the user's runs for it."
  (let* ((start (minibuffer-prompt-end))
         (code (buffer-substring-no-properties start (point-max)))
         (answer (jsonrpc-request
                  server :agentq/completeInRepl
                  (append (list :code code :position (agentq-repl--position start))
                          (and agentq-repl--completion-module
                               (list :module agentq-repl--completion-module)))
                  :timeout 2 :cancel-on-input t :cancel-on-input-retval nil))
         (from (plist-get (plist-get answer :replace) :start)))
    (when (and answer (not (seq-empty-p (plist-get answer :items))))
      (list (save-excursion
              (goto-char start)
              ;; The prompt stands on the first line.
              (unless (zerop (plist-get from :line))
                (forward-line (plist-get from :line)))
              (+ (point) (plist-get from :character)))
            (point)
            (mapcar (lambda (item) (plist-get item :label))
                    ;; What needs brackets takes the place of the dot too.
                    (seq-remove (lambda (item) (plist-get item :insertText))
                                (plist-get answer :items)))
            :exclusive 'no))))

(defun agentq-repl--position (start)
  "Return the LSP position of point in the text that begins at START."
  (let ((line (1- (count-lines start (point)))))
    (list :line (if (bolp) (1+ line) (max 0 line))
          :character (length (buffer-substring-no-properties
                              (max start (line-beginning-position)) (point))))))

(defun agentq-repl--where (uri)
  "Return URI for a reader: a file relative to the project, or as it is."
  (if (string-prefix-p "file:" uri)
      (file-relative-name (eglot-uri-to-path uri))
    uri))

(defun agentq-repl--module ()
  "Return the URI of the current buffer's file if that is a module."
  (and buffer-file-name
       (string-match-p "\\.[cm]?[jt]sx?\\'" buffer-file-name)
       (eglot-path-to-uri buffer-file-name)))

(defun agentq-repl-buffer (server)
  "Return the evaluation log of SERVER, made if needed."
  (let ((buffer (get-buffer-create
                 (format "*agentq-repl: %s*" (eglot-project-nickname server)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agentq-repl-mode)
        (agentq-repl-mode))
      (setq agentq--root (agentq-server-root server)
            default-directory agentq--root))
    buffer))

(defun agentq-repl--insert (server text)
  "Add TEXT to the log of SERVER; windows that show its end follow."
  (with-current-buffer (agentq-repl-buffer server)
    (let ((inhibit-read-only t)
          (end (point-max)))
      (save-excursion
        (goto-char end)
        (insert text))
      (dolist (window (get-buffer-window-list nil nil t))
        (when (= (window-point window) end)
          (set-window-point window (point-max)))))))

(defun agentq-repl--show (server result)
  "Show the EvalResult RESULT of SERVER."
  (let ((shown (agentq-repl--text result))
        (live (buffer-local-value 'agentq-repl--live (agentq-repl-buffer server))))
    (agentq-repl--insert
     server
     (concat (unless live
               (concat (plist-get result :stdout) (plist-get result :stderr)))
             shown "\n"
             (unless (eq t (plist-get result :stateKept))
               "(the image was started again: its values are gone)\n")))
    (message "%s" (truncate-string-to-width shown 2000 nil nil "..."))))

(defun agentq-repl--text (result)
  "Return RESULT as text, without the output of the code."
  (pcase (plist-get result :outcome)
    ("value" (format "%s%s%s"
                     (if-let* ((id (plist-get result :valueId))) (concat id " = ") "")
                     (or (plist-get result :preview) "undefined")
                     (if-let* ((type (plist-get result :type))) (concat " : " type) "")))
    ("error" (agentq-repl--error (plist-get result :error)))
    (outcome (format "%s after %d ms" outcome (plist-get result :durationMs)))))

(defun agentq-repl--error (info)
  "Return the ErrorInfo INFO as text, with its frames."
  (concat (plist-get info :name) ": " (plist-get info :message)
          (if-let* ((details (plist-get info :details)))
              (concat "\n  " (string-replace "\n" "\n  " details))
            "")
          (mapconcat (lambda (frame)
                       (format "\n    at %s (%s:%d)" (plist-get frame :function)
                               (file-name-nondirectory
                                (eglot-uri-to-path (plist-get frame :uri)))
                               (1+ (plist-get frame :line))))
                     (plist-get info :frames) "")
          (if-let* ((cause (plist-get info :cause)))
              (concat "\ncaused by " (agentq-repl--error cause))
            "")
          (mapconcat (lambda (part) (concat "\npart " (agentq-repl--error part)))
                     (plist-get info :errors) "")
          (if-let* ((more (plist-get info :moreErrors)))
              (format "\n... %d more" more)
            "")))

(defun agentq-repl--output (server params)
  "Show the agentq/replOutput PARAMS of SERVER."
  (agentq-repl--insert server (plist-get params :text))
  (with-current-buffer (agentq-repl-buffer server)
    (setq agentq-repl--live t)))

(defun agentq-repl--question (server approval)
  "Show in the log of SERVER an APPROVAL that evaluations wait for."
  (when-let* ((question (plist-get approval :question)))
    (agentq-repl--insert server (concat question "\n  " (plist-get approval :why)
                                        "\n  M-x agentq-approve answers.\n"))))

(add-hook 'agentq-repl-functions #'agentq-repl--output)
(add-hook 'agentq-approval-functions #'agentq-repl--question)

(provide 'agentq-repl)

;;; agentq-repl.el ends here
