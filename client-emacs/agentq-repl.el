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
  (interactive (list (read-string "Evaluate: ")
                     (unless current-prefix-arg (agentq-repl--module))))
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
          (mapconcat (lambda (frame)
                       (format "\n    at %s (%s:%d)" (plist-get frame :function)
                               (file-name-nondirectory
                                (eglot-uri-to-path (plist-get frame :uri)))
                               (1+ (plist-get frame :line))))
                     (plist-get info :frames) "")
          (if-let* ((cause (plist-get info :cause)))
              (concat "\ncaused by " (agentq-repl--error cause))
            "")))

(defun agentq-repl--output (server params)
  "Show the agentq/replOutput PARAMS of SERVER."
  (agentq-repl--insert server (plist-get params :text))
  (with-current-buffer (agentq-repl-buffer server)
    (setq agentq-repl--live t)))

(add-hook 'agentq-repl-functions #'agentq-repl--output)

(provide 'agentq-repl)

;;; agentq-repl.el ends here
