;;; agentq-conversation.el --- What is known of the conversation with a server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which conversation a server is in, which turn runs in it, and what an event says
;; about the model that answers.

;;; Code:

(require 'agentq-client)
(require 'agentq-visible)

(agentq-define-state agentq-server-session-id
  "Return the id of the conversation with SERVER, nil before the first prompt.")
(agentq-define-state agentq-server-turn-id
  "Return the id of the turn that SERVER runs, nil between turns.")
(agentq-define-state agentq-server-turn-began
  "Return when the turn of SERVER began, in seconds, nil between turns.")
(agentq-define-state agentq-server-model
  "Return the model that answers at SERVER, nil before it is known.")
(agentq-define-state agentq-server-context-size
  "Return how full the context is at SERVER in words, nil before it is known.")
(agentq-define-state agentq-server-session-name
  "Return what somebody called the conversation with SERVER, nil before that.")

(defvar agentq-conversation--left nil
  "Alist from roots of projects to the conversations of their last servers.")

(defun agentq-conversation-begin-turn (server session turn)
  "Note that TURN of SESSION has begun at SERVER; both are ids."
  (setf (agentq-server-session-id server) session
        (agentq-server-turn-id server) turn
        (agentq-server-turn-began server) (float-time)))

(defun agentq-conversation-end-turn (server)
  "Note that the turn of SERVER has ended."
  (setf (agentq-server-turn-id server) nil
        (agentq-server-turn-began server) nil))

(defun agentq-conversation-refuse-while-working (server)
  "Refuse what cannot be done before the turn of SERVER has ended."
  (when (agentq-server-turn-id server)
    (user-error "%s" (substitute-command-keys "A turn runs; \\[agentq-cancel] ends it"))))

(defun agentq-conversation-switch (server session)
  "Note that SERVER is in the conversation SESSION, nil for a new one."
  (setf (agentq-server-session-id server) session
        (agentq-server-session-name server) nil
        (agentq-server-model server) nil
        (agentq-server-context-size server) nil))

(defun agentq-conversation-leave (server)
  "Remember the conversation with SERVER, which has ended.
Return non-nil if there was one."
  (agentq-conversation-end-turn server)
  (when-let* ((session (agentq-server-session-id server)))
    (setf (alist-get (agentq-server-root server) agentq-conversation--left nil nil #'equal)
          session)))

(defun agentq-conversation-resume (server)
  "Let SERVER go on with the conversation of the server before it."
  (setf (agentq-server-session-id server)
        (alist-get (agentq-server-root server) agentq-conversation--left nil nil #'equal)))

(defun agentq-conversation-note-model (server event)
  "Note which model the TurnEvent EVENT of SERVER names."
  (when-let* (((not (agentq-get TurnEvent event :purpose)))
              (model (agentq-get TurnEvent event :model)))
    (setf (agentq-server-model server) (agentq-visible model))))

(provide 'agentq-conversation)

;;; agentq-conversation.el ends here
