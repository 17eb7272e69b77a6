;;; agentq-header.el --- What the line above a review says  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What is left to decide in all, what the compiler and the tests say of the proposal
;; at point, and the keys.  Every redisplay asks for it, so nothing is looked for here.

;;; Code:

(require 'agentq-hunks)
(require 'agentq-outcome)
(require 'agentq-proof)
(require 'agentq-tests)
(require 'agentq-decide)

(defun agentq-review--header ()
  "Return the header line: what is left and how to decide."
  (if-let* ((server agentq-review--server)
            ((agentq-connection-running-p server))
            (proposals (agentq-review--proposals)))
      (let ((here (or (agentq-review--proposal-at-point) (car (last proposals))))
            (left (apply #'+ (mapcar (lambda (each) (length (agentq-review--pending each)))
                                     proposals))))
        (if (> left 0)
            (agentq-review--with-keys
             (concat (agentq-header--place left)
                     (agentq-review--conflicts proposals)
                     (agentq-header--facts server here)))
          (concat " " (or (agentq-outcome here) "All is decided")
                  (substitute-command-keys "  \\`q' goes back to the conversation"))))
    (if (and agentq-review--server (agentq-connection-running-p agentq-review--server))
        " Nothing waits for a decision"
      (substitute-command-keys
       " The server of this review ended: \\[agentq] brings back what waits here"))))

(defun agentq-header--place (left)
  "Say which hunk of this buffer is the one at point, and how many are LEFT."
  (let ((all (agentq-review--beginnings)))
    (if (get-text-property (point) 'agentq-hunk)
        (format " %d of %d, %d left" (seq-count (lambda (beginning) (<= beginning (point))) all)
                (length all) left)
      (format " %d of %d left" left (length all)))))

(defun agentq-review--conflicts (proposals)
  "Return how many hunks of PROPOSALS are in conflict in a few words, or \"\"."
  (let ((count (apply #'+ (mapcar (lambda (proposal)
                                    (seq-count #'agentq-hunk-conflict-p
                                               (agentq-review--pending proposal)))
                                  proposals))))
    (if (> count 0) (format ", %d in conflict" count) "")))

(defun agentq-header--facts (server proposal)
  "Return what is known of PROPOSAL of SERVER, and of its hunk at point."
  (if-let* ((outcome (agentq-outcome proposal)))
      (concat ", " outcome)
    (concat (agentq-review--check (agentq-proof-rest proposal))
            (agentq-proof-words proposal (agentq-review--undecided-at-point))
            (if-let* ((told (agentq-tests-told server proposal)))
                (concat ", " told)
              "")
            (if (member (agentq-get Proposal proposal :proposalId) (agentq-server-stopping server))
                ", then the agent stops" ""))))

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

(provide 'agentq-header)

;;; agentq-header.el ends here
