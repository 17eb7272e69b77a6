;;; agentq-draw-hunk.el --- A hunk as a part of a diff  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A hunk as a text in the syntax of `diff-mode', with the properties that
;; agentq-draw.el tells of.  A review is written anew with every decision, so a hunk
;; of which nothing has changed, nor of its file, keeps the text that it had.

;;; Code:

(require 'cl-lib)
(require 'agentq-mouse)
(require 'agentq-store)
(require 'agentq-visible)
(require 'agentq-whole-lines)

(defvar-local agentq-draw-hunk--drawn nil
  "Alist from hunks, (PROPOSAL . HUNK), to their lines when they were shown last.")

(defvar-local agentq-draw-hunk--texts nil
  "Hash table from hunks, (PROPOSAL . HUNK), to (ABOUT . TEXT).
TEXT was made of ABOUT.")

(defun agentq-draw-hunk (hunk key stamp needs said)
  "Return HUNK, which is KEY, as whole lines with context.
STAMP is another one when the document changes.  NEEDS are titles of other
hunks.  SAID is why it was rejected, or the text with which it was accepted."
  (let* ((texts (or agentq-draw-hunk--texts
                    (setq agentq-draw-hunk--texts (make-hash-table :test #'equal))))
         (about (list hunk stamp needs said))
         (known (gethash key texts)))
    (if (equal (car known) about)
        (cdr known)
      (let ((text (propertize (agentq-draw-hunk--text hunk (agentq-draw-hunk--lines hunk key)
                                                      needs said)
                              'agentq-hunk key)))
        (puthash key (cons about text) texts)
        text))))

(defun agentq-draw-hunk--text (hunk whole needs said)
  "Return HUNK as a text, of its lines WHOLE.
NEEDS and SAID are as in `agentq-draw-hunk'."
  (pcase-let* ((`(,line ,before ,old ,proposed ,after ,round ,was) whole)
               (new (if (and said (equal (agentq-get Hunk hunk :state) "edited"))
                        (agentq-whole-lines-split said)
                      proposed))
               (context (+ (length before) (length after)))
               (start (1+ (- line (length before)))))
    (concat
     (agentq-mouse-line
      (agentq-draw-hunk--round
       (format "@@ -%d,%d +%d,%d @@ %s%s%s"
               (if (equal (agentq-get Hunk hunk :kind) "create") 0 start)
               (+ context (length old))
               start (+ context (length new))
               (agentq-draw-hunk--mark (agentq-hunk-state hunk))
               (agentq-visible-line (agentq-get Hunk hunk :title))
               (agentq-visible-line (agentq-draw-hunk--words hunk needs said)))
       round))
     "\n"
     (if (agentq-hunk-conflict-p hunk)
         (agentq-draw-hunk--conflict before old was new after)
       (concat (agentq-draw-hunk--signed " " before)
               (agentq-draw-hunk--signed "-" old :old)
               (agentq-draw-hunk--signed "+" new :new)
               (agentq-draw-hunk--signed " " after))))))

(defun agentq-draw-hunk--round (head round)
  "Return HEAD, with ROUND behind it as far as a narrow screen has room for that.
What is said of the hunk is never cut for the sake of the code round it."
  (let ((room (- 71 (string-width head))))
    (if (and round (> room 12))
        (concat head "  in " (truncate-string-to-width (agentq-visible-line round) room))
      head)))

(defun agentq-draw-hunk--mark (state)
  "Return a sign for a hunk in STATE, or \"\"."
  (let ((sign (pcase state
                ((or "accepted" "edited") "\u2713")
                ("rejected" "\u2717")
                ("taken back" "\u21b6"))))
    (if (and sign (char-displayable-p (aref sign 0))) (concat sign " ") "")))

(defun agentq-draw-hunk--words (hunk needs said)
  "Return what is to be said of HUNK behind its title.
NEEDS and SAID are as in `agentq-draw-hunk'."
  (pcase (agentq-hunk-state hunk)
    ("pending" (concat (if (agentq-get Hunk hunk :defaultDecision) " (left out by `A')" "")
                       (if needs (format " [needs %s]" (string-join needs ", ")) "")))
    ("conflict" (concat " [conflict] " (or (agentq-get Hunk hunk :conflict)
                                           "these lines changed since")))
    (state (format " [%s]%s" state (if (and said (equal state "rejected")) (concat " " said) "")))))

(defun agentq-draw-hunk--signed (sign lines &optional side)
  "Return LINES, each after SIGN, and marked as those of SIDE."
  (let ((index -1))
    (mapconcat (lambda (line)
                 (let ((text (concat sign (agentq-visible line) "\n")))
                   (if side
                       (propertize text 'agentq-line (cons side (cl-incf index)))
                     text)))
               lines)))

(defun agentq-draw-hunk--conflict (before now was new after)
  "Return the three texts of a conflict between the lines BEFORE and AFTER.
NOW stands there, WAS stood there when NEW was proposed."
  (concat (agentq-draw-hunk--signed " " before)
          (if now "# it is now:\n" "# nothing is there now\n")
          (agentq-draw-hunk--signed " " now)
          (if was "# it was:\n" "# nothing was there\n")
          (agentq-draw-hunk--signed "-" was)
          (if new "# proposed:\n" "# proposed: to take the lines away\n")
          (agentq-draw-hunk--signed "+" new)
          (if after "#\n" "")
          (agentq-draw-hunk--signed " " after)))

(defun agentq-draw-hunk--lines (hunk key)
  "Return what `agentq-whole-lines' does for HUNK, which is KEY.
A hunk that is decided stays as it was shown before, when the document had
its old text."
  (or (and (equal (agentq-get Hunk hunk :kind) "edit")
           (cond ((equal (agentq-get Hunk hunk :state) "pending")
                  (setf (alist-get key agentq-draw-hunk--drawn nil nil #'equal)
                        (agentq-whole-lines hunk)))
                 ((agentq-hunk-conflict-p hunk) (agentq-whole-lines hunk))
                 (t (alist-get key agentq-draw-hunk--drawn nil nil #'equal))))
      (agentq-whole-lines-alone hunk)))

(provide 'agentq-draw-hunk)

;;; agentq-draw-hunk.el ends here
