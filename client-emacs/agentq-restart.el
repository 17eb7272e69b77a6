;;; agentq-restart.el --- A fresh process for the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Restarts the REPL, with the forms that built its state if the person wants them.

;;; Code:

(require 'agentq-client)
(require 'agentq-log)
(require 'agentq-process)

;;;###autoload
(defun agentq-restart-repl (&optional replay then)
  "Start the REPL anew, then call THEN without arguments.
REPLAY is a list of evaluation ids to run again, or (\"all\") for what the
present state was built from; interactively, \"all\" with a prefix argument."
  (interactive (list (and current-prefix-arg '("all"))))
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/restartRepl
     (agentq-make RestartReplParams :replay (and replay (vconcat replay)))
     :timeout nil
     :then (lambda (result)
             (let ((text (concat (agentq-restart--outcome result)
                                 (if-let* ((process (agentq-process-of server)))
                                     (format "; your forms go to %s, which is as it was" process)
                                   ""))))
               (agentq-log-note server text)
               (message "Agent-Q: %s" text))
             (when then
               (funcall then))))))

(defun agentq-restart--outcome (answer)
  "Return the ANSWER to a restart in words."
  (let* ((again (agentq-get RestartAnswer answer :replayed))
         (failed (seq-count (lambda (item) (not (equal (agentq-get HistoryItem item :outcome) "value")))
                            again)))
    (if-let* ((unknown (agentq-get RestartAnswer answer :unknown)))
        (format "nothing was restarted: no form that succeeded has the id %s" (string-join unknown ", "))
      (concat (format "the REPL is %s" (agentq-get RestartAnswer answer :state))
              (when again
                (format ", %d form%s run again" (length again) (if (length= again 1) "" "s")))
              (when (> failed 0)
                (format ", %d of them failed" failed))))))

(provide 'agentq-restart)

;;; agentq-restart.el ends here
