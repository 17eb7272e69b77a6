;;; agentq-question.el --- A question of the agent, with its keys  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A question is shown in full, since nobody approves code that cannot be read:
;; what is asked, what could happen, and every argument with the colours of its
;; language.  A key answers; then the next question takes the buffer.
;;
;; Invariants:
;; - Leaving the buffer, killing it or quitting a prompt decides nothing.
;; - A question that came into the buffer by itself cannot be answered by a key
;;   that was meant for the one before.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-fontify)
(require 'agentq-visible)

(declare-function agentq-arguments-edit "agentq-arguments" (server approval))

(defface agentq-question '((t :inherit bold))
  "What is asked." :group 'agentq)
(defface agentq-question-risk '((t :inherit warning))
  "What could happen." :group 'agentq)
(defface agentq-question-key '((t :inherit help-key-binding))
  "A key that answers." :group 'agentq)

(defconst agentq-question--pause 0.6
  "Seconds for which a question that came by itself takes no answer.")

(defvar-local agentq-question--server nil "The server that asks.")
(defvar-local agentq-question--id nil "The id of the question that is shown.")
(defvar-local agentq-question--not-before 0 "The time from which keys answer.")
(defvar-local agentq-question--sent nil "The id of the question that is being answered.")

(defvar-keymap agentq-question-mode-map
  :doc "Keys of `agentq-question-mode'."
  :parent special-mode-map
  "1" #'agentq-question-approve
  "a" #'agentq-question-approve
  "2" #'agentq-question-approve-for-session
  "s" #'agentq-question-approve-for-session
  "w" #'agentq-question-approve-for-project
  "3" #'agentq-question-deny
  "d" #'agentq-question-deny
  "4" #'agentq-question-deny-because
  "r" #'agentq-question-deny-because
  "e" #'agentq-question-edit
  "n" #'agentq-question-next
  "p" #'agentq-question-previous
  "?" #'describe-mode)

(define-derived-mode agentq-question-mode special-mode "AgentQ-Question"
  "A question of the agent, which waits until a key answers it.
\\<agentq-question-mode-map>
\\[agentq-question-approve]  yes, this once.
\\[agentq-question-approve-for-session]  yes, and exactly this call runs unasked in this conversation.
\\[agentq-question-approve-for-project]  yes, and exactly this call runs unasked in this project.
\\[agentq-question-deny]  no.
\\[agentq-question-deny-because]  no, with a reason that the model hears.
\\[agentq-question-edit]  changes what the call would run.
\\[agentq-question-next], \\[agentq-question-previous]  show other questions that wait.
\\[quit-window]  leaves all of them for later; so does killing the buffer.

\\{agentq-question-mode-map}"
  (setq header-line-format '(:eval (agentq-question--header)))
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-question--draw)))
  (visual-line-mode))

(defun agentq-question-show (server approval)
  "Show APPROVAL, a question of SERVER, and go there."
  (let ((buffer (agentq-buffer server "agentq-approve" 'agentq-question-mode)))
    (with-current-buffer buffer
      (setq agentq-question--server server
            agentq-question--not-before 0)
      (agentq-question--put approval))
    (agentq-question-pop-to buffer)))

(defun agentq-question-pop-to (buffer)
  "Go to BUFFER in a window at the bottom, as high as its text, if that fits."
  (pop-to-buffer buffer '((display-buffer-reuse-window display-buffer-at-bottom)
                          (window-height . agentq-question--fit))))

(defun agentq-question--fit (window)
  "Make WINDOW as high as its text, or as most of its frame."
  (fit-window-to-buffer window (floor (* 0.75 (frame-height (window-frame window)))) 8))

;;; What is shown

(defun agentq-question--put (approval)
  "Show APPROVAL in the current buffer."
  (setq agentq-question--id (agentq-get Approval approval :approvalId))
  (agentq-question--draw))

(defun agentq-question--approval ()
  "Return the question of the current buffer, nil when it is settled."
  (agentq-approvals-find agentq-question--server agentq-question--id))

(defun agentq-question--draw ()
  "Write the question of the current buffer."
  (when-let* ((approval (agentq-question--approval))
              (inhibit-read-only t))
    (erase-buffer)
    (insert (agentq-question-text approval) "\n")
    (pcase-dolist (`(,key ,_ ,long) (agentq-question--keys approval))
      (insert (format " %s  %s\n" (propertize key 'face 'agentq-question-key) long)))
    (goto-char (point-min))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-start window (point-min))
      (set-window-point window (point-min))
      (when (window-combined-p window)
        (agentq-question--fit window)))))

(defun agentq-question-text (approval)
  "Return APPROVAL as text with faces."
  (concat (propertize (agentq-visible (agentq-question--title approval)) 'face 'agentq-question)
          "\n\nWhy: " (agentq-visible (agentq-get Approval approval :why))
          "\nRisk: " (propertize (agentq-visible (agentq-get Approval approval :risk))
                                 'face 'agentq-question-risk)
          "\n\n"
          (cl-loop for (key value) on (agentq-get Approval approval :arguments) by #'cddr
                   for name = (agentq-visible-line (substring (symbol-name key) 1))
                   concat (agentq-question--argument
                           name (agentq-visible (agentq-question-value value))))))

(defun agentq-question--title (approval)
  "Return the question that APPROVAL asks."
  (or (agentq-get Approval approval :question)
      (format "%s asks whether it may run" (agentq-get Approval approval :tool))))

(defun agentq-question-value (value)
  "Return VALUE, an argument, for a person: as JSON, but a string as it is."
  (if (stringp value) value
    (with-temp-buffer
      (insert (json-serialize value :null-object nil :false-object :json-false))
      (json-pretty-print-buffer)
      (buffer-string))))

(defun agentq-question-language (name)
  "Return the language in which the argument called NAME is written, or nil."
  (pcase name
    ((or "form" "code") "ts")
    ("command" "sh")))

;; At the edge a line of a file, or of a form, could pass for the risk above it.
(defun agentq-question--argument (name value)
  "Return VALUE under its NAME, each of several lines indented and barred."
  (let ((code (agentq-fontify-string (string-trim-right value "\n+")
                                     (agentq-question-language name))))
    (if (not (string-search "\n" code))
        (propertize (concat name ": " code "\n") 'wrap-prefix "  ")
      (concat name ":\n"
              (mapconcat (lambda (line)
                           (propertize (concat "  | " line "\n") 'wrap-prefix "  |   "))
                         (split-string code "\n"))))))

(defun agentq-question--keys (approval)
  "Return the keys that answer APPROVAL, as lists (KEY SHORT LONG)."
  (let* ((answers (agentq-get Approval approval :answers))
         (yes (or (agentq-get ApprovalAnswers answers :approved) "yes"))
         (no (or (agentq-get ApprovalAnswers answers :denied) "no"))
         (always (agentq-get ApprovalAnswers answers :always))
         (call (agentq-get Approval approval :toolCallId)))
    (delq nil
          (list
           (list "1" yes (if call (concat yes ", this once") yes))
           (and call
                (list "2" "chat" (concat yes ", and exactly this call runs unasked in this conversation")))
           (cond (always (list "w" always always))
                 (call (list "w" "project"
                             (concat yes ", and exactly this call runs unasked in this project;\n"
                                     "    M-x agentq-remembered takes that back"))))
           (list "3" no no)
           (list "4" "because" (concat no ", with a reason that the model hears"))
           (and (agentq-question--changeable-p approval)
                (list "e" "edit" "change what it would run"))
           (list "q" "later" "decide nothing now")))))

(defun agentq-question--changeable-p (approval)
  "Return non-nil if the person can change what the call of APPROVAL would run."
  (and (agentq-get Approval approval :toolCallId)
       (agentq-get Approval approval :arguments)))

(defun agentq-question--header ()
  "Return the header line: the keys, and how many questions wait."
  (let* ((waiting (and agentq-question--server (agentq-server-approvals agentq-question--server)))
         (index (seq-position waiting agentq-question--id
                              (lambda (entry id) (equal (car entry) id)))))
    (cond ((not index) " This question is settled")
          ((equal agentq-question--sent agentq-question--id) " The answer is on its way")
          (t (concat
              (if (cdr waiting) (format " [%d of %d]" (1+ index) (length waiting)) "")
              (mapconcat (pcase-lambda (`(,key ,short ,_))
                           (concat " " (propertize key 'face 'agentq-question-key) " "
                                   (string-replace "%" "%%" (agentq-visible-line short))))
                         (agentq-question--keys (cdr (nth index waiting))) " "))))))

;;; Keys

(defun agentq-question--to-answer ()
  "Return the question of the current buffer, which may be answered now."
  (let ((approval (agentq-question--approval)))
    (cond ((null approval) (user-error "This question is settled"))
          ((equal agentq-question--sent agentq-question--id)
           (user-error "The answer is on its way"))
          ((< (float-time) agentq-question--not-before)
           (user-error "This is the next question; read it first"))
          (t approval))))

(defun agentq-question--answer (approval decision &rest more)
  "Answer APPROVAL with DECISION; MORE as in `agentq-approvals-answer'."
  (let ((buffer (current-buffer))
        (server agentq-question--server))
    (setq agentq-question--sent (agentq-get Approval approval :approvalId))
    (apply #'agentq-approvals-answer server approval decision
           :then (lambda (_accepted) (agentq-question-look-again server))
           :else (lambda ()
                   (when (buffer-live-p buffer)
                     (with-current-buffer buffer
                       (setq agentq-question--sent nil)
                       (force-mode-line-update))))
           more)))

(defun agentq-question-approve ()
  "Let the call run, this once."
  (interactive nil agentq-question-mode)
  (agentq-question--answer (agentq-question--to-answer) "approved"))

(defun agentq-question-approve-for-session ()
  "Let the call run, and do not ask about it again in this conversation."
  (interactive nil agentq-question-mode)
  (let ((approval (agentq-question--to-answer)))
    (unless (agentq-get Approval approval :toolCallId)
      (user-error "This question is about no call"))
    (agentq-question--answer approval "approved" :remember "session")))

(defun agentq-question-approve-for-project ()
  "Answer yes for good: do not ask about this again in this project."
  (interactive nil agentq-question-mode)
  (let ((approval (agentq-question--to-answer)))
    (unless (or (agentq-get Approval approval :toolCallId)
                (agentq-get Approval approval :answers :always))
      (user-error "A yes to this question holds once"))
    (agentq-question--answer approval "approved" :remember "workspace")))

(defun agentq-question-deny ()
  "Answer no."
  (interactive nil agentq-question-mode)
  (agentq-question--answer (agentq-question--to-answer) "denied"))

(defun agentq-question-deny-because (reason)
  "Answer no for a REASON, which the model hears."
  (interactive (progn (agentq-question--to-answer)
                      (list (string-trim (read-string "Why not? "))))
               agentq-question-mode)
  (agentq-question--answer (agentq-question--to-answer) "denied" :message reason))

(defun agentq-question-edit ()
  "Change what the call would run."
  (interactive nil agentq-question-mode)
  (let ((approval (agentq-question--to-answer)))
    (unless (agentq-question--changeable-p approval)
      (user-error "There is nothing to change"))
    (agentq-arguments-edit agentq-question--server approval)))

(defun agentq-question-next (&optional by)
  "Show the next question that waits, or the one that is BY further."
  (interactive nil agentq-question-mode)
  (let* ((waiting (mapcar #'car (agentq-server-approvals agentq-question--server)))
         (index (+ (or (seq-position waiting agentq-question--id) 0) (or by 1))))
    (unless (< -1 index (length waiting))
      (user-error "No other question waits there"))
    (setq agentq-question--not-before 0)
    (agentq-question--put (agentq-approvals-find agentq-question--server (nth index waiting)))))

(defun agentq-question-previous ()
  "Show the question that came before this one."
  (interactive nil agentq-question-mode)
  (agentq-question-next -1))

;;; News

(defun agentq-question-look-again (server &rest _)
  "Show the next question of SERVER where a settled one is shown, or none."
  (when-let* ((buffer (agentq-question--buffer server)))
    (with-current-buffer buffer
      (unless (agentq-question--approval)
        (if-let* ((next (cdar (agentq-server-approvals server))))
            (progn
              (setq agentq-question--not-before (+ (float-time) agentq-question--pause))
              (agentq-question--put next))
          (agentq-question-leave server))))))

(defun agentq-question--buffer (server)
  "Return the buffer with a question of SERVER, or nil."
  (seq-find (lambda (buffer)
              (and (eq (buffer-local-value 'major-mode buffer) 'agentq-question-mode)
                   (eq (buffer-local-value 'agentq-question--server buffer) server)))
            (buffer-list)))

(defun agentq-question-leave (server)
  "Show no question of SERVER any more, without an answer."
  (when-let* ((buffer (agentq-question--buffer server)))
    (agentq-question-close buffer)))

(defun agentq-question-close (buffer)
  "Kill BUFFER, and give back the room that its windows took."
  (quit-windows-on buffer)
  (kill-buffer buffer))

(add-hook 'agentq-approval-functions #'agentq-question-look-again)
(add-hook 'agentq-disconnect-functions #'agentq-question-look-again t)

(provide 'agentq-question)

;;; agentq-question.el ends here
