;;; agentq-changes.el --- Keep or revert what an evaluation changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; While a form runs in an open image, files may change.  The server tells which;
;; they wait for `agentq-changes', which keeps them or takes them back.

;;; Code:

(require 'agentq-client)
(require 'agentq-repl)

(defvar agentq-changes--waiting nil
  "List of (SERVER . EVENT) that nobody decided about, oldest first.
An EVENT is the parameters of an agentq/evaluationChanges.")

(defun agentq-changes ()
  "Keep or revert the files that changed while an evaluation ran.
The oldest evaluation whose changes wait is asked about."
  (interactive)
  (let ((entry (car agentq-changes--waiting)))
    (unless entry
      (user-error "No evaluation changed a file"))
    (agentq-changes--decide entry (agentq-changes--ask (cdr entry)))))

(defun agentq-changes--ask (event)
  "Show EVENT and return the method that the user chose."
  (save-window-excursion
    (with-current-buffer (get-buffer-create "*agentq-changes*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (agentq-changes--message event) "\n\n"
                (mapconcat #'agentq-changes--line (plist-get event :changes) "\n"))
        (goto-char (point-min))
        (special-mode)
        (pop-to-buffer (current-buffer))))
    (pcase (car (read-multiple-choice
                 "What changed while the form ran?"
                 '((?k "keep" "Keep the files as they are now")
                   (?r "revert" "Give them back what they held before"))))
      (?k :agentq/keepEvaluationChanges)
      (_ :agentq/revertEvaluationChanges))))

(defun agentq-changes--line (change)
  "Return a line about the CHANGE of one file."
  (format "%s (%s)%s"
          (abbreviate-file-name (eglot-uri-to-path (plist-get change :uri)))
          (plist-get change :kind)
          (if (eq t (plist-get change :canRevert))
              ""
            (format ", cannot be reverted: %s" (plist-get change :reason)))))

(defun agentq-changes--decide (entry method)
  "Send METHOD about ENTRY and say what came of it."
  (let ((server (car entry)))
    (agentq-request
     server method (list :evalId (plist-get (cdr entry) :evalId))
     :then (lambda (result)
             (setq agentq-changes--waiting (delq entry agentq-changes--waiting))
             (agentq-changes--follow
              (list :changes (mapcar (lambda (uri) (list :uri uri)) (plist-get result :done))))
             (let ((text (agentq-changes--outcome method result)))
               (agentq-repl-note server text)
               (message "Agent-Q: %s" text)))
     :else (lambda (text &optional _code)
             (setq agentq-changes--waiting (delq entry agentq-changes--waiting))
             (message "Agent-Q: %s" text)))))

(defun agentq-changes--outcome (method result)
  "Return the RESULT of METHOD in words."
  (concat
   (format "%s: %d file%s"
           (if (eq method :agentq/keepEvaluationChanges) "kept" "reverted")
           (length (plist-get result :done))
           (if (length= (plist-get result :done) 1) "" "s"))
   (mapconcat (lambda (failure)
                (format "\n%s was not reverted: %s"
                        (abbreviate-file-name (eglot-uri-to-path (plist-get failure :uri)))
                        (plist-get failure :reason)))
              (plist-get result :failed) "")))

(defun agentq-changes--message (event)
  "Return the message of EVENT without its last sentence, meant for the agent."
  (replace-regexp-in-string " The person can keep or revert [^.]*\\.\\'" ""
                            (plist-get event :message)))

(defun agentq-changes--follow (event)
  "Revert the unmodified buffers of the files that EVENT names.
Otherwise the next form would run with the old text."
  (seq-doseq (change (plist-get event :changes))
    (when-let* ((file (eglot-uri-to-path (plist-get change :uri)))
                (buffer (find-buffer-visiting file))
                ((file-exists-p file)))
      (with-current-buffer buffer
        (unless (or (buffer-modified-p) (verify-visited-file-modtime buffer))
          (revert-buffer t t t))))))

(defun agentq-changes--note (server event)
  "Remember the EVENT of SERVER and mention it."
  (setq agentq-changes--waiting
        (append (seq-filter (lambda (entry) (jsonrpc-running-p (car entry)))
                            agentq-changes--waiting)
                (list (cons server event))))
  (agentq-changes--follow event)
  (let ((text (agentq-changes--message event)))
    (agentq-repl-note server (concat text " M-x agentq-changes decides.")
                      (plist-get event :evalId))
    (message "%s" (substitute-command-keys
                   (concat "Agent-Q: " text " \\[agentq-changes] decides")))))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/evaluationChanges)) &rest event)
  "Remember the EVENT: what SERVER saw change during an evaluation."
  (agentq--quietly #'agentq-changes--note server event))

(provide 'agentq-changes)

;;; agentq-changes.el ends here
