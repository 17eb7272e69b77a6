;;; agentq-lsp-mode.el --- Connections that lsp-mode holds  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Agent-Q is a workspace of lsp-mode, so `lsp-describe-session', the log of
;; messages and `lsp-workspace-shutdown' work as for any other server.
;;
;; Beside another TypeScript server lsp-mode gives the workspace no buffer:
;; agentq-sync.el keeps the server informed about the text, as under Eglot.  With
;; `agentq-lsp-mode-language-features' Agent-Q is the TypeScript server: lsp-mode
;; starts it by itself and manages the buffers with it.
;;
;; lsp-mode is no dependency of this package, so nothing of lsp-mode is needed
;; to compile this file.

;;; Code:

(require 'agentq)
(require 'agentq-connection)
(require 'agentq-lsp-mode-data)
(require 'lsp-mode nil t)

(defvar lsp-method-requirements)
(defvar lsp--buffer-workspaces)
(defvar lsp--cur-version)
(defvar lsp--cur-workspace)
(defvar lsp-clients)
(declare-function lsp--client-server-id "ext:lsp-mode" t t)
(declare-function lsp--flush-delayed-changes "ext:lsp-mode" ())
(declare-function lsp--start-connection "ext:lsp-mode" (session client root))
(declare-function lsp--workspace-client "ext:lsp-mode" t t)
(declare-function lsp--workspace-print "ext:lsp-mode" (workspace))
(declare-function lsp--workspace-proc "ext:lsp-mode" t t)
(declare-function lsp--workspace-root "ext:lsp-mode" t t)
(declare-function lsp-cancel-request-by-token "ext:lsp-mode" (cancel-token))
(declare-function lsp-execute-code-action "ext:lsp-mode" (action))
(declare-function lsp-notify "ext:lsp-mode" (method params))
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest keys))
(declare-function lsp-session "ext:lsp-mode" ())

(defclass agentq-lsp-mode-server (agentq-connected-server)
  ((workspace :initarg :workspace :reader agentq-lsp-mode--workspace)
   (pending :initform nil :accessor agentq-lsp-mode--pending
            :documentation "What fails when the server ends: functions of the error."))
  :documentation "A running Agent-Q server, a workspace of lsp-mode.")

(defmacro agentq-lsp-mode--in (server &rest body)
  "Do BODY with the workspace of SERVER as that of `lsp-mode'."
  (declare (indent 1) (debug t))
  `(let ((lsp--cur-workspace (agentq-lsp-mode--workspace ,server)))
     ,@body))

(defvar agentq-lsp-mode--servers (make-hash-table :test #'eq :weakness 'key)
  "The servers by their workspaces.
`agentq--servers' would not do: a server that died may be gone from there
before `lsp-mode' says that it has ended.")

(defun agentq-lsp-mode--server (workspace)
  "Return the server that is WORKSPACE, once it has started, or nil."
  (gethash workspace agentq-lsp-mode--servers))

;;; Starting and stopping

(defvar agentq-lsp-mode--command nil
  "The command of the server that is being started by a command of ours.")

(cl-defmethod agentq-connection-start ((_kind (eql lsp-mode)) project command)
  "Start a server for PROJECT by COMMAND under `lsp-mode'."
  (let* ((root (agentq--true-root project))
         (agentq-lsp-mode--command command)
         ;; The buffer from which lsp-mode starts a server is managed by it.
         (workspace (with-temp-buffer
                      (let ((default-directory root)
                            (buffer-file-name (expand-file-name "package.json" root)))
                        (lsp--start-connection (lsp-session) (gethash 'agentq lsp-clients)
                                               root))))
         (process (lsp--workspace-proc workspace))
         (deadline (+ (float-time) 30))
         server)
    (unwind-protect
        (while (and (process-live-p process)
                    (not (setq server (agentq-lsp-mode--server workspace)))
                    (< (float-time) deadline))
          (accept-process-output nil 0.05))
      (unless server
        (agentq-lsp-mode--forbid-restart workspace)
        (delete-process process)))
    (or server
        (user-error "Agent-Q did not start: %s"
                    (or (when-let* ((errors (get-buffer (format "*%s::stderr*"
                                                                (process-name process)))))
                          (agentq-connection-last-line errors))
                        "it did not answer")))))

