;;; agentq-chat.el --- The conversation with Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The conversation with a server: prompts go out from its buffer or from any
;; other, and what the agent does comes in as events, which agentq-transcript.el
;; shows.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-client)
(require 'agentq-context)
(require 'agentq-input)
(require 'agentq-places)
(require 'agentq-queue)
(require 'agentq-store)
(require 'agentq-transcript)
(require 'agentq-visible)

(declare-function agentq-review "agentq-review" ())
(declare-function agentq-sessions "agentq-sessions" ())
(declare-function agentq-messages-index "agentq-messages" ())
(declare-function agentq-messages-next "agentq-messages" (&optional count))
(declare-function agentq-messages-previous "agentq-messages" (&optional count))
(declare-function agentq-messages-say-again "agentq-messages" ())
(declare-function agentq-messages-edit "agentq-messages" ())
(declare-function agentq-messages-branch "agentq-messages" ())
(declare-function agentq-messages-rewind "agentq-messages" ())
(declare-function agentq-blocks-copy "agentq-blocks" ())
(declare-function agentq-blocks-propose "agentq-blocks" ())

(defvar agentq-event-functions nil
  "Functions called with the server and the parameters of an agentq/event.")

(agentq-define-state agentq-server-session-id
  "Return the id of the conversation with SERVER, nil before the first prompt.")
(agentq-define-state agentq-server-turn-id
  "Return the id of the turn that SERVER runs, nil between turns.")

(agentq-define-state agentq-server-model
  "Return the model that answers at SERVER, nil before it is known.")

(agentq-define-state agentq-server-context-size
  "Return how full the context is at SERVER in words, nil before it is known.")

(agentq-define-state agentq-server-session-name
  "Return what somebody called the conversation with SERVER, nil before that.")

(defvar agentq-chat--left nil
  "Alist from roots of projects to the conversations of their last servers.")

(defvar-local agentq-chat--problem nil "Why the last prompt was not taken, if it was not.")

(defvar-keymap agentq-chat-mode-map
  :doc "Keys of `agentq-chat-mode'."
  :parent special-mode-map
  "RET" #'agentq-chat-act
  "TAB" #'agentq-transcript-toggle
  "i" #'agentq-prompt
  "n" #'agentq-messages-next
  "p" #'agentq-messages-previous
  "y" #'agentq-blocks-copy
  "w" #'agentq-blocks-copy
  "P" #'agentq-blocks-propose
  "r" #'agentq-messages-say-again
  "e" #'agentq-messages-edit
  "b" #'agentq-messages-branch
  "u" #'agentq-messages-rewind
  "v" #'agentq-review
  "a" #'agentq-approve
  "s" #'agentq-sessions
  "Q" #'agentq-queue
  "?" #'agentq-chat-keys
  "C-c C-c" #'agentq-prompt
  "C-c C-k" #'agentq-cancel)

(define-derived-mode agentq-chat-mode special-mode "AgentQ"
  "Transcript of a conversation with the agent.
\\<agentq-chat-mode-map>
\\[agentq-prompt]  ask          \\[agentq-cancel]  stop the turn
\\[agentq-approve]  answer what the agent asks
\\[agentq-review]  review what is proposed
\\[agentq-chat-act]  go to the place under point, fold or unfold a call
     or a thought, else ask
\\[agentq-transcript-toggle]  fold or unfold the call or the thought at point

\\[agentq-messages-next], \\[agentq-messages-previous]  go to the next message of yours, the previous one
      (\\[imenu] lists them)
\\[agentq-messages-say-again]  say the message again, in a copy that ends before it
\\[agentq-messages-edit]  change the message, in a copy that ends before it
\\[agentq-messages-branch]  go on in a copy that ends with this answer
\\[agentq-messages-rewind]  propose the files as they were before the message

\\[agentq-blocks-copy]  copy the block of code
\\[agentq-blocks-propose]  ask for the block of code as a proposal

\\[agentq-queue]  messages that wait
\\[agentq-sessions]  other conversations
\\[revert-buffer]  go to the end
\\[quit-window]  leave"
  (agentq-transcript-setup)
  (setq header-line-format '(:eval (agentq-chat--header)))
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-writer-show-end))
              imenu-create-index-function #'agentq-messages-index)
  (add-hook 'kill-buffer-query-functions #'agentq-chat--may-be-killed-p nil t)
  (visual-line-mode))

(defun agentq-chat-act ()
  "Do what the line of point is for.
Go to the place that it names, fold or unfold its call or thought, or ask."
  (interactive nil agentq-chat-mode)
  (cond ((agentq-transcript-foldable-p) (agentq-transcript-toggle))
        ((and (not (eobp)) (agentq-places-on-line (agentq-current-server)))
         (agentq-places-visit (agentq-places-on-line (agentq-current-server))))
        (t (call-interactively #'agentq-prompt))))

(defun agentq-chat-keys ()
  "Show the keys of the transcript."
  (interactive nil agentq-chat-mode)
  (let ((keys (substitute-command-keys (documentation 'agentq-chat-mode t))))
    (with-help-window (help-buffer)
      (princ keys))))

(defmacro agentq-chat--in (server &rest body)
  "Run BODY in the transcript of SERVER, which may be written there."
  (declare (indent 1) (debug t))
  `(with-current-buffer (agentq-chat-buffer ,server)
     (let ((inhibit-read-only t))
       ,@body)))

;;; Commands

(defun agentq-prompt (text &optional context)
  "Ask the agent TEXT.
CONTEXT is a list of ContextRef plists; interactively it is the region of
the file from which the command is called, or else the line of point if
`agentq-prompt-place' is non-nil.  The transcript shows what went along."
  (interactive (let ((context (progn (agentq-refuse-remote) (agentq-context))))
                 (list (agentq-input-read context) context)))
  (when (string-blank-p text)
    (user-error "Nothing to ask"))
  (let* ((server (agentq-ensure-server))
         (active (agentq-context-active (agentq-server-root server)))
         (context (agentq-queue-along server context)))
    (setf (agentq-server-unsent server) nil)
    (agentq-chat--in server
      (agentq-transcript-attach text (agentq-context-labels context)))
    (agentq-chat--send server text (and context (vconcat context)) active)
    (display-buffer (agentq-chat-buffer server))
    (agentq-chat--in server
      (agentq-writer-show-end))))

(defun agentq-chat--send (server text context active)
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
             (agentq-chat--in server
               (setq agentq-chat--problem nil))
             (when (eq t (agentq-get PromptResult result :queued))
               (message "Agent-Q: taken up as soon as the running turn allows")))
     :else (lambda (message &optional code)
             ;; -33002 and -33009: the server has not kept the conversation.
             (if (not (and session (memql code '(-33002 -33009))))
                 (agentq-chat--not-sent server text context message code)
               (setf (agentq-server-session-id server) nil)
               (agentq-chat-notice server "The model knows nothing of what stands above.\n")
               (agentq-chat--send server text context active))))))

(defun agentq-chat--not-sent (server text context message code)
  "Say that SERVER did not take TEXT with CONTEXT: MESSAGE, the error CODE."
  (agentq-queue-keep server text (append context nil))
  (agentq-chat--in server
    ;; -33007: there is no model to send anything to.
    (setq agentq-chat--problem (and (eql code -33007) "No model"))
    (agentq-writer-end-block)
    (agentq-transcript-show-prompt text)
    (agentq-transcript-notice (format "Not sent: %s\n" message)))
  (message "Agent-Q: not sent, the next prompt begins with it: %s" message))

(defun agentq-new ()
  "Begin a new conversation with the next prompt."
  (interactive)
  (let ((server (agentq-ensure-server)))
    (when (agentq-server-turn-id server)
      (user-error "%s" (substitute-command-keys "A turn runs; \\[agentq-cancel] ends it")))
    (agentq-chat-show-conversation server nil)
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

;;; The buffer

(defun agentq-chat-buffer (server)
  "Return the transcript of SERVER, made if needed."
  (agentq-buffer server "agentq" 'agentq-chat-mode))

(defun agentq-chat--header ()
  "Return the header line."
  (let ((server (agentq-current-server)))
    (cond ((not server) (substitute-command-keys " Not connected, \\[agentq-prompt] asks"))
          (t (concat
              (substitute-command-keys
               (cond ((agentq-server-turn-id server) " Working, \\[agentq-cancel] stops")
                     (agentq-chat--problem
                      (format " %s, \\[agentq-doctor] tells more" agentq-chat--problem))
                     (t " Ready, \\[agentq-prompt] asks")))
              (when-let* ((queued (agentq-queue-words server)))
                (substitute-command-keys (format "  |  %s, \\[agentq-queue] shows" queued)))
              (when-let* ((waiting (agentq-pending-proposals server)))
                (substitute-command-keys
                 (format "  |  %d waiting, \\[agentq-review] reviews" (length waiting))))
              (when-let* ((questions (length (agentq-server-approvals server)))
                          ((> questions 0)))
                (substitute-command-keys
                 (format (ngettext "  |  %d question, \\[agentq-approve] answers"
                                   "  |  %d questions, \\[agentq-approve] answers" questions)
                         questions)))
              ;; A narrow window cuts the end.
              (agentq-chat--header-parts
               (agentq-server-context-size server)
               (agentq-transcript-cost)
               (agentq-server-model server)
               (when-let* ((name (agentq-server-session-name server)))
                 (truncate-string-to-width name 30 nil nil t))
               (agentq-transcript-usage)))))))

(defun agentq-chat--header-parts (&rest parts)
  "Return those of PARTS that are strings, each behind a separator."
  (mapconcat (lambda (part) (concat "  |  " (string-replace "%" "%%" part))) (delq nil parts) ""))

;;; News

(defun agentq-chat--event (server params)
  "Show the agentq/event PARAMS of SERVER."
  (let ((event (agentq-get Event params :event)))
    (agentq-chat--in server
      (agentq-transcript-check-seq (agentq-get Event params :seq))
      (pcase (agentq-get TurnEvent event :kind)
        ("turnStarted"
         (setf (agentq-server-session-id server) (agentq-get Event params :sessionId)
               (agentq-server-turn-id server) (agentq-get Event params :turnId)))
        ("turnEnded" (setf (agentq-server-turn-id server) nil)))
      (agentq-chat--answered server event)
      (agentq-transcript-show (agentq-chat--asked server event)
                              (cons (agentq-get Event params :sessionId)
                                    (agentq-get Event params :turnId))))
    (unless (agentq-transcript-streamed-p event)
      (force-mode-line-update t))))

(defun agentq-chat--answered (server event)
  "Note for SERVER which model EVENT names, and how full its context is."
  (when-let* (((not (agentq-get TurnEvent event :purpose)))
              (model (agentq-get TurnEvent event :model)))
    (setf (agentq-server-model server) (agentq-visible model)))
  (when-let* ((size (agentq-transcript-context-size event)))
    (setf (agentq-server-context-size server) size)))

(defun agentq-chat--asked (server event)
  "Return EVENT of SERVER; a toolCall as a running one while it asks nothing.
A call that is going to ask waits from its beginning; what it asks comes
when that is worked out."
  (let ((id (agentq-get TurnEvent event :toolCallId)))
    (if (or (not (equal (agentq-get TurnEvent event :state) "waitingApproval"))
            (member id (mapcar (agentq-getter Proposal :toolCallId)
                               (agentq-pending-proposals server)))
            (member id (mapcar (lambda (entry) (agentq-get Approval (cdr entry) :toolCallId))
                               (agentq-server-approvals server))))
        event
      (agentq-with TurnEvent event :state "running"))))

(defun agentq-chat--proposal (server proposal &optional new)
  "Mention PROPOSAL of SERVER in the transcript if it is NEW."
  (when new
    (agentq-chat--in server
      (agentq-writer-end-block)
      (agentq-tool-calls-wait (agentq-get Proposal proposal :toolCallId))
      (agentq-transcript-notice
       (let ((count (length (agentq-get Proposal proposal :hunks))))
         (concat (make-text-button
                  (format (ngettext "Proposal: %s (%d hunk)" "Proposal: %s (%d hunks)" count)
                          (agentq-get Proposal proposal :title) count)
                  nil 'action (lambda (_button) (agentq-review)) 'help-echo "Review it"
                  'follow-link t)
                 "\n"))))))

(defun agentq-chat--question (server approval)
  "Show that the call of SERVER that APPROVAL is about waits.
A question that is about no call stands in a line of its own."
  (when (agentq-get Approval approval :tool)
    (agentq-chat--in server
      (agentq-tool-calls-wait (agentq-get Approval approval :toolCallId))
      (when-let* ((question (agentq-get Approval approval :question)))
        (agentq-writer-end-block)
        (agentq-transcript-notice
         (substitute-command-keys
          (concat "Asks: " (agentq-visible-line question) "  \\[agentq-approve] answers\n")))))))

(defun agentq-chat--ended (server)
  "Say in the transcript that SERVER ended, and what ended with it."
  (setf (agentq-server-turn-id server) nil)
  (agentq-chat--in server
    (agentq-transcript-end "ended with the server")
    (when-let* ((session (agentq-server-session-id server)))
      (setf (alist-get (agentq-server-root server) agentq-chat--left nil nil #'equal) session)
      (agentq-transcript-notice
       "\nThe server ended.  The next prompt starts another one, which goes on with the
conversation; the values of the REPL are gone.\n"))))

(defun agentq-chat--connected (server)
  "Let SERVER go on with the conversation of the server before it."
  (setf (agentq-server-session-id server)
        (alist-get (agentq-server-root server) agentq-chat--left nil nil #'equal))
  (agentq-chat-tell-held server))

(defun agentq-chat-tell-held (server)
  "Say that something was never sent in the conversation with SERVER."
  (agentq-queue-look
   server
   (lambda (prompts)
     (when (seq-some #'agentq-queue-held-p prompts)
       (agentq-chat-notice
        server (substitute-command-keys
                (format "%s; \\[agentq-queue] takes it back.\n" (agentq-queue-words server))))))))

(agentq-define-notification window/showMessage (server params)
  "Show the message in PARAMS of SERVER, in the transcript too: there it stays."
  (let ((text (plist-get params :message)))
    (agentq-chat-notice server (concat (agentq-visible text) "\n"))
    (message "Agent-Q: %s" text)))

;;; A conversation that is shown again

(defun agentq-chat-show-conversation (server session)
  "Empty the transcript of SERVER for the conversation SESSION, nil for a new one."
  (setf (agentq-server-session-id server) session
        (agentq-server-queue server) nil
        (agentq-server-session-name server) nil
        (agentq-server-model server) nil
        (agentq-server-context-size server) nil)
  (agentq-chat--in server
    (agentq-transcript-end "")
    (remove-overlays)
    (erase-buffer)
    (agentq-transcript-setup)))

(defun agentq-chat-named (server session)
  "Show above the transcript of SERVER the name of SESSION, if that is shown there."
  (when (equal (agentq-get SessionInfo session :sessionId) (agentq-server-session-id server))
    (setf (agentq-server-session-name server)
          (agentq-visible (agentq-get SessionInfo session :name)))
    (force-mode-line-update t)))

(defun agentq-chat-notice (server text)
  "Show TEXT in the transcript of SERVER, as no part of the conversation."
  (agentq-chat--in server
    (agentq-writer-end-block)
    (agentq-transcript-notice text)))

(defun agentq-chat-replay (server items)
  "Show ITEMS of the past, a list of TranscriptItems, in the transcript of SERVER."
  (agentq-chat--in server
    (dolist (item items)
      (agentq-transcript-show (agentq-get TranscriptItem item :event)
                              (cons (agentq-server-session-id server)
                                    (agentq-get TranscriptItem item :turnId)))
      (agentq-chat--answered server (agentq-get TranscriptItem item :event)))
    (agentq-writer-end-block)
    (when (equal (agentq-get TranscriptItem (car (last items)) :event :kind) "turnEnded")
      (agentq-tool-calls-abandon "was cut off"))
    (agentq-writer-show-end)))

(defun agentq-chat--may-be-killed-p ()
  "Ask before the transcript of a conversation that lives is killed."
  (let ((server (agentq-current-server)))
    (or (not (and server (agentq-server-session-id server)))
        (yes-or-no-p "The conversation goes on; kill its transcript, which `agentq-sessions' shows again? "))))

(add-hook 'agentq-connect-functions #'agentq-chat--connected)
(add-hook 'agentq-disconnect-functions #'agentq-chat--ended)
(add-hook 'agentq-event-functions #'agentq-chat--event)
(add-hook 'agentq-proposal-functions #'agentq-chat--proposal)
(add-hook 'agentq-approval-functions #'agentq-chat--question)

(agentq-define-notification agentq/event (server params)
  "Hand the event in PARAMS from SERVER on."
  (run-hook-with-args 'agentq-event-functions server params))

(agentq-define-notification agentq/sessionChanged (server session)
  "Show the name that SESSION of SERVER has got."
  (agentq-chat-named server session))

(agentq-define-notification agentq/delegated (server params)
  "Hand the event in PARAMS from SERVER on if its conversation is the one shown.
It answers a call of another conversation; where that one is shown, what is
done stands beside the call."
  (let ((shown (agentq-server-session-id server)))
    (cond ((equal (agentq-get Delegated params :sessionId) shown)
           (run-hook-with-args 'agentq-event-functions server params))
          ((equal (agentq-get Delegated params :parent :sessionId) shown)
           (agentq-chat--in server
             (agentq-tool-calls-tell-progress (agentq-get Delegated params :parent :toolCallId)
                                              (agentq-get Delegated params :event)))))))

(provide 'agentq-chat)

;;; agentq-chat.el ends here
