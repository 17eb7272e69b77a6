;;; agentq-actions.el --- What a person does in a review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The commands of `agentq-review-mode' that decide or test hunks.
;;
;; Invariants:
;; - A hunk is decided only with point on it, where it is seen, on the line of its
;;   file, or by a key that says all.
;; - Questions (a reason, another text) are asked before anything is sent.

;;; Code:

(require 'agentq-decide)
(require 'agentq-hunks)
(require 'agentq-read)
(require 'agentq-tests)

(defvar agentq-review-mode)             ; agentq-review.el
(declare-function agentq-lines-of-region "agentq-lines" (proposals beginning end))

(defun agentq-review-accept (&optional stop)
  "Accept the hunk at point, or the lines of the active region.
On the line of a file accept all undecided hunks of the file.
The rest of a hunk of which lines are accepted waits on.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (if (not (use-region-p))
      (agentq-decide (agentq-running-server) (agentq-get Proposal (agentq-review--proposal) :proposalId)
                             (agentq-review--hunks-at-point) "accept" nil stop)
    (let ((chosen (agentq-lines-of-region (agentq-review--proposals)
                                          (region-beginning) (region-end))))
      (deactivate-mark)
      (pcase-dolist (`(,id ,hunks . ,lines) chosen)
        (agentq-decide (agentq-running-server) id hunks "accept" lines stop)))))

(defun agentq-review-accept-all (&optional stop)
  "Accept all undecided hunks of the proposal at point.
Those that are left out by default are rejected.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (let* ((id (agentq-get Proposal (agentq-review--proposal) :proposalId))
         (hunks (agentq-review--all-pending))
         (left-out (seq-filter #'agentq-review--left-out-p hunks))
         (rest (seq-remove #'agentq-review--left-out-p hunks)))
    (when rest
      (agentq-decide (agentq-running-server) id rest "accept" nil stop))
    (when left-out
      (agentq-decide (agentq-running-server) id left-out "reject" "" stop))))

(defun agentq-review--left-out-p (hunk)
  "Return non-nil when HUNK is accepted by itself only."
  (equal (agentq-get Hunk hunk :defaultDecision) "reject"))

(defun agentq-review-reject (&optional stop)
  "Reject the hunk at point, after asking for the reason.
On the line of a file reject all undecided hunks of the file.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (let ((hunks (agentq-review--hunks-at-point))
        (id (agentq-get Proposal (agentq-review--proposal) :proposalId)))
    (agentq-decide (agentq-running-server) id hunks "reject" (agentq-review--read-reason) stop)))

(defun agentq-review-reject-all (&optional stop)
  "Reject all undecided hunks of the proposal at point.
The reason is asked for.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (let ((hunks (agentq-review--all-pending))
        (id (agentq-get Proposal (agentq-review--proposal) :proposalId)))
    (agentq-decide (agentq-running-server) id hunks "reject" (agentq-review--read-reason) stop)))

(defun agentq-review--read-reason ()
  "Read why something is rejected."
  (agentq-read-reason "Reject because (may be empty): "))


;;; Testing

(defun agentq-review-test (&optional without)
  "Test the proposal at point before it is accepted.
That is done with all of its hunks, and with those accepted so far.
With prefix argument WITHOUT, with all hunks and without the one at
point."
  (interactive "P" agentq-review-mode)
  (let* ((ids (mapcar (agentq-getter Hunk :id) (agentq-review--all-pending)))
         (left-out (and without (agentq-get Hunk (agentq-review--hunk-at-point) :id))))
    (agentq-tests-run
     (agentq-running-server) (agentq-get Proposal (agentq-review--proposal) :proposalId)
     (list (cons "all" ids)
           (if left-out
               (cons (concat "without " left-out) (remove left-out ids))
             (list "accepted so far"))))))

(provide 'agentq-actions)

;;; agentq-actions.el ends here
