;;; agentq-process.el --- The program in which forms run  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Forms of a project run in the process of the REPL, or in a program that the person
;; started with `agentq run' and has chosen (agentq-programs.el).  The choice belongs
;; to the project: it outlives the program and the server, so that no form goes to the
;; REPL in place of a program that is gone.
;;
;; A program counts its forms and values by itself: $7 of one is not $7 of another,
;; nor that of the REPL.  Each text of the log has the id of its program as the property
;; `agentq-process'.

;;; Code:

(require 'agentq-client)

(defvar agentq-process--chosen nil
  "Alist from roots of projects to (ID . PID) of the program where forms go.
PID is nil while the program does not run.")

(defun agentq-process-of (server)
  "Return the id of the program where forms of SERVER's project go.
It is nil for the process of the REPL."
  (cadr (agentq-process--entry server)))

(defun agentq-process-pid (server)
  "Return the number of the process that `agentq-process-of' names for SERVER.
It is nil while the program does not run."
  (cddr (agentq-process--entry server)))

(defun agentq-process--entry (server)
  "Return the entry of SERVER's project in `agentq-process--chosen'."
  (assoc (agentq-server-root server) agentq-process--chosen))

(defun agentq-process-set (server id pid)
  "Let forms of SERVER's project go to the program ID, nil for the REPL.
PID is the number of the process, nil while the program does not run."
  (setf (alist-get (agentq-server-root server) agentq-process--chosen nil t #'equal)
        (and id (cons id pid)))
  (force-mode-line-update t))

(defun agentq-process-place (server)
  "Return where forms of SERVER's project go, in words, or nil for the REPL."
  (when-let* ((id (agentq-process-of server)))
    (if-let* ((pid (agentq-process-pid server)))
        (format "%s (process %d)" id pid)
      (format "%s (not running)" id))))

(defun agentq-process-key (process id)
  "Return the key of the form ID of PROCESS, which no form of others has.
PROCESS is the id of a program, nil for the REPL."
  (if process (cons process id) id))

(defconst agentq-process--most 24 "Columns of an id before the lines of its program.")

(defun agentq-process-mark (process text)
  "Return TEXT of the log as one of PROCESS, which is nil for the REPL.
Each line shows the id of the program, unless TEXT names it by itself:
then TEXT begins with the property `line-prefix'."
  (cond ((or (null process) (string-empty-p text)) text)
        ((get-text-property 0 'line-prefix text) (propertize text 'agentq-process process))
        (t (let ((prefix (propertize (concat (truncate-string-to-width
                                              process agentq-process--most nil nil t)
                                             " | ")
                                     'face 'agentq-note)))
             (propertize text 'agentq-process process 'line-prefix prefix 'wrap-prefix prefix)))))

(defun agentq-process-at (position)
  "Return the id of the program that the log at POSITION is of, nil for the REPL."
  (get-text-property position 'agentq-process))

(provide 'agentq-process)

;;; agentq-process.el ends here
