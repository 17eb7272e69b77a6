;;; agentq-stored.el --- What can be done with kept conversations  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Conversations that are kept are named, deleted, searched, written out and
;; forked.  What the person is asked is asked in the minibuffer, and nothing is
;; deleted without a question.

;;; Code:

(require 'agentq-read)
(require 'agentq-sessions)

(defun agentq-stored--id (server)
  "Return the id of the conversation with SERVER."
  (or (agentq-server-session-id server)
      (user-error "There is no conversation yet; M-x agentq-sessions shows those that are kept")))

(defun agentq-stored--words (text)
  "Return TEXT as a line of a list."
  (truncate-string-to-width (agentq-visible (string-join (split-string text) " ")) 60 nil nil t))

(defun agentq-rename-session (name)
  "Call the conversation of the project NAME.
With an empty NAME it has its first words again."
  (interactive (let ((server (agentq-running-server)))
                 (agentq-stored--id server)
                 (list (read-string "Name of the conversation: "
                                    (agentq-server-session-name server)))))
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/renameSession
     (agentq-make RenameSessionParams :sessionId (agentq-stored--id server) :name name)
     :then (lambda (session)
             (agentq-replay-named server session)
             (message "Agent-Q: the conversation is called %s"
                      (agentq-visible (agentq-get SessionInfo session :name)))))))

(defun agentq-delete-session ()
  "Delete a conversation that is kept, after a question."
  (interactive)
  (agentq-sessions-choose "Delete conversation" #'agentq-stored--delete))

(defun agentq-stored--delete (server session)
  "Ask whether SESSION is deleted for good, and have SERVER do so."
  (let ((id (agentq-get SessionInfo session :sessionId))
        (name (agentq-stored--words (agentq-get SessionInfo session :name))))
    (when (yes-or-no-p (format "Delete \"%s\" for good? " name))
      (agentq-request
       server :agentq/deleteSession (agentq-make CancelParams :sessionId id)
       :then (lambda (_result)
               (when (equal id (agentq-server-session-id server))
                 (agentq-replay-begin server nil)
                 (agentq-chat-notice server "The conversation was deleted.  A new one starts here.\n"))
               (message "Agent-Q: \"%s\" is deleted" name))))))

(defun agentq-search-sessions (words)
  "Show a conversation with a message in which all WORDS stand."
  (interactive "sWords of the conversation: ")
  (when (string-blank-p words)
    (user-error "Nothing to search for"))
  (let ((server (agentq-ensure-server)))
    (agentq-request
     server :agentq/searchSessions (agentq-make SearchSessionsParams :text words)
     :then (lambda (page)
             (let ((found (append (agentq-get SearchSessionsResult page :items) nil)))
               (if (null found)
                   (message "Agent-Q: no conversation has %s in a message" words)
                 (agentq-read-soon #'agentq-stored--show-found server found)))))))

(defun agentq-stored--show-found (server found)
  "Ask which of FOUND is meant, and have SERVER tell that conversation."
  (agentq-sessions-show
   server
   (agentq-get FoundInSession
               (agentq-later-choose
                "Conversation" found
                (lambda (each)
                  (format "%s: %s"
                          (agentq-stored--words (agentq-get FoundInSession each :session :name))
                          (agentq-stored--words (agentq-get FoundInSession each :snippet)))))
               :session)))

(defun agentq-export-session (json)
  "Show the whole conversation of the project as Markdown, or as JSON.
JSON is the prefix argument.  The buffer can be written to a file."
  (interactive "P")
  (let ((server (agentq-running-server))
        (from (selected-window)))
    (agentq-request
     server :agentq/exportSession
     (agentq-make ExportSessionParams :sessionId (agentq-stored--id server)
                  :format (if json "json" "markdown"))
     :then (lambda (result)
             (with-current-buffer (agentq-buffer server "agentq-export"
                                                (if (require 'markdown-mode nil t) 'markdown-mode 'text-mode))
               (erase-buffer)
               (insert (agentq-get ExportedSession result :content))
               (set-buffer-modified-p nil)
               (goto-char (point-min))
               (agentq-show (current-buffer) from))))))

(defun agentq-fork-session ()
  "Go on in a copy of the conversation, whole or up to a message of yours."
  (interactive)
  (let* ((server (agentq-running-server))
         (id (agentq-stored--id server)))
    (when (agentq-server-turn-id server)
      (user-error "%s" (substitute-command-keys "A turn runs; \\[agentq-cancel] ends it")))
    (agentq-request
     server :agentq/listTurns (agentq-make CancelParams :sessionId id)
     :then (lambda (page)
             (let ((turns (reverse (append (agentq-get ListTurnsResult page :items) nil))))
               (agentq-read-soon #'agentq-stored--fork server id (cons nil turns)))))))

(defun agentq-stored--fork (server id places)
  "Ask before which of PLACES the fork of ID ends, and have SERVER make it.
A place is a TurnInfo, or nil for the end."
  (let ((place (agentq-later-choose
                "Copy of the conversation" places
                (lambda (turn)
                  (if turn
                      (concat "what comes before: "
                              (agentq-stored--words (agentq-get TurnInfo turn :text)))
                    "all of it")))))
    (agentq-request
     server :agentq/forkSession
     (agentq-make ForkSessionParams :sessionId id
                  :turnId (and place (agentq-get TurnInfo place :turnId)))
     :then (lambda (fork) (agentq-sessions-show server fork)))))

(provide 'agentq-stored)

;;; agentq-stored.el ends here
