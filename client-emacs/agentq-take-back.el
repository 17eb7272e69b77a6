;;; agentq-take-back.el --- Take one decision back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Taking the acceptance of a hunk back is a proposal of the server's, the way
;; back, which the key of the person accepts at once.  A rejected hunk waits
;; again in its place, as a proposal of its own.
;;
;; Invariants:
;; - The file changes by a decision about a proposal only, so the server, its
;;   audit log and the model hear of it.
;; - A hunk counts as taken back once the server says so: when its way back is applied.

;;; Code:

(require 'agentq-review)

(agentq-define-state agentq-server-taking-back
  "Return non-nil while SERVER is asked for a way back.")

(defun agentq-take-back-aside-p (server proposal)
  "Return non-nil if PROPOSAL of SERVER is a way back that nobody has to review."
  (or (member (agentq-get Proposal proposal :proposalId) (agentq-server-ways-back server))
      (and (agentq-server-taking-back server)
           (null (agentq-get Proposal proposal :toolCallId)))))

(defun agentq-review-undo ()
  "Take the decision about the hunk at point back.
An accepted hunk leaves its file again, and what was typed since stays.
A rejected hunk waits again."
  (interactive nil agentq-review-mode)
  (let* ((server (agentq-running-server))
         (id (agentq-get Proposal (agentq-review--proposal) :proposalId))
         (hunk (agentq-take-back--hunk-at-point))
         (rejected (equal (agentq-get Hunk hunk :state) "rejected")))
    (setf (agentq-server-taking-back server) (not rejected))
    (agentq-request
     server (if rejected :agentq/reopenProposal :agentq/undoProposal)
     (agentq-make UndoProposalParams
       :proposalId id :hunkIds (vector (agentq-get Hunk hunk :id)))
     :else (lambda (text &optional _code)
             (setf (agentq-server-taking-back server) nil)
             (agentq--report text))
     :then (lambda (result)
             (setf (agentq-server-taking-back server) nil)
             (let ((way-back (agentq-get LaterResult result :proposalId))
                   (left (append (agentq-get LaterResult result :left) nil)))
               (dolist (each left)
                 (message "Agent-Q: not taken back: %s" (agentq-get LeftHunk each :why)))
               (cond ((and way-back rejected)
                      (setf (alist-get (cons id (agentq-get Hunk hunk :id))
                                       (agentq-server-reopened server) nil nil #'equal)
                            way-back)
                      (agentq-take-back--go-to server way-back))
                     (way-back
                      (agentq-take-back--accept server way-back))
                     ((null left)
                      (message "Agent-Q: nothing of that hunk is there any more"))))))))

(defun agentq-take-back--hunk-at-point ()
  "Return the decided hunk at point."
  (let ((hunk (or (agentq-review--known-at-point) (user-error "No hunk at point"))))
    (pcase (agentq-hunk-state hunk)
      ("taken back" (user-error "This decision is taken back already"))
      ((or "accepted" "edited" "rejected") hunk)
      (_ (user-error "This hunk is not decided yet")))))

(defun agentq-take-back--accept (server way-back)
  "Have SERVER apply the proposal WAY-BACK, which takes a hunk back."
  (push way-back (agentq-server-ways-back server))
  (condition-case refused
      (progn
        (agentq-decide server way-back
                       (append (agentq-get Proposal (agentq-known-proposal server way-back) :hunks)
                               nil)
                       "accept")
        (agentq-decide-after (lambda () (agentq-take-back--over server way-back))))
    (user-error
     (agentq-take-back--over server way-back)
     (message "Agent-Q: %s; the way back waits as a proposal" (cadr refused)))))

(defun agentq-take-back--over (server way-back)
  "Take note that WAY-BACK was applied to the files of SERVER, or refused.
If it still waits, the person decides about it as about any other proposal."
  (setf (agentq-server-ways-back server) (delete way-back (agentq-server-ways-back server)))
  (agentq-note-proposal server (agentq-known-proposal server way-back)))

(defun agentq-take-back--go-to (server again)
  "Go to the first hunk of the proposal AGAIN of SERVER, in its review."
  (with-current-buffer (agentq-review--buffer server)
    (agentq-review--write server)
    (when-let* ((key (car (agentq-review--keys
                           (list (agentq-known-proposal server again)))))
                (beginning (agentq-review--beginning-of key)))
      (goto-char beginning)
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-point window beginning)
        (agentq-review--show-hunk window)))
    (message "Agent-Q: the hunk waits again")))

(provide 'agentq-take-back)

;;; agentq-take-back.el ends here
