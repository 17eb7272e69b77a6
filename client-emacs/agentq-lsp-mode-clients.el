;;; agentq-lsp-mode-clients.el --- Agent-Q as a client of lsp-mode  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Registers Agent-Q with lsp-mode, once as a server beside the person's TypeScript
;; server and once as the only one, and hands on what either server sends.

;;; Code:

(require 'agentq-connection)
(require 'agentq-key)
(require 'agentq-lsp-mode)
(require 'agentq-lsp-mode-data)

(defvar lsp--cur-workspace)
(defvar lsp-auto-register-remote-clients)
(defvar lsp-file-watch-threshold)
(declare-function lsp--client-server-id "ext:lsp-mode" t t)
(declare-function lsp--server-register-capability "ext:lsp-mode" (registration))
(declare-function lsp--workspace-client "ext:lsp-mode" t t)
(declare-function lsp-buffer-language "ext:lsp-mode" ())
(declare-function lsp-register-client "ext:lsp-mode" (client))
(declare-function lsp-stdio-connection "ext:lsp-mode" (command &optional test))
(declare-function make-lsp-client "ext:lsp-mode" t t)

(defcustom agentq-lsp-mode-language-features nil
  "Whether Agent-Q is the TypeScript server of `lsp-mode'.
Then `lsp' starts it in TypeScript and JavaScript buffers instead of
another server, and it gives completion, hover, diagnostics and the rest."
  :group 'agentq
  :type 'boolean)

;;; What the server sends

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

;;; The clients

(defun agentq-lsp-mode--before-open (_workspace)
  "Leave the current buffer to `lsp-mode', which is about to open it."
  (when agentq-sync-mode (agentq-sync-mode -1)))

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
            :environment-fn #'agentq-key-environment
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

(provide 'agentq-lsp-mode-clients)

;;; agentq-lsp-mode-clients.el ends here
