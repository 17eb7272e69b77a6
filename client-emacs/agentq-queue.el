;;; agentq-queue.el --- Prompts that wait for the running turn  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt that is sent while a turn runs waits until the model can hear it.
;; Until then it can be edited where it waits, or taken back: it then stands at the
;; prompt of the conversation, as after a cancel all that waited.

;;; Code:

(require 'agentq-client)
(require 'agentq-compose)
(require 'agentq-conversation)
(require 'agentq-later)
(require 'agentq-read)
(require 'agentq-visible)

(agentq-define-state agentq-server-queue
  "Return what waits in the conversation with SERVER, a list of QueuedPrompts.")
(agentq-define-state agentq-server-along
  "Return what goes along with the next prompt to SERVER, a list of ContextRefs.
It was to go along with prompts that were not sent.")

(defun agentq-queue-words (server)
  "Return in words what waits in the conversation with SERVER, nil for nothing."
  (when-let* ((prompts (agentq-server-queue server)))
    (let ((held (seq-count #'agentq-queue-held-p prompts)))
      (string-join (append (when (> (length prompts) held)
                             (list (format "%d queued" (- (length prompts) held))))
                           (when (> held 0)
                             (list (format "%d not sent" held))))
                   ", "))))

(defun agentq-queue-held-p (prompt)
  "Whether no turn takes PROMPT any more."
  (eq t (agentq-get QueuedPrompt prompt :held)))

(defun agentq-queue--line (prompt)
  "Return PROMPT as a line of a list."
  (concat (if (agentq-queue-held-p prompt) "not sent: " "")
          (truncate-string-to-width
           (replace-regexp-in-string "[ \t\n]+" " " (agentq-visible (agentq-get QueuedPrompt prompt :text)))
           60 nil nil t)))

;;;###autoload
(defun agentq-queue ()
  "Edit a prompt that waits for the running turn, or take it back."
  (interactive)
  (let ((server (agentq-running-server)))
    (agentq-queue-look
     server
     (lambda (prompts)
       (if (null prompts)
           (message "Agent-Q: nothing waits")
         (agentq-read-soon
          (lambda ()
            ;; In a timer nothing can be quit by itself.
            (with-local-quit
              (agentq-queue--act server
                                 (agentq-later-choose
                                  "Prompt" prompts #'agentq-queue--line))))))))))

(defun agentq-queue-look (server then)
  "Ask SERVER for what waits, and call THEN with the list."
  (if-let* ((session (agentq-server-session-id server)))
      (agentq-request
       server :agentq/listQueue (agentq-make CancelParams :sessionId session)
       :then (lambda (page)
               (setf (agentq-server-queue server)
                     (append (agentq-get ListQueueResult page :items) nil))
               (funcall then (agentq-server-queue server)))
       ;; The server has not kept the conversation.
       :else (lambda (_message &optional _code) (funcall then nil)))
    (funcall then nil)))

(defun agentq-queue--act (server prompt)
  "Ask what is to become of PROMPT, which waits on SERVER."
  (pcase (if (agentq-queue-held-p prompt)
             ?b
           (car (read-multiple-choice
                 (format "%s: " (agentq-queue--line prompt))
                 '((?e "edit" "Change the text where it waits")
                   (?b "take back" "Put it at the prompt again")))))
    (?b (agentq-queue-take-back server (vector (agentq-get QueuedPrompt prompt :promptId))))
    (?e (agentq-queue--edit server prompt))))

(defun agentq-queue--edit (server prompt)
  "Ask for another text of PROMPT, which waits on SERVER."
  (let ((text (read-string "Prompt: " (agentq-get QueuedPrompt prompt :text))))
    (when (string-blank-p text)
      (user-error "Nothing was changed"))
    (agentq-request
     server :agentq/editQueued
     (agentq-make EditQueuedParams
       :sessionId (agentq-server-session-id server)
       :promptId (agentq-get QueuedPrompt prompt :promptId)
       :text text)
     :then (lambda (_result) (message "Agent-Q: the model will hear the changed prompt"))
     :else (lambda (message &optional _code)
             (agentq-queue-keep server text nil)
             (message "Agent-Q: %s  The changed text stands at the prompt." message)))))

(defun agentq-queue-take-back (server ids)
  "Put those of IDS that wait back at the prompt of SERVER."
  (agentq-request
   server :agentq/takeBackQueued
   (agentq-make TakeBackQueuedParams
     :sessionId (agentq-server-session-id server)
     :promptIds ids)
   :then (lambda (page)
           (let ((prompts (append (agentq-get ListQueueResult page :items) nil)))
             (if (null prompts)
                 (message "Agent-Q: that prompt was sent meanwhile")
               (dolist (prompt prompts)
                 (agentq-queue-keep server (agentq-get QueuedPrompt prompt :text)
                                    (append (agentq-get QueuedPrompt prompt :context) nil)))
               (message "Agent-Q: what was not sent stands at the prompt"))))))

(defun agentq-queue-keep (server text context)
  "Put TEXT at the prompt of SERVER, and let CONTEXT go along with the next one."
  (agentq-compose-put-back server text)
  (setf (agentq-server-along server) (append (agentq-server-along server) context)))

(defun agentq-queue-along (server context)
  "Return the context of the next prompt to SERVER, which may be nil.
That is CONTEXT behind what was to go along with prompts that were not
sent, each once."
  (seq-uniq (append (and server (agentq-server-along server)) context)))

(agentq-define-notification agentq/queueChanged (server change)
  "Remember what waits on SERVER after CHANGE."
  (when (equal (agentq-get QueueChanged change :sessionId) (agentq-server-session-id server))
    (setf (agentq-server-queue server) (append (agentq-get QueueChanged change :items) nil))
    (force-mode-line-update t)))

(provide 'agentq-queue)

;;; agentq-queue.el ends here
