;;; agentq-enclosing.el --- What a place in a text belongs to  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The head of a hunk names the function or class round the hunk, as `git diff' does.
;; Indentation tells what stands round a line: that needs no grammar and no server,
;; works for a file that nobody visits, and finds a method where a search for lines
;; that begin in column 0 finds the class.

;;; Code:

(require 'seq)
(require 'subr-x)

(defconst agentq-enclosing--control
  (rx bos (or "if" "else" "for" "while" "do" "switch" "case" "default" "try" "catch" "finally"
              "with" "return" "throw" "await" "yield")
      eow)
  "The beginning of a line that opens a block with no name.")

(defun agentq-enclosing (position lines)
  "Return the line that begins what stands round LINES in this buffer, or nil.
LINES, of which the first that is not blank counts, stand at POSITION, the
beginning of a line, or are to stand there."
  (when-let* ((line (seq-find (lambda (line) (not (string-blank-p line))) lines)))
    (save-excursion
      (goto-char position)
      (let ((limit (agentq-enclosing--depth line))
            found)
        (while (and (not found) (> limit 0) (zerop (forward-line -1)))
          (let* ((above (buffer-substring-no-properties (pos-bol) (pos-eol)))
                 (depth (agentq-enclosing--depth above))
                 (words (string-trim above)))
            (when (and (< depth limit) (not (string-empty-p words)))
              (cond ((string-match-p (rx bos (any "])}")) words)
                     ;; The end of a head on several lines, or of a block that is not round LINES.
                     (setq limit (if (string-match-p (rx (any "[({") eos) words) (1+ depth) 0)))
                    (t (setq limit depth)
                       (when (and (string-match-p (rx bos (any alpha "_$#\"'`")) words)
                                  (not (string-match-p agentq-enclosing--control words)))
                         (setq found (agentq-enclosing--words words))))))))
        found))))

(defun agentq-enclosing--depth (line)
  "Return how far LINE is indented, in characters."
  (- (length line) (length (string-trim-left line "[ \t]+"))))

(defun agentq-enclosing--words (line)
  "Return LINE without the words and brackets in which there is no name."
  (replace-regexp-in-string (rx (or (seq bos "export " (opt "default ")) (seq (* space) (any "[({") eos)))
                            "" line))

(provide 'agentq-enclosing)

;;; agentq-enclosing.el ends here