(defun agentq-lsp-mode--connected (workspace)
  "Take note of WORKSPACE, whose server has started."
  (agentq--connected
   (puthash workspace (make-instance 'agentq-lsp-mode-server :workspace workspace)
            agentq-lsp-mode--servers)))

(defvar agentq-lsp-mode--type 'lsp--workspace
  "The type of the workspaces of `lsp-mode', unknown where that is not installed.
Written as a constant it would be looked up while this file is compiled.")

(defun agentq-lsp-mode--forbid-restart (workspace)
  "Keep `lsp-mode' from asking whether WORKSPACE is to be restarted."
  (setf (cl-struct-slot-value agentq-lsp-mode--type 'shutdown-action workspace) 'shutdown))

(defun agentq-lsp-mode--ended (workspace)
  "Tell those who follow the server of WORKSPACE that it has ended.
Beside another server it is started anew by the next command; `lsp-mode'
would ask about that while a person may be typing."
  (when (eq 'agentq (lsp--client-server-id (lsp--workspace-client workspace)))
    (agentq-lsp-mode--forbid-restart workspace))
  (when-let* ((server (agentq-lsp-mode--server workspace)))
    (remhash workspace agentq-lsp-mode--servers)
    (dolist (fail (agentq-lsp-mode--pending server))
      (funcall fail '(:code -1 :message "Server died")))
    (agentq--disconnected server)))

(cl-defmethod agentq-connection-shutdown ((server agentq-lsp-mode-server))
  "Ask SERVER to end, and see to it that it does."
  (let ((process (lsp--workspace-proc (agentq-lsp-mode--workspace server)))
        (deadline (+ (float-time) 3)))
    (agentq-lsp-mode--forbid-restart (agentq-lsp-mode--workspace server))
    (unwind-protect
        (with-demoted-errors "Agent-Q: %S"
          (agentq-connection-ask server :shutdown nil 3)
          (agentq-connection-notify server :exit nil)
          (while (and (process-live-p process) (< (float-time) deadline))
            (accept-process-output process 0.05)))
      (delete-process process))))

(cl-defmethod agentq-connection-running-p ((server agentq-lsp-mode-server))
  "Return non-nil while SERVER is alive."
  (process-live-p (lsp--workspace-proc (agentq-lsp-mode--workspace server))))

(cl-defmethod agentq-connection-name ((server agentq-lsp-mode-server))
  "Return the name of SERVER in `lsp-describe-session'."
  (lsp--workspace-print (agentq-lsp-mode--workspace server)))

(cl-defmethod agentq-connection-nickname ((server agentq-lsp-mode-server))
  "Return the name of the project of SERVER."
  (file-name-nondirectory (directory-file-name (agentq-connection-folder server))))

(cl-defmethod agentq-connection-folder ((server agentq-lsp-mode-server))
  "Return the root of the project of SERVER."
  (lsp--workspace-root (agentq-lsp-mode--workspace server)))

;;; Messages

(cl-defmethod agentq-connection-request ((server agentq-lsp-mode-server) method params timeout then else)
  "Send SERVER the request METHOD with PARAMS; later call THEN or ELSE.
TIMEOUT is in seconds; nil waits for ever."
  (agentq-lsp-mode--send server method params timeout then else))

(defun agentq-lsp-mode--send (server method params timeout then else)
  "Send SERVER the request METHOD with PARAMS; later call THEN or ELSE.
TIMEOUT is as in `agentq-connection-request'.  Return a function that
cancels the request while neither was called: neither will be then, and
the server is told."
  (let ((token (make-symbol "agentq"))
        fail timer)
    (cl-flet ((end-with (function value)
                (when (memq fail (agentq-lsp-mode--pending server))
                  (setf (agentq-lsp-mode--pending server)
                        (delq fail (agentq-lsp-mode--pending server)))
                  (when timer (cancel-timer timer))
                  (funcall function value))))
      (setq fail (lambda (reply) (end-with else reply)))
      (push fail (agentq-lsp-mode--pending server))
      (when timeout
        (setq timer (run-at-time timeout nil fail
                                 (list :message (format "No answer to %s in %s seconds"
                                                        method timeout)))))
      (if (agentq-connection-running-p server)
          (agentq-lsp-mode--in server
            ;; The server has what it is asked for, registered by now or not.
            (let (lsp-method-requirements)
              (lsp-request-async
               (agentq-lsp-mode--method method) params
               (lambda (results)
                 (end-with then (agentq-lsp-mode--received (cdar results))))
               :error-handler (lambda (reply) (funcall fail (agentq-lsp-mode--received reply)))
               :mode 'detached :no-merge t :cancel-token token)))
        (funcall fail '(:code -1 :message "Server died")))
      (lambda ()
        (end-with (lambda (_) (when (agentq-connection-running-p server)
                                (lsp-cancel-request-by-token token)))
                  nil)))))

(cl-defmethod agentq-connection-ask ((server agentq-lsp-mode-server) method params timeout
                                     &optional until-input)
  "Send SERVER the request METHOD with PARAMS and wait for TIMEOUT seconds.
With UNTIL-INPUT return nil as soon as the person types."
  (let* (answered
         result
         failure
         (cancel (agentq-lsp-mode--send server method params timeout
                                        (lambda (value) (setq answered t result value))
                                        (lambda (reply) (setq answered t failure reply)))))
    ;; A quit leaves the loop as well.
    (unwind-protect
        (while (not (or answered (and until-input (input-pending-p))))
          (accept-process-output nil 0.02))
      (funcall cancel))
    (when failure
      (error "%s" (plist-get failure :message)))
    result))

(cl-defmethod agentq-connection-notify ((server agentq-lsp-mode-server) method params)
  "Send SERVER the notification METHOD with PARAMS."
  (agentq-lsp-mode--in server
    (lsp-notify (agentq-lsp-mode--method method) params)))

(cl-defmethod agentq-connection-execute ((_server agentq-lsp-mode-server) action)
  "Carry out ACTION as `lsp-mode' does."
  (lsp-execute-code-action (agentq-lsp-mode--native action)))

;;; Documents

(cl-defmethod agentq-connection-manages-p ((server agentq-lsp-mode-server))
  "Return non-nil when `lsp-mode' syncs the current buffer with SERVER."
  (memq (agentq-lsp-mode--workspace server) lsp--buffer-workspaces))

(cl-defmethod agentq-connection-flush ((_server agentq-lsp-mode-server))
  "Send what was typed in the current buffer."
  (lsp--flush-delayed-changes))

(cl-defmethod agentq-connection-version ((_server agentq-lsp-mode-server))
  "Return the version of the current buffer; each change is sent at once."
  lsp--cur-version)

(provide 'agentq-lsp-mode)

;;; agentq-lsp-mode.el ends here
