;;; agentq-links.el --- Links of Markdown  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A link shows its words and is a button.
;;
;; Invariant: what a link of a model leads to is shown before anything is asked for it,
;; and a link leads to no file of another machine than that of the project.

;;; Code:

(require 'button)
(require 'agentq-visible)

(defconst agentq-links-pattern
  (rx (group "[") (group (+ (not (any "[]\n")))) (group "](" (group-n 4 (+ (not (any ") \t\n")))) ")"))
  "A link of Markdown: what begins it, its words, what ends them, and its target.")

(defvar-local agentq-links-follow-function #'agentq-links--follow
  "Function that goes to the target of a link.")

(define-button-type 'agentq-link
  'follow-link t
  'face 'link
  'action (lambda (button) (funcall agentq-links-follow-function (button-get button 'agentq-target))))

(defun agentq-links-make (beg end target)
  "Make the text from BEG to END a button that leads to TARGET."
  (make-text-button beg end 'type 'agentq-link 'agentq-target target
                    'help-echo (agentq-visible-line target)))

(defun agentq-links--follow (target)
  "Go to TARGET, a file of the project, or an address after a question."
  (let ((file (replace-regexp-in-string (rx (or "#" (seq ":" digit)) (* anychar) eos) "" target))
        (line (and (string-match (rx (or "#L" ":") (group (+ digit))) target)
                   (string-to-number (match-string 1 target)))))
    (cond ((string-match-p (rx bos "http" (opt "s") "://") target)
           (when (y-or-n-p (format "Open %s? " (agentq-visible-line target)))
             (browse-url target)))
          ((and (not (file-remote-p file)) (file-regular-p file))
           (find-file-other-window file)
           (when line
             (goto-char (point-min))
             (forward-line (1- line))))
          (t (message "No file here is called %s" (agentq-visible-line target))))))

(provide 'agentq-links)

;;; agentq-links.el ends here
