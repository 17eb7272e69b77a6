;;; agentq-chat.el --- The buffer of a conversation  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The transcript of a conversation with a prompt below it.  What is said goes out
;; in agentq-ask.el, and what the agent does comes in by agentq-events.el.

;;; Code:

(require 'agentq-chat-keys)
(require 'agentq-client)
(require 'agentq-compose)
(require 'agentq-conversation)
(require 'agentq-heading)
(require 'agentq-mouse)
(require 'agentq-places)
(require 'agentq-transcript)

(declare-function agentq-approve "agentq-approvals" ())
(declare-function agentq-review "agentq-review" ())
(declare-function agentq-messages-index "agentq-messages" ())

(define-derived-mode agentq-chat-mode agentq-typing-mode "AgentQ"
  "Transcript of a conversation with the agent, and a prompt below it.
`agentq-chat-keys' tells what the keys are for.

\\{agentq-chat-mode-map}"
  (agentq-compose-setup)
  (agentq-transcript-setup)
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-heading (window-width)))))
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-writer-show-end))
              imenu-create-index-function #'agentq-messages-index
              ;; Messages are words with spaces between them.
              imenu-space-replacement nil)
  (add-hook 'kill-buffer-query-functions #'agentq-chat--may-be-killed-p nil t)
  (visual-line-mode))

(defun agentq-chat-buffer (server)
  "Return the buffer of the conversation with SERVER, made if needed."
  (agentq-buffer server "agentq" 'agentq-chat-mode))

(defmacro agentq-chat-in (server &rest body)
  "Run BODY in the buffer of the conversation with SERVER."
  (declare (indent 1) (debug t))
  `(with-current-buffer (agentq-chat-buffer ,server)
     ,@body))

(defun agentq-chat-notice (server text)
  "Show TEXT in the transcript of SERVER, as no part of the conversation."
  (agentq-chat-in server
    (agentq-writer-end-block)
    (agentq-transcript-notice text)))

(defun agentq-chat--may-be-killed-p ()
  "Ask before the transcript of a conversation that lives is killed."
  (let ((server (agentq-current-server)))
    (or (null (and server (agentq-server-session-id server)))
        (yes-or-no-p "The conversation goes on; kill its transcript, which `agentq-sessions' shows again? "))))

;;; Commands

(defun agentq-chat-write ()
  "Go to the prompt."
  (interactive nil agentq-chat-mode)
  (goto-char (point-max)))

(defun agentq-chat-send ()
  "Send what is typed at the prompt, or go there."
  (interactive nil agentq-chat-mode)
  (if (agentq-typing-above-p)
      (agentq-chat-write)
    (agentq-typing-send)))

(defun agentq-chat-act ()
  "Do what the line of point is for.
Show what its call waits for, go to the place that it names, fold or unfold
its call or thought, or go to the prompt."
  (interactive nil agentq-chat-mode)
  (pcase (agentq-tool-calls-waiting-at-point)
    ('review (agentq-review))
    ('question (agentq-approve))
    (_ (if (agentq-transcript-foldable-p)
           (agentq-transcript-toggle)
         (if-let* ((place (agentq-places-on-line (agentq-current-server))))
             (agentq-places-visit place)
           (agentq-chat-write))))))

(provide 'agentq-chat)

;;; agentq-chat.el ends here
