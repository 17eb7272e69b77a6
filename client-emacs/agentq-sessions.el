;;; agentq-sessions.el --- Conversations that are kept  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server keeps the conversations of a project.  One that is chosen from the
;; list takes the place of what the transcript shows, and the next prompt goes on
;; with it.

;;; Code:

(require 'agentq-later)
(require 'agentq-read)
(require 'agentq-replay)
(require 'agentq-visible)

(defconst agentq-sessions--shown-turns 20
  "Of a long conversation so many of the last turns are shown.")

;;;###autoload
(defun agentq-sessions ()
  "Show a conversation that is kept, the last used first, and go on with it."
  (interactive)
  (agentq-sessions-choose "Conversation" #'agentq-sessions-show))

(defun agentq-sessions-choose (prompt use)
  "Ask with PROMPT for a conversation that is kept, the last used first.
Call USE with the server and the SessionInfo."
  (let ((server (agentq-ensure-server)))
    (agentq-request
     server :agentq/listSessions (agentq-make ListSessionsParams :limit 200)
     :then (lambda (page)
             (let ((sessions (append (agentq-get ListSessionsResult page :items) nil)))
               (if (null sessions)
                   (message "Agent-Q: no conversation of this project is kept")
                 (agentq-read-soon
                  (lambda ()
                    (funcall use server
                             (agentq-later-choose prompt sessions #'agentq-sessions--line))))))))))

(defun agentq-sessions--line (session)
  "Return SESSION as a line of a list."
  (let ((turns (agentq-get SessionInfo session :turns))
        (used (date-to-time (agentq-get SessionInfo session :usedAt))))
    (format "%s%s (%s, %s%s)"
            (if (agentq-get SessionInfo session :parent) "-> " "")
            ;; With its number and what stands behind, the line fits a narrow screen.
            (truncate-string-to-width (agentq-visible (agentq-get SessionInfo session :name))
                                      (max 20 (- (frame-width) 42)) nil nil t)
            (format-time-string "%Y-%m-%d %H:%M" used)
            (format (ngettext "%d turn" "%d turns" turns) turns)
            (pcase (agentq-get SessionInfo session :running)
              ("here" ", runs")
              ("elsewhere" ", runs in another server")
              (_ "")))))

(defun agentq-sessions-show (server session &optional then)
  "Have SERVER tell SESSION, and show the transcript.
Call THEN when all of it is shown."
  (agentq-conversation-refuse-while-working server)
  (agentq-sessions--open
   server (agentq-make OpenSessionParams
            :sessionId (agentq-get SessionInfo session :sessionId)
            :lastTurns agentq-sessions--shown-turns)
   (lambda (page)
     (if (agentq-server-turn-id server)
         (message "Agent-Q: a turn has begun meanwhile")
       (agentq-replay-begin server (agentq-get Transcript page :session :sessionId))
       (agentq-replay-named server (agentq-get Transcript page :session))
       (agentq-sessions--begin server page)
       (agentq-sessions--draw server then page)
       (display-buffer (agentq-chat-buffer server))))))

(defun agentq-sessions--open (server params then)
  "Ask SERVER for the page of a transcript that PARAMS name, and call THEN with it."
  (agentq-request server :agentq/openSession params :then then))

(defun agentq-sessions--begin (server page)
  "Write in the transcript of SERVER which conversation PAGE is about."
  (let ((earlier (agentq-get Transcript page :earlierTurns)))
    (agentq-chat-notice
     server
     (format "Conversation: %s\n%s"
             (agentq-visible (agentq-get Transcript page :session :name))
             (if (zerop earlier) "" (format "%d earlier turns are not shown.\n" earlier))))))

(defun agentq-sessions--draw (server then page)
  "Show PAGE in the transcript of SERVER, and ask for the next one.
Emacs works on in between; nothing is shown any more of a conversation
that is not that of SERVER by then.  Call THEN, if any, after the last."
  (let ((id (agentq-get Transcript page :session :sessionId))
        (next (agentq-get Transcript page :nextCursor)))
    (when (equal id (agentq-server-session-id server))
      (agentq-replay-show server (append (agentq-get Transcript page :items) nil))
      (cond (next
             (agentq-sessions--open
              server (agentq-make OpenSessionParams :sessionId id :cursor next)
              (apply-partially #'agentq-sessions--draw server then)))
            ((equal (agentq-get Transcript page :session :running) "elsewhere")
             (agentq-chat-notice
              server "It runs in another server: it goes on here when its turn is over.\n"))
            (t (agentq-replay-tell-held server)
               (when then (funcall then)))))))

(provide 'agentq-sessions)

;;; agentq-sessions.el ends here
