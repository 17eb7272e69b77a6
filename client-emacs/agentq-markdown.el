;;; agentq-markdown.el --- Markdown in text that grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A little Markdown, line by line, for answers that come in pieces.  Code between
;; fences has the colours of its language once its block is finished; places of
;; files are buttons.
;;
;; Invariant: each line is looked at once, when it is complete, so a piece of text
;; costs the same at the end of a long conversation as at its beginning.
;;
;; A finished block of code has the text property `agentq-code', a plist with
;; `:language' and, where its last fence is missing, `:open'.

;;; Code:

(require 'agentq-fontify)
(require 'agentq-places)

(defface agentq-markdown-heading '((t :inherit (bold font-lock-function-name-face)))
  "A heading." :group 'agentq)
(defface agentq-markdown-code '((t :inherit (fixed-pitch font-lock-constant-face)))
  "Code in the middle of a sentence." :group 'agentq)
(defface agentq-markdown-block '((t :inherit fixed-pitch))
  "A block of code, below the faces of its language." :group 'agentq)
(defface agentq-markdown-fence '((t :inherit shadow))
  "The lines around a block of code." :group 'agentq)
(defface agentq-markdown-quote '((t :inherit font-lock-comment-face))
  "A quotation." :group 'agentq)
(defface agentq-markdown-marker '((t :inherit font-lock-keyword-face))
  "What begins an item of a list." :group 'agentq)

(defconst agentq-markdown--max-line 4000
  "Characters above which a line is shown as it is.")

(defvar-local agentq-markdown--from nil
  "Marker at the first line that was not looked at, nil between answers.")
(defvar-local agentq-markdown--fence nil
  "The block of code that is open, a list (FENCE LANGUAGE BEGINNING), or nil.")

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
        (agentq-markdown--line)
        (forward-line))
      (set-marker agentq-markdown--from (point))
      (when ended
        (when agentq-markdown--fence
          (agentq-markdown--end-block (point) t))
        (set-marker agentq-markdown--from nil)
        (setq agentq-markdown--from nil)))))

(defun agentq-markdown--line ()
  "Give the line at point its faces."
  (pcase agentq-markdown--fence
    (`(,fence . ,_)
     (if (looking-at (concat "[ \t]*" fence (substring fence 0 1) "*[ \t]*$"))
         (progn (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-fence)
                (agentq-markdown--end-block (min (point-max) (1+ (pos-eol))) nil))
       (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-block)))
    (_
     (cond ((looking-at (rx (* blank) (group (or (>= 3 "`") (>= 3 "~")))
                            (* blank) (group (* (not (any blank "\n`{"))))
                            (* (not (any "`\n"))) eol))
            (setq agentq-markdown--fence
                  (list (match-string-no-properties 1) (match-string-no-properties 2)
                        (copy-marker (point))))
            (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-fence))
           ((> (- (pos-eol) (point)) agentq-markdown--max-line))
           ((looking-at (rx (** 1 6 "#") blank))
            (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-heading))
           (t (agentq-markdown--sentence))))))

(defun agentq-markdown--end-block (end open)
  "Give the block of code that ends at END the colours of its language.
With OPEN it has no last fence."
  (pcase-let* ((`(,_ ,language ,beginning) agentq-markdown--fence)
               (first (save-excursion (goto-char beginning) (min end (1+ (pos-eol)))))
               (last (if open end (save-excursion (goto-char end) (forward-line -1) (point)))))
    (when (< first last)
      (agentq-fontify-region first last language 'agentq-markdown-block))
    (put-text-property beginning end 'agentq-code (list :language language :open open))
    (set-marker beginning nil)
    (setq agentq-markdown--fence nil)))

(defun agentq-markdown--face (beg end face)
  "Put FACE on the text from BEG to END."
  (put-text-property beg end 'face face))

(defun agentq-markdown--sentence ()
  "Give the line at point, which is no code, its faces and its buttons."
  (cond ((looking-at (rx (* blank) ">"))
         (agentq-markdown--face (point) (pos-eol) 'agentq-markdown-quote))
        ((looking-at (rx (* blank) (group (or (any "-*+") (seq (** 1 9 digit) (any ".)")))) blank))
         (agentq-markdown--face (match-beginning 1) (match-end 1) 'agentq-markdown-marker)))
  (pcase-dolist (`(,pattern ,face)
                 `((,(rx "`" (group (+ (not (any "`\n")))) "`") agentq-markdown-code)
                   (,(rx (group "**" (+ (not (any "*\n"))) "**")) bold)
                   (,(rx (or bol (not (any "*" word))) (group "*" (not (any "* \n"))
                                                              (* (not (any "*\n"))) "*"))
                    italic)))
    (save-excursion
      (while (re-search-forward pattern (pos-eol) t)
        (unless (get-text-property (match-beginning 1) 'face)
          (agentq-markdown--face (match-beginning 1) (match-end 1) face)))))
  (agentq-places-make-buttons (point) (pos-eol)))

(provide 'agentq-markdown)

;;; agentq-markdown.el ends here
