;;; agentq-repl-state.el --- The state of the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Whether the process of the REPL runs, how it is confined and why it died, for
;; the line above the log and for the mode line; and the person's lock.  While forms
;; go to a running program, both name that in place of the REPL.

;;; Code:

(require 'agentq-client)
(require 'agentq-agent)
(require 'agentq-log)
(require 'agentq-process)

(agentq-define-state agentq-server-repl
  "Return the ReplStatus of SERVER, nil before one was told.")

(defvar agentq-repl-state--locked nil
  "Roots of the projects whose REPL the person has locked.")

(defvar-local agentq-repl-state--of nil
  "The server whose REPL has definitions and values, in a log.")

(defun agentq-repl-state-header ()
  "Return the line above the log: where forms go, and how that is."
  (let* ((server (agentq-current-server))
         (state (and server (agentq-server-repl server)))
         (running (length agentq-log--running)))
    (string-replace
     "%" "%%"
     (string-join
      (delq nil
            (list (concat " " (or (and server (agentq-process-place server))
                                  (agentq-repl-state--words state)))
                  (when (eq t (agentq-get ReplStatus state :locked))
                    "locked for the agent")
                  (unless (and server (agentq-process-of server))
                    (agentq-repl-state--reason state))
                  (when (> agentq-log--own-calls 0) "a tool runs")
                  (pcase running
                    (0 nil)
                    (1 "evaluating")
                    (_ (format "evaluating %d forms" running)))))
      " · "))))

(defun agentq-repl-state--words (state)
  "Return the ReplStatus STATE in words, with the confinement."
  (string-join
   (delq nil
         (list (concat "REPL " (agentq-repl-state--word state))
               (agentq-repl-state--level state)
               (pcase (agentq-get ReplStatus state :consent)
                 ("asked" "waits for M-x agentq-approve")
                 ("refused" "not allowed to run open; M-x agentq-restart-repl asks again"))))
   " · "))

(defun agentq-repl-state--reason (state)
  "Return why the REPL of the ReplStatus STATE does not run, on one line, or nil.
Why it does not run without consent is said by `agentq-repl-state--words'."
  (when-let* ((reason (and (not (agentq-repl-state--refused-p state))
                           (agentq-get ReplStatus state :reason))))
    (car (split-string reason "\n"))))

(defun agentq-repl-state--level (state)
  "Return the level of the ReplStatus STATE; older servers tell less."
  (or (agentq-get ReplStatus state :level)
      (agentq-get ReplStatus state :confinement)))

(defun agentq-repl-state--refused-p (state)
  "Whether the person did not allow the REPL of the ReplStatus STATE to run."
  (equal (agentq-get ReplStatus state :consent) "refused"))

(defun agentq-repl-state--word (state)
  "Return the word for the ReplStatus STATE, which may be nil."
  (pcase (agentq-get ReplStatus state :state)
    ((or 'nil "notStarted" (guard (agentq-repl-state--refused-p state))) "not started")
    (word word)))

(defun agentq-repl-state-short (server)
  "Return what of the REPL of SERVER is worth a word in the mode line, or nil."
  (let* ((state (agentq-server-repl server))
         (word (agentq-get ReplStatus state :state))
         (weak (and (agentq-get ReplStatus state :pid)
                    (car (member (agentq-repl-state--level state) '("open" "limited")))))
         (locked (eq t (agentq-get ReplStatus state :locked))))
    (cond ((and server (agentq-process-of server))
           (string-join (delq nil (list (agentq-process-of server)
                                        (unless (agentq-process-pid server) "not running")
                                        (and locked "locked")))
                        ", "))
          ((member word '(nil "notStarted")) nil)
          ((agentq-repl-state--refused-p state) "not allowed")
          (t (and (or weak locked (not (equal word "idle")))
                  (string-join (delq nil (list (and (not (equal word "idle")) word)
                                               weak
                                               (and locked "locked")))
                               ", "))))))

;;;###autoload
(defun agentq-lock-repl (&optional unlock)
  "Lock the REPL: the agent may look at it and no more.
With a prefix argument, or when UNLOCK is non-nil, unlock it."
  (interactive "P")
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/lockRepl (agentq-make LockReplParams :locked (if unlock :json-false t))
     :then (lambda (_status)
             (agentq-repl-state--remember-lock server (not unlock))
             (let ((text (if unlock
                             "the REPL is unlocked: the agent may run forms in it again"
                           (concat "the REPL is locked: the agent runs nothing in it until "
                                   "C-u M-x agentq-lock-repl"))))
               (agentq-log-note server text)
               (message "Agent-Q: %s" text))))))

(defun agentq-repl-state--remember-lock (server locked)
  "Remember whether the REPL of SERVER's project is LOCKED."
  (let ((root (agentq-server-root server)))
    (setq agentq-repl-state--locked (delete root agentq-repl-state--locked))
    (when locked
      (push root agentq-repl-state--locked))))

(defun agentq-repl-state--lock-again (server)
  "Lock the REPL of the new SERVER when that of its project was locked.
A server knows of no lock when it starts: the person's outlives it."
  (when (member (agentq-server-root server) agentq-repl-state--locked)
    (let ((say (lambda (text)
                 (agentq-log-note server text)
                 (message "Agent-Q: %s" text))))
      (agentq-request
       server :agentq/lockRepl (agentq-make LockReplParams :locked t)
       :then (lambda (_status)
               (funcall say (concat "the server is a new one: the REPL is locked again, as it was; "
                                    "C-u M-x agentq-lock-repl ends that")))
       :else (lambda (text &optional _code)
               (funcall say (format "the lock of the REPL is gone with its server: %s" text)))))))

(defun agentq-repl-state--tell-loss (server)
  "Say in the log of the new SERVER what went with the one before it."
  (with-current-buffer (agentq-log-buffer server)
    (when (and agentq-repl-state--of (not (eq agentq-repl-state--of server)))
      (setq agentq-repl-state--of nil)
      (agentq-log-note
       server
       (propertize "The server ended, and the REPL with it: definitions and values are gone."
                   'face 'warning)))))

(add-hook 'agentq-connect-functions #'agentq-repl-state--lock-again)
(add-hook 'agentq-connect-functions #'agentq-repl-state--tell-loss)

(defun agentq-repl-state--note (server state)
  "Remember the ReplStatus STATE of SERVER, and say when its process died."
  (let ((before (agentq-get ReplStatus (agentq-server-repl server) :state)))
    (setf (agentq-server-repl server) state)
    (with-current-buffer (agentq-log-buffer server)
      (cond ((agentq-get ReplStatus state :pid) (setq agentq-repl-state--of server))
            ((equal (agentq-get ReplStatus state :state) "dead") (setq agentq-repl-state--of nil))))
    ;; One that dies while a form runs is told with the outcome of that form.
    (when (and (equal (agentq-get ReplStatus state :state) "dead")
               before (not (equal before "dead"))
               (null (agentq-log-running (agentq-log-buffer server) nil))
               ;; The keys of forms in a program are no strings.
               (not (seq-some (lambda (form) (stringp (car form)))
                              (buffer-local-value 'agentq-agent--running
                                                  (agentq-log-buffer server)))))
      (let ((reason (or (agentq-get ReplStatus state :reason) "The REPL's process is gone.")))
        (agentq-log-note server (concat (propertize reason 'face 'error) "\n"
                                        (propertize agentq-replay-hint 'face 'agentq-note)))
        (message "Agent-Q: %s" reason)))
    (force-mode-line-update t)))

(agentq-define-notification agentq/replState (server state)
  "Remember the STATE of the REPL of SERVER."
  (agentq-repl-state--note server state))

(agentq-define-notification agentq/statusChanged (server status)
  "Remember the state of the REPL of SERVER, a part of STATUS."
  (agentq-repl-state--note server (agentq-get Status status :repl)))

(provide 'agentq-repl-state)

;;; agentq-repl-state.el ends here
