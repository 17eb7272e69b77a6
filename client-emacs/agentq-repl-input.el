;;; agentq-repl-input.el --- The prompt at the end of the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Forms are typed behind a prompt at the end of the log, as in other REPLs
;; (agentq-typing.el): with completion from the process, and on several lines while
;; a bracket is open.

;;; Code:

(require 'agentq-complete)
(require 'agentq-typing)

(declare-function agentq-eval "agentq-eval")
(declare-function agentq-repl-go "agentq-log" (&optional event))

(defvar agentq-repl-input--syntax
  (let ((table (make-syntax-table)))
    (dolist (quote-mark '(?\" ?' ?`))
      (modify-syntax-entry quote-mark "\"" table))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    table)
  "Enough of the syntax of TypeScript to see what is open in a form.")

(defun agentq-repl-input-setup ()
  "Begin the prompt at the end of the current buffer."
  (agentq-typing-setup 'agentq-repl-history)
  (setq agentq-typing-send-function #'agentq-eval
        agentq-typing-open-p-function #'agentq-repl-input--open-p
        agentq-typing-indent-function #'agentq-repl-input--columns
        agentq-typing-above-function #'agentq-repl-go)
  (setq-local completion-at-point-functions (list #'agentq-repl-input--complete)))

(defun agentq-repl-input--complete ()
  "Complete the form that is typed."
  (when-let* (((not (agentq-typing-above-p)))
              (server (agentq-current-server)))
    (agentq-repl-complete server)))

(defun agentq-repl-input--columns ()
  "Return by how much a line at point is indented, which is by what is open."
  (* 2 (max 0 (car (agentq-repl-input--state (point))))))

(defun agentq-repl-input--state (end)
  "Return the state of the form that is typed at END, as `parse-partial-sexp' does."
  (with-syntax-table agentq-repl-input--syntax
    (let ((parse-sexp-ignore-comments t))
      (save-excursion
        (parse-partial-sexp (agentq-typing-start) end)))))

(defun agentq-repl-input--open-p ()
  "Return non-nil if a bracket, a template or a comment of the form is open.
An empty line at the end closes whatever is."
  (let ((state (agentq-repl-input--state (point-max))))
    (and (or (> (car state) 0)
             (eq (nth 3 state) ?`)
             (and (nth 4 state) (not (nth 7 state))))
         (not (agentq-typing-blank-end-p)))))

(provide 'agentq-repl-input)

;;; agentq-repl-input.el ends here
