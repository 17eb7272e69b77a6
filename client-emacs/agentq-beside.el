;;; agentq-beside.el --- The outcome of a form beside it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The outcome of a form that was taken from a file stands behind the last line of
;; the form, until that line changes.  It is an overlay: the text of the buffer, its
;; undo and its modified state know nothing of it.

;;; Code:

(require 'agentq-describe)

(defcustom agentq-results-beside t
  "Whether the outcome of a form from a file is shown behind the form."
  :group 'agentq
  :type 'boolean)

(defface agentq-beside '((t :inherit shadow :slant italic))
  "The outcome of a form behind its last line." :group 'agentq)

(defconst agentq-beside--width 80
  "Columns of an outcome that are shown.")

(defun agentq-beside-place (beg end)
  "Mark where the outcome of the form from BEG to END of the buffer will stand.
Return a function of the outcome as text, or nil for none: it shows the
first line, unless the last line of the form has changed by then."
  (if (not (and agentq-results-beside buffer-file-name))
      #'ignore
    (save-excursion
      (goto-char end)
      (skip-chars-backward " \t\r\n" beg)
      (agentq-beside-clear beg (pos-eol))
      (let ((overlay (make-overlay (pos-bol) (pos-eol))))
        (overlay-put overlay 'agentq-beside t)
        (overlay-put overlay 'evaporate t)
        (dolist (hook '(modification-hooks insert-in-front-hooks insert-behind-hooks))
          (overlay-put overlay hook '(agentq-beside--changed)))
        (lambda (outcome)
          (if (null outcome)
              (delete-overlay overlay)
            (overlay-put overlay 'after-string (agentq-beside--string outcome))))))))

(defun agentq-beside--string (outcome)
  "Return the first line of OUTCOME as it stands behind a form."
  (let* ((line (car (split-string outcome "\n")))
         (face (get-text-property 0 'face outcome))
         (words (concat " => " (truncate-string-to-width (substring-no-properties line)
                                                         agentq-beside--width nil nil t))))
    (add-face-text-property 0 (length words) (if (memq face '(error warning)) face 'agentq-beside)
                            nil words)
    ;; Point at the end of the line is before the outcome.
    (put-text-property 0 1 'cursor t words)
    words))

(defun agentq-beside--changed (overlay &rest _)
  "Take OVERLAY away: its line is about to change, or has changed."
  (delete-overlay overlay))

(defun agentq-beside-clear (&optional beg end)
  "Take away the outcomes between BEG and END, by default in the whole buffer."
  (interactive)
  (remove-overlays beg end 'agentq-beside t))

(provide 'agentq-beside)

;;; agentq-beside.el ends here
