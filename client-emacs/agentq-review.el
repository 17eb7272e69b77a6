;;; agentq-review.el --- Review proposed edits hunk by hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A proposal is shown as a diff over all of its files, in which every hunk waits
;; for a decision.
;;
;; Invariants:
;; - Nothing is decided but by a command of this mode: leaving the buffer, killing
;;   it or quitting a question leaves the hunks pending.  No key of `diff-mode',
;;   whose commands change files and take hunks out of sight, works here.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'agentq-actions)
(require 'agentq-client)
(require 'agentq-draw)
(require 'agentq-header)
(require 'agentq-hunks)
(require 'agentq-navigate)
(require 'agentq-proof)
(require 'agentq-store)

(declare-function agentq-review-edit "agentq-proposed" (&optional stop))
(declare-function agentq-review-ediff "agentq-ediff" (&optional stop))
(declare-function agentq-review-split "agentq-lines" ())
(declare-function agentq-review-undo "agentq-take-back" ())
(declare-function agentq-take-back-ids "agentq-take-back" (server id))

(defvar-local agentq-review--settled nil
  "Ids of the hunks that were decided when this buffer was written last.
Nil where all were: then nobody went back to one from one that waits.")

(defvar-keymap agentq-review-mode-map
  :doc "Keys of `agentq-review-mode'."
  :parent special-mode-map
  "a" #'agentq-review-accept
  "r" #'agentq-review-reject
  "e" #'agentq-review-edit
  "E" #'agentq-review-ediff
  "s" #'agentq-review-split
  "u" #'agentq-review-undo
  "<remap> <undo>" #'agentq-review-undo
  "A" #'agentq-review-accept-all
  "R" #'agentq-review-reject-all
  "t" #'agentq-review-test
  "n" #'agentq-review-next
  "p" #'agentq-review-previous
  "N" #'agentq-review-next-file
  "P" #'agentq-review-previous-file
  "o" #'agentq-review-other
  "g" #'agentq-review
  "RET" #'agentq-review-goto
  "?" #'describe-mode
  "q" #'quit-window)

