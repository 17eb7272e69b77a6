;;; agentq-edit-context.el --- What stands round a text that is edited  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A person who writes the text of a hunk sees the lines of the file before and behind
;; it.  They are shown by overlays: the buffer has the text of the hunk alone, so that
;; no command can change those lines or take them for a part of it.

;;; Code:

(require 'agentq-fontify)
(require 'agentq-visible)
(require 'agentq-whole-lines)

(defface agentq-edit-context '((t :inherit shadow))
  "Face of lines of the file round a text that is edited."
  :group 'agentq)

(defconst agentq-edit-context--lines 3 "Lines of the file that are shown on each side.")

(defun agentq-edit-context-show (hunk)
  "Show round the text of the current buffer what stands round HUNK."
  (pcase (agentq-whole-lines-around hunk agentq-edit-context--lines)
    (`(,before . ,after)
     (pcase-let ((`(,before . ,after)
                  (agentq-edit-context--coloured (agentq-visible before) (buffer-string)
                                                 (agentq-visible after)
                                                 (file-name-extension
                                                  (agentq-uri-to-path (agentq-get Hunk hunk :uri))))))
       (overlay-put (make-overlay (point-min) (point-min)) 'before-string before)
       (unless (string-empty-p after)
         ;; Else the cursor at the end of the text would be seen behind these lines.
         (put-text-property 0 1 'cursor t after))
       (let ((end (make-overlay (point-max) (point-max) nil t t)))
         (overlay-put end 'agentq-after after)
         (overlay-put end 'after-string after)
         (when (eql 0 (agentq-get Hunk hunk :range :end :character))
           (agentq-edit-context--join end)
           (add-hook 'after-change-functions
                     (lambda (&rest _) (agentq-edit-context--join end)) nil t)))))))

(defun agentq-edit-context--join (end)
  "Put the context that the overlay END has on a line of its own.
The last line of the text is ended when the text is accepted."
  (let ((after (overlay-get end 'agentq-after)))
    (overlay-put end 'after-string
                 (if (memq (char-before (point-max)) '(nil ?\n))
                     after
                   (concat (propertize "\n" 'cursor t) after)))))

(defun agentq-edit-context--coloured (before text after language)
  "Return (BEFORE . AFTER) as code of LANGUAGE that stands round TEXT."
  (with-temp-buffer
    (insert before (substring-no-properties text) after)
    (agentq-fontify-region (point-min) (point-max) language 'agentq-edit-context)
    (cons (buffer-substring (point-min) (+ (point-min) (length before)))
          (buffer-substring (- (point-max) (length after)) (point-max)))))

(provide 'agentq-edit-context)

;;; agentq-edit-context.el ends here
