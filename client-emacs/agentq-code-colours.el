;;; agentq-code-colours.el --- The code of a diff in the colours of its language  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The lines of a hunk have the faces of their language, before those of `diff-mode'.
;; `diff-font-lock-syntax' could do that, but chooses the major mode by what the text
;; says of itself, and the text is a model's.
;;
;; A hunk is coloured when it comes into sight.

;;; Code:

(require 'agentq-fontify)
(require 'agentq-hunks)

(defun agentq-code-colours-match (limit)
  "Find the next code before LIMIT that has a face of its language.
This is a matcher for font-lock; the face is the text property `agentq-code'."
  (let (found)
    (while (and (not found) (< (point) limit))
      (agentq-code-colours--colour (point))
      (let ((end (min limit (next-single-property-change (point) 'agentq-code nil limit))))
        (if (get-text-property (point) 'agentq-code)
            (progn (set-match-data (list (point) end))
                   (setq found t))
          ;; The next hunk has no colours yet.
          (setq end (min end (next-single-property-change (point) 'agentq-hunk nil limit))))
        (goto-char end)))
    found))

(defun agentq-code-colours--colour (position)
  "Put `agentq-code' on the code of the hunk at POSITION, unless that was done."
  (when-let* ((key (get-text-property position 'agentq-hunk))
              ((not (get-text-property position 'agentq-coloured)))
              (beginning (agentq-review--beginning-of key))
              (end (agentq-review--end-of key)))
    (with-silent-modifications
      (put-text-property beginning end 'agentq-coloured t)
      (when-let* ((hunk (agentq-review--hunk-of
                         (agentq-known-proposal agentq-review--server (car key)) key))
                  (language (file-name-extension (agentq-uri-to-path (agentq-get Hunk hunk :uri)))))
        ;; Lines that stay belong to both texts, and are what they are in the later one.
        (dolist (signs '("[- ]" "[+ ]"))
          (agentq-code-colours--side beginning end signs language))))))

(defun agentq-code-colours--side (beginning end signs language)
  "Colour the lines from BEGINNING to END that begin with SIGNS, as LANGUAGE."
  (save-excursion
    (goto-char beginning)
    (forward-line 1)
    (let (starts lines)
      (while (< (point) end)
        (when (looking-at-p signs)
          (push (1+ (point)) starts)
          (push (buffer-substring-no-properties (1+ (point)) (pos-eol)) lines))
        (forward-line 1))
      (cl-loop for start in (nreverse starts)
               for line in (split-string (agentq-fontify-string (string-join (nreverse lines) "\n")
                                                                language)
                                         "\n")
               do (agentq-code-colours--line start line)))))

(defun agentq-code-colours--line (start line)
  "Put the faces of LINE on the text from START, as `agentq-code'."
  (let ((from 0))
    (while (< from (length line))
      (let ((to (next-single-property-change from 'face line (length line))))
        (put-text-property (+ start from) (+ start to)
                           'agentq-code (get-text-property from 'face line))
        (setq from to)))))

(provide 'agentq-code-colours)

;;; agentq-code-colours.el ends here
