;;; emacs-streaming.el --- Measure what streamed text costs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows a conversation of many lines in this Emacs, whose `load-path' has the client,
;; then streams an answer below it.  The server is mute: what is measured is the work
;; of the client and of the display.

;;; Code:

(require 'agentq)
(require 'agentq-eglot)
(require 'json)

(defvar bench-seq 0 "Number of the last event.")

(defun bench-server (folder)
  "Return a server of FOLDER that takes everything and answers nothing."
  (let ((server (make-instance
                 'agentq-server :name "mute"
                 :process (make-process :name "mute" :command '("sleep" "600")
                                        :connection-type 'pipe :noquery t)
                 :notification-dispatcher #'ignore :request-dispatcher #'ignore)))
    (setf (eglot--project server) (cons 'agentq (cons 'transient folder))
          (eglot--project-nickname server) "bench")
    (push server agentq--servers)
    server))

(defun bench-event (server &rest event)
  "Let SERVER send EVENT."
  (eglot-handle-notification server 'agentq/event :sessionId "s" :turnId "t"
                             :seq (cl-incf bench-seq) :event event))

(defun bench-call (server)
  "Let SERVER call a tool that answers."
  (let ((id (format "call%d" bench-seq)))
    (bench-event server :kind "toolCall" :toolCallId id :name "who_calls" :state "running"
                 :arguments '(:symbol "src/allocate.ts#allocate"))
    (bench-event server :kind "toolResult" :toolCallId id :name "who_calls"
                 :result '(:success t :content "src/a.ts:3\nsrc/b.ts:4\nsrc/c.ts:5"
                           :metadata (:executionTimeMs 5 :safetyLevel "safe")))))

(defun bench-turn (server)
  "Let SERVER tell a turn of 20 lines."
  (bench-event server :kind "turnStarted" :text "Why is it so?")
  (bench-event server :kind "text" :text "I look at `allocate` first.\n")
  (bench-call server)
  (bench-event server :kind "text"
               :text "# Found\n\nIt is in src/allocate.ts:12:3, **not** elsewhere:\n\n```ts\nconst shares = weights.map((weight) => weight * 2);\n```\n\n- one\n- two\n")
  (bench-event server :kind "turnEnded" :reason "endTurn"))

(defmacro bench-times (count &rest body)
  "Run BODY and draw the frame COUNT times; return the milliseconds of each, a vector."
  (declare (indent 1))
  `(vconcat (mapcar (lambda (index)
                      (ignore index)
                      (let ((start (float-time)))
                        ,@body
                        (redisplay t)
                        (* 1000.0 (- (float-time) start))))
                    (number-sequence 1 ,count))))

(defun bench-run (lines folder result)
  "Measure below LINES of a conversation in FOLDER; write the file RESULT."
  (let ((server (bench-server folder)))
    (switch-to-buffer (agentq-chat-buffer server))
    (delete-other-windows)
    (while (< (count-lines (point-min) (point-max)) lines)
      (bench-turn server))
    (goto-char (point-max))
    (insert "a draft")
    (redisplay t)
    (garbage-collect)
    (bench-event server :kind "turnStarted" :text "And now?")
    (let* ((chunks (bench-times 200
                     (bench-event server :kind "text"
                                  :text (if (= 0 (% index 12)) "and so on.\n" "word "))
                     (agentq-writer-flush)))
           (calls (bench-times 30 (bench-call server))))
      (with-temp-file result
        (insert (json-serialize (list :chunk chunks :call calls))))))
  (kill-emacs))

;;; emacs-streaming.el ends here
