;;; agentq-question.el --- A question of the agent, with its keys  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A question is shown in full, since nobody approves code that cannot be read:
;; what is asked, what could happen, and every argument with the colours of its
;; language.  A key answers; then the next question takes the buffer.
;;
;; Invariant: leaving the buffer or killing it decides nothing.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-mouse)
(require 'agentq-question-answer)
(require 'agentq-question-text)

(defface agentq-question-key '((t :inherit help-key-binding))
  "A key that answers." :group 'agentq)

(defconst agentq-question--pause 0.6
  "Seconds for which a question that came by itself takes no answer.")

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
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-question--header))))
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

(defun agentq-question--draw ()
  "Write the question of the current buffer."
  (when-let* ((approval (agentq-question--approval))
              (inhibit-read-only t))
    (erase-buffer)
    (insert (agentq-question-text approval) "\n")
    (pcase-dolist (`(,key ,_ ,long) (agentq-question-keys approval))
      (insert " " (agentq-mouse-button (format "%s  %s" (propertize key 'face 'agentq-question-key) long)
                                       key)
              "\n"))
    (goto-char (point-min))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-start window (point-min))
      (set-window-point window (point-min))
      (when (window-combined-p window)
        (agentq-question--fit window)))))

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
                         (agentq-question-keys (cdr (nth index waiting))) " "))))))

;;; From question to question

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
  (with-current-buffer buffer (set-buffer-modified-p nil))
  (kill-buffer buffer))

(add-hook 'agentq-approval-functions #'agentq-question-look-again)
(add-hook 'agentq-disconnect-functions #'agentq-question-look-again t)

(provide 'agentq-question)

;;; agentq-question.el ends here
