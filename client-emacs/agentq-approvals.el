;;; agentq-approvals.el --- Allow or deny a dangerous call  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Dangerous tools that are not edits ask for permission, and so does an image
;; that is to run with full rights, before it starts.  The question arrives
;; as a notification, is announced, and waits for `agentq-approve': the answer is
;; a request of ours.  Quitting leaves the question open.

;;; Code:

(require 'agentq-client)
(require 'agentq-visible)

(defun agentq-approve ()
  "Answer the oldest question of the agent whether it may make a call."
  (interactive)
  (let* ((server (agentq-running-server))
         (approval (cdar (agentq-server-approvals server))))
    (unless approval
      (user-error "The agent asks for nothing"))
    (agentq-approvals--answer server approval (agentq-approvals--ask approval))))

(defun agentq-approvals--ask (approval)
  "Show APPROVAL and return (DECISION MESSAGE FOR-SESSION)."
  (save-window-excursion
    (with-current-buffer (get-buffer-create "*agentq-approve*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (agentq-approvals--text approval))
        (goto-char (point-min))
        (special-mode)
        (pop-to-buffer (current-buffer))))
    (pcase (car (agentq-approvals--choose approval))
      (?y '("approved"))
      (?s '("approved" nil t))
      (_ (list "denied" (string-trim (read-string "Denied because (may be empty): ")))))))

(defun agentq-approvals--choose (approval)
  "Read the answer to APPROVAL, whose own words stand beside the keys."
  (if-let* ((question (plist-get approval :question))
            (answers (plist-get approval :answers)))
      (read-multiple-choice
       question
       `((?y "yes" ,(plist-get answers :approved))
         (?n "no" ,(concat (plist-get answers :denied) ", and say why"))))
    (read-multiple-choice
     (format "Allow %s?" (plist-get approval :tool))
     '((?y "yes" "Allow this call")
       (?s "same again" "Allow it, and do not ask again for exactly this call in this conversation")
       (?n "no" "Deny this call and say why")))))

(defun agentq-approvals--text (approval)
  "Return APPROVAL as text to read."
  (concat (or (plist-get approval :question) (plist-get approval :tool)) "\n\n"
          (cl-loop for (key value) on (plist-get approval :arguments) by #'cddr
                   concat (format "%s: %s\n" (substring (symbol-name key) 1)
                                  (agentq-visible
                                   (if (stringp value) value (format "%S" value)))))
          "\nWhy: " (plist-get approval :why)
          "\nRisk: " (plist-get approval :risk) "\n"))

(defun agentq-approvals--answer (server approval answer)
  "Send SERVER the ANSWER to APPROVAL."
  (let ((id (plist-get approval :approvalId)))
    (agentq-request
     server :agentq/answerApproval
     (append (list :approvalId id :decision (car answer) :then "continue")
             (unless (member (nth 1 answer) '(nil ""))
               (list :message (nth 1 answer)))
             (when (nth 2 answer)
               '(:remember "session")))
     :then (lambda (_result)
             (setf (alist-get id (agentq-server-approvals server) nil t #'equal) nil)
             (force-mode-line-update t)))))

(defun agentq-approvals--note (_server approval)
  "Mention APPROVAL."
  (when (plist-get approval :tool)
    (message "%s" (substitute-command-keys
                   (concat "Agent-Q "
                           (if-let* ((question (plist-get approval :question)))
                               (concat "asks: " question " ")
                             (format "wants to call %s: " (plist-get approval :tool)))
                           "\\[agentq-approve] answers"))))
  (force-mode-line-update t))

(add-hook 'agentq-approval-functions #'agentq-approvals--note)

(provide 'agentq-approvals)

;;; agentq-approvals.el ends here
