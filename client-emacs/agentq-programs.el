;;; agentq-programs.el --- Choose a running program for forms  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The person chooses among the programs that `agentq run' started in the project's
;; folders.  The log says when the chosen one ends and when it runs again.

;;; Code:

(require 'agentq-client)
(require 'agentq-log)
(require 'agentq-process)

(agentq-define-state agentq-server-programs
  "Return the RunningProcesses that SERVER told last, nil before it told any.")

(defconst agentq-programs--repl "the REPL" "How the process of the REPL is called in a choice.")

(defun agentq-process (id)
  "Let all forms of this project go to the program ID from now on.
With nil they go to the REPL.  Programs are those that were started with
`agentq run' in a terminal."
  (interactive (list (agentq-programs--read (agentq-ensure-server))))
  (let* ((server (agentq-ensure-server))
         ;; Who has just chosen need not wait again.
         (program (and id (or (agentq-programs--find id (agentq-programs--known server))
                              (agentq-programs--find id (agentq-programs--ask server))))))
    (when (and id (null program) (not (equal id (agentq-process-of server))))
      (user-error "No program %s runs here" id))
    (agentq-process-set server id (agentq-get RunningProcess program :pid))
    (agentq-programs--say
     server
     (concat (format "forms go to %s from now on"
                     (or (agentq-process-place server) agentq-programs--repl))
             (when-let* ((why (agentq-get RunningProcess program :why)))
               (concat "; " why))))))

(defun agentq-programs--read (server)
  "Read where forms of SERVER's project shall go; nil is the REPL."
  (let* ((programs (agentq-programs--ask server))
         (chosen (agentq-process-of server))
         (ids (seq-uniq (append (mapcar (agentq-getter RunningProcess :id) programs)
                                (and chosen (list chosen))))))
    (unless ids
      (user-error "No program runs here; in a terminal `agentq run -- COMMAND' starts one"))
    (let* ((choices (cons agentq-programs--repl ids))
           (metadata `(metadata (display-sort-function . identity)
                                (annotation-function
                                 . ,(lambda (choice) (agentq-programs--annotation choice programs)))))
           (answer (completing-read
                    (format-prompt "Forms go to" agentq-programs--repl)
                    (lambda (text predicate action)
                      (if (eq action 'metadata) metadata
                        (complete-with-action action choices text predicate)))
                    nil t nil nil agentq-programs--repl)))
      (unless (equal answer agentq-programs--repl) answer))))

(defun agentq-programs--annotation (choice programs)
  "Return what is said behind CHOICE, which is the REPL or one of PROGRAMS."
  (let ((program (agentq-programs--find choice programs)))
    (cond (program (format "  process %d  node %s" (agentq-get RunningProcess program :pid)
                           (agentq-get RunningProcess program :command)))
          ((equal choice agentq-programs--repl) "")
          (t "  not running"))))

(defun agentq-programs--find (id programs)
  "Return the one of PROGRAMS whose id is ID, or nil."
  (seq-find (lambda (program) (equal id (agentq-get RunningProcess program :id))) programs))

(defun agentq-programs--ask (server)
  "Ask SERVER for its RunningProcess objects, and return them as a list."
  (condition-case problem
      (let* ((before (agentq-server-programs server))
             (now (agentq-connection-ask server :agentq/listProcesses
                                         agentq-connection-empty-object 10)))
        ;; What is told while the answer comes is newer than that.
        (when (eq before (agentq-server-programs server))
          (agentq-programs--note server now))
        (agentq-programs--known server))
    (error
     (if (string-match-p "-32601\\|Unhandled method" (format "%S" problem))
         (user-error "This Agent-Q server knows no running programs: it is older than this client")
       (signal (car problem) (cdr problem))))))

(defun agentq-programs--known (server)
  "Return a list of the RunningProcess objects that SERVER told last."
  (append (agentq-get RunningProcesses (agentq-server-programs server) :processes) nil))

(defun agentq-programs--note (server now)
  "Take note of NOW, the RunningProcesses of SERVER.
Say what became of the program where forms go."
  (setf (agentq-server-programs server) now)
  (let* ((id (agentq-process-of server))
         (before (and id (agentq-process-pid server)))
         (programs (agentq-programs--known server))
         (pid (and id (agentq-get RunningProcess (agentq-programs--find id programs) :pid))))
    (unless (equal before pid)
      (agentq-process-set server id pid)
      (when before
        (agentq-programs--say server (format "%s has ended, or was detached: what was defined in it is gone." id)))
      (when pid
        (agentq-programs--say server (format "%s runs again (process %d)." id pid))))))

(defun agentq-programs--say (server text)
  "Write TEXT into the log of SERVER and show it."
  (agentq-log-note server text)
  (agentq-say (concat "Agent-Q: " text)))

(defun agentq-programs--look (server)
  "Learn of the new SERVER what became of the program where forms go."
  (when (agentq-process-of server)
    (agentq-request server :agentq/listProcesses nil
                    :then (lambda (now) (agentq-programs--note server now))
                    :else (lambda (text &optional _code) (agentq-programs--say server text)))))

(add-hook 'agentq-connect-functions #'agentq-programs--look)

(agentq-define-notification agentq/processesChanged (server now)
  "Take note of NOW, the programs beside SERVER."
  (agentq-programs--note server now))

(provide 'agentq-programs)

;;; agentq-programs.el ends here
