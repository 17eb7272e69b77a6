;;; agentq-draw.el --- A proposal as a unified diff  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Writes a proposal into the current buffer in the syntax of `diff-mode'.  A
;; hunk on the wire is a range and two texts, which may begin and end inside of
;; lines; a diff shows whole lines with some context.  Both come from the
;; document if the hunk's old text still stands there.
;;
;; The text of each hunk carries the text property `agentq-hunk', its id; a line
;; that goes or comes carries `agentq-line', (SIDE . INDEX): SIDE is `:old' or
;; `:new', INDEX counts the lines of that side from 0.
;; What the model wrote is shown by `agentq-visible'.

;;; Code:

(require 'cl-lib)
(require 'agentq-positions)
(require 'agentq-client)
(require 'agentq-store)
(require 'agentq-visible)
(require 'agentq-wire)

(defvar-local agentq-draw-drawn nil
  "Alist from ids of hunks to the lines with which they were shown last.")

(defconst agentq-draw--context 3 "Lines of context around a hunk.")

(defun agentq-draw-insert (proposal root &optional undone)
  "Insert PROPOSAL at point; file names are relative to ROOT.
UNDONE are ids of hunks whose decision was taken back."
  (insert (agentq-visible-line (agentq-get Proposal proposal :title)) "\n")
  (unless (member (agentq-get Proposal proposal :why) '(nil ""))
    ;; Indented, words that look like a hunk do not pass for one.
    (insert "  " (string-replace "\n" "\n  " (agentq-visible (agentq-get Proposal proposal :why))) "\n"))
  (agentq-draw--insert-check (agentq-get Proposal proposal :check))
  (let (file)
    (seq-doseq (hunk (agentq-get Proposal proposal :hunks))
      (unless (equal file (agentq-get Hunk hunk :uri))
        (setq file (agentq-get Hunk hunk :uri))
        (agentq-draw--insert-file hunk root))
      (let ((start (point)))
        (agentq-draw--insert-hunk (if (member (agentq-get Hunk hunk :id) undone)
                                      (agentq-with Hunk hunk :state "taken back")
                                    hunk)
                                  (agentq-draw--needs hunk proposal))
        (put-text-property start (point) 'agentq-hunk (agentq-get Hunk hunk :id))))))

(defun agentq-draw--insert-check (check)
  "Insert CHECK, the findings of the compiler about a proposal."
  (pcase (agentq-get Check check :state)
    ("unavailable"
     (when-let* ((reason (agentq-get Check check :reason)))
       (insert "Compiler: not checked: " reason "\n")))
    ("running" (insert "Compiler: checking...\n"))
    ("done"
     (let* ((introduced (agentq-get Check check :introduced))
            (count (length introduced))
            (gone (length (agentq-get Check check :resolved))))
       (insert "Compiler: "
               (if (= count 0)
                   "no new error"
                 (format (ngettext "%d new error" "%d new errors" count) count))
               (if (= gone 0) "" (format ", %d gone" gone))
               (if (= count 1) ": " (if (= count 0) "\n" "\n  "))
               (mapconcat #'agentq-draw--diagnostic introduced "\n  ")
               (if (= count 0) "" "\n"))))))

(defun agentq-draw--diagnostic (line)
  "Return the DiagnosticLine LINE with its place."
  (concat (if-let* ((uri (agentq-get DiagnosticLine line :uri)))
              (format "%s:%d " (file-relative-name (agentq-uri-to-path uri))
                      (1+ (or (agentq-get DiagnosticLine line :range :start :line) 0)))
            "")
          (if (equal (agentq-get DiagnosticLine line :severity) "error") ""
            (concat (agentq-get DiagnosticLine line :severity) ": "))
          (agentq-visible-line (string-replace "\n" " " (agentq-get DiagnosticLine line :message)))))

(defun agentq-draw--insert-file (hunk root)
  "Insert the file header for HUNK; the name is relative to ROOT."
  (let ((name (agentq-visible-line
               (file-relative-name (agentq-uri-to-path (agentq-get Hunk hunk :uri)) root))))
    (insert "\n--- " (if (equal (agentq-get Hunk hunk :kind) "create") "/dev/null"
                       (concat "a/" name))
            "\n+++ " (if (equal (agentq-get Hunk hunk :kind) "delete") "/dev/null"
                       (concat "b/" name))
            "\n")))

(defun agentq-draw--needs (hunk proposal)
  "Return the titles of the hunks of PROPOSAL that HUNK requires, or nil.
Those that were accepted are there already."
  (cl-loop for other in (append (agentq-get Proposal proposal :hunks) nil)
           when (and (seq-contains-p (agentq-get Hunk hunk :requires) (agentq-get Hunk other :id))
                     (not (member (agentq-get Hunk other :state) '("accepted" "edited"))))
           collect (agentq-get Hunk other :title)))

(defun agentq-draw--insert-hunk (hunk needs)
  "Insert HUNK as whole lines with context; NEEDS are titles of others."
  (pcase-let* ((`(,line ,before ,old ,new ,after ,was) (agentq-draw-lines hunk))
               (context (+ (length before) (length after)))
               (start (1+ (- line (length before))))
               (state (agentq-get Hunk hunk :state)))
    (insert (format "@@ -%d,%d +%d,%d @@ %s%s\n"
                    (if (equal (agentq-get Hunk hunk :kind) "create") 0 start)
                    (+ context (length old))
                    start (+ context (length new))
                    (agentq-visible-line (agentq-get Hunk hunk :title))
                    (if (equal state "pending")
                        (concat
                         (if (agentq-get Hunk hunk :defaultDecision) " (left out by `A')" "")
                         (if needs
                             (format " [needs %s]" (agentq-visible-line (string-join needs ", ")))
                           ""))
                      (format " [%s]%s" state
                              (if (agentq-hunk-conflict-p hunk)
                                  (concat " " (agentq-visible-line
                                               (or (agentq-get Hunk hunk :conflict)
                                                   "these lines changed since")))
                                "")))))
    (if (agentq-hunk-conflict-p hunk)
        (agentq-draw--insert-conflict before old was new after)
      (cl-loop for (sign side . lines) in `((" " nil . ,before) ("-" :old . ,old)
                                            ("+" :new . ,new) (" " nil . ,after))
               do (agentq-draw--insert-lines sign lines side)))))

(defun agentq-draw--insert-lines (sign lines &optional side)
  "Insert LINES, each after SIGN, and marked as those of SIDE."
  (cl-loop for text in lines
           for index from 0
           for start = (point)
           do (insert sign (agentq-visible text) "\n")
           when side
           do (put-text-property start (point) 'agentq-line (cons side index))))

(defun agentq-draw--insert-conflict (before now was new after)
  "Insert the three texts of a conflict between the lines BEFORE and AFTER.
NOW stands there, WAS stood there when NEW was proposed."
  (agentq-draw--insert-lines " " before)
  (insert (if now "# it is now:\n" "# nothing is there now\n"))
  (agentq-draw--insert-lines " " now)
  (insert (if was "# it was:\n" "# nothing was there\n"))
  (agentq-draw--insert-lines "-" was)
  (insert (if new "# proposed:\n" "# proposed: to take the lines away\n"))
  (agentq-draw--insert-lines "+" new)
  (when after (insert "#\n"))
  (agentq-draw--insert-lines " " after))

(defun agentq-draw-lines (hunk)
  "Return (LINE BEFORE OLD NEW AFTER) for HUNK, the latter lists of lines.
LINE is the 0-based number of the first old line.  Of a hunk in conflict
OLD is what stands there, and a sixth element what the hunk was proposed
for.  A hunk that is decided stays as it was shown before, when the
document had its old text."
  (or (and (equal (agentq-get Hunk hunk :kind) "edit")
           (cond ((equal (agentq-get Hunk hunk :state) "pending")
                  (setf (alist-get (agentq-get Hunk hunk :id) agentq-draw-drawn nil nil #'equal)
                        (agentq-draw--lines-in-document hunk)))
                 ((agentq-hunk-conflict-p hunk)
                  (agentq-draw--lines-in-document hunk))
                 (t (alist-get (agentq-get Hunk hunk :id) agentq-draw-drawn nil nil #'equal))))
      (append (list (agentq-get Hunk hunk :range :start :line)
                    nil
                    (agentq-draw-split (agentq-draw--standing hunk))
                    (agentq-draw-split (agentq-get Hunk hunk :newText))
                    nil)
              (and (agentq-hunk-conflict-p hunk)
                   (list (agentq-draw-split (agentq-get Hunk hunk :oldText)))))))

(defun agentq-draw--standing (hunk)
  "Return the text at the place of HUNK as the server knows it."
  (if (agentq-hunk-conflict-p hunk)
      (or (agentq-get Hunk hunk :currentText) "")
    (agentq-get Hunk hunk :oldText)))

(defun agentq-draw--lines-in-document (hunk)
  "Return `agentq-draw-lines' of HUNK, or nil when the document does not fit."
  (with-temp-buffer
    (when (agentq-draw--insert-document (agentq-get Hunk hunk :uri))
      (pcase-let* ((`(,beg . ,end) (agentq-region-of (agentq-get Hunk hunk :range)))
                   (old (string-replace "\r\n" "\n" (agentq-draw--standing hunk)))
                   (was (string-replace "\r\n" "\n" (agentq-get Hunk hunk :oldText)))
                   (new (string-replace "\r\n" "\n" (agentq-get Hunk hunk :newText))))
        (when (and (<= beg end) (equal old (buffer-substring beg end)))
          (let* ((bol (progn (goto-char beg) (pos-bol)))
                 (eol (agentq-draw--whole-lines-end bol end new))
                 (head (buffer-substring bol beg))
                 (tail (buffer-substring end eol)))
            (append (list (1- (line-number-at-pos bol))
                          (agentq-draw--lines-beside bol (- agentq-draw--context))
                          (agentq-draw-split (concat head old tail))
                          (agentq-draw-split (concat head new tail))
                          (agentq-draw--lines-beside eol agentq-draw--context))
                    (and (agentq-hunk-conflict-p hunk)
                         (list (agentq-draw-split (concat head was tail)))))))))))

(defun agentq-draw--insert-document (uri)
  "Insert the present text of URI; return nil if there is none."
  (let* ((path (agentq-uri-to-path uri))
         (visiting (find-buffer-visiting path)))
    (cond (visiting
           (insert (with-current-buffer visiting
                     (save-restriction
                       (widen)
                       (buffer-substring-no-properties (point-min) (point-max)))))
           t)
          ((file-readable-p path)
           (insert-file-contents path)
           t))))

(defun agentq-draw--whole-lines-end (bol end new)
  "Return the end of the whole lines from BOL to END, replaced by NEW.
A change that ends between two lines takes the second one along only if
NEW does not end its own last line."
  (goto-char end)
  (if (and (bolp) (or (< bol end) (string-suffix-p "\n" new)))
      end
    (min (point-max) (1+ (pos-eol)))))

(defun agentq-draw--lines-beside (position count)
  "Return up to COUNT lines after POSITION, before it if COUNT is negative."
  (goto-char position)
  (agentq-draw-split
   (buffer-substring position (progn (forward-line count) (point)))))

(defun agentq-draw-split (text)
  "Return the lines of TEXT; a newline at its end begins no further line."
  (unless (string-empty-p text)
    (split-string (string-remove-suffix "\n" text) "\r?\n")))

(provide 'agentq-draw)

;;; agentq-draw.el ends here
