;;; agentq-tool-calls.el --- Tool calls in the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A tool call is one line of the transcript, which is written again when the
;; state of the call changes.  Its arguments and its result are folded below it.
;; Neighbours that only looked at something share a line.
;;
;; The functions work on the current buffer, once it is set up by
;; `agentq-tool-calls-setup'.

;;; Code:

(require 'cl-lib)
(require 'agentq-buffers)
(require 'agentq-mouse)
(require 'agentq-places)
(require 'agentq-thoughts)
(require 'agentq-tool-lines)
(require 'agentq-wire)
(require 'agentq-writer)

(defvar-local agentq-tool-calls--known nil "Hash table from ids to tool calls.")
(defvar-local agentq-tool-calls--open nil "Tool calls without a result, the last one first.")

(defun agentq-tool-calls-setup ()
  "Make the current buffer ready for lines of tools."
  (setq agentq-tool-calls--known (make-hash-table :test #'equal)
        agentq-tool-calls--open nil
        buffer-invisibility-spec '(agentq-fold agentq-markup)))

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

(defun agentq-tool-calls-propose (id words)
  "Show that the tool call ID waits for the person, as it proposes what WORDS say.
Return nil if the transcript does not have the call."
  (when-let* ((tool (gethash id agentq-tool-calls--known)))
    (setf (agentq-tool-call-proposal tool) words)
    (agentq-tool-calls-wait id)
    t))

(defun agentq-tool-calls-waiting-at-point ()
  "Return for what the tool call at point waits, `review' or `question', or nil."
  (when-let* ((tool (agentq-tool-calls--at (point)))
              ((equal (agentq-tool-call-state tool) "waitingApproval")))
    (if (agentq-tool-call-proposal tool) 'review 'question)))

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

(defun agentq-tool-calls-tell-since (id words)
  "Show beside the outcome of the tool call ID, if the transcript has it, WORDS.
They say what is left of the outcome; nil takes them away."
  (when-let* ((tool (gethash id agentq-tool-calls--known))
              ((not (equal words (agentq-tool-call-since tool)))))
    (setf (agentq-tool-call-since tool) words)
    (agentq-tool-calls--draw tool)))

(defun agentq-tool-calls-running ()
  "Return the name of the tool that is running, the last of several, or nil."
  (when-let* ((tool (seq-find (lambda (tool) (equal (agentq-tool-call-state tool) "running"))
                              agentq-tool-calls--open)))
    (agentq-tool-call-name tool)))

