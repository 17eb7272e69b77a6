;;; agentq-table.el --- Tables of Markdown with their columns in line  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What stands between two cells of a table is shown as wide as the columns need; the
;; text stays as it is.  A table that is wider than the window stays as it was written.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defface agentq-table-line '((t :inherit shadow))
  "What stands between the cells of a table." :group 'agentq)

(defconst agentq-table-row (rx (* blank) "|" (+ nonl) "|" (* blank) eol)
  "What a row of a table looks like.")

(defconst agentq-table--rule (rx bos (opt ":") (+ "-") (opt ":") eos)
  "What a cell of the line below the head of a table looks like.")

(defconst agentq-table--most-rows 200 "Rows above which a table stays as it was written.")

(defun agentq-table-align (beg end room)
  "Show the rows from BEG to END with their columns in line.
ROOM is how many columns of the screen there are.  What cannot have room is
left alone at once."
  (when (and (<= (* 4 (length (save-excursion (goto-char beg) (agentq-table--cells)))) room)
             (<= (count-lines beg end) agentq-table--most-rows))
    (agentq-table--align beg end room)))

(defun agentq-table--align (beg end room)
  "Do what `agentq-table-align' does from BEG to END in ROOM columns."
  (let* ((rows (save-excursion
                 (goto-char beg)
                 (cl-loop while (< (point) end)
                          collect (agentq-table--cells)
                          do (forward-line))))
         (sides (agentq-table--sides (cadr rows)))
         (shown (cons (car rows) (cddr rows)))
         (widths (cl-loop for column below (length sides)
                          maximize 1 into least
                          collect (cl-loop for row in shown
                                           maximize (agentq-table--width (nth column row))))))
    (when (and sides (<= (apply #'+ 1 (mapcar (lambda (width) (+ 3 width)) widths)) room))
      (pcase-let ((`(,first . ,last) (agentq-table--ends (car rows))))
        (add-face-text-property first last 'bold))
      (dolist (row shown)
        (agentq-table--show-row row widths sides))
      (agentq-table--show-rule (cadr rows) widths))))

(defun agentq-table--cells ()
  "Return the cells of the row at point, conses (BEG . END) of their texts."
  (let ((line (pos-eol))
        bars)
    (save-excursion
      (while (re-search-forward "|" line t)
        (unless (eq ?\\ (char-before (1- (point))))
          (push (1- (point)) bars)))
      (cl-loop for (from to) on (nreverse bars)
               while to
               collect (let* ((beg (progn (goto-char (1+ from)) (skip-chars-forward " \t" to) (point)))
                              (end (progn (goto-char to) (skip-chars-backward " \t" beg) (point))))
                         (cons beg end))))))

(defun agentq-table--sides (rule)
  "Return on which side the texts of each column stand, by the cells RULE.
Return nil where RULE is no line below a head."
  (let ((texts (mapcar (pcase-lambda (`(,beg . ,end)) (buffer-substring-no-properties beg end))
                       rule)))
    (and (cl-every (lambda (text) (string-match-p agentq-table--rule text)) texts)
         (mapcar (lambda (text)
                   (cond ((not (string-suffix-p ":" text)) 'left)
                         ((string-prefix-p ":" text) 'middle)
                         (t 'right)))
                 texts))))

(defun agentq-table--width (cell)
  "Return how many columns of the screen CELL takes, 0 where a row has none."
  (pcase cell
    (`(,beg . ,end)
     (cl-loop with width = 0
              while (< beg end)
              for next = (next-single-property-change beg 'invisible nil end)
              unless (invisible-p beg) do (cl-incf width (string-width (buffer-substring beg next)))
              do (setq beg next)
              finally return width))
    (_ 0)))

(defun agentq-table--show-row (row widths sides)
  "Show the cells ROW as wide as WIDTHS, each on its side of SIDES."
  (let ((from (car (agentq-table--ends row)))
        (behind ""))
    (cl-loop for (beg . end) in row
             for width in widths
             for side in sides
             for space = (- width (agentq-table--width (cons beg end)))
             for left = (pcase side ('left 0) ('middle (/ space 2)) ('right space))
             do (agentq-table--show from beg (concat behind "| " (make-string left ?\s)))
             (setq from end
                   behind (concat (make-string (- space left) ?\s) " ")))
    (agentq-table--show from (cdr (agentq-table--ends row)) (concat behind "|"))))

(defun agentq-table--show-rule (row widths)
  "Show the cells ROW as a line below columns of WIDTHS."
  (pcase-let ((`(,beg . ,end) (agentq-table--ends row)))
    (agentq-table--show beg end
                        (concat "|" (mapconcat (lambda (width) (make-string (+ 2 width) ?-)) widths "|")
                                "|"))))

(defun agentq-table--ends (row)
  "Return (BEG . END) of the line of the cells ROW."
  (save-excursion
    (goto-char (caar row))
    (cons (pos-bol) (pos-eol))))

(defun agentq-table--show (beg end text)
  "Show TEXT in place of what stands from BEG to END."
  (put-text-property beg end 'display (propertize text 'face 'agentq-table-line)))

(provide 'agentq-table)

;;; agentq-table.el ends here