(define-derived-mode agentq-review-mode diff-mode "AgentQ-Review"
  "Review the hunks of a proposal.
\\<agentq-review-mode-map>
\\[agentq-review-accept] accepts the hunk at point; with an active region, its lines alone.
\\[agentq-review-reject] rejects it, after asking for the reason.
\\[agentq-review-edit] accepts it with another text, \\[agentq-review-ediff] with one made in Ediff.
\\[agentq-review-split] splits it into smaller hunks.
\\[agentq-review-undo] takes the decision about it back.
A hunk in conflict shows what its lines were, are and were to be:
\\[agentq-review-accept] tries it again, \\[agentq-review-edit] merges it.
\\[agentq-review-accept-all] and \\[agentq-review-reject-all] decide all the rest.
\\[agentq-review-test] runs the tests of the proposed text.
\\[agentq-review-other] shows another proposal that waits.
With a prefix argument the agent stops once all hunks are decided.
\\[quit-window] leaves everything undecided.

\\{agentq-review-mode-map}"
  (setq-local diff-mode-read-only nil)
  (remove-hook 'read-only-mode-hook t t)
  (setq buffer-read-only t)
  (buffer-disable-undo)
  (add-hook 'post-command-hook #'agentq-review--prove nil t)
  (setq header-line-format '(:eval (agentq-review--header))))

(defun agentq-review ()
  "Show the oldest proposal that waits for a decision."
  (interactive)
  (let* ((server (agentq-running-server))
         (proposal (car (agentq-pending-proposals server))))
    (unless proposal
      (user-error "No proposal waits for a decision"))
    (pop-to-buffer (agentq-review--buffer server)
                   '((display-buffer-reuse-window display-buffer-use-some-window)
                     (some-window . agentq-review--largest-window)))
    (agentq-review--show proposal)
    (agentq-review--goto-pending proposal)))

(defun agentq-review-other ()
  "Show the next proposal that waits, and after the newest the oldest.
The one that was shown waits on."
  (interactive nil agentq-review-mode)
  (let* ((waiting (agentq-pending-proposals (agentq-running-server)))
         (behind (cdr (seq-drop-while
                       (lambda (proposal)
                         (not (equal (agentq-get Proposal proposal :proposalId)
                                     agentq-review--proposal-id)))
                       waiting)))
         (next (or (car behind) (car waiting))))
    (when (or (null next)
              (equal (agentq-get Proposal next :proposalId) agentq-review--proposal-id))
      (user-error "No other proposal waits for a decision"))
    (agentq-review--show next)
    (agentq-review--goto-pending next)))

(defun agentq-review--largest-window (_buffer _alist)
  "Return the window in which most of a hunk is seen."
  (get-largest-window))

;;; The buffer

(defun agentq-review--buffer (server)
  "Return the review buffer of SERVER, made if needed."
  ;; The diff is rewritten as a whole, so its headers need no repair.
  (let ((diff-update-on-the-fly nil))
    (agentq-buffer server "agentq-review" 'agentq-review-mode)))

(defun agentq-review--show (proposal)
  "Write PROPOSAL into the current buffer and keep point and region in their hunks.
Point between two hunks stays about there."
  (let* ((inhibit-read-only t)
         (same (equal agentq-review--proposal-id (agentq-get Proposal proposal :proposalId)))
         (place (and same (agentq-review--place (point))))
         ;; Between two hunks: about there the person is after that, too.
         (before (if same (point) (point-min)))
         (region (and same (region-active-p) (agentq-review--place (mark))))
         ;; Writing the buffer anew is no reason to take the person's region away.
         (deactivate-mark nil))
    (erase-buffer)
    (unless same
      (setq agentq-review--proposal-id (agentq-get Proposal proposal :proposalId)
            agentq-draw-drawn nil))
    (agentq-draw-insert proposal agentq--root
                        (when-let* ((server (agentq-current-server)))
                          (agentq-take-back-ids server agentq-review--proposal-id)))
    (let ((hunks (agentq-get Proposal proposal :hunks)))
      (setq agentq-review--settled
            (and (seq-some #'agentq-hunk-open-p hunks)
                 (mapcar (agentq-getter Hunk :id) (seq-remove #'agentq-hunk-open-p hunks)))))
    (let ((position (agentq-review--position place))
          (other (agentq-review--position region)))
      (goto-char (or position before))
      (if (and position other)
          (set-mark other)
        (deactivate-mark)))))

(defun agentq-review--prove ()
  "Have the compiler asked what rejecting the hunk at point means."
  (when-let* ((server (agentq-current-server))
              (proposal (agentq-known-proposal server agentq-review--proposal-id))
              (hunk (agentq-review--undecided-at-point proposal)))
    (agentq-proof-look proposal hunk)))

;;; News

(defun agentq-review--note (server proposal &optional new)
  "Show PROPOSAL of SERVER in its buffer; mention it when NEW."
  (with-current-buffer (agentq-review--buffer server)
    (when (equal agentq-review--proposal-id (agentq-get Proposal proposal :proposalId))
      ;; Who went back to a decided hunk stays there, whatever the news are.
      (let ((settled (member (car (agentq-review--place (point))) agentq-review--settled)))
        (agentq-review--show proposal)
        (if settled
            (dolist (window (get-buffer-window-list nil nil t))
              (set-window-point window (point)))
          (agentq-review--goto-pending proposal)))
      (agentq-review--prove)))
  (when new
    (message "%s" (substitute-command-keys
                   "Agent-Q proposes an edit: \\[agentq-review] shows it")))
  (force-mode-line-update t))

(add-hook 'agentq-proposal-functions #'agentq-review--note)

(provide 'agentq-review)

;;; agentq-review.el ends here
