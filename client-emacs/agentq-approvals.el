;;; agentq-approvals.el --- Allow or deny a dangerous call  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A dangerous tool that is no edit asks for permission before it runs, and a
;; REPL with full rights before it starts.  The question arrives as a
;; notification, is announced, and waits in a queue for `agentq-approve', which
;; shows it in a buffer (agentq-question.el).
;;
;; Invariant: a question is answered by a key in its buffer and in no other way.

;;; Code:

(require 'agentq-client)

(declare-function agentq-question-show "agentq-question" (server approval))

(defvar agentq-approval-functions nil
  "Functions called with the server and a new or changed approval.")

(agentq-define-state agentq-server-approvals
  "Return the alist from approval ids to open approvals of SERVER, oldest first.")

(defun agentq-approve ()
  "Show the oldest question of the agent, with the keys that answer it.
It is one of this project, or of any other where nothing is asked here."
  (interactive)
  (let ((server (or (seq-find #'agentq-server-approvals
                              (cons (agentq-current-server) agentq--servers))
                    (progn (agentq-running-server)
                           (user-error "The agent asks for nothing")))))
    (agentq-question-show server (cdar (agentq-server-approvals server)))))

(defun agentq-approvals-find (server id)
  "Return the open question ID of SERVER, or nil."
  (cdr (assoc id (agentq-server-approvals server))))

(cl-defun agentq-approvals-answer (server approval decision
                                          &key message remember arguments
                                          (then #'ignore) (else #'ignore))
  "Send SERVER the DECISION on APPROVAL.
DECISION is \"approved\", \"denied\" or \"modified\"; then the call runs with
ARGUMENTS.  MESSAGE are the words of the person.  REMEMBER is \"session\" or
\"workspace\": for so long exactly this call is not asked about again.  Call
THEN when the question is settled, with non-nil if it was by this answer;
call ELSE when the question is still open."
  (let ((id (agentq-get Approval approval :approvalId)))
    (agentq-request
     server :agentq/answerApproval
     (agentq-make AnswerApprovalParams
       :approvalId id
       :decision decision
       :arguments arguments
       :then "continue"
       :message (unless (equal message "") message)
       :remember remember)
     :then (lambda (result)
             (let ((accepted (eq t (agentq-get AnswerApprovalResult result :accepted))))
               (unless accepted
                 (message "Agent-Q: that call waits no more, nothing was answered"))
               (agentq-approvals--settled server id)
               (force-mode-line-update t)
               (funcall then accepted)))
     :else (lambda (text &optional _code)
             (message "Agent-Q: %s" text)
             (funcall else)))))

(defun agentq-approvals--note (_server approval)
  "Mention APPROVAL."
  (when (agentq-get Approval approval :tool)
    (message "%s" (substitute-command-keys
                   (concat "Agent-Q "
                           (if-let* ((question (agentq-get Approval approval :question)))
                               (concat "asks: " question " ")
                             (format "wants to call %s: " (agentq-get Approval approval :tool)))
                           "\\[agentq-approve] answers"))))
  (force-mode-line-update t))

(add-hook 'agentq-approval-functions #'agentq-approvals--note)

(defun agentq-approvals--settled (server id)
  "Forget the question ID of SERVER."
  (setf (alist-get id (agentq-server-approvals server) nil t #'equal) nil))

(defun agentq-approvals--forget (server)
  "Forget what SERVER asked: it has ended."
  (setf (agentq-server-approvals server) nil))

(add-hook 'agentq-disconnect-functions #'agentq-approvals--forget)

(agentq-define-notification agentq/approval (server approval)
  "Remember the question APPROVAL of SERVER behind those that wait already."
  (let ((id (agentq-get Approval approval :approvalId)))
    (if-let* ((known (assoc id (agentq-server-approvals server))))
        (setcdr known approval)
      (setf (agentq-server-approvals server)
            (append (agentq-server-approvals server) (list (cons id approval))))))
  (run-hook-with-args 'agentq-approval-functions server approval))

(agentq-define-notification agentq/approvalChanged (server change)
  "Forget the question of SERVER that is settled by CHANGE."
  (agentq-approvals--settled server (agentq-get ApprovalChanged change :approvalId))
  (run-hook-with-args 'agentq-approval-functions server change))

(provide 'agentq-approvals)

;;; agentq-approvals.el ends here
