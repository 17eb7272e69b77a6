;;; agentq-markdown.el --- Markdown in text that grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A little Markdown, line by line, for answers that come in pieces.  Code between
;; fences has the colours of its language once its block is finished, tables have
;; their columns in line, links and places of files are buttons.  The marks themselves
;; are invisible and stay in the text, so what is copied is Markdown.
;;
;; Invariant: each line is looked at once, when it is complete, so a piece of text
;; costs the same at the end of a long conversation as at its beginning.
;;
;; A finished block of code has the text property `agentq-code', a plist with
;; `:language' and, where its last fence is missing, `:open'.

;;; Code:

(require 'agentq-buffers)
(require 'agentq-fontify)
(require 'agentq-links)
(require 'agentq-places)
(require 'agentq-table)

(defface agentq-markdown-heading '((t :inherit (bold font-lock-function-name-face)))
  "A heading." :group 'agentq)
(defface agentq-markdown-code '((t :inherit (fixed-pitch font-lock-constant-face)))
  "Code in the middle of a sentence." :group 'agentq)
(defface agentq-markdown-block '((t :inherit fixed-pitch))
  "A block of code, below the faces of its language." :group 'agentq)
(defface agentq-markdown-fence '((t :inherit shadow))
  "The lines around a block of code." :group 'agentq)
(defface agentq-markdown-struck '((t :inherit shadow :strike-through t))
  "What is struck out." :group 'agentq)
(defface agentq-markdown-quote '((t :inherit font-lock-comment-face))
  "A quotation." :group 'agentq)
(defface agentq-markdown-marker '((t :inherit font-lock-keyword-face))
  "What begins an item of a list." :group 'agentq)

(defconst agentq-markdown--max-line 4000
  "Characters above which a line is shown as it is.")

(defconst agentq-markdown--inline
  `((,(rx (group (+ "`")) (group (+? nonl)) (group (backref 1))) agentq-markdown-code)
    (,agentq-links-pattern link)
    (,(rx (group "***") (group (+ (not (any "*\n")))) (group "***")) (bold italic))
    (,(rx (group "**") (group (+? nonl)) (group "**")) bold)
    (,(rx (group "*") (group (not (any "* \t\n.,;:/)")) (* (not (any "*\n")))) (group "*")) italic)
    (,(rx (group "~~") (group (+? nonl)) (group "~~")) agentq-markdown-struck))
  "What has a face in a sentence: a pattern and the face.
The groups of the pattern are the sign before, the words, and the sign behind.")

(defvar-local agentq-markdown--from nil
  "Marker at the first line that was not looked at, nil between answers.")
(defvar-local agentq-markdown--fence nil
  "The block of code that is open, a list (FENCE LANGUAGE BEGINNING), or nil.")
(defvar-local agentq-markdown--table nil
  "Marker at the first row of the table that may go on, or nil.")

(defun agentq-markdown-written (start end ended)
  "Look at the lines that were completed by the text from START to END.
With ENDED no more text comes in this answer."
  (unless agentq-markdown--from
    (setq agentq-markdown--from (copy-marker start)
          agentq-markdown--fence nil))
  (save-excursion
    (goto-char end)
    (when-let* ((complete (if ended end
                            (and (search-backward "\n" start t) (1+ (point))))))
      (goto-char agentq-markdown--from)
      (while (< (point) complete)
        (agentq-markdown--note-table)
        (agentq-markdown--line)
        (forward-line))
      (set-marker agentq-markdown--from (point))
      (when ended
        (agentq-markdown--end-table)
        (when agentq-markdown--fence
          (agentq-markdown--end-block (point) t))
        (set-marker agentq-markdown--from nil)
        (setq agentq-markdown--from nil)))))

(defun agentq-markdown--line ()
  "Give the line at point its faces; no signs are shown."
  (pcase agentq-markdown--fence
    (`(,fence . ,_)
     (if (looking-at (concat "[ \t]*" fence (substring fence 0 1) "*[ \t]*$"))
         (let ((end (min (point-max) (1+ (pos-eol)))))
           (agentq-markdown--end-block end nil)
           (agentq-markdown--hide (point) end))
       (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-block)))
    (_
     (cond ((looking-at (rx (* blank) (group (or (>= 3 "`") (>= 3 "~")))
                            (* blank) (group (* (not (any blank "\n`{"))))
                            (* (not (any "`\n"))) eol))
            (setq agentq-markdown--fence
                  (list (match-string-no-properties 1) (match-string-no-properties 2)
                        (copy-marker (point))))
            (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-fence)
            (if (string-empty-p (match-string 2))
                (agentq-markdown--hide (point) (min (point-max) (1+ (pos-eol))))
              (agentq-markdown--hide (match-beginning 1) (match-end 1))))
           ((> (- (pos-eol) (point)) agentq-markdown--max-line))
           ((looking-at (rx (** 1 6 "#") (+ blank)))
            (agentq-markdown--hide (point) (match-end 0))
            (agentq-markdown--face (match-end 0) (pos-eol) 'agentq-markdown-heading)
            (agentq-markdown--inline))
           (t (agentq-markdown--sentence))))))

(defun agentq-markdown--end-block (end open)
  "Give the block of code that ends at END the colours of its language.
With OPEN it has no last fence."
  (pcase-let* ((`(,_ ,language ,beginning) agentq-markdown--fence)
               (first (save-excursion (goto-char beginning) (min end (1+ (pos-eol)))))
               (last (if open end (save-excursion (goto-char end) (forward-line -1) (point)))))
    (when (< first last)
      (agentq-fontify-region first last language 'agentq-markdown-block)
      (add-text-properties first last '(line-prefix "  " wrap-prefix "  ")))
    (put-text-property beginning end 'agentq-code (list :language language :open open))
    (set-marker beginning nil)
    (setq agentq-markdown--fence nil)))

(defun agentq-markdown--face (beg end face)
  "Put FACE on the text from BEG to END."
  (put-text-property beg end 'face face))

(defun agentq-markdown--hide (beg end)
  "Hide the signs from BEG to END."
  (put-text-property beg end 'invisible 'agentq-markup))

(defun agentq-markdown--sentence ()
  "Give the line at point, which is no code, its faces and its buttons."
  (cond ((looking-at (rx (* blank) ">"))
         (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-quote))
        ((looking-at (rx (* blank) (group (or (any "-*+") (seq (** 1 9 digit) (any ".)")))) blank))
         (agentq-markdown--face (match-beginning 1) (match-end 1) 'agentq-markdown-marker)))
  (agentq-markdown--inline)
  (agentq-places-make-buttons (point) (pos-eol)))

(defun agentq-markdown--inline ()
  "Give what stands in the line at point its faces, without the signs round it."
  (pcase-dolist (`(,pattern ,face) agentq-markdown--inline)
    (save-excursion
      (while (re-search-forward pattern (pos-eol) t)
        (let ((target (match-string-no-properties 4)))
          (if (not (agentq-markdown--meant-p face))
              (goto-char (match-end 1))
            (agentq-markdown--hide (match-beginning 1) (match-end 1))
            (agentq-markdown--hide (match-beginning 3) (match-end 3))
            (if (eq face 'link)
                (agentq-links-make (match-beginning 2) (match-end 2) target)
              (agentq-markdown--add (match-beginning 2) (match-end 2) face))))))))

(defun agentq-markdown--add (beg end face)
  "Put FACE on the text from BEG to END, above the faces that it has."
  (while (< beg end)
    (let ((next (next-single-property-change beg 'face nil end))
          (over (get-text-property beg 'face)))
      (put-text-property beg next 'face (if over (append (ensure-list face) (ensure-list over)) face))
      (setq beg next))))

(defun agentq-markdown--meant-p (face)
  "Return non-nil if what was matched stands for FACE.
In code nothing does; a star may be that of a product or of names of files."
  (let ((before (char-before (match-beginning 1)))
        (after (char-after (match-end 3))))
    (cond ((seq-some (lambda (position)
                       (or (get-text-property position 'invisible)
                           (memq 'agentq-markdown-code
                                 (ensure-list (get-text-property position 'face)))))
                     (list (match-beginning 1) (match-beginning 3)))
           nil)
          ((memq face '(agentq-markdown-code link)) t)
          (t (and (or (null before) (> before 127) (seq-contains-p " \t\n([{\"'|>-~" before))
                  (or (null after) (> after 127) (seq-contains-p " \t\n.,;:!?)]}\"'|-~" after))
                  (not (memq (char-after (match-beginning 2)) '(?\s ?\t)))
                  (not (memq (char-before (match-end 2)) '(?\s ?\t))))))))

;;; Tables

(defun agentq-markdown--note-table ()
  "Take note of where a table begins, and put one in line that ends above point."
  (cond ((or agentq-markdown--fence
             (> (- (pos-eol) (point)) agentq-markdown--max-line)
             (not (looking-at-p agentq-table-row)))
         (agentq-markdown--end-table))
        ((not agentq-markdown--table)
         (setq agentq-markdown--table (copy-marker (point))))))

(defun agentq-markdown--end-table ()
  "Put the table that ends at point in line, if there is one."
  (when agentq-markdown--table
    (agentq-table-align agentq-markdown--table (point) (agentq-width))
    (set-marker agentq-markdown--table nil)
    (setq agentq-markdown--table nil)))

(provide 'agentq-markdown)

;;; agentq-markdown.el ends here
