;;; agentq-draw.el --- A proposal as a unified diff  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A proposal as a text in the syntax of `diff-mode': its title, what the compiler
;; says, its files, and its hunks as whole lines with context.
;;
;; All of that carries the text property `agentq-proposal', the id of the proposal;
;; a hunk carries `agentq-hunk', (PROPOSAL . HUNK), both ids.  The lines of a file,
;; in the list of files and above its hunks, carry `agentq-file', its URI.  A line that
;; goes or comes carries `agentq-line', (SIDE . INDEX): SIDE is `:old' or `:new', INDEX counts the
;; lines of that side from 0.  What the model wrote is shown by `agentq-visible'.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-draw-hunk)
(require 'agentq-mouse)
(require 'agentq-outcome)
(require 'agentq-store)
(require 'agentq-visible)
(require 'agentq-whole-lines)

(cl-defun agentq-draw (proposal root
                       &key said again (check (agentq-get Proposal proposal :check)))
  "Return PROPOSAL as a text; file names are relative to ROOT.
SAID is an alist from hunks, (PROPOSAL . HUNK), to what the person said of
them, and AGAIN one to the proposals of them, which stand in their places.
CHECK is what the compiler says, if more is known than the proposal tells."
  (let ((id (agentq-get Proposal proposal :proposalId))
        (why (agentq-get Proposal proposal :why))
        (outcome (agentq-outcome proposal)))
    (agentq-draw--marked
     (concat
      ;; Behind a word of ours a title does not pass for a line of a diff.
      "Proposal: " (agentq-visible-line (agentq-get Proposal proposal :title))
      (if outcome (format " (%s)" outcome) "") "\n"
      (if (member why '(nil "")) ""
        ;; Indented, words that look like a hunk do not pass for one.
        (concat "  " (string-replace "\n" "\n  " (agentq-visible why)) "\n"))
      (propertize (agentq-draw-check check) 'agentq-check t)
      (agentq-draw--list proposal root again)
      (mapconcat
       (pcase-lambda (`(,uri . ,hunks))
         (let ((stamp (agentq-whole-lines-stamp uri)))
           (concat
            (agentq-draw--file (car hunks) root)
            (agentq-whole-lines-reading-once
              (mapconcat (lambda (hunk)
                           (agentq-draw--hunk hunk proposal stamp said again))
                         hunks)))))
       (agentq-draw--files proposal)))
     id)))

