;;; agentq-transcript.el --- What a turn's events look like  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; From the events of a turn to what stands in the transcript.  The functions work
;; on the current buffer, once it is set up by `agentq-transcript-setup'; which
;; turn runs on which server is the business of agentq-conversation.el.

;;; Code:

(require 'cl-lib)
(require 'agentq-markdown)
(require 'agentq-tool-calls)
(require 'agentq-visible)
(require 'agentq-wire)
(require 'agentq-writer)

(defface agentq-chat-prompt '((t :inherit (bold font-lock-keyword-face)))
  "The person's own words." :group 'agentq)
(defface agentq-chat-notice '((t :inherit warning))
  "Notices, retries and errors." :group 'agentq)
(defface agentq-chat-end '((t :inherit shadow))
  "The line that ends a turn." :group 'agentq)

(defvar-local agentq-transcript--seq nil "Number of the last event.")
(defvar-local agentq-transcript--asked nil "What began the turn.")
(defvar-local agentq-transcript--usage nil "Sums of tokens, a TurnEvent of kind usage.")

(defun agentq-transcript-setup ()
  "Make the current buffer, which has a prompt (agentq-typing.el), a transcript."
  (add-hook 'agentq-writer-streamed-functions #'agentq-markdown-written nil t)
  (agentq-tool-calls-setup))

(defun agentq-transcript--show-prompt (text &optional turn along)
  "Show the prompt TEXT, and below it the words ALONG, what went along with it.
It began TURN, a cons of the ids of its session and of itself, or none."
  (agentq-writer-append "\n")
  (agentq-writer-append (propertize (format "> %s\n" text)
                                    'agentq-message (list :text text :turn turn))
                        'agentq-chat-prompt)
  (when along
    (agentq-writer-append (format "  (%s)\n" along) 'agentq-chat-end))
  (agentq-writer-append "\n"))

(defun agentq-transcript--along (event)
  "Return what went along with the prompt of EVENT in words, or nil.
The server names it, and keeps the names with the conversation: what was
attached or mentioned and could be read, and what the person had in view."
  (let* ((attached (append (agentq-get TurnEvent event :attached) nil))
         (place (split-string (or (agentq-get TurnEvent event :place) "") " · " t))
         ;; A file of which point or the region went along is not named twice.
         (is-named (and place
                        (seq-some (lambda (name)
                                    (string-match-p (rx bos (literal (car place)) (or eos (not digit)))
                                                    name))
                                  attached))))
    (cl-flet ((words (before names)
                (and names (concat before (agentq-visible-line (string-join names ", "))))))
      (when-let* ((parts (delq nil (list (words "with " attached)
                                         (words "in view: " (if is-named (cdr place) place))))))
        (string-join parts "; ")))))

(defun agentq-transcript-notice (text)
  "Show TEXT, which is no part of the conversation."
  (agentq-writer-append text 'agentq-chat-notice))

(defun agentq-transcript-check-seq (seq)
  "Say so when events are missing before the one numbered SEQ."
  (when (and seq agentq-transcript--seq (> seq (1+ agentq-transcript--seq)))
    (agentq-transcript-notice (format "(%d events are missing here)\n"
                                      (- seq agentq-transcript--seq 1))))
  (setq agentq-transcript--seq seq))

(defun agentq-transcript-streamed-p (event)
  "Whether EVENT is a piece of text that may continue."
  (member (agentq-get TurnEvent event :kind) '("text" "thinking")))

(defun agentq-transcript-show (event &optional turn)
  "Show EVENT, a TurnEvent; one of an unknown kind is not shown.
TURN is a cons of the ids of the session and of the turn it belongs to."
  (unless (agentq-transcript-streamed-p event)
    (agentq-writer-end-block))
  (unless (equal (agentq-get TurnEvent event :kind) "thinking")
    (agentq-thoughts-end))
  (pcase (agentq-get TurnEvent event :kind)
    ;; A queued prompt waited until the running turn could take it up.
    ((or "turnStarted" "queuedPrompt")
     (setq agentq-transcript--asked (agentq-get TurnEvent event :text))
     (agentq-transcript--show-prompt agentq-transcript--asked
                                     (unless (eq t (agentq-get TurnEvent event :isCommand))
                                       turn)
                                     (agentq-transcript--along event)))
    ("commandAnswer" (agentq-transcript--show-answer event))
    ("text" (agentq-writer-stream 'text (agentq-get TurnEvent event :text) nil))
    ("thinking" (agentq-thoughts-add (agentq-get TurnEvent event :text)))
    ("toolCall" (agentq-tool-calls-show event))
    ("toolResult" (agentq-tool-calls-show-result event))
    ("usage" (agentq-transcript--add-usage event))
    ("compacted" (agentq-transcript--show-compacted event))
    ("retrying"
     (agentq-transcript-notice (format "Retry %d in %.1f s: %s\n"
                                       (agentq-get TurnEvent event :attempt)
                                       (/ (agentq-get TurnEvent event :waitMs) 1000.0)
                                       (agentq-get TurnEvent event :reason))))
    ("notice"
     (agentq-transcript-notice (concat (agentq-get TurnEvent event :message) "\n")))
    ("turnEnded"
     (agentq-writer-append (agentq-transcript--end-line event)
                           (if (equal (agentq-get TurnEvent event :reason) "error")
                               'agentq-chat-error
                             'agentq-chat-end)))))

(defun agentq-transcript--show-answer (event)
  "Show the server's own answer to a command, the commandAnswer EVENT.
The command stands above it, unless it was given while another turn ran."
  (let ((asked (agentq-get TurnEvent event :asked)))
    (unless (equal asked agentq-transcript--asked)
      (agentq-transcript--show-prompt asked)))
  (if (eq t (agentq-get TurnEvent event :failed))
      (agentq-transcript-notice (concat (agentq-get TurnEvent event :text) "\n"))
    (agentq-writer-stream 'text (agentq-get TurnEvent event :text) nil)
    (agentq-writer-end-block)))

(defun agentq-transcript--show-compacted (event)
  "Show what the compacted EVENT left out, the summary in its place folded."
  (let ((message (agentq-get TurnEvent event :message))
        (summary (agentq-get TurnEvent event :summary)))
    (if summary
        (agentq-thoughts-fold message summary)
      (agentq-transcript-notice (concat message "\n")))))

(defun agentq-transcript-context-size (event)
  "Return how full the model's context is after EVENT, nil if that is not told.
An estimate has a tilde; a size in thousands of tokens stands where nobody
knows the window."
  (let* ((kind (agentq-get TurnEvent event :kind))
         (tokens (cond ((member kind '("compacted" "compactionUndone"))
                        (agentq-get TurnEvent event :tokens))
                       ((and (equal kind "usage") (not (agentq-get TurnEvent event :purpose)))
                        (+ (agentq-get TurnEvent event :inputTokens)
                           (agentq-get TurnEvent event :cacheReadTokens)
                           (agentq-get TurnEvent event :cacheWriteTokens)
                           (agentq-get TurnEvent event :outputTokens)))))
         (window (agentq-get TurnEvent event :contextWindow))
         (mark (if (equal kind "usage") "" "~")))
    (cond ((not tokens) nil)
          (window (format "ctx %s%d %%" mark (round (* 100.0 tokens) window)))
          (t (format "ctx %s%dk" mark (ceiling tokens 1000))))))

(defun agentq-transcript--end-line (event)
  "Return the line for the turnEnded EVENT."
  (format "-- %s%s\n"
          (pcase (agentq-get TurnEvent event :reason)
            ("endTurn" "done")
            ("cancelled" "cancelled")
            ("stopped" "stopped")
            ("maxTokens" "cut: the answer reached the token limit")
            ("maxRounds" "stopped: too many rounds")
            ("refusal" "the model refused")
            ("budget" "stopped by the budget")
            ("cut" "cut off")
            (reason reason))
          (if-let* ((message (agentq-get TurnEvent event :message)))
              (concat ": " message)
            "")))

(defun agentq-transcript--add-usage (event)
  "Add the tokens of EVENT."
  (cl-macrolet ((sum (key)
                  `(+ (or (agentq-get TurnEvent agentq-transcript--usage ,key) 0)
                      (or (agentq-get TurnEvent event ,key) 0))))
    (setq agentq-transcript--usage
          (agentq-make TurnEvent
            :inputTokens (sum :inputTokens)
            :outputTokens (sum :outputTokens)
            :cacheReadTokens (sum :cacheReadTokens)
            :sessionCost (agentq-get TurnEvent event :sessionCost)))))

