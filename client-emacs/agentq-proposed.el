;;; agentq-proposed.el --- Another text for a proposed hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The person accepts a hunk with a text of their own, which is written in a
;; buffer with the major mode of the file.

;;; Code:

(require 'agentq-review)

(defvar-local agentq-review--edit-finish nil "Function that takes the edited text.")

(defvar-keymap agentq-review-edit-mode-map
  :doc "Keys of `agentq-review-edit-mode'."
  "C-c C-c" #'agentq-review-edit-finish
  "C-c C-k" #'agentq-review-edit-abort
  "<remap> <save-buffer>" #'agentq-review-edit-save)

(define-minor-mode agentq-review-edit-mode
  "Edit the new text of a hunk.
\\{agentq-review-edit-mode-map}"
  :interactive nil
  (setq header-line-format
        (substitute-command-keys
         "\\<agentq-review-edit-mode-map> \\[agentq-review-edit-finish] accept with \
this text  \\[agentq-review-edit-abort] leave undecided")))

(defun agentq-review-edit (&optional stop)
  "Accept the hunk at point with another text, written in a buffer.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (let* ((review (current-buffer))
         (hunk (agentq-review--hunk-at-point))
         (path (if (member (agentq-get Hunk hunk :kind) '("rename" "delete"))
                   (user-error "To %s has no text to change"
                               (agentq-visible-line (agentq-get Hunk hunk :title)))
                 (agentq-uri-to-path (agentq-get Hunk hunk :uri))))
         (mode (assoc-default path auto-mode-alist #'string-match)))
    (pop-to-buffer (generate-new-buffer
                    (format "*agentq-edit: %s*" (file-name-nondirectory path))))
    (insert (string-replace "\r\n" "\n" (agentq-get Hunk hunk :newText)))
    (goto-char (point-min))
    (when (and (symbolp mode) (fboundp mode))
      (ignore-errors (delay-mode-hooks (funcall mode))))
    (font-lock-mode)
    (glyphless-display-mode)
    (agentq-review-edit-mode)
    (setq agentq-review--edit-finish
          (lambda (text)
            (with-current-buffer review
              (agentq-review--decide (list hunk) "edit"
                                     (agentq-review--whole-lines text hunk) stop))))))

(defun agentq-review--whole-lines (text hunk)
  "Return TEXT, the person's own for HUNK, with the line ends that HUNK has.
Its last line is ended where that of the hunk was: else what follows in
the file would be joined to it."
  (let* ((old (agentq-get Hunk hunk :oldText))
         (new (agentq-get Hunk hunk :newText))
         (model (if (string-empty-p new) old new))
         (whole (if (or (string-empty-p text) (string-suffix-p "\n" text)
                        (not (string-suffix-p "\n" model)))
                    text
                  (concat text "\n"))))
    (if (string-search "\r\n" (concat old new))
        (string-replace "\n" "\r\n" whole)
      whole)))

(defun agentq-review-edit-save ()
  "Say how the text of this buffer is accepted: it has no file."
  (interactive nil agentq-review-edit-mode)
  (user-error "%s" (substitute-command-keys
                    "This text has no file yet; \\[agentq-review-edit-finish] accepts it")))

(defun agentq-review-edit-finish ()
  "Accept the hunk with the text of this buffer."
  (interactive nil agentq-review-edit-mode)
  (funcall agentq-review--edit-finish
           (buffer-substring-no-properties (point-min) (point-max)))
  (quit-window t))

(defun agentq-review-edit-abort ()
  "Give up editing; the hunk stays undecided."
  (interactive nil agentq-review-edit-mode)
  (quit-window t))

(provide 'agentq-proposed)

;;; agentq-proposed.el ends here