(defun agentq-draw--hunk (hunk proposal stamp said again)
  "Return HUNK of PROPOSAL as a text, or the proposal of it as one.
STAMP is as in `agentq-draw-hunk', SAID and AGAIN are as in `agentq-draw'."
  (let ((key (cons (agentq-get Proposal proposal :proposalId) (agentq-get Hunk hunk :id))))
    (if-let* ((other (alist-get key again nil nil #'equal)))
        (agentq-draw--marked (mapconcat (lambda (hunk)
                                          (agentq-draw--hunk hunk other stamp said again))
                                        (agentq-get Proposal other :hunks))
                             (agentq-get Proposal other :proposalId))
      (agentq-draw-hunk hunk key stamp (agentq-draw--needs hunk proposal)
                        (alist-get key said nil nil #'equal)))))

(defun agentq-draw--marked (text id)
  "Return TEXT as that of the proposal ID, but for what is of another one."
  (let ((from 0))
    (while (< from (length text))
      (let ((to (next-single-property-change from 'agentq-proposal text (length text))))
        (unless (get-text-property from 'agentq-proposal text)
          (put-text-property from to 'agentq-proposal id text))
        (setq from to))))
  text)

(defun agentq-draw--files (proposal)
  "Return an alist from the files of PROPOSAL, by URI, to their hunks in order."
  (seq-group-by (agentq-getter Hunk :uri) (agentq-get Proposal proposal :hunks)))

(defun agentq-draw-check (check)
  "Return the lines about CHECK, the findings of the compiler about a proposal."
  (pcase (agentq-get Check check :state)
    ("running" "Compiler: checking...\n")
    ("done"
     (let* ((introduced (agentq-get Check check :introduced))
            (count (length introduced))
            (gone (length (agentq-get Check check :resolved))))
       (concat "Compiler: "
               (if (= count 0)
                   "no new error"
                 (format (ngettext "%d new error" "%d new errors" count) count))
               (if (= gone 0) "" (format ", %d gone" gone))
               (if (= count 1) ": " (if (= count 0) "\n" "\n  "))
               (mapconcat #'agentq-draw--diagnostic introduced "\n  ")
               (if (= count 0) "" "\n"))))
    (_ (if-let* ((reason (agentq-get Check check :reason)))
           (concat "Compiler: not checked: " (agentq-visible-line reason) "\n")
         ""))))

(defun agentq-draw--diagnostic (line)
  "Return the DiagnosticLine LINE with its place."
  (concat (if-let* ((uri (agentq-get DiagnosticLine line :uri)))
              (format "%s:%d " (file-relative-name (agentq-uri-to-path uri))
                      (1+ (or (agentq-get DiagnosticLine line :range :start :line) 0)))
            "")
          (if (equal (agentq-get DiagnosticLine line :severity) "error") ""
            (concat (agentq-get DiagnosticLine line :severity) ": "))
          (agentq-visible-line (string-replace "\n" " " (agentq-get DiagnosticLine line :message)))))

(defun agentq-draw--list (proposal root again)
  "Return a line for each file of PROPOSAL, if there are several.
File names are relative to ROOT; AGAIN is as in `agentq-draw'."
  (let ((files (agentq-draw--files proposal)))
    (if (null (cdr files)) ""
      (mapconcat
       (pcase-lambda (`(,uri . ,hunks))
         (let ((count (lambda (key)
                        (apply #'+ (mapcar (lambda (hunk)
                                             (length (agentq-whole-lines-split
                                                      (or (plist-get hunk key) ""))))
                                           hunks))))
               (open (and (equal (agentq-get Proposal proposal :state) "pending")
                          (seq-count (lambda (hunk) (agentq-draw--open-p hunk proposal again))
                                     hunks))))
           (propertize (format "  %s  +%d -%d%s\n" (agentq-mouse-line (agentq-draw--name uri root))
                               (funcall count :newText) (funcall count :oldText)
                               (cond ((null open) "")
                                     ((= open 0) "  decided")
                                     (t (format "  %d left" open))))
                       'agentq-file uri)))
       files))))

(defun agentq-draw--open-p (hunk proposal again)
  "Return non-nil when the person has to decide about HUNK of PROPOSAL, or anew.
AGAIN is as in `agentq-draw'."
  (if-let* ((other (alist-get (cons (agentq-get Proposal proposal :proposalId)
                                    (agentq-get Hunk hunk :id))
                              again nil nil #'equal)))
      (seq-some (lambda (hunk) (agentq-draw--open-p hunk other again))
                (agentq-get Proposal other :hunks))
    (agentq-hunk-open-p hunk)))

(defun agentq-draw--name (uri root)
  "Return the name of the file URI relative to ROOT."
  (agentq-visible-line (file-relative-name (agentq-uri-to-path uri) root)))

(defun agentq-draw--file (hunk root)
  "Return the file header for HUNK; the name is relative to ROOT."
  (let* ((uri (agentq-get Hunk hunk :uri))
         (name (agentq-draw--name uri root))
         (kind (agentq-get Hunk hunk :kind)))
    (concat "\n"
            (propertize (concat "--- " (if (equal kind "create") "/dev/null" (concat "a/" name))
                                "\n+++ " (if (equal kind "delete") "/dev/null" (concat "b/" name))
                                "\n")
                        'agentq-file uri))))

(defun agentq-draw--needs (hunk proposal)
  "Return the titles of the hunks of PROPOSAL that HUNK requires, or nil.
Those that were accepted are there already."
  (cl-loop for id across (vconcat (agentq-get Hunk hunk :requires))
           for other = (seq-find (lambda (other) (equal id (agentq-get Hunk other :id)))
                                 (agentq-get Proposal proposal :hunks))
           unless (member (agentq-hunk-state other) '(nil "accepted" "edited"))
           collect (agentq-get Hunk other :title)))

(provide 'agentq-draw)

;;; agentq-draw.el ends here
