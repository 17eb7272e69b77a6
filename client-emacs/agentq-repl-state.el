;;; agentq-repl-state.el --- The state of the live image  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Whether the process runs, how it is confined and why it died, for the line
;; above its log and for the mode line.

;;; Code:

(require 'agentq-client)
(require 'agentq-agent)
(require 'agentq-log)

(defvar agentq-repl-state--locked nil
  "Roots of the projects whose image the user has locked.")

(defvar-local agentq-repl-state--of nil
  "The server whose image has definitions and values, in a log.")

(defun agentq-repl-state-header ()
  "Return the line above the log: the state of the image and its confinement."
  (let* ((server (agentq-current-server))
         (state (and server (agentq-server-repl server)))
         (running (length agentq-log--running)))
    (string-replace
     "%" "%%"
     (string-join
      (delq nil
            (list (concat " image " (agentq-repl-state--word state))
                  (plist-get state :confinement)
                  (pcase (plist-get state :consent)
                    ("asked" "waits for M-x agentq-approve")
                    ("refused" "not allowed to run open; M-x agentq-restart-repl asks again"))
                  (when (eq t (plist-get state :locked))
                    "locked for the agent")
                  ;; Why it does not run without consent is said above.
                  (when-let* ((reason (and (not (agentq-repl-state--refused-p state))
                                           (plist-get state :reason))))
                    (car (split-string reason "\n")))
                  (when (> agentq-log--own-calls 0) "a tool runs")
                  (pcase running
                    (0 nil)
                    (1 "evaluating")
                    (_ (format "evaluating %d forms" running)))))
      " · "))))

(defun agentq-repl-state--refused-p (state)
  "Whether the user did not allow the image of the ReplStatus STATE to run."
  (equal (plist-get state :consent) "refused"))

(defun agentq-repl-state--word (state)
  "Return the word for the ReplStatus STATE, which may be nil."
  (pcase (plist-get state :state)
    ((or 'nil "notStarted" (guard (agentq-repl-state--refused-p state))) "not started")
    (word word)))

(defun agentq-repl-state-short (server)
  "Return what of the image of SERVER is worth a word in the mode line, or nil."
  (let* ((state (agentq-server-repl server))
         (word (plist-get state :state))
         (open (and (equal (plist-get state :confinement) "open") (plist-get state :pid)))
         (locked (eq t (plist-get state :locked))))
    (cond ((member word '(nil "notStarted")) nil)
          ((agentq-repl-state--refused-p state) "not allowed")
          (t (and (or open locked (not (equal word "idle")))
                  (string-join (delq nil (list (and (not (equal word "idle")) word)
                                               (and open "open")
                                               (and locked "locked")))
                               ", "))))))

;;;###autoload
(defun agentq-lock-repl (&optional unlock)
  "Lock the live image: the agent may look at it and no more.
With a prefix argument, or when UNLOCK is non-nil, unlock it."
  (interactive "P")
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/lockRepl (list :locked (if unlock :json-false t))
     :then (lambda (_status)
             (agentq-repl-state--remember-lock server (not unlock))
             (let ((text (if unlock
                             "the image is unlocked: the agent may run forms in it again"
                           (concat "the image is locked: the agent runs nothing in it until "
                                   "C-u M-x agentq-lock-repl"))))
               (agentq-log-note server text)
               (message "Agent-Q: %s" text))))))

(defun agentq-repl-state--remember-lock (server locked)
  "Remember whether the image of SERVER's project is LOCKED."
  (let ((root (agentq-server-root server)))
    (setq agentq-repl-state--locked (delete root agentq-repl-state--locked))
    (when locked
      (push root agentq-repl-state--locked))))

(defun agentq-repl-state--lock-again (server)
  "Lock the image of the new SERVER when that of its project was locked.
A server knows of no lock when it starts: the user's outlives it."
  (when (member (agentq-server-root server) agentq-repl-state--locked)
    (let ((say (lambda (text)
                 (agentq-log-note server text)
                 (message "Agent-Q: %s" text))))
      (agentq-request
       server :agentq/lockRepl '(:locked t)
       :then (lambda (_status)
               (funcall say (concat "the server is a new one: the image is locked again, as it was; "
                                    "C-u M-x agentq-lock-repl ends that")))
       :else (lambda (text &optional _code)
               (funcall say (format "the lock of the image is gone with its server: %s" text)))))))

(defun agentq-repl-state--tell-loss (server)
  "Say in the log of the new SERVER what went with the one before it."
  (with-current-buffer (agentq-log-buffer server)
    (when (and agentq-repl-state--of (not (eq agentq-repl-state--of server)))
      (setq agentq-repl-state--of nil)
      (agentq-log-note
       server
       (propertize "The server ended, and the image with it: definitions and values are gone."
                   'face 'warning)))))

(add-hook 'agentq-connect-functions #'agentq-repl-state--lock-again)
(add-hook 'agentq-connect-functions #'agentq-repl-state--tell-loss)

(defun agentq-repl-state--note (server state)
  "Remember the ReplStatus STATE of SERVER, and say when its process died."
  (let ((before (plist-get (agentq-server-repl server) :state)))
    (setf (agentq-server-repl server) state)
    (with-current-buffer (agentq-log-buffer server)
      (cond ((plist-get state :pid) (setq agentq-repl-state--of server))
            ((equal (plist-get state :state) "dead") (setq agentq-repl-state--of nil))))
    ;; One that dies while a form runs is told with the outcome of that form.
    (when (and (equal (plist-get state :state) "dead")
               before (not (equal before "dead"))
               (null (buffer-local-value 'agentq-log--running (agentq-log-buffer server)))
               (null (buffer-local-value 'agentq-agent--running (agentq-log-buffer server))))
      (let ((reason (or (plist-get state :reason) "The image's process is gone.")))
        (agentq-log-note server (concat (propertize reason 'face 'error) "\n"
                                         (propertize agentq-replay-hint 'face 'agentq-note)))
        (message "Agent-Q: %s" reason)))
    (force-mode-line-update t)))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/replState)) &rest state)
  "Remember the STATE of the image of SERVER."
  (agentq--quietly #'agentq-repl-state--note server state))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/statusChanged)) &rest status)
  "Remember the state of the image of SERVER, a part of STATUS."
  (agentq--quietly #'agentq-repl-state--note server (plist-get status :repl)))

(provide 'agentq-repl-state)

;;; agentq-repl-state.el ends here
