;;; agentq-tool-calls.el --- Tool calls in the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A tool call is one line of the transcript, which is written again when the
;; state of the call changes.  Its arguments and its result are folded below it.
;;
;; The functions work on the current buffer, once it is set up by
;; `agentq-tool-calls-setup'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'agentq-places)
(require 'agentq-thoughts)
(require 'agentq-wire)
(require 'agentq-writer)

(defface agentq-transcript-tool '((t :inherit font-lock-function-name-face))
  "The line of a tool call." :group 'agentq)

(defface agentq-chat-error '((t :inherit error))
  "A call or a turn that failed." :group 'agentq)

(defvar-local agentq-tool-calls--known nil "Hash table from ids to tool calls.")

(cl-defstruct (agentq-tool-call (:constructor agentq-tool-calls--make))
  "A tool call in the transcript."
  name arguments (state "preparing") result
  asked-p                               ; a person was asked about the call
  progress                              ; what the conversation does that answers it
  line                                  ; marker at the start of its line
  body)                                 ; overlay over what is folded, or nil

(defun agentq-tool-calls-setup ()
  "Make the current buffer ready for lines of tools."
  (setq agentq-tool-calls--known (make-hash-table :test #'equal)
        buffer-invisibility-spec '(agentq-fold)))

(defun agentq-tool-calls-show (event)
  "Show the toolCall EVENT, as a line of its own or in the line it has."
  (let* ((id (agentq-get TurnEvent event :toolCallId))
         (tool (or (gethash id agentq-tool-calls--known)
                   (puthash id (agentq-tool-calls--new id (agentq-get TurnEvent event :name))
                            agentq-tool-calls--known))))
    (setf (agentq-tool-call-state tool) (agentq-get TurnEvent event :state))
    (when (equal (agentq-get TurnEvent event :state) "waitingApproval")
      (setf (agentq-tool-call-asked-p tool) t))
    (when (agentq-get TurnEvent event :arguments)
      (setf (agentq-tool-call-arguments tool) (agentq-get TurnEvent event :arguments)))
    (agentq-tool-calls--draw tool)))

(defun agentq-tool-calls-wait (id)
  "Show that the tool call ID, if the transcript has it, waits for the person."
  (when (gethash id agentq-tool-calls--known)
    (agentq-tool-calls-show
     (agentq-make TurnEvent :toolCallId id :state "waitingApproval"))))

(defun agentq-tool-calls-tell-progress (id event)
  "Show beside the tool call ID what EVENT of its conversation is about."
  (let ((tool (gethash id agentq-tool-calls--known))
        (words (pcase (agentq-get TurnEvent event :kind)
                 ("text" "writes")
                 ("thinking" "thinks")
                 ("toolCall" (agentq-get TurnEvent event :name)))))
    (when (and tool words (not (equal words (agentq-tool-call-progress tool))))
      (setf (agentq-tool-call-progress tool) words)
      (agentq-tool-calls--draw tool))))

(defun agentq-tool-calls--new (id name)
  "Return a tool ID called NAME, with an empty line at the end of the transcript."
  (agentq-writer-append (propertize "\n" 'agentq-tool id))
  (agentq-tool-calls--make :name name
                           ;; What is unfolded above pushes the line down.
                           :line (copy-marker (1- (point-max)) t)))

(defun agentq-tool-calls--draw (tool)
  "Write the line of TOOL again."
  (save-excursion
    (let* ((inhibit-read-only t)
           (start (goto-char (marker-position (agentq-tool-call-line tool))))
           (id (get-text-property (point) 'agentq-tool)))
      (delete-region start (pos-eol))
      (insert (propertize (agentq-tool-calls--line tool)
                          'face (if (agentq-tool-calls--failed-p tool)
                                    'agentq-chat-error
                                  'agentq-transcript-tool)
                          'agentq-tool id))
      (set-marker (agentq-tool-call-line tool) start))))

(defun agentq-tool-calls--line (tool)
  "Return the text of the line of TOOL."
  (let ((body (agentq-tool-call-body tool))
        (result (agentq-tool-call-result tool)))
    (format "%s %s%s  %s"
            (cond ((not body) " ") ((overlay-get body 'invisible) "+") (t "-"))
            (agentq-tool-call-name tool)
            (agentq-tool-calls--arguments (agentq-tool-call-arguments tool))
            (cond ((agentq-tool-calls--failed-p tool)
                   (concat "failed: " (agentq-tool-calls--first-line
                                       (agentq-get ToolResult result :error))))
                  ;; The time of a call that waited is that of the person.
                  ((and result (agentq-tool-call-asked-p tool))
                   (agentq-tool-calls--first-line (agentq-get ToolResult result :content)))
                  (result
                   (format "%d ms" (or (agentq-get ToolResult result :metadata :executionTimeMs)
                                       0)))
                  ((equal (agentq-tool-call-state tool) "waitingApproval")
                   "waits for you")
                  ((and (agentq-tool-call-progress tool)
                        (equal (agentq-tool-call-state tool) "running"))
                   (concat (agentq-tool-call-progress tool) " ..."))
                  (t (agentq-tool-call-state tool))))))

(defun agentq-tool-calls--failed-p (tool)
  "Return non-nil when TOOL has a result that is a failure."
  (when-let* ((result (agentq-tool-call-result tool)))
    (not (eq t (agentq-get ToolResult result :success)))))

(defun agentq-tool-calls--arguments (arguments)
  "Return the plist ARGUMENTS as a short string."
  (truncate-string-to-width
   (cl-loop with print-escape-newlines = t
            for (key value) on arguments by #'cddr
            concat (format " %s=%s" (substring (symbol-name key) 1)
                           (if (stringp value) (agentq-tool-calls--first-line value)
                             (format "%S" value))))
   60 nil nil "..."))

(defun agentq-tool-calls--first-line (text)
  "Return the first line of TEXT."
  (car (split-string (or text "") "\n")))

(defun agentq-tool-calls-show-result (event)
  "Put the result in the toolResult EVENT below the line of its tool.
It takes the place of an earlier result of the same call."
  (let* ((id (agentq-get TurnEvent event :toolCallId))
         (result (agentq-get TurnEvent event :result))
         (tool (gethash id agentq-tool-calls--known)))
    (when tool
      (setf (agentq-tool-call-result tool) result)
      (agentq-writer-following
        (when-let* ((earlier (agentq-tool-call-body tool)))
          (delete-region (overlay-start earlier) (overlay-end earlier))
          (delete-overlay earlier))
        (goto-char (agentq-tool-call-line tool))
        (forward-line)
        (let ((start (point)))
          (insert (propertize (agentq-tool-calls--body tool) 'agentq-tool id))
          (setf (agentq-tool-call-body tool) (make-overlay start (point) nil t))))
      (agentq-tool-calls--fold tool t))))

(defun agentq-tool-calls--fold (tool hide)
  "Hide what is folded under the line of TOOL if HIDE is non-nil, else show it."
  (let ((body (agentq-tool-call-body tool)))
    (overlay-put body 'invisible (and hide 'agentq-fold))
    ;; A search opens what it ends in.
    (overlay-put body 'isearch-open-invisible
                 (lambda (_overlay)
                   (save-match-data (agentq-tool-calls--fold tool nil))))
    (unless (or hide (overlay-get body 'agentq-buttons))
      (overlay-put body 'agentq-buttons t)
      (let ((inhibit-read-only t))
        (agentq-places-make-buttons (overlay-start body) (overlay-end body)))))
  (agentq-tool-calls--draw tool))

(defun agentq-tool-calls-abandon (why)
  "Show WHY in the lines of all tools that have no result: they will get none."
  (maphash (lambda (_id tool)
             (unless (agentq-tool-call-result tool)
               (setf (agentq-tool-call-state tool) why)
               (agentq-tool-calls--draw tool)))
           agentq-tool-calls--known))

(defun agentq-tool-calls--body (tool)
  "Return what is folded under the line of TOOL."
  (let* ((result (agentq-tool-call-result tool))
         (text (concat
                (cl-loop for (key value) on (agentq-tool-call-arguments tool) by #'cddr
                         concat (format "%s: %s\n" (substring (symbol-name key) 1)
                                        (if (stringp value) value (format "%S" value))))
                "=> " (if (eq t (agentq-get ToolResult result :success))
                          (agentq-get ToolResult result :content)
                        (agentq-get ToolResult result :error)))))
    (mapconcat (lambda (line) (concat "    " line "\n"))
               (split-string (string-trim-right text) "\n"))))

(defun agentq-transcript-toggle ()
  "Fold or unfold the tool call or the thought at point."
  (interactive)
  (if-let* ((thought (agentq-thoughts-at-point)))
      (agentq-thoughts-toggle thought)
    (agentq-tool-calls--toggle)))

(defun agentq-transcript-foldable-p ()
  "Return non-nil at the line of a finished call or of a thought."
  (or (when-let* ((thought (agentq-thoughts-at-point)))
        (= (pos-bol) (agentq-thought-line thought)))
      (when-let* ((tool (agentq-tool-calls--at-point)))
        (and (agentq-tool-call-body tool) (= (pos-bol) (agentq-tool-call-line tool))))))

(defun agentq-tool-calls--at-point ()
  "Return the tool call at point, or nil."
  (when-let* ((id (get-text-property (point) 'agentq-tool)))
    (gethash id agentq-tool-calls--known)))

(defun agentq-tool-calls--toggle ()
  "Fold or unfold the tool call at point."
  (let* ((tool (agentq-tool-calls--at-point))
         (body (and tool (agentq-tool-call-body tool))))
    (unless body
      (user-error "No finished tool call or thought here"))
    (agentq-tool-calls--fold tool (not (overlay-get body 'invisible)))))

(provide 'agentq-tool-calls)

;;; agentq-tool-calls.el ends here
