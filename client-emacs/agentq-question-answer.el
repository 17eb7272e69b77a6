;;; agentq-question-answer.el --- The keys that answer a question  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The commands of `agentq-question-mode' that answer the question of the buffer.
;;
;; Invariants:
;; - Quitting a prompt decides nothing.
;; - A question that came into the buffer by itself cannot be answered by a key
;;   that was meant for the one before.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-question-text)
(require 'agentq-read)

(defvar agentq-question-mode)           ; agentq-question.el
(declare-function agentq-arguments-edit "agentq-arguments" (server approval))
(declare-function agentq-question-look-again "agentq-question" (server &rest _))

(defvar-local agentq-question--server nil "The server that asks.")
(defvar-local agentq-question--id nil "The id of the question that is shown.")
(defvar-local agentq-question--not-before 0 "The time from which keys answer.")
(defvar-local agentq-question--sent nil "The id of the question that is being answered.")

(defun agentq-question--approval ()
  "Return the question of the current buffer, nil when it is settled."
  (agentq-approvals-find agentq-question--server agentq-question--id))

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
                      (list (agentq-read-reason "Why not? ")))
               agentq-question-mode)
  (agentq-question--answer (agentq-question--to-answer) "denied" :message reason))

(defun agentq-question-edit ()
  "Change what the call would run."
  (interactive nil agentq-question-mode)
  (let ((approval (agentq-question--to-answer)))
    (unless (agentq-question-changeable-p approval)
      (user-error "There is nothing to change"))
    (agentq-arguments-edit agentq-question--server approval)))

(provide 'agentq-question-answer)

;;; agentq-question-answer.el ends here