(defun agentq-transcript-usage ()
  "Return the tokens of the conversation in words, nil before any."
  (when agentq-transcript--usage
    (format "tokens: %d in, %d out, %d cached"
            (agentq-get TurnEvent agentq-transcript--usage :inputTokens)
            (agentq-get TurnEvent agentq-transcript--usage :outputTokens)
            (agentq-get TurnEvent agentq-transcript--usage :cacheReadTokens))))

(defun agentq-transcript-cost ()
  "Return the cost of the conversation in words, nil where none is known."
  (when-let* ((cost (agentq-get TurnEvent agentq-transcript--usage :sessionCost))
              ((> cost 0)))
    (format (if (< cost 0.1) "$%.4f" "$%.2f") cost)))

(defun agentq-transcript-end (why)
  "End what was under way, and say WHY where a call gets no result any more."
  (agentq-writer-end-block)
  (agentq-thoughts-end)
  (agentq-tool-calls-abandon why)
  (setq agentq-transcript--seq nil
        agentq-transcript--usage nil))

(defun agentq-transcript-erase ()
  "Take away all that stands in the transcript."
  (agentq-typing-above
    (remove-overlays (point-min) (agentq-typing-end))
    (delete-region (point-min) (agentq-typing-end)))
  (agentq-tool-calls-setup))

(provide 'agentq-transcript)

;;; agentq-transcript.el ends here
