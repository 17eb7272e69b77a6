;;; agentq-read.el --- Read a text in the minibuffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Prompts, code and reasons are typed in the minibuffer, and may be long.
;;
;; Invariant: a quit loses nothing that was typed; M-p brings it back.

;;; Code:

(require 'subr-x)
(require 'agentq-tramp)

(defvar agentq-reason-history nil "Reasons why something was rejected or denied.")

(defconst agentq-read--pause 0.3 "Seconds without a key before a question takes keys.")

(defun agentq-read-soon (function &rest arguments)
  "Call FUNCTION, which asks something, with ARGUMENTS, but not at once.
While an answer of the server is handled nothing is asked, and what a person
types in the meantime is meant for no question."
  (apply #'agentq-tramp-run-when-idle agentq-read--pause function arguments))

(defun agentq-read (prompt history &optional initial keymap default)
  "Read a text with PROMPT; HISTORY is the symbol of its history.
INITIAL, KEYMAP and DEFAULT are as in `read-from-minibuffer'.
What was typed before a quit becomes the newest of HISTORY."
  (let ((typed ""))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'minibuffer-exit-hook
                    (lambda () (setq typed (minibuffer-contents-no-properties)))
                    nil t))
      (condition-case quit
          (read-from-minibuffer prompt initial keymap nil history default)
        (quit
         (unless (or (string-blank-p typed) (equal typed initial))
           (add-to-history history typed))
         (signal (car quit) (cdr quit)))))))

(defun agentq-read-reason (prompt)
  "Read with PROMPT why something is rejected or denied, \"\" for no reason."
  (string-trim (agentq-read prompt 'agentq-reason-history)))

(provide 'agentq-read)

;;; agentq-read.el ends here
