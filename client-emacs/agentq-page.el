;;; agentq-page.el --- The text of a review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which proposals stand in a review buffer, and how the buffer is written anew while
;; somebody reads it: point, the region and what windows show stay where they are in
;; their hunks.

;;; Code:

(require 'agentq-draw)
(require 'agentq-fold)
(require 'agentq-hunks)
(require 'agentq-proof)

(declare-function agentq-take-back-aside-p "agentq-take-back" (server proposal))

(defvar-local agentq-page--over nil
  "Ids of the proposals of this buffer that a turn decided which has ended.")

;;; Which proposals

(defun agentq-page-take (server proposal)
  "Return non-nil if PROPOSAL of SERVER is one of this buffer.
In a review that was opened one that waits becomes one, behind the others.
What is asked for by the model belongs to another turn than what is over,
which goes then."
  (cond ((and (eq server agentq-review--server)
              (member (agentq-get Proposal proposal :proposalId) agentq-review--shown))
         t)
        ((and agentq-review--shown
              (equal (agentq-get Proposal proposal :state) "pending")
              (not (agentq-take-back-aside-p server proposal)))
         (agentq-page--of server)
         (when (agentq-get Proposal proposal :toolCallId)
           (agentq-page-forget))
         (agentq-page--add server proposal)
         t)))

(defun agentq-page--of (server)
  "Let this buffer be about SERVER; what another one proposed is over."
  (unless (eq server agentq-review--server)
    (setq agentq-review--server server
          agentq-review--shown nil
          agentq-page--over nil)))

(defun agentq-page--add (server proposal)
  "Let this buffer show PROPOSAL of SERVER, if that has to be reviewed."
  (let ((id (agentq-get Proposal proposal :proposalId)))
    (unless (or (member id agentq-review--shown)
                (agentq-take-back-aside-p server proposal))
      (setq agentq-review--shown (append agentq-review--shown (list id))))))

(defun agentq-page-end-turn ()
  "Take note that what is decided here was decided in a turn that has ended."
  (setq agentq-page--over
        (agentq-page--ids (seq-remove #'agentq-review--pending (agentq-review--proposals)))))

(defun agentq-page-forget ()
  "Show what an ended turn decided no more."
  (setq agentq-review--shown (seq-difference agentq-review--shown agentq-page--over)
        agentq-page--over nil))

(defun agentq-page--ids (proposals)
  "Return the ids of PROPOSALS."
  (mapcar (agentq-getter Proposal :proposalId) proposals))

;;; Writing

(defun agentq-page-write (server)
  "Write the proposals of this buffer anew, and what else waits at SERVER."
  (let* ((inhibit-read-only t)
         ;; Writing the buffer anew is no reason to take the person's region away.
         (deactivate-mark nil)
         (here (point))
         (place (agentq-review--place here))
         (region (and (region-active-p) (agentq-review--place (mark))))
         (windows (mapcar #'agentq-page--seen (get-buffer-window-list nil nil t))))
    (agentq-page--of server)
    (dolist (proposal (agentq-pending-proposals server))
      (agentq-page--add server proposal))
    (erase-buffer)
    (insert (mapconcat (lambda (proposal) (agentq-page--text server proposal))
                       (seq-remove #'agentq-page--in-place-p (agentq-review--proposals)) "\n"))
    (agentq-fold-draw)
    (let ((position (agentq-review--position place))
          (other (agentq-review--position region)))
      ;; Between two proposals the person is about there after that, too.
      (goto-char (or position here))
      (if (and position other)
          (set-mark other)
        (deactivate-mark)))
    (mapc #'agentq-page--show-again windows)))

(defun agentq-page--text (server proposal)
  "Return PROPOSAL of SERVER as a text."
  (agentq-draw proposal agentq--root
               :said (agentq-server-said server)
               :again (cl-loop for (hunk . other) in (agentq-server-reopened server)
                               when (member other agentq-review--shown)
                               collect (cons hunk (agentq-known-proposal server other)))
               :check (agentq-page--check proposal)))

(defun agentq-page--in-place-p (proposal)
  "Return non-nil if PROPOSAL stands in the place of a hunk that was rejected."
  (let ((id (agentq-get Proposal proposal :proposalId)))
    (cl-loop for (hunk . other) in (agentq-server-reopened agentq-review--server)
             thereis (and (equal other id) (member (car hunk) agentq-review--shown)))))

(defun agentq-page--check (proposal)
  "Return the check of PROPOSAL, with the hunks that wait or are accepted."
  (and (equal (agentq-get Proposal proposal :state) "pending")
       (agentq-proof-rest proposal)))

(defun agentq-page--seen (window)
  "Return (WINDOW POINT START) of WINDOW, which has this buffer, as places."
  (list window
        (agentq-review--place (window-point window))
        (agentq-review--place (window-start window))))

(defun agentq-page--show-again (seen)
  "Let a window show again what it showed, SEEN."
  (pcase-let ((`(,window ,point ,start) seen))
    (set-window-point window (or (agentq-review--position point) (point)))
    (when-let* ((position (agentq-review--position start)))
      (set-window-start window position t))))

(defun agentq-page-note-check (proposal)
  "Write anew what the compiler found in PROPOSAL, if there is news."
  (when-let* ((beginning (agentq-review--section (agentq-get Proposal proposal :proposalId))))
    (unless (equal (agentq-draw-check (agentq-page--check proposal))
                   (agentq-page--check-at beginning))
      (agentq-page-write agentq-review--server))))

(defun agentq-page--check-at (beginning)
  "Return the lines about the compiler of the proposal at BEGINNING."
  (let ((start (text-property-any beginning (point-max) 'agentq-check t)))
    (if start
        (buffer-substring-no-properties
         start (next-single-property-change start 'agentq-check nil (point-max)))
      "")))

(provide 'agentq-page)

;;; agentq-page.el ends here
