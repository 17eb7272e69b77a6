;;; agentq-lines.el --- Parts of hunks  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The lines of a hunk that the person selects in a review, and the smaller hunks
;; of a split.  The server composes the text and cuts the hunks.

;;; Code:

(require 'agentq-review)

(defun agentq-lines-of-region (proposals beginning end)
  "Return what the region from BEGINNING to END of a review has of PROPOSALS.
That is a list with (ID CHOSEN . LINES) for each proposal ID: CHOSEN are
those of its undecided hunks of which the region has lines, LINES is an
alist from their ids to HunkDecisionLines."
  (let ((found (agentq-lines--between beginning end)))
    (or (cl-loop for proposal in proposals
                 for id = (agentq-get Proposal proposal :proposalId)
                 for chosen = (agentq-lines--chosen id (agentq-review--pending proposal) found)
                 when (car chosen) collect (cons id chosen))
        (user-error "No line of an undecided hunk in the region"))))

(defun agentq-lines--chosen (id hunks found)
  "Return (CHOSEN . LINES) of the undecided HUNKS of the proposal ID.
FOUND is what `agentq-lines--between' returned.  A hunk that is about a
whole file has no lines: it is chosen whole or not at all."
  (let (chosen lines)
    (dolist (hunk hunks)
      (when-let* ((own (alist-get (cons id (agentq-get Hunk hunk :id)) found nil nil #'equal)))
        (push hunk chosen)
        (if (equal (agentq-get Hunk hunk :kind) "edit")
            (push (cons (agentq-get Hunk hunk :id) (agentq-lines--to-wire own)) lines)
          (unless (= (length own) (agentq-lines--count hunk))
            (user-error "To %s is one decision; without a region, `a' takes it"
                        (agentq-visible-line (agentq-get Hunk hunk :title)))))))
    (cons (nreverse chosen) (nreverse lines))))

(defun agentq-lines--between (beginning end)
  "Return an alist from keys of hunks to their lines between BEGINNING and END.
A line is (SIDE . INDEX)."
  (let (found)
    (save-excursion
      (goto-char beginning)
      (beginning-of-line)
      (while (and (< (point) end) (not (eobp)))
        (when-let* ((line (get-text-property (point) 'agentq-line)))
          (push line (alist-get (get-text-property (point) 'agentq-hunk) found nil nil #'equal)))
        (forward-line 1)))
    found))

(defun agentq-lines--to-wire (lines)
  "Return the HunkDecisionLines for LINES, each (SIDE . INDEX)."
  (let ((of (lambda (side)
              (vconcat (sort (cl-loop for (each . index) in lines
                                      when (eq each side) collect index)
                             #'<)))))
    (agentq-make HunkDecisionLines :old (funcall of :old) :new (funcall of :new))))

(defun agentq-lines--count (hunk)
  "Return how many lines of HUNK go and come."
  (+ (length (agentq-whole-lines-split (agentq-get Hunk hunk :oldText)))
     (length (agentq-whole-lines-split (agentq-get Hunk hunk :newText)))))

(defun agentq-review-split ()
  "Put smaller hunks in the place of the one at point.
It is cut at lines that stay, else by changed line, by paragraph or by
line.  Nothing is decided."
  (interactive nil agentq-review-mode)
  (let ((hunk (agentq-review--hunk-at-point)))
    (agentq-request
     (agentq-running-server) :agentq/splitHunk
     (agentq-make SplitHunkParams
       :proposalId (agentq-get Proposal (agentq-review--proposal) :proposalId)
       :hunkId (agentq-get Hunk hunk :id))
     :then (lambda (result)
             (message "Agent-Q: %d hunks in the place of one"
                      (length (agentq-get SplitHunkResult result :hunkIds))))
     :else (lambda (message &optional code)
             (message "Agent-Q: %s"
                      (if (eql code -32602)
                          "this hunk stays whole: it has one changed line, is in conflict, or is a whole file"
                        message))))))

(provide 'agentq-lines)

;;; agentq-lines.el ends here
