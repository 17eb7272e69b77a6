;;; agentq-take-back.el --- Take one decision back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Taking the acceptance of a hunk back is a proposal of the server's, the way
;; back, which the key of the person accepts at once.  A rejected hunk waits
;; again, as a proposal of its own.
;;
;; Invariants:
;; - The file changes by a decision about a proposal only, so the server, its
;;   audit log and the model hear of it.
;; - A hunk counts as taken back once its way back is applied, not before.

;;; Code:

(require 'agentq-review)

(agentq-define-state agentq-server-ways-back
  "Return the alist of SERVER from (PROPOSAL-ID . HUNK-ID) to ids of ways back.")

(defun agentq-take-back-ids (server id)
  "Return the ids of hunks of proposal ID of SERVER that were taken back."
  (cl-loop for ((proposal . hunk) . way-back) in (agentq-server-ways-back server)
           when (and (equal proposal id)
                     (equal (agentq-get Proposal (agentq-known-proposal server way-back) :state)
                            "applied"))
           collect hunk))

(defun agentq-review-undo ()
  "Take the decision about the hunk at point back.
An accepted hunk leaves its file again, and what was typed since stays.
A rejected hunk waits again."
  (interactive nil agentq-review-mode)
  (let* ((server (agentq-running-server))
         (id agentq-review--proposal-id)
         (hunk (agentq-take-back--hunk-at-point server (agentq-review--proposal)))
         (rejected (equal (agentq-get Hunk hunk :state) "rejected")))
    (agentq-request
     server (if rejected :agentq/reopenProposal :agentq/undoProposal)
     (agentq-make UndoProposalParams
       :proposalId id :hunkIds (vector (agentq-get Hunk hunk :id)))
     :then (lambda (result)
             (let ((way-back (agentq-get LaterResult result :proposalId))
                   (left (append (agentq-get LaterResult result :left) nil)))
               (dolist (each left)
                 (message "Agent-Q: not taken back: %s" (agentq-get LeftHunk each :why)))
               (cond ((and way-back rejected)
                      (agentq-take-back--show-again server id way-back))
                     (way-back
                      (agentq-take-back--accept server id hunk way-back))
                     ((null left)
                      (message "Agent-Q: nothing of that hunk is there any more"))))))))

(defun agentq-take-back--hunk-at-point (server proposal)
  "Return the decided hunk of PROPOSAL of SERVER at point."
  (let ((hunk (cl-find (get-text-property (point) 'agentq-hunk)
                       (agentq-get Proposal proposal :hunks)
                       :test #'equal :key (agentq-getter Hunk :id))))
    (cond ((null hunk) (user-error "No hunk at point"))
          ((member (agentq-get Hunk hunk :id)
                   (agentq-take-back-ids server (agentq-get Proposal proposal :proposalId)))
           (user-error "This decision is taken back already"))
          ((member (agentq-get Hunk hunk :state) '("accepted" "edited" "rejected")) hunk)
          (t (user-error "This hunk is not decided yet")))))

(defun agentq-take-back--accept (server id hunk way-back)
  "Have SERVER apply the proposal WAY-BACK, which takes HUNK of proposal ID back."
  (setf (alist-get (cons id (agentq-get Hunk hunk :id)) (agentq-server-ways-back server)
                   nil nil #'equal)
        way-back)
  (condition-case refused
      (agentq-decide server way-back
                     (append (agentq-get Proposal (agentq-known-proposal server way-back) :hunks)
                             nil)
                     "accept")
    (user-error (message "Agent-Q: %s; the way back waits as a proposal"
                         (error-message-string refused)))))

(defun agentq-take-back--show-again (server id again)
  "Show the proposal AGAIN where all of proposal ID of SERVER is decided."
  (with-current-buffer (agentq-review--buffer server)
    (let ((proposal (agentq-known-proposal server again)))
      (if (and proposal
               (equal agentq-review--proposal-id id)
               (not (agentq-review--pending (agentq-review--proposal))))
          (progn (agentq-review--show proposal)
                 (agentq-review--goto-pending proposal)
                 (message "Agent-Q: the hunk waits again"))
        (message "Agent-Q: the hunk waits again, as a proposal behind this one")))))

(defun agentq-take-back--note (server proposal &optional _new)
  "Show proposals of SERVER anew whose way back PROPOSAL is."
  (pcase-dolist (`((,id . ,_) . ,way-back) (agentq-server-ways-back server))
    (when (equal way-back (agentq-get Proposal proposal :proposalId))
      (when-let* ((known (agentq-known-proposal server id)))
        (agentq-note-proposal server known)))))

(add-hook 'agentq-proposal-functions #'agentq-take-back--note)

(provide 'agentq-take-back)

;;; agentq-take-back.el ends here