(defun agentq-tool-calls--new (id name)
  "Return a tool ID called NAME, with an empty line at the end of the transcript."
  (agentq-writer-append (propertize "\n" 'agentq-tool id))
  (car (push (agentq-tool-lines-make :name name
                                     ;; What is unfolded above pushes the line down.
                                     :line (copy-marker (1- (agentq-typing-end)) t))
             agentq-tool-calls--open)))

(defun agentq-tool-calls--draw (tool)
  "Write the line of TOOL again, which may be that of another call."
  (let ((tool (or (agentq-tool-call-leader tool) tool))
        ;; Behind the last column stands a sign for a line that goes on.
        (width (min 120 (1- (agentq-width)))))
    (agentq-typing-above
      (save-excursion
        (let* ((start (goto-char (marker-position (agentq-tool-call-line tool))))
               (id (get-text-property (point) 'agentq-tool)))
          (delete-region start (pos-eol))
          (agentq-writer-insert (agentq-mouse-line (propertize (agentq-tool-lines-line tool width) 'agentq-tool id)))
          (set-marker (agentq-tool-call-line tool) start))))))

(defun agentq-tool-calls-show-result (event)
  "Put the result in the toolResult EVENT below the line of its tool.
It takes the place of an earlier result of the same call."
  (when-let* ((tool (gethash (agentq-get TurnEvent event :toolCallId)
                             agentq-tool-calls--known)))
    (setf (agentq-tool-call-result tool) (agentq-get TurnEvent event :result))
    (setq agentq-tool-calls--open (delq tool agentq-tool-calls--open))
    (if-let* ((leader (agentq-tool-call-leader tool)))
        (agentq-tool-calls--write-body leader)
      (agentq-tool-calls--write-body tool)
      (agentq-tool-calls--join (agentq-tool-calls--below tool)
                               (agentq-tool-calls--join tool (agentq-tool-calls--above tool))))))

(defun agentq-tool-calls--write-body (tool)
  "Write what is folded below the line of TOOL, in the place of what is there."
  (let* ((earlier (agentq-tool-call-body tool))
         (hide (or (null earlier) (overlay-get earlier 'invisible))))
    (agentq-writer-following
      (when earlier
        (delete-region (overlay-start earlier) (overlay-end earlier))
        (delete-overlay earlier))
      (goto-char (agentq-tool-call-line tool))
      (let ((id (get-text-property (point) 'agentq-tool)))
        (forward-line)
        (let ((start (point)))
          (agentq-writer-insert (propertize (agentq-tool-lines-body tool) 'agentq-tool id))
          (setf (agentq-tool-call-body tool) (make-overlay start (point) nil t)))))
    (agentq-tool-calls--fold tool hide)))

;;; Calls that share a line

(defun agentq-tool-calls--above (tool)
  "Return the call whose line and body end where the line of TOOL begins, or nil."
  (let ((start (marker-position (agentq-tool-call-line tool))))
    (when (> start (point-min))
      (agentq-tool-calls--at (1- start)))))

(defun agentq-tool-calls--below (tool)
  "Return the call whose line begins where the body of TOOL ends, or nil."
  (agentq-tool-calls--at
   (overlay-end (agentq-tool-call-body (or (agentq-tool-call-leader tool) tool)))))

(defun agentq-tool-calls--join (lower upper)
  "Let LOWER share the line of UPPER, its neighbour, if both only looked.
Each of them may be nil.  Return the call that LOWER stands with then."
  (if (not (and lower upper
                (agentq-tool-lines-looked-p lower)
                (agentq-tool-lines-looked-p upper)))
      (or lower upper)
    (let ((body (agentq-tool-call-body lower))
          (joined (cons lower (agentq-tool-call-others lower))))
      (agentq-writer-following
        (delete-region (agentq-tool-call-line lower) (overlay-end body))
        (delete-overlay body))
      (set-marker (agentq-tool-call-line lower) nil)
      (setf (agentq-tool-call-others upper) (append (agentq-tool-call-others upper) joined)
            (agentq-tool-call-others lower) nil
            (agentq-tool-call-body lower) nil)
      (dolist (tool joined)
        (setf (agentq-tool-call-leader tool) upper))
      (agentq-tool-calls--write-body upper)
      upper)))

;;; Folding

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
      (agentq-typing-above
        (agentq-places-make-buttons (overlay-start body) (overlay-end body)))))
  (agentq-tool-calls--draw tool))

(defun agentq-tool-calls-abandon (why)
  "Show WHY in the lines of all tools that have no result: they will get none."
  (dolist (tool agentq-tool-calls--open)
    (setf (agentq-tool-call-state tool) why)
    (agentq-tool-calls--draw tool))
  (setq agentq-tool-calls--open nil))

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
      (when-let* ((tool (agentq-tool-calls--at (point))))
        (and (agentq-tool-call-body tool) (= (pos-bol) (agentq-tool-call-line tool))))))

(defun agentq-tool-calls--at (position)
  "Return the tool call whose line or body has POSITION, or nil."
  (when-let* ((id (get-text-property position 'agentq-tool)))
    (gethash id agentq-tool-calls--known)))

(defun agentq-tool-calls--toggle ()
  "Fold or unfold the tool call at point."
  (let* ((tool (agentq-tool-calls--at (point)))
         (body (and tool (agentq-tool-call-body tool))))
    (unless body
      (user-error "No finished tool call or thought here"))
    (agentq-tool-calls--fold tool (not (overlay-get body 'invisible)))))

(provide 'agentq-tool-calls)

;;; agentq-tool-calls.el ends here
