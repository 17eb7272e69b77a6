;;; agentq-eglot.el --- Connections that Eglot holds  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agentq-server' is a kind of `eglot-lsp-server', started by `eglot' itself, so
;; its events buffer, `eglot-list-connections', `eglot-reconnect' and
;; `eglot-shutdown' work as for any other server.
;;
;; Eglot gives a buffer one server, the first one found under the buffer's
;; project.  Agent-Q is registered under a project of its own (agentq-project.el),
;; so it takes no buffer away from the person's TypeScript server, and
;; agentq-sync.el keeps it informed about the text.  Where the person made Agent-Q
;; the TypeScript server, by an entry in `eglot-server-programs', Eglot manages the
;; buffers with it.

;;; Code:

(require 'eglot)
(require 'agentq)
(require 'agentq-connection)
(require 'agentq-key)
(require 'agentq-project)

(defclass agentq-server (agentq-connected-server eglot-lsp-server)
  ()
  :documentation "A running Agent-Q server.")

(cl-defmethod initialize-instance :around ((server agentq-server) &rest _)
  "Give the process of SERVER the model's key in its environment.
On another machine wait for the start of its program."
  (agentq-key-with
    (if (not (file-remote-p default-directory))
        (cl-call-next-method)
      (when (agentq-remote-with-sign #'cl-call-next-method)
        (agentq-remote-await (jsonrpc--process server) (or eglot-connect-timeout 30))))))

(cl-defmethod initialize-instance :after ((server agentq-server) &rest _)
  "Tell those who follow SERVER of its end, before Eglot can connect anew.
A server that our commands started is started anew by the next one of them:
where Eglot did that as well, there could be two for one project.
When a person quits the start, Eglot throws to a catch that is gone once
the server has ended, which is nobody's concern then."
  (add-function :around (process-sentinel (jsonrpc--process server))
                (lambda (sentinel process change)
                  (condition-case nil
                      (funcall sentinel process change)
                    (no-catch nil))))
  (let ((then (jsonrpc--on-shutdown server)))
    (setf (jsonrpc--on-shutdown server)
          (lambda (server)
            (when (eq 'agentq (car-safe (eglot--project server)))
              (setf (eglot--inhibit-autoreconnect server) t))
            (agentq-tramp-when-free
             (and (agentq-server--connected server) (agentq-connection-host server))
             (lambda ()
               (agentq--disconnected server)
               (funcall then server))))))
  (add-function :around (process-filter (jsonrpc--process server)) #'agentq-tramp-keep-timers))

(cl-defmethod eglot-client-capabilities ((_server agentq-server))
  "Announce what this client can do.
Positions are UTF-16 only: a buffer may be managed by another server
that negotiated something else for Eglot's position functions."
  (let ((capabilities (copy-tree (cl-call-next-method))))
    (plist-put capabilities :general '(:positionEncodings ["utf-16"]))
    (plist-put capabilities :experimental agentq-connection-capabilities)))

;;; Starting and stopping

(cl-defmethod agentq-connection-start ((_kind (eql eglot)) project command)
  "Start a server for PROJECT by COMMAND under Eglot."
  (let* ((eglot-sync-connect t)
         (project (cons 'agentq project))
         (server (condition-case problem
                     (eglot '(agentq) project 'agentq-server command '("typescript"))
                   (error (user-error "Agent-Q did not start: %s"
                                      (or (agentq-eglot--last-words project)
                                          (error-message-string problem)))))))
    ;; After a quit Eglot returns something else.
    (if (agentq-server-p server)
        server
      (user-error "Agent-Q was not started"))))

(defun agentq-eglot--last-words (project)
  "Return what a server of PROJECT that did not start printed last, if anything."
  (when-let* ((buffer (get-buffer (format " *EGLOT (%s/(agentq)) stderr*"
                                          (project-name project)))))
    (agentq-connection-last-line buffer)))

(cl-defmethod agentq-connection-shutdown ((server agentq-server))
  "Ask SERVER to end, and see to it that it does.
`eglot-shutdown' fails in a buffer that Eglot does not manage."
  (setf (eglot--shutdown-requested server) t)
  (unwind-protect
      (with-demoted-errors "Agent-Q: %S"
        (jsonrpc-request server :shutdown nil :timeout 3)
        (jsonrpc-notify server :exit nil))
    (jsonrpc-shutdown server t)))

(defun agentq-eglot--connected (server)
  "Take note of SERVER when it is an Agent-Q server."
  (when (object-of-class-p server 'agentq-server)
    (agentq--connected server)))

(add-to-list 'agentq-project-contexts 'eglot-lsp-context)

(add-hook 'eglot-connect-hook #'agentq-eglot--connected)

(cl-defmethod agentq-connection-running-p ((server agentq-server))
  "Return non-nil while SERVER is alive."
  (jsonrpc-running-p server))

(cl-defmethod agentq-connection-name ((server agentq-server))
  "Return the name of SERVER in `eglot-list-connections'."
  (jsonrpc-name server))

(cl-defmethod agentq-connection-nickname ((server agentq-server))
  "Return the name of the project of SERVER."
  (eglot-project-nickname server))

(cl-defmethod agentq-connection-folder ((server agentq-server))
  "Return the root of the project of SERVER."
  (project-root (eglot--project server)))

;;; Messages

(cl-defmethod agentq-connection-request ((server agentq-server) method params timeout then else)
  "Send SERVER the request METHOD with PARAMS; later call THEN or ELSE.
TIMEOUT is in seconds; nil waits for ever."
  (jsonrpc-async-request
   server method params :timeout timeout :success-fn then :error-fn else
   :timeout-fn (lambda ()
                 (funcall else (list :message (format "No answer to %s in %s seconds"
                                                      method timeout))))))

(cl-defmethod agentq-connection-ask ((server agentq-server) method params timeout
                                     &optional until-input)
  "Send SERVER the request METHOD with PARAMS and wait for TIMEOUT seconds.
With UNTIL-INPUT return nil as soon as the person types.  SERVER hears when
nobody waits any more, after a quit for one."
  (let ((id (1+ (jsonrpc--next-request-id server)))
        (result 'left))
    (unwind-protect
        (setq result (jsonrpc-request server method params :timeout timeout
                                      :cancel-on-input until-input
                                      :cancel-on-input-retval 'left))
      (when (and (eq result 'left) (jsonrpc-running-p server))
        (jsonrpc-notify server '$/cancelRequest (list :id id))))
    (unless (eq result 'left) result)))

(cl-defmethod agentq-connection-notify ((server agentq-server) method params)
  "Send SERVER the notification METHOD with PARAMS."
  (jsonrpc-notify server method params))

(cl-defmethod eglot-handle-notification ((server agentq-server) method &rest params)
  "Do what the notification METHOD of SERVER with PARAMS means."
  (cl-remf params :jsonrpc-json)
  (unless (agentq-connection-receive server method params)
    (agentq-tramp-when-free (agentq-connection-host server)
                            (lambda () (cl-call-next-method)))))

(cl-defmethod eglot-handle-request ((server agentq-server) method &rest params)
  "Answer the request METHOD of SERVER with PARAMS."
  (if (gethash method agentq-connection-requests)
      (condition-case problem
          (agentq-connection-answer server method params)
        (agentq-connection-refused
         (jsonrpc-error :code -32602 :message (cadr problem))))
    (cl-call-next-method)))

(cl-defmethod agentq-connection-execute ((server agentq-server) action)
  "Have SERVER carry out ACTION as Eglot does."
  (eglot-execute server action))

(cl-defmethod eglot-execute :around ((_server agentq-server) action)
  "Say to the agent what ACTION names, or do as ever."
  (unless (agentq-code-actions-ask action)
    (cl-call-next-method)))

;;; Documents

(cl-defmethod agentq-connection-manages-p ((server agentq-server))
  "Return non-nil when Eglot syncs the current buffer with SERVER."
  (and (eglot-managed-p) (eq server (eglot-current-server))))

(cl-defmethod agentq-connection-flush ((_server agentq-server))
  "Send what was typed in the current buffer."
  (eglot--signal-textDocument/didChange))

(cl-defmethod agentq-connection-version ((_server agentq-server))
  "Return the version of the current buffer if its text was sent."
  (unless eglot--recent-changes eglot--versioned-identifier))

(defun agentq-eglot--before-rename ()
  "Close the document that another name will have, whatever server has it."
  (when (eglot-managed-p) (eglot--signal-textDocument/didClose)))

(defun agentq-eglot--after-rename ()
  "Open the document that has another name now."
  (when (eglot-managed-p) (eglot--signal-textDocument/didOpen)))

(add-hook 'agentq-connection-before-rename-hook #'agentq-eglot--before-rename)
(add-hook 'agentq-connection-after-rename-hook #'agentq-eglot--after-rename)

(defun agentq-eglot--diagnostic (diagnostic)
  "Return what the server of Eglot said of the Flymake DIAGNOSTIC."
  (alist-get 'eglot-lsp-diag (flymake-diagnostic-data diagnostic)))

(add-hook 'agentq-connection-diagnostic-functions #'agentq-eglot--diagnostic)

(provide 'agentq-eglot)

;;; agentq-eglot.el ends here
