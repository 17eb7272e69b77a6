;;; agentq-messages.el --- What can be done at a message of the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Going from message to message, saying one again or another way, going on from
;; there in a copy of the conversation, and bringing the files back.
;;
;; Invariant: nothing that stands in the conversation is lost.  What is said again
;; is said in a copy.

;;; Code:

(require 'agentq-ask)
(require 'agentq-later)
(require 'agentq-sessions)

;;; Where they are

(defun agentq-messages--all ()
  "Return the messages of the transcript, conses (POSITION . MESSAGE)."
  (let ((position (point-min))
        found)
    (while position
      (when-let* ((message (get-text-property position 'agentq-message)))
        (push (cons position message) found))
      (setq position (next-single-property-change position 'agentq-message)))
    (nreverse found)))

(defun agentq-messages--at-point ()
  "Return the message at point or the last one above it, as (POSITION . MESSAGE)."
  (car (last (seq-take-while (lambda (said) (<= (car said) (point))) (agentq-messages--all)))))

(defun agentq-messages-next (&optional count)
  "Go to the next message of yours, or the one that is COUNT further."
  (interactive "p" agentq-chat-mode)
  (let* ((count (or count 1))
         (all (mapcar #'car (agentq-messages--all)))
         (found (if (> count 0)
                    (nth (1- count) (seq-filter (lambda (position) (> position (point))) all))
                  (nth (- -1 count) (reverse (seq-filter (lambda (position) (< position (point)))
                                                         all))))))
    (unless found
      (user-error "No message of yours further on"))
    (goto-char found)))

(defun agentq-messages-previous (&optional count)
  "Go to the previous message of yours, or the one that is COUNT further up."
  (interactive "p" agentq-chat-mode)
  (agentq-messages-next (- (or count 1))))

(defun agentq-messages-index ()
  "Return the messages of the transcript for `imenu'."
  (mapcar (pcase-lambda (`(,position . ,message))
            (cons (truncate-string-to-width
                   (string-join (split-string (plist-get message :text)) " ") 60 nil nil t)
                  (copy-marker position)))
          (agentq-messages--all)))

;;; What can be done there

(defun agentq-messages--here ()
  "Return (SERVER SESSION TURN MESSAGE), where the person wants to go on.
SESSION and TURN are ids."
  (let* ((server (agentq-running-server))
         (message (cdr (agentq-messages--at-point)))
         (turn (plist-get message :turn)))
    (unless turn
      (user-error "No message to the model stands here"))
    (agentq-conversation-refuse-while-working server)
    (list server (car turn) (cdr turn) message)))

(defun agentq-messages--fork (server session turn &optional then)
  "Have SERVER show a copy of SESSION that ends before TURN, or all of it.
Call THEN when the copy is shown."
  (agentq-request
   server :agentq/forkSession
   (agentq-make ForkSessionParams :sessionId session :turnId turn)
   :then (lambda (fork) (agentq-sessions-show server fork then))))

(defun agentq-messages-say-again ()
  "Say the message at point again, in a copy that ends before it."
  (interactive nil agentq-chat-mode)
  (pcase-let ((`(,server ,session ,turn ,message) (agentq-messages--here)))
    (agentq-messages--fork server session turn
                           (lambda ()
                             (with-current-buffer (agentq-chat-buffer server)
                               (agentq-prompt (plist-get message :text)))))))

(defun agentq-messages-edit ()
  "Put the message at point at the prompt of a copy that ends before it."
  (interactive nil agentq-chat-mode)
  (pcase-let ((`(,server ,session ,turn ,message) (agentq-messages--here))
              (window (selected-window)))
    (agentq-messages--fork server session turn
                           (lambda ()
                             (agentq-queue-keep server (plist-get message :text) nil)
                             (agentq-compose-go (agentq-chat-buffer server))
                             (agentq-show (agentq-chat-buffer server) window)
                             (message "Agent-Q: change the message, RET says it")))))

(defun agentq-messages-branch ()
  "Go on in a copy of the conversation that ends with the answer at point."
  (interactive nil agentq-chat-mode)
  (pcase-let* ((`(,server ,session ,turn ,_) (agentq-messages--here))
               (below (seq-find (pcase-lambda (`(,position . ,message))
                                  (let ((other (plist-get message :turn)))
                                    (and (> position (point))
                                         (equal (car other) session)
                                         (not (equal (cdr other) turn)))))
                                (agentq-messages--all))))
    (agentq-messages--fork server session (cdr (plist-get (cdr below) :turn)))))

(defun agentq-messages-rewind ()
  "Propose to bring the files back to what they were before the message at point."
  (interactive nil agentq-chat-mode)
  (pcase-let ((`(,server ,session ,turn ,_) (agentq-messages--here)))
    (agentq-later-rewind-to server session turn)))

(provide 'agentq-messages)

;;; agentq-messages.el ends here
