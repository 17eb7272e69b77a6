;;; agentq-outcome.el --- What became of a proposal, in words  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The review and the transcript say how the decisions about a proposal ended, and what
;; is left of that once some are taken back.

;;; Code:

(require 'agentq-store)

(defun agentq-outcome (proposal)
  "Say what became of PROPOSAL in a few words, or nil while it waits."
  (pcase (agentq-get Proposal proposal :state)
    ("pending" nil)
    ;; The word of this client for what waited when the server ended.
    ("kept" (substitute-command-keys "Kept: \\[agentq] brings back what waits"))
    ("withdrawn" (concat "Withdrawn: " (agentq-outcome-counts proposal)))
    (_ (concat "Decided: " (agentq-outcome-counts proposal)))))

(defun agentq-outcome-counts (proposal)
  "Say how many hunks of PROPOSAL are applied now, and how many were taken back."
  (let ((total (length (agentq-get Proposal proposal :hunks)))
        (applied (agentq-outcome--number proposal "accepted" "edited"))
        (back (agentq-outcome-taken-back proposal)))
    (concat (if (= applied 0) "nothing applied"
              (format (ngettext "%d of %d hunk applied" "%d of %d hunks applied" total)
                      applied total))
            (if (= back 0) "" (format ", %d taken back" back)))))

(defun agentq-outcome-taken-back (proposal)
  "Return how many hunks of PROPOSAL were applied and then taken back."
  (agentq-outcome--number proposal "taken back"))

(defun agentq-outcome--number (proposal &rest states)
  "Return how many hunks of PROPOSAL are in one of STATES."
  (seq-count (lambda (hunk) (member (agentq-hunk-state hunk) states))
             (agentq-get Proposal proposal :hunks)))

(provide 'agentq-outcome)

;;; agentq-outcome.el ends here
