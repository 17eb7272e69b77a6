;;; agentq-chat.el --- The conversation with Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The transcript is append-only: streamed text is collected and inserted a few
;; times a second, and nothing that stands above is written again.  The only
;; exception is the line of a tool call, which changes with its state; its
;; arguments and result are folded under it.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)

(declare-function agentq-review "agentq-review" ())

(defconst agentq-chat--flush-seconds 0.05
  "Seconds for which streamed text is collected before it is shown.")

(defface agentq-chat-prompt '((t :inherit (bold font-lock-keyword-face)))
  "The user's own words." :group 'agentq)
(defface agentq-chat-tool '((t :inherit font-lock-function-name-face))
  "The line of a tool call." :group 'agentq)
(defface agentq-chat-thinking '((t :inherit font-lock-comment-face))
  "What the model thinks before it answers." :group 'agentq)
(defface agentq-chat-notice '((t :inherit warning))
  "Notices, retries and errors." :group 'agentq)
(defface agentq-chat-end '((t :inherit shadow))
  "The line that ends a turn." :group 'agentq)

(defvar-local agentq-chat--pending nil "Streamed strings not yet shown, newest first.")
(defvar-local agentq-chat--timer nil "Timer of the next flush.")
(defvar-local agentq-chat--seq nil "Number of the last event.")
(defvar-local agentq-chat--block nil "Kind of the text that is streaming.")
(defvar-local agentq-chat--tools nil "Hash table from tool call ids to tools.")
(defvar-local agentq-chat--usage nil "Sums of tokens, a plist.")

(cl-defstruct (agentq-chat-tool (:constructor agentq-chat--tool))
  "A tool call in the transcript."
  name arguments (state "preparing") result
  line                                  ; marker at the start of its line
  body)                                 ; overlay over what is folded, or nil

(defvar-keymap agentq-chat-mode-map
  :doc "Keys of `agentq-chat-mode'."
  :parent special-mode-map
  "RET" #'agentq-prompt
  "TAB" #'agentq-chat-toggle
  "v" #'agentq-review
  "C-c C-c" #'agentq-prompt
  "C-c C-k" #'agentq-cancel)

(define-derived-mode agentq-chat-mode special-mode "AgentQ"
  "Transcript of a conversation with the agent.
\\<agentq-chat-mode-map>\
\\[agentq-prompt] sends a prompt, \\[agentq-cancel] stops the turn,
\\[agentq-chat-toggle] unfolds the tool call at point, \\[agentq-review] shows a proposal.

\\{agentq-chat-mode-map}"
  (buffer-disable-undo)
  (setq agentq-chat--tools (make-hash-table :test #'equal)
        buffer-invisibility-spec '(agentq-fold)
        header-line-format '(:eval (agentq-chat--header)))
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
               (agentq-chat--append (concat message "\n") 'agentq-chat-notice))
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

(defun agentq-chat-toggle ()
  "Fold or unfold the tool call at point."
  (interactive nil agentq-chat-mode)
  (let* ((tool (gethash (get-text-property (point) 'agentq-tool) agentq-chat--tools))
         (body (and tool (agentq-chat-tool-body tool))))
    (unless body
      (user-error "No finished tool call here"))
    (overlay-put body 'invisible
                 (if (overlay-get body 'invisible) nil 'agentq-fold))
    (agentq-chat--draw-tool tool)))

;;; The buffer

(defun agentq-chat-buffer (server)
  "Return the transcript of SERVER, made if needed."
  (let ((buffer (get-buffer-create
                 (format "*agentq: %s*" (eglot-project-nickname server)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agentq-chat-mode)
        (agentq-chat-mode))
      (setq agentq--root (agentq-server-root server)
            default-directory agentq--root))
    buffer))

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

(defun agentq-chat--append (text &optional face)
  "Insert TEXT in FACE at the end, below what was streamed before.
Windows that showed the end go on showing it."
  (agentq-chat--flush)
  (agentq-chat--insert (propertize text 'face face)))

(defun agentq-chat--insert (text)
  "Insert TEXT at the end of the transcript."
  (let ((end (point-max))
        (inhibit-read-only t))
    (let ((followers (seq-filter (lambda (window) (= (window-point window) end))
                                 (get-buffer-window-list nil nil t)))
          (at-end (= (point) end)))
      (save-excursion
        (goto-char end)
        (insert text))
      (when at-end (goto-char (point-max)))
      (dolist (window followers)
        (set-window-point window (point-max))))))

(defun agentq-chat--stream (kind text face)
  "Show TEXT of the block KIND in FACE soon."
  (unless (eq kind agentq-chat--block)
    (agentq-chat--end-block)
    (setq agentq-chat--block kind))
  (push (propertize text 'face face) agentq-chat--pending)
  (unless agentq-chat--timer
    (setq agentq-chat--timer
          (run-at-time agentq-chat--flush-seconds nil
                       #'agentq-chat--flush-buffer (current-buffer)))))

(defun agentq-chat--flush-buffer (buffer)
  "Show what was streamed to BUFFER, if it still lives."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (agentq-chat--flush))))

(defun agentq-chat--flush ()
  "Show what was streamed."
  (when agentq-chat--timer
    (cancel-timer agentq-chat--timer)
    (setq agentq-chat--timer nil))
  (when agentq-chat--pending
    (let ((text (apply #'concat (nreverse agentq-chat--pending))))
      (setq agentq-chat--pending nil)
      (agentq-chat--insert text))))

(defun agentq-chat--end-block ()
  "End the streaming block, and its last line."
  (when agentq-chat--block
    (agentq-chat--flush)
    (unless (or (= (point-min) (point-max)) (eq ?\n (char-before (point-max))))
      (agentq-chat--insert "\n"))
    (setq agentq-chat--block nil)))

;;; Events

(defun agentq-chat--event (server params)
  "Show the agentq/event PARAMS of SERVER."
  (agentq-chat--in server
    (agentq-chat--check-seq (plist-get params :seq))
    (let ((event (plist-get params :event)))
      (unless (member (plist-get event :kind) '("text" "thinking"))
        (agentq-chat--end-block))
      (pcase (plist-get event :kind)
        ("turnStarted"
         (setf (agentq-server-session-id server) (plist-get params :sessionId)
               (agentq-server-turn-id server) (plist-get params :turnId))
         (agentq-chat--append (format "\n> %s\n\n" (plist-get event :text))
                              'agentq-chat-prompt))
        ("text" (agentq-chat--stream 'text (plist-get event :text) nil))
        ("thinking" (agentq-chat--stream 'thinking (plist-get event :text)
                                         'agentq-chat-thinking))
        ("toolCall" (agentq-chat--tool-call event))
        ("toolResult" (agentq-chat--tool-result event))
        ("usage" (agentq-chat--add-usage event))
        ("retrying"
         (agentq-chat--append (format "Retry %d in %.1f s: %s\n" (plist-get event :attempt)
                                      (/ (plist-get event :waitMs) 1000.0)
                                      (plist-get event :reason))
                              'agentq-chat-notice))
        ("notice"
         (agentq-chat--append (concat (plist-get event :message) "\n")
                              'agentq-chat-notice))
        ("turnEnded"
         (setf (agentq-server-turn-id server) nil)
         (agentq-chat--append (agentq-chat--end-line event) 'agentq-chat-end)))
      (unless (member (plist-get event :kind) '("text" "thinking"))
        (force-mode-line-update t)))))

(defun agentq-chat--check-seq (seq)
  "Say so when events are missing before the one numbered SEQ."
  (when (and seq agentq-chat--seq (> seq (1+ agentq-chat--seq)))
    (agentq-chat--append (format "(%d events are missing here)\n"
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

;;; Tool calls

(defun agentq-chat--tool-call (event)
  "Show the toolCall EVENT, as a line of its own or in the line it has."
  (let* ((id (plist-get event :toolCallId))
         (tool (or (gethash id agentq-chat--tools)
                   (puthash id (agentq-chat--new-tool id (plist-get event :name))
                            agentq-chat--tools))))
    (setf (agentq-chat-tool-state tool) (plist-get event :state))
    (when (plist-get event :arguments)
      (setf (agentq-chat-tool-arguments tool) (plist-get event :arguments)))
    (agentq-chat--draw-tool tool)))

(defun agentq-chat--new-tool (id name)
  "Return a tool ID called NAME, with an empty line at the end of the transcript."
  (agentq-chat--append (propertize "\n" 'agentq-tool id))
  (agentq-chat--tool :name name
                     ;; What is unfolded above pushes the line down.
                     :line (copy-marker (1- (point-max)) t)))

(defun agentq-chat--draw-tool (tool)
  "Write the line of TOOL again."
  (save-excursion
    (let* ((inhibit-read-only t)
           (start (goto-char (marker-position (agentq-chat-tool-line tool))))
           (id (get-text-property (point) 'agentq-tool)))
      (delete-region start (pos-eol))
      (insert (propertize (agentq-chat--tool-line tool)
                          'face 'agentq-chat-tool 'agentq-tool id))
      (set-marker (agentq-chat-tool-line tool) start))))

(defun agentq-chat--tool-line (tool)
  "Return the text of the line of TOOL."
  (let ((body (agentq-chat-tool-body tool))
        (result (agentq-chat-tool-result tool)))
    (format "%s %s%s  %s"
            (cond ((not body) " ") ((overlay-get body 'invisible) "+") (t "-"))
            (agentq-chat-tool-name tool)
            (agentq-chat--arguments (agentq-chat-tool-arguments tool))
            (cond (result
                   (if (eq t (plist-get result :success))
                       (format "%d ms" (or (plist-get (plist-get result :metadata)
                                                      :executionTimeMs)
                                           0))
                     (concat "failed: " (agentq-chat--first-line
                                         (plist-get result :error)))))
                  ((equal (agentq-chat-tool-state tool) "waitingApproval")
                   "waits for you")
                  (t (agentq-chat-tool-state tool))))))

(defun agentq-chat--arguments (arguments)
  "Return the plist ARGUMENTS as a short string."
  (truncate-string-to-width
   (cl-loop for (key value) on arguments by #'cddr
            concat (format " %s=%s" (substring (symbol-name key) 1)
                           (if (stringp value) (agentq-chat--first-line value)
                             (format "%S" value))))
   60 nil nil "..."))

(defun agentq-chat--first-line (text)
  "Return the first line of TEXT."
  (car (split-string (or text "") "\n")))

(defun agentq-chat--tool-result (event)
  "Put the result in the toolResult EVENT below the line of its tool."
  (let* ((id (plist-get event :toolCallId))
         (result (plist-get event :result))
         (tool (gethash id agentq-chat--tools)))
    (when tool
      (setf (agentq-chat-tool-result tool) result)
      (save-excursion
        (goto-char (agentq-chat-tool-line tool))
        (forward-line)
        (let ((start (point)))
          (insert (propertize (agentq-chat--body tool) 'agentq-tool id))
          (setf (agentq-chat-tool-body tool) (make-overlay start (point) nil t))))
      (overlay-put (agentq-chat-tool-body tool) 'invisible 'agentq-fold)
      (agentq-chat--draw-tool tool))))

(defun agentq-chat--body (tool)
  "Return what is folded under the line of TOOL."
  (let* ((result (agentq-chat-tool-result tool))
         (text (concat
                (cl-loop for (key value) on (agentq-chat-tool-arguments tool) by #'cddr
                         concat (format "%s: %s\n" (substring (symbol-name key) 1)
                                        (if (stringp value) value (format "%S" value))))
                "=> " (if (eq t (plist-get result :success))
                          (plist-get result :content)
                        (plist-get result :error)))))
    (mapconcat (lambda (line) (concat "    " line "\n"))
               (split-string (string-trim-right text) "\n"))))

;;; Other news

(defun agentq-chat--proposal (server proposal &optional new)
  "Mention PROPOSAL of SERVER in the transcript if it is NEW."
  (when new
    (agentq-chat--in server
      (agentq-chat--end-block)
      (agentq-chat--append
       (let ((count (length (plist-get proposal :hunks))))
         (format (ngettext "Proposal: %s (%d hunk)\n" "Proposal: %s (%d hunks)\n" count)
                 (plist-get proposal :title) count))
       'agentq-chat-notice))))

(add-hook 'agentq-event-functions #'agentq-chat--event)
(add-hook 'agentq-proposal-functions #'agentq-chat--proposal)

(provide 'agentq-chat)

;;; agentq-chat.el ends here
