;;; agentq-ask.el --- Say something to the agent, and stop it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Prompts go out from the prompt of a conversation or from any other buffer.
;;
;; Invariant: a prompt that the server did not take is put back at the prompt of the
;; conversation.

;;; Code:

(require 'agentq-chat)
(require 'agentq-context)
(require 'agentq-input)
(require 'agentq-queue)
(require 'agentq-read)
(require 'agentq-replay)

(defun agentq-prompt (text &optional context)
  "Ask the agent TEXT.
CONTEXT is a list of ContextRef plists; interactively it is the region of
the file from which the command is called, or else the line of point if
`agentq-prompt-place' is non-nil.  The transcript shows what went along.
In the buffer of the conversation the command goes to the prompt there,
for which TEXT is nil."
  (interactive (agentq-ask--read))
  (cond ((null text) (agentq-chat-write))
        ((string-blank-p text) (user-error "Nothing to ask"))
        (t (agentq-ask--say (agentq-ensure-server) text context))))

(defun agentq-ask--read ()
  "Return the arguments of an interactive `agentq-prompt'."
  (if (derived-mode-p 'agentq-chat-mode)
      (list nil)
    (let ((context (agentq-context)))
      (list (agentq-ask--read-text context) context))))

(defun agentq-ask--read-text (context)
  "Ask for a prompt that CONTEXT accompanies; the draft of the project begins it.
The draft is taken away when the prompt is said, and stays after a quit."
  (let* ((server (agentq-current-server))
         (draft (and server (agentq-compose-draft server)))
         (all (agentq-queue-along server context)))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'completion-at-point-functions
                    (lambda () (and server (agentq-input-complete server))) nil t))
      (prog1 (agentq-read (if all
                              (format "Ask Agent-Q (with %s): " (agentq-context-labels all))
                            "Ask Agent-Q: ")
                          'agentq-prompt-history draft agentq-input-map)
        (when draft
          (agentq-compose-take server draft))))))

(defun agentq-ask--say (server text context)
  "Say TEXT with CONTEXT to SERVER, and show the transcript."
  (let ((active (agentq-context-active (agentq-server-root server)))
        (context (agentq-queue-along server context)))
    (setf (agentq-server-along server) nil)
    (agentq-ask--send server text (and context (vconcat context)) active)
    (display-buffer (agentq-chat-buffer server))
    (agentq-chat-in server
      (agentq-writer-show-end))))

(defun agentq-ask--send (server text context active)
  "Send SERVER the prompt TEXT with CONTEXT from the place ACTIVE."
  (let ((session (agentq-server-session-id server)))
    (agentq-request
     server :agentq/prompt
     (agentq-make PromptParams
       :text text
       :sessionId session
       :context context
       :active active)
     :then (lambda (result)
             (setf (agentq-server-session-id server) (agentq-get PromptResult result :sessionId))
             (agentq-chat-in server
               (agentq-heading-note-problem nil))
             (when (eq t (agentq-get PromptResult result :queued))
               (message "Agent-Q: taken up as soon as the running turn allows")))
     :else (lambda (message &optional code)
             ;; -33002 and -33009: the server has not kept the conversation.
             (if (not (and session (memql code '(-33002 -33009))))
                 (agentq-ask--not-sent server text context message code)
               (setf (agentq-server-session-id server) nil)
               (agentq-chat-notice server "The model knows nothing of what stands above.\n")
               (agentq-ask--send server text context active))))))

(defun agentq-ask--not-sent (server text context message code)
  "Say that SERVER did not take TEXT with CONTEXT: MESSAGE, the error CODE."
  (agentq-queue-keep server text (append context nil))
  (agentq-chat-in server
    ;; -33007: there is no model to send anything to.
    (agentq-heading-note-problem (and (eql code -33007) "No model"))
    (agentq-writer-end-block)
    (agentq-transcript-notice (format "Not sent: %s\n" message)))
  (message "Agent-Q: not sent, it stands at the prompt again: %s" message))

(defun agentq-new ()
  "Begin a new conversation with the next prompt."
  (interactive)
  (let ((server (agentq-ensure-server)))
    (agentq-conversation-refuse-while-working server)
    (agentq-replay-begin server nil)
    (agentq-chat-notice server "A new conversation starts here.\n")
    (display-buffer (agentq-chat-buffer server))))

(defun agentq-cancel ()
  "Stop the running turn; what was done stays in the conversation."
  (interactive)
  (let ((server (agentq-running-server)))
    (unless (agentq-server-session-id server)
      (user-error "There is no conversation"))
    (agentq-request server :agentq/cancel
                    (agentq-make CancelParams
                      :sessionId (agentq-server-session-id server))
                    :then (lambda (result)
                            (unless (eq t (agentq-get CancelResult result :cancelled))
                              (message "Agent-Q: nothing was running"))
                            (when-let* ((queued (agentq-get CancelResult result :queued)))
                              (agentq-queue-take-back
                               server (vconcat (mapcar (agentq-getter QueuedPrompt :promptId)
                                                       queued))))))))

(provide 'agentq-ask)

;;; agentq-ask.el ends here
