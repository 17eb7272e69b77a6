;;; agentq-replay.el --- Show another conversation in the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A conversation that is kept, or a new one, takes the place of what the transcript
;; shows.  What is typed below the transcript stays.

;;; Code:

(require 'agentq-chat)
(require 'agentq-queue)
(require 'agentq-thoughts)

(defun agentq-replay-begin (server session)
  "Empty the transcript of SERVER for the conversation SESSION, nil for a new one."
  (agentq-conversation-switch server session)
  (setf (agentq-server-queue server) nil)
  (agentq-chat-in server
    (agentq-transcript-end "")
    (agentq-transcript-erase)))

(defun agentq-replay-show (server items)
  "Show ITEMS of the past, a list of TranscriptItems, in the transcript of SERVER."
  (agentq-chat-in server
    (let ((agentq-thoughts-timed nil))
      (dolist (item items)
        (let ((event (agentq-get TranscriptItem item :event)))
          (agentq-transcript-show event (cons (agentq-server-session-id server)
                                              (agentq-get TranscriptItem item :turnId)))
          (agentq-replay-note-facts server event)))
      (agentq-thoughts-end))
    (agentq-writer-end-block)
    (when (equal (agentq-get TranscriptItem (car (last items)) :event :kind) "turnEnded")
      (agentq-tool-calls-abandon "was cut off"))
    (agentq-writer-show-end)))

(defun agentq-replay-note-facts (server event)
  "Note for SERVER which model EVENT names, and how full its context is."
  (agentq-conversation-note-model server event)
  (when-let* ((size (agentq-transcript-context-size event)))
    (setf (agentq-server-context-size server) size)))

(defun agentq-replay-named (server session)
  "Show above the transcript of SERVER the name of SESSION, if that is shown there."
  (when (equal (agentq-get SessionInfo session :sessionId) (agentq-server-session-id server))
    (setf (agentq-server-session-name server)
          (agentq-visible (agentq-get SessionInfo session :name)))
    (force-mode-line-update t)))

(defun agentq-replay-tell-held (server)
  "Say that something was never sent in the conversation with SERVER."
  (agentq-queue-look
   server
   (lambda (prompts)
     (when (seq-some #'agentq-queue-held-p prompts)
       (agentq-chat-notice
        server (substitute-command-keys
                (format "%s; \\[agentq-queue] takes it back.\n" (agentq-queue-words server))))))))

(provide 'agentq-replay)

;;; agentq-replay.el ends here
