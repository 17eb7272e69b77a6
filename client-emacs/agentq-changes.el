;;; agentq-changes.el --- Keep or revert what an evaluation changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Files may change while a form runs in an open REPL.  The server names those
;; files, and the changes wait for `agentq-changes', which keeps or reverts them,
;; all at once or file by file.

;;; Code:

(require 'agentq-client)
(require 'agentq-eval)
(require 'agentq-open-buffers)

(defvar agentq-changes--waiting nil
  "List of (SERVER . EVENT) that nobody decided about, oldest first.
An EVENT is the parameters of an agentq/evaluationChanges, with those of its
changes that wait.")

(defun agentq-changes-count (server)
  "Return how many evaluations of SERVER have files to keep or to revert."
  (seq-count (lambda (entry) (eq (car entry) server)) agentq-changes--waiting))

;;;###autoload
(defun agentq-changes ()
  "Keep or revert the files that changed while an evaluation ran.
The oldest evaluation of the project whose changes wait is asked about: all
of its files or, with `e', each of them.  A quit leaves for later what was
not answered."
  (interactive)
  (let ((entry (or (assq (agentq-current-server) agentq-changes--waiting)
                   (car agentq-changes--waiting))))
    (unless entry
      (user-error "No evaluation changed a file"))
    (save-window-excursion
      (agentq-changes--show (cdr entry))
      (pcase (agentq-changes--choose
              "What changed while the form ran?"
              (and (cdr (append (agentq-get EvaluationChanges (cdr entry) :changes) nil))
                   '((?e "each" "Decide file by file"))))
        (?e (agentq-changes--each entry))
        (key (agentq-changes--decide entry (agentq-changes--method key)))))))

(defun agentq-changes--choose (prompt more)
  "Ask with PROMPT whether to keep or to revert; MORE are further choices.
Return the key."
  (car (read-multiple-choice
        prompt (append '((?k "keep" "Keep the files as they are now")
                         (?r "revert" "Give them back what they held before"))
                       more))))

(defun agentq-changes--method (key)
  "Return the method for the answer KEY."
  (if (eq key ?k) :agentq/keepEvaluationChanges :agentq/revertEvaluationChanges))

(defun agentq-changes--show (event)
  "Show the files of EVENT in a window."
  (pop-to-buffer
   (agentq-report
    "*agentq-changes*"
    (concat (format "While form %s ran, this changed:\n\n" (agentq-get EvaluationChanges event :evalId))
            (mapconcat #'agentq-changes--line (agentq-get EvaluationChanges event :changes) "\n"))))
  (fit-window-to-buffer nil (/ (frame-height) 2)))

(defun agentq-changes--each (entry)
  "Ask about every file of ENTRY; those answered by the quit are decided too."
  (let (keep revert)
    (unwind-protect
        (seq-doseq (change (agentq-get EvaluationChanges (cdr entry) :changes))
          (pcase (agentq-changes--choose (agentq-changes--line change)
                                         '((?l "later" "Leave this file for later")))
            (?k (push (agentq-get EvaluationChange change :uri) keep))
            (?r (push (agentq-get EvaluationChange change :uri) revert))))
      (when keep
        (agentq-changes--decide entry :agentq/keepEvaluationChanges (nreverse keep)))
      (when revert
        (agentq-changes--decide entry :agentq/revertEvaluationChanges (nreverse revert))))))

(defun agentq-changes--line (change)
  "Return a line about the CHANGE of one file."
  (format "%s (%s)%s"
          (abbreviate-file-name (agentq-uri-to-path (agentq-get EvaluationChange change :uri)))
          (agentq-get EvaluationChange change :kind)
          (if (eq t (agentq-get EvaluationChange change :canRevert))
              ""
            (format ", cannot be reverted: %s" (agentq-get EvaluationChange change :reason)))))

(defun agentq-changes--decide (entry method &optional uris)
  "Send METHOD about the URIS of ENTRY, nil for all, and say what came of it."
  (let ((server (car entry)))
    (agentq-request
     server method (agentq-make KeepEvaluationChangesParams
                     :evalId (agentq-get EvaluationChanges (cdr entry) :evalId)
                     :uris (and uris (vconcat uris)))
     :then (lambda (result)
             (agentq-changes--settle entry uris)
             (let* ((done (agentq-get ChangeDecision result :done))
                    (odd (agentq-open-buffers-follow done))
                    (text (agentq-changes--outcome server method result odd)))
               (agentq-log-note server text)
               (message "Agent-Q: %s" text)))
     :else (lambda (text &optional _code)
             (agentq-changes--settle entry uris)
             (message "Agent-Q: %s" text)))))

(defun agentq-changes--settle (entry uris)
  "Take what URIS name off what waits in ENTRY, all of it if nil."
  (let ((rest (and uris
                   (seq-remove (lambda (change) (member (agentq-get EvaluationChange change :uri) uris))
                               (agentq-get EvaluationChanges (cdr entry) :changes)))))
    (setcdr entry (agentq-with EvaluationChanges (cdr entry) :changes (vconcat rest)))
    (unless rest
      (setq agentq-changes--waiting (delq entry agentq-changes--waiting))
      (force-mode-line-update t))))

(defun agentq-changes--outcome (server method result odd)
  "Return the RESULT of METHOD of SERVER in words.
ODD is an alist from `gone' and `edited' to files, as
`agentq-open-buffers-follow' returns it."
  (let* ((root (agentq-server-root server))
         (revert (eq method :agentq/revertEvaluationChanges))
         (files (lambda (words list)
                  (if list
                      (concat "\n" words ": "
                              (mapconcat (lambda (file) (file-relative-name file root)) list ", "))
                    ""))))
    (concat
     (format "%s: %d file%s"
             (if revert "reverted" "kept")
             (length (agentq-get ChangeDecision result :done))
             (if (length= (agentq-get ChangeDecision result :done) 1) "" "s"))
     (funcall files "open in a buffer that has no file now, saving writes it again"
              (alist-get 'gone odd))
     (funcall files "your unsaved changes stay in the buffer of"
              (and revert (alist-get 'edited odd)))
     (mapconcat (lambda (failure)
                  (format "\n%s was not reverted: %s"
                          (abbreviate-file-name (agentq-uri-to-path (agentq-get ChangeDecisionFailed failure :uri)))
                          (agentq-get ChangeDecisionFailed failure :reason)))
                (agentq-get ChangeDecision result :failed) ""))))

(defun agentq-changes--message (event)
  "Return the message of EVENT without its last sentence, meant for the agent."
  (replace-regexp-in-string " The person can keep or revert [^.]*\\.\\'" ""
                            (agentq-get EvaluationChanges event :message)))

(defun agentq-changes--note (server event)
  "Remember the EVENT of SERVER and mention it."
  (setq agentq-changes--waiting
        (append (seq-filter (lambda (entry) (agentq-connection-running-p (car entry)))
                            agentq-changes--waiting)
                (list (cons server event))))
  (force-mode-line-update t)
  (agentq-open-buffers-follow (mapcar (agentq-getter EvaluationChange :uri)
                                  (agentq-get EvaluationChanges event :changes)))
  (let ((text (agentq-changes--message event)))
    (agentq-log-note server (concat text " M-x agentq-changes decides.")
                     (agentq-get EvaluationChanges event :evalId))
    (message "%s" (substitute-command-keys
                   (concat "Agent-Q: " text " \\[agentq-changes] decides")))))

(agentq-define-notification agentq/evaluationChanges (server event)
  "Remember the EVENT: what SERVER saw change during an evaluation."
  (agentq-changes--note server event))

(provide 'agentq-changes)

;;; agentq-changes.el ends here
