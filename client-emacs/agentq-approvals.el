;;; agentq-approvals.el --- Allow or deny a dangerous call  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A dangerous tool that is no edit asks for permission before it runs, and a
;; REPL with full rights before it starts.  The question arrives as a
;; notification, is announced, and waits for `agentq-approve', which sends the
;; answer.  Quitting leaves the question open.

;;; Code:

(require 'agentq-client)
(require 'agentq-visible)

(defvar agentq-approval-functions nil
  "Functions called with the server and a new or changed approval.")

(agentq-define-state agentq-server-approvals
  "Return the alist from approval ids to open approvals of SERVER, oldest first.")

(defun agentq-approve ()
  "Answer the oldest question of the agent whether it may make a call."
  (interactive)
  (let* ((server (agentq-running-server))
         (approval (cdar (agentq-server-approvals server))))
    (unless approval
      (user-error "The agent asks for nothing"))
    (agentq-approvals--answer server approval (agentq-approvals--ask approval))))

(defun agentq-approvals--ask (approval)
  "Show APPROVAL and return (DECISION MESSAGE REMEMBER)."
  (save-window-excursion
    (with-current-buffer (get-buffer-create "*agentq-approve*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (agentq-approvals--text approval))
        (goto-char (point-min))
        (special-mode)
        (visual-line-mode)
        (pop-to-buffer (current-buffer))))
    (pcase (car (agentq-approvals--choose approval))
      (?y '("approved"))
      (?s '("approved" nil "session"))
      (?w '("approved" nil "workspace"))
      (_ (list "denied" (string-trim (read-string "Denied because (may be empty): ")))))))

(defun agentq-approvals--choose (approval)
  "Read the answer to APPROVAL, whose own words stand beside the keys."
  (if-let* ((question (agentq-get Approval approval :question))
            (answers (agentq-get Approval approval :answers)))
      (read-multiple-choice
       question
       `((?y "yes" ,(agentq-get ApprovalAnswers answers :approved))
         ,@(when-let* ((always (agentq-get ApprovalAnswers answers :always)))
             `((?w "always" ,always)))
         (?n "no" ,(concat (agentq-get ApprovalAnswers answers :denied) ", and say why"))))
    (read-multiple-choice
     (format "Allow %s?" (agentq-get Approval approval :tool))
     '((?y "yes" "Allow this call")
       (?s "always in this chat"
           "Allow it, and do not ask again for exactly this call in this conversation")
       (?w "always in this project"
           "Allow it, and never ask again for exactly this call in this project")
       (?n "no" "Deny this call and say why")))))

(defun agentq-approvals--text (approval)
  "Return APPROVAL as text to read."
  (concat (or (agentq-get Approval approval :question) (agentq-get Approval approval :tool)) "\n\n"
          (cl-loop for (key value) on (agentq-get Approval approval :arguments) by #'cddr
                   concat (agentq-approvals--argument
                           (substring (symbol-name key) 1)
                           (agentq-visible (if (stringp value) value (format "%S" value)))))
          "\nWhy: " (agentq-get Approval approval :why)
          "\nRisk: " (agentq-get Approval approval :risk) "\n"))

;; At the edge a line of a file, or of a form, could pass for the risk below it.
(defun agentq-approvals--argument (name value)
  "Return VALUE under its NAME, each of several lines indented and barred."
  (if (not (string-search "\n" value))
      (propertize (format "%s: %s\n" name value) 'wrap-prefix "  ")
    (concat name ":\n"
            (mapconcat (lambda (line) (propertize (format "  | %s\n" line) 'wrap-prefix "  |   "))
                       (split-string (string-trim-right value "\n+") "\n")))))

(defun agentq-approvals--answer (server approval answer)
  "Send SERVER the ANSWER to APPROVAL."
  (let ((id (agentq-get Approval approval :approvalId)))
    (agentq-request
     server :agentq/answerApproval
     (agentq-make AnswerApprovalParams
       :approvalId id
       :decision (car answer)
       :then "continue"
       :message (unless (equal (nth 1 answer) "") (nth 1 answer))
       :remember (nth 2 answer))
     :then (lambda (_result)
             (agentq-approvals--settled server id)
             (force-mode-line-update t)))))

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
  "Remember the question APPROVAL of SERVER."
  (setf (alist-get (agentq-get Approval approval :approvalId)
                   (agentq-server-approvals server) nil nil #'equal)
        approval)
  (run-hook-with-args 'agentq-approval-functions server approval))

(agentq-define-notification agentq/approvalChanged (server change)
  "Forget the question of SERVER that is settled by CHANGE."
  (agentq-approvals--settled server (agentq-get ApprovalChanged change :approvalId))
  (run-hook-with-args 'agentq-approval-functions server change))

(provide 'agentq-approvals)

;;; agentq-approvals.el ends here
