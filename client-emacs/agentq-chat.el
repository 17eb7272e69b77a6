;;; agentq-chat.el --- The conversation with Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The buffer of a conversation: prompts go out from here or from any buffer, and
;; what the agent does comes in as events and is shown by agentq-transcript.el.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-context)
(require 'agentq-transcript)

(declare-function agentq-review "agentq-review" ())
(declare-function agentq-approve "agentq-approve" ())

(defvar agentq-prompt-history nil "Prompts that were typed.")
(defvar agentq-chat--unsent nil "The last prompt, if the server did not take it.")

(defface agentq-chat-prompt '((t :inherit (bold font-lock-keyword-face)))
  "The user's own words." :group 'agentq)
(defface agentq-chat-thinking '((t :inherit font-lock-comment-face))
  "What the model thinks before it answers." :group 'agentq)
(defface agentq-chat-notice '((t :inherit warning))
  "Notices, retries and errors." :group 'agentq)
(defface agentq-chat-end '((t :inherit shadow))
  "The line that ends a turn." :group 'agentq)

(defvar-local agentq-chat--seq nil "Number of the last event.")
(defvar-local agentq-chat--usage nil "Sums of tokens, a plist.")
(defvar-local agentq-chat--problem nil "Why the last prompt was not taken, if it was not.")
(defvar-local agentq-chat--attached nil
  "Alist from prompts that the server did not take up yet to what goes along.")

(defvar-keymap agentq-chat-mode-map
  :doc "Keys of `agentq-chat-mode'."
  :parent special-mode-map
  "RET" #'agentq-prompt
  "TAB" #'agentq-transcript-toggle
  "v" #'agentq-review
  "a" #'agentq-approve
  "C-c C-c" #'agentq-prompt
  "C-c C-k" #'agentq-cancel)

(define-derived-mode agentq-chat-mode special-mode "AgentQ"
  "Transcript of a conversation with the agent.
\\<agentq-chat-mode-map>\
\\[agentq-prompt] sends a prompt, \\[agentq-cancel] stops the turn,
\\[agentq-transcript-toggle] unfolds the tool call at point, \\[agentq-review] shows a proposal,
\\[agentq-approve] answers a question of the agent, \\[revert-buffer] goes to the end.

\\{agentq-chat-mode-map}"
  (agentq-transcript-setup)
  (setq header-line-format '(:eval (agentq-chat--header)))
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-transcript-show-end)))
  (add-hook 'kill-buffer-query-functions #'agentq-chat--may-be-killed-p nil t)
  (visual-line-mode))

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
                 (list (read-string (if context
                                        (format "Ask Agent-Q (with %s): "
                                                (agentq-context-labels context))
                                      "Ask Agent-Q: ")
                                    agentq-chat--unsent 'agentq-prompt-history)
                       context)))
  (when (string-blank-p text)
    (user-error "Nothing to ask"))
  (let* ((server (agentq-ensure-server))
         (session (agentq-server-session-id server)))
    (setq agentq-chat--unsent nil)
    (agentq-chat--in server
      (push (cons text (agentq-context-labels context)) agentq-chat--attached))
    (agentq-request
     server :agentq/prompt
     (append (list :text text)
             (and session (list :sessionId session))
             (and context (list :context (vconcat context))))
     :then (lambda (result)
             (setf (agentq-server-session-id server) (plist-get result :sessionId))
             (agentq-chat--in server
               (setq agentq-chat--problem nil))
             (when (eq t (plist-get result :queued))
               (message "Agent-Q: taken up as soon as the running turn allows")))
     :else (lambda (message &optional code)
             (agentq-chat--not-sent server text message code)))
    (display-buffer (agentq-chat-buffer server))
    (agentq-chat--in server
      (agentq-transcript-show-end))))

(defun agentq-chat--not-sent (server text message code)
  "Say that SERVER did not take TEXT because of MESSAGE with the error CODE."
  (setq agentq-chat--unsent text)
  (agentq-chat--in server
    ;; -33007: there is no model to send anything to.
    (setq agentq-chat--problem (and (eql code -33007) "No model"))
    (agentq-transcript-end-block)
    (agentq-chat--show-prompt text)
    (agentq-transcript-append (format "Not sent: %s\n" message) 'agentq-chat-notice))
  (message "Agent-Q: not sent, the next prompt begins with it: %s" message))

(defun agentq-chat--show-prompt (text)
  "Show the prompt TEXT, and what went along with it."
  (agentq-transcript-append (format "\n> %s\n" text) 'agentq-chat-prompt)
  (when-let* ((entry (assoc text (reverse agentq-chat--attached))))
    (setq agentq-chat--attached (delq entry agentq-chat--attached))
    (unless (string-empty-p (cdr entry))
      (agentq-transcript-append (format "  (with %s)\n" (cdr entry)) 'agentq-chat-end)))
  (agentq-transcript-append "\n"))

(defun agentq-cancel ()
  "Stop the running turn; what was done stays in the conversation."
  (interactive)
  (let ((server (agentq-running-server)))
    (unless (agentq-server-session-id server)
      (user-error "There is no conversation"))
    (agentq-request server :agentq/cancel
                    (list :sessionId (agentq-server-session-id server))
                    :then (lambda (result)
                            (unless (eq t (plist-get result :cancelled))
                              (message "Agent-Q: nothing was running"))))))

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
              (when-let* ((waiting (agentq-pending-proposals server)))
                (substitute-command-keys
                 (format "  |  %d waiting, \\[agentq-review] reviews" (length waiting))))
              (when-let* ((questions (length (agentq-server-approvals server)))
                          ((> questions 0)))
                (substitute-command-keys
                 (format (ngettext "  |  %d question, \\[agentq-approve] answers"
                                   "  |  %d questions, \\[agentq-approve] answers" questions)
                         questions)))
              (when agentq-chat--usage
                (format "  |  tokens: %d in, %d out, %d cached"
                        (plist-get agentq-chat--usage :inputTokens)
                        (plist-get agentq-chat--usage :outputTokens)
                        (plist-get agentq-chat--usage :cacheReadTokens))))))))


;;; Events

(defun agentq-chat--event (server params)
  "Show the agentq/event PARAMS of SERVER."
  (agentq-chat--in server
    (agentq-chat--check-seq (plist-get params :seq))
    (let ((event (plist-get params :event)))
      (unless (member (plist-get event :kind) '("text" "thinking"))
        (agentq-transcript-end-block))
      (pcase (plist-get event :kind)
        ("turnStarted"
         (setf (agentq-server-session-id server) (plist-get params :sessionId)
               (agentq-server-turn-id server) (plist-get params :turnId))
         (agentq-chat--show-prompt (plist-get event :text)))
        ;; It waited until the running turn could take it up.
        ("queuedPrompt" (agentq-chat--show-prompt (plist-get event :text)))
        ("text" (agentq-transcript-stream 'text (plist-get event :text) nil))
        ("thinking" (agentq-transcript-stream 'thinking (plist-get event :text)
                                         'agentq-chat-thinking))
        ("toolCall" (agentq-transcript-show-call (agentq-chat--call server event)))
        ("toolResult" (agentq-transcript-show-result event))
        ("usage" (agentq-chat--add-usage event))
        ("retrying"
         (agentq-transcript-append (format "Retry %d in %.1f s: %s\n" (plist-get event :attempt)
                                      (/ (plist-get event :waitMs) 1000.0)
                                      (plist-get event :reason))
                              'agentq-chat-notice))
        ("notice"
         (agentq-transcript-append (concat (plist-get event :message) "\n")
                              'agentq-chat-notice))
        ("turnEnded"
         (setf (agentq-server-turn-id server) nil)
         (agentq-transcript-append (agentq-chat--end-line event)
                                   (if (equal (plist-get event :reason) "error")
                                       'agentq-chat-error
                                     'agentq-chat-end))))
      (unless (member (plist-get event :kind) '("text" "thinking"))
        (force-mode-line-update t)))))

(defun agentq-chat--call (server event)
  "Return the toolCall EVENT of SERVER, as a running one while it asks nothing.
A call that is going to ask waits from its beginning; what it asks comes
when that is worked out."
  (let ((id (plist-get event :toolCallId)))
    (if (or (not (equal (plist-get event :state) "waitingApproval"))
            (seq-some (lambda (asked) (equal (plist-get asked :toolCallId) id))
                      (append (agentq-pending-proposals server)
                              (mapcar #'cdr (agentq-server-approvals server)))))
        event
      (plist-put (copy-sequence event) :state "running"))))

(defun agentq-chat--check-seq (seq)
  "Say so when events are missing before the one numbered SEQ."
  (when (and seq agentq-chat--seq (> seq (1+ agentq-chat--seq)))
    (agentq-transcript-append (format "(%d events are missing here)\n"
                                 (- seq agentq-chat--seq 1))
                         'agentq-chat-notice))
  (setq agentq-chat--seq seq))

(defun agentq-chat--end-line (event)
  "Return the line for the turnEnded EVENT."
  (format "-- %s%s\n"
          (pcase (plist-get event :reason)
            ("endTurn" "done")
            ("cancelled" "cancelled")
            ("stopped" "stopped")
            ("maxTokens" "cut: the answer reached the token limit")
            ("maxRounds" "stopped: too many rounds")
            ("refusal" "the model refused")
            (reason reason))
          (if-let* ((message (plist-get event :message)))
              (concat ": " message)
            "")))

(defun agentq-chat--add-usage (event)
  "Add the tokens of EVENT."
  (cl-loop for key in '(:inputTokens :outputTokens :cacheReadTokens :cacheWriteTokens)
           append (list key (+ (or (plist-get agentq-chat--usage key) 0)
                               (or (plist-get event key) 0)))
           into sums
           finally (setq agentq-chat--usage sums)))


;;; Other news

(defun agentq-chat--proposal (server proposal &optional new)
  "Mention PROPOSAL of SERVER in the transcript if it is NEW."
  (when new
    (agentq-chat--in server
      (agentq-transcript-end-block)
      (agentq-transcript-waits (plist-get proposal :toolCallId))
      (agentq-transcript-append
       (let ((count (length (plist-get proposal :hunks))))
         (format (ngettext "Proposal: %s (%d hunk)\n" "Proposal: %s (%d hunks)\n" count)
                 (plist-get proposal :title) count))
       'agentq-chat-notice))))

(defun agentq-chat--question (server approval)
  "Show that the call of SERVER that APPROVAL is about waits."
  (when (plist-get approval :tool)
    (agentq-chat--in server
      (agentq-transcript-waits (plist-get approval :toolCallId)))))

(defun agentq-chat--ended (server)
  "Say in the transcript that SERVER ended, and what ended with it."
  (agentq-chat--in server
    (agentq-transcript-end-block)
    (agentq-transcript-abandon "ended with the server")
    (setq agentq-chat--seq nil
          agentq-chat--usage nil
          agentq-chat--attached nil)
    (when (agentq-server-session-id server)
      (agentq-transcript-append
       "\nThe server ended, and the conversation with it.  The next prompt begins a new one:
the model will know nothing of what stands above.\n"
       'agentq-chat-notice))))

(defun agentq-chat--may-be-killed-p ()
  "Ask before the transcript of a conversation that lives is killed."
  (let ((server (agentq-current-server)))
    (or (not (and server (agentq-server-session-id server)))
        (yes-or-no-p "The conversation goes on, but its transcript cannot be shown again; kill it? "))))

(add-hook 'agentq-disconnect-functions #'agentq-chat--ended)
(add-hook 'agentq-event-functions #'agentq-chat--event)
(add-hook 'agentq-proposal-functions #'agentq-chat--proposal)
(add-hook 'agentq-approval-functions #'agentq-chat--question)

(provide 'agentq-chat)

;;; agentq-chat.el ends here
