;;; agentq-actions.el --- What a person does in a review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The commands of `agentq-review-mode' that decide or test hunks.
;;
;; Invariants:
;; - One hunk is decided only with point on it, where it is seen.
;; - Questions (a reason, another text) are asked before anything is sent.

;;; Code:

(require 'agentq-decide)
(require 'agentq-hunks)
(require 'agentq-tests)

(defvar agentq-review-mode)             ; agentq-review.el
(declare-function agentq-lines-of-region "agentq-lines" (hunks beginning end))

(defun agentq-review-accept (&optional stop)
  "Accept the hunk at point, or the lines of the active region.
The rest of a hunk of which lines are accepted waits on.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (if (not (use-region-p))
      (agentq-review--decide (list (agentq-review--hunk-at-point)) "accept" nil stop)
    (pcase-let ((`(,hunks . ,lines) (agentq-lines-of-region (agentq-review--all-pending)
                                                            (region-beginning) (region-end))))
      (deactivate-mark)
      (agentq-review--decide hunks "accept" lines stop))))

(defun agentq-review-accept-all (&optional stop)
  "Accept all undecided hunks but those that are left out by default.
The latter are rejected.  With prefix argument STOP the agent stops then."
  (interactive "P" agentq-review-mode)
  (let* ((hunks (agentq-review--all-pending))
         (left-out (seq-filter #'agentq-review--left-out-p hunks))
         (rest (seq-remove #'agentq-review--left-out-p hunks)))
    (when rest
      (agentq-review--decide rest "accept" nil stop))
    (when left-out
      (agentq-review--decide left-out "reject" "" stop))))

(defun agentq-review--left-out-p (hunk)
  "Return non-nil when HUNK is accepted by itself only."
  (equal (agentq-get Hunk hunk :defaultDecision) "reject"))

(defun agentq-review-reject (&optional stop)
  "Reject the hunk at point, after asking for the reason.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (let ((hunk (agentq-review--hunk-at-point)))
    (agentq-review--decide (list hunk) "reject" (agentq-review--read-reason) stop)))

(defun agentq-review-reject-all (&optional stop)
  "Reject all undecided hunks, after asking for the reason.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (let ((hunks (agentq-review--all-pending)))
    (agentq-review--decide hunks "reject" (agentq-review--read-reason) stop)))

(defun agentq-review--read-reason ()
  "Read why something is rejected; empty when the person gives no reason."
  (string-trim (read-string "Reject because (may be empty): ")))

(defun agentq-review--decide (hunks decision text stop &optional over)
  "Send DECISION with TEXT on HUNKS of the proposal of this buffer.
With STOP the agent ends its turn.  OVER is what TEXT was written over."
  (agentq-decide (agentq-running-server) agentq-review--proposal-id
                 hunks decision text stop over))

;;; Testing

(defun agentq-review-test (&optional without)
  "Test the proposed text with all hunks, and with those accepted so far.
With prefix argument WITHOUT, with all hunks and without the one at
point."
  (interactive "P" agentq-review-mode)
  (let* ((ids (mapcar (agentq-getter Hunk :id) (agentq-review--all-pending)))
         (left-out (and without (agentq-get Hunk (agentq-review--hunk-at-point) :id))))
    (agentq-tests-run
     (agentq-running-server) agentq-review--proposal-id
     (list (cons "all" ids)
           (if left-out
               (cons (concat "without " left-out) (remove left-out ids))
             (list "accepted so far"))))))

(provide 'agentq-actions)

;;; agentq-actions.el ends here
