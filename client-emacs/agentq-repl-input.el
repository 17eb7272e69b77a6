;;; agentq-repl-input.el --- The prompt at the end of the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Forms are typed behind a prompt at the end of the log, as in other REPLs: with a
;; history, with completion, and on several lines.  What stands above the prompt
;; grows while somebody types, and what is typed stays where it is.
;;
;; Invariant: what was typed is taken away only after the form was sent.

;;; Code:

(require 'comint)
(require 'agentq-complete)

(declare-function agentq-eval "agentq-eval")
(declare-function agentq-repl-go "agentq-log" ())

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
  "Begin the prompt at the end of the current buffer.
Return a marker at its beginning, before which the log grows."
  (let ((process (make-pipe-process :name "agentq-repl-input" :buffer (current-buffer)
                                    :noquery t :filter #'ignore :sentinel #'ignore))
        (inhibit-read-only t)
        (start (goto-char (point-max))))
    (insert (propertize "> " 'face 'comint-highlight-prompt 'field 'output 'read-only t
                        'front-sticky '(read-only) 'rear-nonsticky '(face field read-only)))
    ;; The functions of comint for the history ask the process where the input begins.
    (set-marker (process-mark process) (point-max))
    (setq-local comint-input-ignoredups t
                completion-at-point-functions (list #'agentq-repl-input--complete)
                agentq-complete-start-function #'agentq-repl-input-start)
    (dolist (code (reverse agentq-repl-history))
      (comint-add-to-input-history code))
    (copy-marker start t)))

(defun agentq-repl-input-start ()
  "Return where the input of the current buffer begins."
  (process-mark (get-buffer-process (current-buffer))))

(defun agentq-repl-input--complete ()
  "Complete the form that is typed."
  (when-let* (((>= (point) (agentq-repl-input-start)))
              (server (agentq-current-server)))
    (agentq-repl-complete server)))

(defun agentq-repl-input-return ()
  "Evaluate the form that is typed, or begin a new line in one that is open.
An empty line at the end evaluates whatever stands there.  Above the
prompt go to the place that the line names."
  (interactive)
  (let ((code (string-trim (buffer-substring-no-properties (agentq-repl-input-start) (point-max)))))
    (cond ((< (point) (agentq-repl-input-start)) (agentq-repl-go))
          ((string-empty-p code))
          ((and (agentq-repl-input--open-p)
                (not (save-excursion (goto-char (point-max))
                                     (string-blank-p (buffer-substring (pos-bol) (point))))))
           (agentq-repl-input-newline))
          (t (agentq-repl-input--send code)))))

(defun agentq-repl-input--send (code)
  "Evaluate CODE, which is what is typed."
  (agentq-eval code)
  (comint-add-to-input-history code)
  (add-to-history 'agentq-repl-history code)
  (setq comint-input-ring-index nil
        comint-stored-incomplete-input nil)
  (delete-region (agentq-repl-input-start) (point-max))
  (goto-char (point-max)))

(defun agentq-repl-input-newline ()
  "Begin a new line of the form that is typed, indented by what is open."
  (interactive)
  (insert "\n" (make-string (* 2 (max 0 (car (agentq-repl-input--state (point))))) ?\s)))

(defun agentq-repl-input--state (end)
  "Return the state of the form that is typed at END, as `parse-partial-sexp' does."
  (with-syntax-table agentq-repl-input--syntax
    (let ((parse-sexp-ignore-comments t))
      (save-excursion
        (parse-partial-sexp (agentq-repl-input-start) end)))))

(defun agentq-repl-input--open-p ()
  "Return non-nil if a bracket, a template or a comment of the form is open."
  (let ((state (agentq-repl-input--state (point-max))))
    (or (> (car state) 0)
        (eq (nth 3 state) ?`)
        (and (nth 4 state) (not (nth 7 state))))))

(provide 'agentq-repl-input)

;;; agentq-repl-input.el ends here
