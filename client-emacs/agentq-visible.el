;;; agentq-visible.el --- Characters that hide what a text does  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Text that a person approves is shown with every deceiving character written
;; out, such as <U+202E>: characters that turn the direction of the text, those
;; without a width, and control characters.

;;; Code:

(defconst agentq-visible--pattern
  (rx (any (0 . 8) (11 . 31) (127 . 159)          ; controls, but for tab and newline
           #xad #x34f #x61c #x115f #x1160 #x17b4 #x17b5 #x2800 #x3164 #xffa0
           (#x180b . #x180f) (#x200b . #x200f) (#x2028 . #x202e) (#x2060 . #x206f)
           (#xfdd0 . #xfdef) (#xfe00 . #xfe0f) #xfeff (#xfff0 . #xfffb) (#xfffe . #xffff)
           (#x13430 . #x1343f) #x16fe4 (#x1bca0 . #x1bca3) #x1d159
           (#x1d173 . #x1d17a)
           (#xe0000 . #xe0fff)))
  "A character that is not seen, or that changes how others are seen.")

(defun agentq-visible (text)
  "Return TEXT with each character that is not seen written as <U+HEX>."
  (replace-regexp-in-string
   agentq-visible--pattern
   (lambda (char) (format "<U+%04X>" (aref char 0)))
   (string-replace "\r\n" "\n" text) t t))

(defun agentq-visible-line (text)
  "Return TEXT on one line, as `agentq-visible' does."
  (string-replace "\n" "<U+000A>" (agentq-visible text)))

(provide 'agentq-visible)

;;; agentq-visible.el ends here
