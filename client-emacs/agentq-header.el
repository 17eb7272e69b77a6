;;; agentq-header.el --- What the line above a review says  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What is left to decide, what the compiler and the tests say, and the keys.  Every
;; redisplay asks for it, so nothing is looked for here.

;;; Code:

(require 'agentq-hunks)
(require 'agentq-proof)
(require 'agentq-tests)
(require 'agentq-decide)

(defun agentq-review--header ()
  "Return the header line: what is left and how to decide."
  (if-let* ((server (agentq-current-server))
            (proposal (agentq-known-proposal server agentq-review--proposal-id)))
      (let ((left (length (agentq-review--pending proposal)))
            (more (1- (length (agentq-pending-proposals server)))))
        (if (equal (agentq-get Proposal proposal :state) "pending")
            (agentq-review--with-keys
             (concat (agentq-header--place proposal left)
                     (agentq-review--conflicts proposal)
                     (if (> more 0)
                         (format (substitute-command-keys " (+%d more, \\`o')") more)
                       "")
                     (agentq-review--check (agentq-proof-rest proposal))
                     (agentq-proof-words proposal (agentq-review--undecided-at-point proposal))
                     (if-let* ((told (agentq-tests-told server proposal)))
                         (concat ", " told)
                       "")
                     (if (member agentq-review--proposal-id (agentq-server-stopping server))
                         ", then the agent stops" "")))
          (concat " " (agentq-review--outcome proposal)
                  (substitute-command-keys
                   (if (>= more 0) "  \\`g' next proposal"
                     "  \\`q' goes back to the conversation")))))
    " The server of this proposal ended: nothing can be decided here"))

(defun agentq-header--place (proposal left)
  "Say which hunk of PROPOSAL is the one at point, and how many are LEFT."
  (let* ((hunks (agentq-get Proposal proposal :hunks))
         (index (seq-position hunks (get-text-property (point) 'agentq-hunk)
                              (lambda (hunk id) (equal (agentq-get Hunk hunk :id) id)))))
    (if index
        (format " %d of %d, %d left" (1+ index) (length hunks) left)
      (format " %d of %d left" left (length hunks)))))

(defun agentq-review--conflicts (proposal)
  "Return how many hunks of PROPOSAL are in conflict in a few words, or \"\"."
  (let ((count (seq-count #'agentq-hunk-conflict-p (agentq-get Proposal proposal :hunks))))
    (if (> count 0) (format ", %d in conflict" count) "")))

(defconst agentq-header--keys
  '("  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`u' undo  \\`A'/\\`R' all  \\`n'/\\`p' move  \\`q' later"
    "  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`A'/\\`R' all  \\`n'/\\`p' move  \\`q' later"
    "  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`A'/\\`R' all  \\`?' keys"
    "  \\`a' accept  \\`r' reject  \\`e' edit  \\`?' keys"
    "  \\`a'/\\`r'/\\`e'  \\`?' keys"
    "  \\`?' keys")
  "What the line says of the keys, the most first.")

(defun agentq-review--with-keys (facts)
  "Return FACTS followed by the keys, as far as the window has room for them.
Where it has none, FACTS are cut, so that it is seen that there are keys."
  (let* ((all (mapcar #'substitute-command-keys agentq-header--keys))
         (least (car (last all)))
         (keys (seq-find (lambda (keys)
                           (<= (+ (string-width facts) (string-width keys)) (window-width)))
                         all)))
    (if keys
        (concat facts keys)
      (concat (truncate-string-to-width
               facts (max 0 (- (window-width) (string-width least))) nil nil t)
              least))))

(defun agentq-review--check (check)
  "Return what of CHECK has to be in sight with every hunk, or \"\"."
  (let ((count (length (agentq-get Check check :introduced)))
        (gone (length (agentq-get Check check :resolved))))
    (cond ((equal (agentq-get Check check :state) "running") ", compiler checking")
          ((> count 0) (format (ngettext ", %d new error" ", %d new errors" count) count))
          ((> gone 0) (format (ngettext ", %d error gone with all" ", %d errors gone with all" gone)
                              gone))
          (t ""))))

(defun agentq-review--outcome (proposal)
  "Say what became of PROPOSAL, which is not pending."
  (let* ((total (length (agentq-get Proposal proposal :hunks)))
         (applied (seq-count (lambda (hunk)
                               (member (agentq-get Hunk hunk :state) '("accepted" "edited")))
                             (agentq-get Proposal proposal :hunks)))
         (hunks (format (ngettext "%d of %d hunk" "%d of %d hunks" total) applied total)))
    (pcase (agentq-get Proposal proposal :state)
      ("withdrawn" (if (= applied 0)
                       "Withdrawn; nothing was applied"
                     (format "Withdrawn; %s was applied before" hunks)))
      ("rejected" "Decided: nothing applied")
      (_ (format "Decided: %s applied" hunks)))))

(provide 'agentq-header)

;;; agentq-header.el ends here
