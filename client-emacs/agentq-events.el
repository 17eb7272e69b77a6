;;; agentq-events.el --- What a server tells of its conversation  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; News of a server, put into the transcript: what its turn does, what it proposes
;; and asks, that it ended.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-chat)
(require 'agentq-outcome)
(require 'agentq-replay)
(require 'agentq-store)
(require 'agentq-visible)

(declare-function agentq-review "agentq-review" ())
(declare-function agentq-take-back-aside-p "agentq-take-back" (server proposal))

(defvar agentq-event-functions nil
  "Functions called with the server and the parameters of an agentq/event.")

(defun agentq-events--show (server params)
  "Show the agentq/event PARAMS of SERVER."
  (let ((event (agentq-get Event params :event)))
    (agentq-chat-in server
      (agentq-transcript-check-seq (agentq-get Event params :seq))
      (pcase (agentq-get TurnEvent event :kind)
        ("turnStarted"
         (agentq-conversation-begin-turn server (agentq-get Event params :sessionId)
                                         (agentq-get Event params :turnId))
         (agentq-heading-start-clock))
        ("turnEnded"
         (agentq-conversation-end-turn server)
         (agentq-heading-stop-clock)))
      (agentq-replay-note-facts server event)
      (agentq-transcript-show (agentq-events--asked server event)
                              (cons (agentq-get Event params :sessionId)
                                    (agentq-get Event params :turnId))))
    (unless (agentq-transcript-streamed-p event)
      (force-mode-line-update t))))

(defun agentq-events--asked (server event)
  "Return EVENT of SERVER; a toolCall as a running one while it asks nothing.
A call that is going to ask waits from its beginning; what it asks comes
when that is worked out."
  (let ((id (agentq-get TurnEvent event :toolCallId)))
    (if (or (not (equal (agentq-get TurnEvent event :state) "waitingApproval"))
            (member id (mapcar (agentq-getter Proposal :toolCallId)
                               (agentq-pending-proposals server)))
            (member id (mapcar (lambda (entry) (agentq-get Approval (cdr entry) :toolCallId))
                               (agentq-server-approvals server))))
        event
      (agentq-with TurnEvent event :state "running"))))

(defun agentq-events--proposal (server proposal &optional new)
  "Mention PROPOSAL of SERVER in the transcript if it is NEW and to be reviewed.
Else say beside the call that proposed it what was taken back since."
  (let ((call (agentq-get Proposal proposal :toolCallId)))
    (cond ((agentq-take-back-aside-p server proposal))
          (new
           (agentq-chat-in server
             (agentq-writer-end-block)
             (let ((words (agentq-events--proposed proposal)))
               (unless (agentq-tool-calls-propose call words)
                 (agentq-transcript-notice
                  (concat (make-text-button (concat "Proposal: " words) nil
                                            'action (lambda (_button) (agentq-review))
                                            'help-echo "Review it" 'follow-link t)
                          "\n"))))))
          (call
           (agentq-chat-in server
             (agentq-tool-calls-tell-since
              call (and (> (agentq-outcome-taken-back proposal) 0)
                        (agentq-outcome-counts proposal))))))))

(defun agentq-events--proposed (proposal)
  "Return what PROPOSAL is in words."
  (let ((count (length (agentq-get Proposal proposal :hunks))))
    (format (ngettext "%s (%d hunk)" "%s (%d hunks)" count)
            (agentq-visible-line (agentq-get Proposal proposal :title)) count)))

(defun agentq-events--question (server approval)
  "Show that the call of SERVER that APPROVAL is about waits.
A question that is about no call stands in a line of its own."
  (when (agentq-get Approval approval :tool)
    (agentq-chat-in server
      (agentq-tool-calls-wait (agentq-get Approval approval :toolCallId))
      (when-let* ((question (agentq-get Approval approval :question)))
        (agentq-writer-end-block)
        (agentq-transcript-notice
         (substitute-command-keys
          (concat "Asks: " (agentq-visible-line question) "  \\[agentq-approve] answers\n")))))))

(defun agentq-events--ended (server)
  "Say in the transcript that SERVER ended, and what ended with it."
  (agentq-chat-in server
    (agentq-heading-stop-clock)
    (agentq-transcript-end "ended with the server")
    (when (agentq-conversation-leave server)
      (agentq-transcript-notice
       "\nThe server ended.  The next prompt starts another one, which goes on with the
conversation; the values of the REPL are gone.\n"))))

(defun agentq-events--connected (server)
  "Let SERVER go on with the conversation of the server before it."
  (agentq-conversation-resume server)
  (agentq-replay-tell-held server))

(add-hook 'agentq-connect-functions #'agentq-events--connected)
(add-hook 'agentq-disconnect-functions #'agentq-events--ended)
(add-hook 'agentq-event-functions #'agentq-events--show)
(add-hook 'agentq-proposal-functions #'agentq-events--proposal)
(add-hook 'agentq-approval-functions #'agentq-events--question)

(agentq-define-notification window/showMessage (server params)
  "Show the message in PARAMS of SERVER, in the transcript too: there it stays."
  (let ((text (plist-get params :message)))
    (agentq-chat-notice server (concat (agentq-visible text) "\n"))
    (message "Agent-Q: %s" text)))

(agentq-define-notification agentq/event (server params)
  "Hand the event in PARAMS from SERVER on."
  (run-hook-with-args 'agentq-event-functions server params))

(agentq-define-notification agentq/sessionChanged (server session)
  "Show the name that SESSION of SERVER has got."
  (agentq-replay-named server session))

(agentq-define-notification agentq/delegated (server params)
  "Hand the event in PARAMS from SERVER on if its conversation is the one shown.
It answers a call of another conversation; where that one is shown, what is
done stands beside the call."
  (let ((shown (agentq-server-session-id server)))
    (cond ((equal (agentq-get Delegated params :sessionId) shown)
           (run-hook-with-args 'agentq-event-functions server params))
          ((equal (agentq-get Delegated params :parent :sessionId) shown)
           (agentq-chat-in server
             (agentq-tool-calls-tell-progress (agentq-get Delegated params :parent :toolCallId)
                                              (agentq-get Delegated params :event)))))))

(provide 'agentq-events)

;;; agentq-events.el ends here
