;;; agentq-transcript.el --- A streaming transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Text, streamed text and tool calls in a buffer that grows at its end.  Streamed
;; text is collected and inserted a few times a second, and nothing that stands
;; above is written again.  The only exception is the line of a tool call, which
;; changes with its state; its arguments and result are folded under it.
;;
;; The functions work on the current buffer, once it is set up by
;; `agentq-transcript-setup'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defconst agentq-transcript--flush-seconds 0.05
  "Seconds for which streamed text is collected before it is shown.")

(defface agentq-transcript-tool '((t :inherit font-lock-function-name-face))
  "The line of a tool call." :group 'agentq)

(defface agentq-chat-error '((t :inherit error))
  "A call or a turn that failed." :group 'agentq)

(defvar-local agentq-transcript--pending nil "Streamed strings not yet shown, newest first.")
(defvar-local agentq-transcript--timer nil "Timer of the next flush.")
(defvar-local agentq-transcript--block nil "Kind of the text that is streaming.")
(defvar-local agentq-transcript--tools nil "Hash table from tool call ids to tools.")

(cl-defstruct (agentq-transcript-tool (:constructor agentq-transcript--tool))
  "A tool call in the transcript."
  name arguments (state "preparing") result
  asked-p                               ; a person was asked about the call
  line                                  ; marker at the start of its line
  body)                                 ; overlay over what is folded, or nil

(defun agentq-transcript-setup ()
  "Make the current buffer a transcript."
  (buffer-disable-undo)
  ;; A window that comes back, from a review for one, shows the end if it did.
  (setq-local window-point-insertion-type t)
  ;; The last line stands at the bottom and not in the middle of the window.
  (setq-local scroll-conservatively 101)
  (setq agentq-transcript--tools (make-hash-table :test #'equal)
        buffer-invisibility-spec '(agentq-fold)))

;;; Text

(defun agentq-transcript-append (text &optional face)
  "Insert TEXT in FACE at the end, below what was streamed before.
Windows that showed the end go on showing it."
  (agentq-transcript-flush)
  (agentq-transcript--insert (propertize text 'face face)))

(defun agentq-transcript-show-end ()
  "Show the end in all windows of the transcript, and go on showing it."
  (goto-char (point-max))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point-max))))

(defmacro agentq-transcript--following (&rest body)
  "Run BODY, which writes; windows that showed the end show it afterwards."
  (declare (indent 0) (debug t))
  `(let ((followers (seq-filter (lambda (window) (= (window-point window) (point-max)))
                                (get-buffer-window-list nil nil t)))
         (at-end (= (point) (point-max)))
         (inhibit-read-only t))
     (save-excursion ,@body)
     (when at-end (goto-char (point-max)))
     (dolist (window followers)
       (set-window-point window (point-max)))))

(defun agentq-transcript--insert (text)
  "Insert TEXT at the end of the transcript."
  (agentq-transcript--following
    (goto-char (point-max))
    (insert text)))

