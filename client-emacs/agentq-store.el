;;; agentq-store.el --- The proposals that this Emacs knows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Keeps every proposal of a server as the server described it last.  In between,
;; agentq-decide.el marks the hunks that are being decided.

;;; Code:

(require 'agentq-client)

(defvar agentq-proposal-functions nil
  "Functions called with the server and a new or changed proposal.
A third argument is non-nil for a new one.")

(agentq-define-state agentq-server-proposals
  "Return the alist from proposal ids to proposals of SERVER, oldest first.")

(agentq-define-state agentq-server-said
  "Return the alist of SERVER from hunks to what the person said of them.
That is why a hunk was rejected, or with which text it was accepted.  A hunk
is (PROPOSAL . HUNK), two ids.")

(agentq-define-state agentq-server-reopened
  "Return the alist from rejected hunks to proposals of them at SERVER.
A hunk is (PROPOSAL . HUNK), two ids; a proposal of it is an id.")

(agentq-define-state agentq-server-ways-back
  "Return the ids of the proposals of SERVER that take decisions back.")

(defun agentq-note-proposal (server proposal)
  "Keep PROPOSAL in SERVER and tell who is interested.
A failure to show it keeps nobody from deciding: what follows goes on."
  (let* ((id (agentq-get Proposal proposal :proposalId))
         (known (assoc id (agentq-server-proposals server))))
    (if known
        (setcdr known proposal)
      (setf (agentq-server-proposals server)
            (append (agentq-server-proposals server) (list (cons id proposal)))))
    (agentq--tell 'agentq-proposal-functions server proposal (not known))))

(defun agentq-known-proposal (server id)
  "Return the proposal ID of SERVER, or nil."
  (cdr (assoc id (agentq-server-proposals server))))

(defun agentq-pending-proposals (server)
  "Return the proposals of SERVER that wait for a decision, oldest first."
  (seq-filter (lambda (proposal) (equal (agentq-get Proposal proposal :state) "pending"))
              (mapcar #'cdr (agentq-server-proposals server))))

(defun agentq-hunk-state (hunk)
  "Return the state of HUNK, or \"taken back\" for one that is in its file no more."
  (if (eq t (agentq-get Hunk hunk :takenBack))
      "taken back"
    (agentq-get Hunk hunk :state)))

(defun agentq-hunk-open-p (hunk)
  "Return non-nil when the person has to decide about HUNK.
A conflict is no end."
  (member (agentq-get Hunk hunk :state) '("pending" "conflict")))

(defun agentq-hunk-conflict-p (hunk)
  "Return non-nil when HUNK is in conflict with what stands at its place."
  (equal (agentq-get Hunk hunk :state) "conflict"))

(defun agentq-store--put-by (server)
  "Let nothing wait for a decision any more: SERVER has ended, and has kept it."
  (dolist (proposal (agentq-pending-proposals server))
    (agentq--quietly #'agentq-note-proposal server
                     (agentq-with Proposal proposal :state "kept"))))

(add-hook 'agentq-disconnect-functions #'agentq-store--put-by)

(agentq-define-notification agentq/proposal (server proposal)
  "Remember the new PROPOSAL of SERVER."
  (agentq-note-proposal server proposal))

(agentq-define-notification agentq/proposalChanged (server proposal)
  "Remember the changed PROPOSAL of SERVER."
  (agentq-note-proposal server proposal))

(provide 'agentq-store)

;;; agentq-store.el ends here
