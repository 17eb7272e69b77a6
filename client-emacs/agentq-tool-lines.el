;;; agentq-tool-lines.el --- What a tool call looks like  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; From a tool call, or several that share a line, to the line and to what is folded
;; below the line.  Nothing here knows a buffer.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'agentq-visible)
(require 'agentq-wire)

(defface agentq-transcript-tool '((t :inherit font-lock-function-name-face))
  "The line of a tool call." :group 'agentq)

(defface agentq-chat-error '((t :inherit error))
  "A call or a turn that failed." :group 'agentq)

(cl-defstruct (agentq-tool-call (:constructor agentq-tool-lines-make))
  "A tool call in the transcript."
  name arguments (state "preparing") result
  proposal                              ; what it proposes, in the words of the review, or nil
  since                                 ; what has become of its outcome since, or nil
  asked-p                               ; a person was asked about the call
  progress                              ; what the conversation does that answers it
  line                                  ; marker at the start of its line
  body                                  ; overlay over what is folded, or nil
  others                                ; calls that share its line, in their order
  leader)                               ; the call whose line it shares, or nil

(defun agentq-tool-lines-line (tool width)
  "Return the line of TOOL with its face, which has WIDTH columns.
What has no room is told where the line is unfolded."
  (let ((calls (agentq-tool-lines--calls tool))
        (body (agentq-tool-call-body tool)))
    (propertize (concat (cond ((not body) "  ") ((overlay-get body 'invisible) "+ ") (t "- "))
                        (if (cdr calls)
                            (agentq-tool-lines--several calls (- width 2))
                          (agentq-tool-lines--one
                           tool (- width 2) (and body (not (overlay-get body 'invisible))))))
                'face (if (seq-some #'agentq-tool-lines--failed-p calls)
                          'agentq-chat-error
                        'agentq-transcript-tool))))

(defun agentq-tool-lines-body (tool)
  "Return what is folded under the line of TOOL."
  (let ((calls (agentq-tool-lines--calls tool)))
    (mapconcat (lambda (call)
                 (concat (and (cdr calls) (format "  %s\n" (agentq-tool-lines--one call 80 t)))
                         (agentq-tool-lines--details call)))
               calls "")))

(defun agentq-tool-lines-looked-p (tool)
  "Return non-nil when TOOL has looked at something and changed nothing.
Nobody has to read of it at once."
  (let ((result (agentq-tool-call-result tool)))
    (and (eq t (agentq-get ToolResult result :success))
         (equal (agentq-get ToolResult result :metadata :safetyLevel) "safe")
         (not (agentq-tool-call-asked-p tool)))))

(defun agentq-tool-lines--calls (tool)
  "Return TOOL, and the others on its line, as a list."
  (cons tool (agentq-tool-call-others tool)))

(defun agentq-tool-lines--several (tools width)
  "Return the TOOLS of one line in words of WIDTH columns."
  (agentq-tool-lines--short
   (format "%d calls  %d ms  %s" (length tools)
           (apply #'+ (mapcar #'agentq-tool-lines--time tools))
           (mapconcat #'agentq-tool-lines--subject tools ", "))
   width))

(defun agentq-tool-lines--subject (tool)
  "Return the name of TOOL and its shortest argument, which names what it is about."
  (let ((texts (cl-loop for (_ value) on (agentq-tool-call-arguments tool) by #'cddr
                        when (and (stringp value) (not (string-blank-p value)))
                        collect (agentq-tool-lines--first-line value))))
    (string-join (cons (agentq-tool-call-name tool)
                       (when texts (list (car (sort texts :key #'length)))))
                 " ")))

(defun agentq-tool-lines--time (tool)
  "Return how long TOOL took in milliseconds."
  (or (agentq-get ToolResult (agentq-tool-call-result tool) :metadata :executionTimeMs) 0))

(defun agentq-tool-lines--short (text width)
  "Return TEXT, in one line of at most WIDTH columns, whatever a model wrote."
  (truncate-string-to-width (agentq-visible-line text) (max 1 width) nil nil "..."))

(defun agentq-tool-lines--one (tool width told)
  "Return TOOL alone in words of WIDTH columns.
TOLD is non-nil if what came stands below the line.  How TOOL went has
room before what it is about, and is not cut for the sake of that."
  (let* ((name (agentq-tool-call-name tool))
         (went (if (agentq-tool-call-result tool)
                   (agentq-tool-lines--outcome tool told)
                 (agentq-tool-lines--state tool)))
         (about (or (agentq-tool-call-proposal tool)
                    (agentq-tool-lines--about (agentq-tool-call-arguments tool))))
         (room (- width (string-width name) 3
                  (if (agentq-tool-call-asked-p tool) (string-width went)
                    (min (string-width went) (max 30 (/ width 2)))))))
    (agentq-tool-lines--short
     (concat name
             (if (string-blank-p about) ""
               (concat " " (agentq-tool-lines--short about (max 12 room))))
             "  " went)
     width)))

(defun agentq-tool-lines--outcome (tool told)
  "Return how TOOL, which has a result, went.
What came stands behind that unless it is TOLD elsewhere."
  (let* ((result (agentq-tool-call-result tool))
         (came (agentq-tool-lines--first-line (agentq-get ToolResult result :content))))
    (cond ((agentq-tool-lines--failed-p tool)
           (concat "failed: " (agentq-tool-lines--first-line (agentq-get ToolResult result :error))))
          ;; The time of a call that waited is that of the person.
          ((agentq-tool-call-asked-p tool)
           (if-let* ((since (agentq-tool-call-since tool)))
               (format "Now: %s." since)
             came))
          ((or (string-blank-p came) told) (format "%d ms" (agentq-tool-lines--time tool)))
          (t (format "%d ms => %s" (agentq-tool-lines--time tool) came)))))

(defun agentq-tool-lines--state (tool)
  "Return what TOOL, which has no result yet, does."
  (let ((state (agentq-tool-call-state tool)))
    (cond ((equal state "waitingApproval") "waits for you")
          ((and (agentq-tool-call-progress tool) (equal state "running"))
           (concat (agentq-tool-call-progress tool) " ..."))
          (t state))))

(defun agentq-tool-lines--failed-p (tool)
  "Return non-nil when TOOL has a result that is a failure."
  (when-let* ((result (agentq-tool-call-result tool)))
    (not (eq t (agentq-get ToolResult result :success)))))

(defun agentq-tool-lines--about (arguments)
  "Return the plist ARGUMENTS in short, without what has parts of its own.
Words say by themselves what they are."
  (string-join
   (cl-loop for (key value) on arguments by #'cddr
            if (stringp value) collect (agentq-tool-lines--first-line value)
            else if (and (vectorp value) (cl-every #'stringp value))
            collect (string-join value ", ")
            else unless (or (null value) (vectorp value) (consp value))
            collect (format "%s=%s" (substring (symbol-name key) 1)
                            (agentq-tool-lines--value value)))
   " "))

(defun agentq-tool-lines--value (value)
  "Return the argument VALUE as a string, as JSON where it is none."
  (if (stringp value) value
    (condition-case nil
        (json-serialize value :null-object nil :false-object :json-false)
      (wrong-type-argument (let ((print-escape-newlines t)) (format "%S" value))))))

(defun agentq-tool-lines--first-line (text)
  "Return the first line of TEXT."
  (car (split-string (or text "") "\n")))

(defun agentq-tool-lines--details (tool)
  "Return the arguments and the result of TOOL as lines."
  (let* ((result (agentq-tool-call-result tool))
         (text (concat
                (cl-loop for (key value) on (agentq-tool-call-arguments tool) by #'cddr
                         concat (format "%s: %s\n" (substring (symbol-name key) 1)
                                        (agentq-tool-lines--value value)))
                "=> " (if (eq t (agentq-get ToolResult result :success))
                          (agentq-get ToolResult result :content)
                        (agentq-get ToolResult result :error)))))
    (mapconcat (lambda (line) (concat "    " line "\n"))
               (split-string (string-trim-right text) "\n"))))

(provide 'agentq-tool-lines)

;;; agentq-tool-lines.el ends here
