;;; agentq-blocks.el --- The blocks of code in the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A block of code in an answer is copied, or becomes a proposal, which is reviewed
;; as any other.  The model is asked for the proposal: the conversation knows where
;; the code belongs.

;;; Code:

(require 'agentq-ask)

(defun agentq-blocks--at-point ()
  "Return (CODE . LANGUAGE) of the finished block of code at point."
  (let ((block (or (get-text-property (point) 'agentq-code)
                   (user-error "No finished block of code stands here"))))
    (save-excursion
      (let ((beg (previous-single-property-change (1+ (point)) 'agentq-code nil (point-min)))
            (end (next-single-property-change (point) 'agentq-code nil (point-max))))
        (cons (buffer-substring-no-properties
               (progn (goto-char beg) (forward-line) (point))
               (progn (goto-char end)
                      (unless (plist-get block :open) (forward-line -1))
                      (point)))
              (or (plist-get block :language) ""))))))

(defun agentq-blocks-copy ()
  "Copy the block of code at point, without its fences."
  (interactive nil agentq-chat-mode)
  (let ((code (car (agentq-blocks--at-point))))
    (kill-new code)
    (let ((count (length (split-string (string-trim-right code "\n") "\n"))))
      (message (ngettext "Copied %d line" "Copied %d lines" count) count))))

(defun agentq-blocks-propose ()
  "Ask the model to propose the block of code at point as an edit."
  (interactive nil agentq-chat-mode)
  (pcase-let* ((`(,code . ,language) (agentq-blocks--at-point))
               (fence (if (string-search "```" code) "````" "```")))
    (agentq-prompt (format "Propose this code of your answer as an edit, where it belongs:\n\n%s%s\n%s%s"
                           fence language code fence))))

(provide 'agentq-blocks)

;;; agentq-blocks.el ends here
