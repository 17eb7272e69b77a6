;;; agentq-chat.el --- The conversation with Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The buffer of a conversation: prompts go out from here or from any buffer, and
;; what the agent does comes in as events and is shown by agentq-transcript.el.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-transcript)

(declare-function agentq-review "agentq-review" ())

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

(defvar-keymap agentq-chat-mode-map
  :doc "Keys of `agentq-chat-mode'."
  :parent special-mode-map
  "RET" #'agentq-prompt
  "TAB" #'agentq-transcript-toggle
  "v" #'agentq-review
  "C-c C-c" #'agentq-prompt
  "C-c C-k" #'agentq-cancel)

(define-derived-mode agentq-chat-mode special-mode "AgentQ"
  "Transcript of a conversation with the agent.
\\<agentq-chat-mode-map>\
\\[agentq-prompt] sends a prompt, \\[agentq-cancel] stops the turn,
\\[agentq-transcript-toggle] unfolds the tool call at point, \\[agentq-review] shows a proposal.

\\{agentq-chat-mode-map}"
  (agentq-transcript-setup)
  (setq header-line-format '(:eval (agentq-chat--header)))
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
CONTEXT is a list of ContextRef plists; interactively it is the region,
or else the file, from which the command is called."
  (interactive (list (read-string "Ask Agent-Q: ") (agentq-chat--context)))
  (when (string-blank-p text)
    (user-error "Nothing to ask"))
  (let* ((server (agentq-ensure-server))
         (session (agentq-server-session-id server)))
    (agentq-request
     server :agentq/prompt
     (append (list :text text)
             (and session (list :sessionId session))
             (and context (list :context (vconcat context))))
     :then (lambda (result)
             (setf (agentq-server-session-id server) (plist-get result :sessionId))
             (when (eq t (plist-get result :queued))
               (message "Agent-Q: taken up as soon as the running turn allows")))
     :else (lambda (message &optional _code)
             (agentq-chat--in server
               (agentq-transcript-append (concat message "\n") 'agentq-chat-notice))
             (message "Agent-Q: %s" message)))
    (display-buffer (agentq-chat-buffer server))))

(defun agentq-cancel ()
  "Stop the running turn; what was done stays in the conversation."
  (interactive)
  (let ((server (agentq-ensure-server)))
    (unless (agentq-server-session-id server)
      (user-error "There is no conversation"))
    (agentq-request server :agentq/cancel
                    (list :sessionId (agentq-server-session-id server))
                    :then (lambda (result)
                            (unless (eq t (plist-get result :cancelled))
                              (message "Agent-Q: nothing was running"))))))

(defun agentq-chat--context ()
  "Return the ContextRefs for a prompt from the current buffer."
  (when-let* ((file buffer-file-name)
              (uri (eglot-path-to-uri file)))
    (if (use-region-p)
        (list (list :kind "selection" :uri uri
                    :range (agentq-chat--range (region-beginning) (region-end))
                    :text (buffer-substring-no-properties (region-beginning)
                                                          (region-end))))
      (list (list :kind "file" :uri uri)))))

(defun agentq-chat--range (beg end)
  "Return the LSP range from BEG to END."
  (cl-flet ((lsp (position)
              (save-excursion
                (goto-char position)
                (list :line (1- (line-number-at-pos nil t))
                      :character (eglot-utf-16-linepos)))))
    (list :start (lsp beg) :end (lsp end))))


;;; The buffer

(defun agentq-chat-buffer (server)
  "Return the transcript of SERVER, made if needed."
  (agentq-buffer server "agentq" 'agentq-chat-mode))

(defun agentq-chat--header ()
  "Return the header line."
  (let ((server (agentq-current-server)))
    (cond ((not server) " Not connected")
          (t (concat
              (if (agentq-server-turn-id server)
                  (substitute-command-keys " Working, \\[agentq-cancel] stops")
                (substitute-command-keys " Ready, \\[agentq-prompt] asks"))
              (when-let* ((waiting (agentq-pending-proposals server)))
                (substitute-command-keys
                 (format "  |  %d waiting, \\[agentq-review] reviews" (length waiting))))
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
         (agentq-transcript-append (format "\n> %s\n\n" (plist-get event :text))
                              'agentq-chat-prompt))
        ("text" (agentq-transcript-stream 'text (plist-get event :text) nil))
        ("thinking" (agentq-transcript-stream 'thinking (plist-get event :text)
                                         'agentq-chat-thinking))
        ("toolCall" (agentq-transcript-show-call event))
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
         (agentq-transcript-append (agentq-chat--end-line event) 'agentq-chat-end)))
      (unless (member (plist-get event :kind) '("text" "thinking"))
        (force-mode-line-update t)))))

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
      (agentq-transcript-append
       (let ((count (length (plist-get proposal :hunks))))
         (format (ngettext "Proposal: %s (%d hunk)\n" "Proposal: %s (%d hunks)\n" count)
                 (plist-get proposal :title) count))
       'agentq-chat-notice))))

(add-hook 'agentq-event-functions #'agentq-chat--event)
(add-hook 'agentq-proposal-functions #'agentq-chat--proposal)

(provide 'agentq-chat)

;;; agentq-chat.el ends here
