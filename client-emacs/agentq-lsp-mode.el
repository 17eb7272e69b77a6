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
(require 'lsp-mode nil t)

(defvar lsp--buffer-workspaces)
(defvar lsp--cur-version)
(defvar lsp--cur-workspace)
(defvar lsp-auto-register-remote-clients)
(defvar lsp-clients)
(defvar lsp-file-watch-threshold)
(defvar lsp-use-plists)
(declare-function lsp--client-server-id "ext:lsp-mode" t t)
(declare-function lsp--flush-delayed-changes "ext:lsp-mode" ())
(declare-function lsp--server-register-capability "ext:lsp-mode" (registration))
(declare-function lsp--start-connection "ext:lsp-mode" (session client root))
(declare-function lsp--workspace-client "ext:lsp-mode" t t)
(declare-function lsp--workspace-print "ext:lsp-mode" (workspace))
(declare-function lsp--workspace-proc "ext:lsp-mode" t t)
(declare-function lsp--workspace-root "ext:lsp-mode" t t)
(declare-function lsp-buffer-language "ext:lsp-mode" ())
(declare-function lsp-cancel-request-by-token "ext:lsp-mode" (cancel-token))
(declare-function lsp-execute-code-action "ext:lsp-mode" (action))
(declare-function lsp-notify "ext:lsp-mode" (method params))
(declare-function lsp-register-client "ext:lsp-mode" (client))
(declare-function lsp-request-async "ext:lsp-mode" (method params callback &rest keys))
(declare-function lsp-session "ext:lsp-mode" ())
(declare-function lsp-stdio-connection "ext:lsp-mode" (command &optional test))
(declare-function make-lsp-client "ext:lsp-mode" t t)

(defcustom agentq-lsp-mode-language-features nil
  "Whether Agent-Q is the TypeScript server of `lsp-mode'.
Then `lsp' starts it in TypeScript and JavaScript buffers instead of
another server, and it gives completion, hover, diagnostics and the rest."
  :group 'agentq
  :type 'boolean)

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

;;; Data

(defun agentq-lsp-mode--received (value)
  "Return VALUE, as `lsp-mode' received it, with property lists for objects."
  (cond ((hash-table-p value)
         (let (members)
           (maphash (lambda (key member)
                      (push (intern (concat ":" key)) members)
                      (push (agentq-lsp-mode--received member) members))
                    value)
           (nreverse members)))
        ((vectorp value) (vconcat (mapcar #'agentq-lsp-mode--received value)))
        (t value)))

(defun agentq-lsp-mode--native (value)
  "Return VALUE with such objects as this `lsp-mode' was compiled for."
  (cond (lsp-use-plists value)
        ((vectorp value) (vconcat (mapcar #'agentq-lsp-mode--native value)))
        ((keywordp (car-safe value))
         (let ((table (make-hash-table :test #'equal)))
           (cl-loop for (key member) on value by #'cddr
                    do (puthash (substring (symbol-name key) 1)
                                (agentq-lsp-mode--native member) table))
           table))
        (t value)))

(defun agentq-lsp-mode--method (method)
  "Return the keyword METHOD as `lsp-mode' wants it."
  (substring (symbol-name method) 1))

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

(defun agentq-lsp-mode--forbid-restart (workspace)
  "Keep `lsp-mode' from asking whether WORKSPACE is to be restarted."
  (setf (cl-struct-slot-value 'lsp--workspace 'shutdown-action workspace) 'shutdown))

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
            (lsp-request-async
             (agentq-lsp-mode--method method) params
             (lambda (results)
               (end-with then (agentq-lsp-mode--received (cdar results))))
             :error-handler (lambda (reply) (funcall fail (agentq-lsp-mode--received reply)))
             :mode 'detached :no-merge t :cancel-token token))
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

(defun agentq-lsp-mode--receive (method)
  "Return what handles the notification METHOD for `lsp-mode'."
  (lambda (workspace params)
    (when-let* ((server (agentq-lsp-mode--server workspace)))
      (agentq-connection-receive server method (agentq-lsp-mode--received params)))))

(defun agentq-lsp-mode--answer (method)
  "Return what answers the request METHOD for `lsp-mode'."
  (lambda (workspace params reply)
    (condition-case problem
        (funcall reply (agentq-connection-answer (agentq-lsp-mode--server workspace) method
                                                 (agentq-lsp-mode--received params)))
      (agentq-connection-refused
       (agentq-lsp-mode--refuse reply -32602 (cadr problem)))
      (error
       (agentq-lsp-mode--refuse reply -32603 (error-message-string problem))))))

(defun agentq-lsp-mode--refuse (reply code message)
  "Answer by REPLY with an error, CODE and MESSAGE.
REPLY of `lsp-mode' sends results only: the function that makes responses
of them is another one for the while."
  (cl-letf (((symbol-function 'lsp--make-response)
             (lambda (id _result)
               (list :jsonrpc "2.0" :id id :error (list :code code :message message)))))
    (funcall reply nil)))

(defun agentq-lsp-mode--register-capabilities (_workspace params)
  "Take note of the capabilities in PARAMS.
`lsp-mode' asks before it watches many folders, in the midst of its handler;
here they are watched, as under Eglot."
  (let ((lsp-file-watch-threshold nil)
        (inhibit-interaction t))
    (seq-do #'lsp--server-register-capability
            (if (hash-table-p params)
                (gethash "registrations" params)
              (plist-get params :registrations)))
    nil))

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

(defun agentq-lsp-mode--before-open (_workspace)
  "Leave the current buffer to `lsp-mode', which is about to open it."
  (when agentq-sync-mode (agentq-sync-mode -1)))

;;; The clients

(defun agentq-lsp-mode--table (handlers function)
  "Return the methods of HANDLERS as `lsp-mode' takes them, made by FUNCTION."
  (let ((table (make-hash-table :test #'equal)))
    (maphash (lambda (method _)
               (puthash (symbol-name method) (funcall function method) table))
             handlers)
    table))

(defun agentq-lsp-mode--options ()
  "Return the settings that go along with the handshake."
  (plist-get (seq-drop-while #'stringp (or agentq-lsp-mode--command (agentq-command)))
             :initializationOptions))

(defun agentq-lsp-mode--register (id &rest more)
  "Register the client ID of `lsp-mode'; MORE are arguments of the constructor."
  (let ((requests (make-hash-table :test #'equal))
        (actions (make-hash-table :test #'equal))
        (lsp-auto-register-remote-clients nil))
    (when (eq id 'agentq)
      (puthash "client/registerCapability" #'agentq-lsp-mode--register-capabilities requests))
    (puthash "agentq.ask" (lambda (action)
                            (agentq-code-actions-ask (agentq-lsp-mode--received action)))
             actions)
    (lsp-register-client
     (apply #'make-lsp-client
            :server-id id
            :new-connection (lsp-stdio-connection
                             (lambda ()
                               (seq-take-while #'stringp (or agentq-lsp-mode--command
                                                             (agentq-command))))
                             (lambda () (ignore-errors (agentq-command))))
            :custom-capabilities `((experimental . ,agentq-connection-capabilities))
            :notification-handlers (agentq-lsp-mode--table agentq-connection-notifications
                                                           #'agentq-lsp-mode--receive)
            :request-handlers requests
            :async-request-handlers (agentq-lsp-mode--table agentq-connection-requests
                                                            #'agentq-lsp-mode--answer)
            :action-handlers actions
            :before-file-open-fn #'agentq-lsp-mode--before-open
            more))))

(defun agentq-lsp-mode--after-initialize ()
  "Take note of the workspace that has just started if it is one of ours."
  (when (memq (lsp--client-server-id (lsp--workspace-client lsp--cur-workspace))
              '(agentq agentq-ts))
    (agentq-lsp-mode--connected lsp--cur-workspace)))

(when (featurep 'lsp-mode)
  ;; Started by our commands alone, and never given a buffer.
  (agentq-lsp-mode--register 'agentq
                             :add-on? t
                             :activation-fn #'ignore
                             :initialization-options #'agentq-lsp-mode--options)
  (agentq-lsp-mode--register 'agentq-ts
                             :priority 10
                             :activation-fn
                             (lambda (&rest _)
                               (and agentq-lsp-mode-language-features
                                    (member (lsp-buffer-language)
                                            '("typescript" "typescriptreact"
                                              "javascript" "javascriptreact"))
                                    t))
                             :initialization-options
                             (lambda ()
                               (append '(:languageFeatures "on") (agentq-lsp-mode--options))))
  (add-hook 'lsp-after-initialize-hook #'agentq-lsp-mode--after-initialize)
  (add-hook 'lsp-after-uninitialized-functions #'agentq-lsp-mode--ended))

(provide 'agentq-lsp-mode)

;;; agentq-lsp-mode.el ends here