(defun agentq-transcript-stream (kind text face)
  "Show TEXT of the block KIND in FACE soon."
  (unless (eq kind agentq-transcript--block)
    (agentq-transcript-end-block)
    (setq agentq-transcript--block kind))
  (push (propertize text 'face face) agentq-transcript--pending)
  (unless agentq-transcript--timer
    (setq agentq-transcript--timer
          (run-at-time agentq-transcript--flush-seconds nil
                       #'agentq-transcript--flush-buffer (current-buffer)))))

(defun agentq-transcript--flush-buffer (buffer)
  "Show what was streamed to BUFFER, if it still lives."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (agentq-transcript-flush))))

(defun agentq-transcript-flush ()
  "Show what was streamed."
  (when agentq-transcript--timer
    (cancel-timer agentq-transcript--timer)
    (setq agentq-transcript--timer nil))
  (when agentq-transcript--pending
    (let ((text (apply #'concat (nreverse agentq-transcript--pending))))
      (setq agentq-transcript--pending nil)
      (agentq-transcript--insert text))))

(defun agentq-transcript-end-block ()
  "End the streaming block, and its last line."
  (when agentq-transcript--block
    (agentq-transcript-flush)
    (unless (or (= (point-min) (point-max)) (eq ?\n (char-before (point-max))))
      (agentq-transcript--insert "\n"))
    (setq agentq-transcript--block nil)))

;;; Tool calls

(defun agentq-transcript-show-call (event)
  "Show the toolCall EVENT, as a line of its own or in the line it has."
  (let* ((id (plist-get event :toolCallId))
         (tool (or (gethash id agentq-transcript--tools)
                   (puthash id (agentq-transcript--new-tool id (plist-get event :name))
                            agentq-transcript--tools))))
    (setf (agentq-transcript-tool-state tool) (plist-get event :state))
    (when (equal (plist-get event :state) "waitingApproval")
      (setf (agentq-transcript-tool-asked-p tool) t))
    (when (plist-get event :arguments)
      (setf (agentq-transcript-tool-arguments tool) (plist-get event :arguments)))
    (agentq-transcript--draw-tool tool)))

(defun agentq-transcript-waits (id)
  "Show that the tool call ID, if it is one of the transcript, waits for the user."
  (when (gethash id agentq-transcript--tools)
    (agentq-transcript-show-call (list :toolCallId id :state "waitingApproval"))))

(defun agentq-transcript--new-tool (id name)
  "Return a tool ID called NAME, with an empty line at the end of the transcript."
  (agentq-transcript-append (propertize "\n" 'agentq-tool id))
  (agentq-transcript--tool :name name
                     ;; What is unfolded above pushes the line down.
                     :line (copy-marker (1- (point-max)) t)))

(defun agentq-transcript--draw-tool (tool)
  "Write the line of TOOL again."
  (save-excursion
    (let* ((inhibit-read-only t)
           (start (goto-char (marker-position (agentq-transcript-tool-line tool))))
           (id (get-text-property (point) 'agentq-tool)))
      (delete-region start (pos-eol))
      (insert (propertize (agentq-transcript--tool-line tool)
                          'face (if (agentq-transcript--failed-p tool)
                                    'agentq-chat-error
                                  'agentq-transcript-tool)
                          'agentq-tool id))
      (set-marker (agentq-transcript-tool-line tool) start))))

(defun agentq-transcript--tool-line (tool)
  "Return the text of the line of TOOL."
  (let ((body (agentq-transcript-tool-body tool))
        (result (agentq-transcript-tool-result tool)))
    (format "%s %s%s  %s"
            (cond ((not body) " ") ((overlay-get body 'invisible) "+") (t "-"))
            (agentq-transcript-tool-name tool)
            (agentq-transcript--arguments (agentq-transcript-tool-arguments tool))
            (cond ((agentq-transcript--failed-p tool)
                   (concat "failed: " (agentq-transcript--first-line
                                       (plist-get result :error))))
                  ;; The time of a call that waited is that of the person.
                  ((and result (agentq-transcript-tool-asked-p tool))
                   (agentq-transcript--first-line (plist-get result :content)))
                  (result
                   (format "%d ms" (or (plist-get (plist-get result :metadata)
                                                  :executionTimeMs)
                                       0)))
                  ((equal (agentq-transcript-tool-state tool) "waitingApproval")
                   "waits for you")
                  (t (agentq-transcript-tool-state tool))))))

(defun agentq-transcript--failed-p (tool)
  "Return non-nil when TOOL has a result that is a failure."
  (when-let* ((result (agentq-transcript-tool-result tool)))
    (not (eq t (plist-get result :success)))))

(defun agentq-transcript--arguments (arguments)
  "Return the plist ARGUMENTS as a short string."
  (truncate-string-to-width
   (cl-loop with print-escape-newlines = t
            for (key value) on arguments by #'cddr
            concat (format " %s=%s" (substring (symbol-name key) 1)
                           (if (stringp value) (agentq-transcript--first-line value)
                             (format "%S" value))))
   60 nil nil "..."))

(defun agentq-transcript--first-line (text)
  "Return the first line of TEXT."
  (car (split-string (or text "") "\n")))

(defun agentq-transcript-show-result (event)
  "Put the result in the toolResult EVENT below the line of its tool."
  (let* ((id (plist-get event :toolCallId))
         (result (plist-get event :result))
         (tool (gethash id agentq-transcript--tools)))
    (when tool
      (setf (agentq-transcript-tool-result tool) result)
      (agentq-transcript--following
        (goto-char (agentq-transcript-tool-line tool))
        (forward-line)
        (let ((start (point)))
          (insert (propertize (agentq-transcript--body tool) 'agentq-tool id))
          (setf (agentq-transcript-tool-body tool) (make-overlay start (point) nil t))))
      (agentq-transcript--fold tool t))))

(defun agentq-transcript--fold (tool hide)
  "Hide what is folded under the line of TOOL if HIDE is non-nil, else show it."
  (let ((body (agentq-transcript-tool-body tool)))
    (overlay-put body 'invisible (and hide 'agentq-fold))
    ;; A search opens what it ends in.
    (overlay-put body 'isearch-open-invisible
                 (lambda (_overlay)
                   (save-match-data (agentq-transcript--fold tool nil)))))
  (agentq-transcript--draw-tool tool))

(defun agentq-transcript-abandon (why)
  "Show WHY in the lines of all tools that have no result: they will get none."
  (maphash (lambda (_id tool)
             (unless (agentq-transcript-tool-result tool)
               (setf (agentq-transcript-tool-state tool) why)
               (agentq-transcript--draw-tool tool)))
           agentq-transcript--tools))

(defun agentq-transcript--body (tool)
  "Return what is folded under the line of TOOL."
  (let* ((result (agentq-transcript-tool-result tool))
         (text (concat
                (cl-loop for (key value) on (agentq-transcript-tool-arguments tool) by #'cddr
                         concat (format "%s: %s\n" (substring (symbol-name key) 1)
                                        (if (stringp value) value (format "%S" value))))
                "=> " (if (eq t (plist-get result :success))
                          (plist-get result :content)
                        (plist-get result :error)))))
    (mapconcat (lambda (line) (concat "    " line "\n"))
               (split-string (string-trim-right text) "\n"))))

(defun agentq-transcript-toggle ()
  "Fold or unfold the tool call at point."
  (interactive)
  (let* ((tool (gethash (get-text-property (point) 'agentq-tool) agentq-transcript--tools))
         (body (and tool (agentq-transcript-tool-body tool))))
    (unless body
      (user-error "No finished tool call here"))
    (agentq-transcript--fold tool (not (overlay-get body 'invisible)))))

(provide 'agentq-transcript)

;;; agentq-transcript.el ends here
