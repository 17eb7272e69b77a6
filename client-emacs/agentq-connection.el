;;; agentq-connection.el --- A connection to the server, whoever holds it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Emacs has two clients for language servers, Eglot and lsp-mode, and people have
;; set up one of them.  Agent-Q is reached through either: a connection is an object
;; with a few operations, and the rest of the client uses nothing else of the two.
;; agentq-eglot.el and agentq-lsp-mode.el make connections; each is loaded when
;; the library is that it speaks to.
;;
;; Data is the same under both: objects are property lists with keywords, arrays
;; are vectors, null is nil, and what is sent has `:json-false' for false.  What
;; is received may have nil for false, as lsp-mode has.
;;
;; Invariants:
;; - Nothing above this file names Eglot or lsp-mode (test/emacs/connection.test.ts).
;; - Above this file a URI of a file on another machine has the host in it, below it none.
;; - A handler answers at once and never asks anything: all of them run with
;;   `inhibit-interaction'.  What needs a person waits for a command.

;;; Code:

(require 'cl-lib)
(require 'eieio)
(require 'agentq-remote)
(require 'agentq-tramp)

(defcustom agentq-connection nil
  "Which client for language servers holds the connection to Agent-Q.
With nil it is the one that manages the buffer; where none does, lsp-mode
if that is loaded, else Eglot.  That to another machine is held by Eglot."
  :group 'agentq
  :type '(choice (const :tag "The one that manages the buffer" nil)
                 (const :tag "Eglot" eglot)
                 (const :tag "lsp-mode" lsp-mode)))

(defclass agentq-connected-server ()
  ((connected :initform nil :accessor agentq-server--connected
              :documentation "Non-nil from the end of the handshake to that of the server.")
   (root :initform nil :accessor agentq-server--root
         :documentation "True name of the project's root, once it was asked for."))
  :abstract t
  :documentation "A running Agent-Q server, as the client sees it.")

(defvar agentq--servers nil "The connected servers.")

(defconst agentq-connection-capabilities
  '(:agentq (:version 1 :proposals t :approvals t :buffers t))
  "What this client announces under `experimental' of its capabilities.")

(defconst agentq-connection-empty-object (make-hash-table :size 1)
  "What is sent as an object without members.")

;;; Starting

(cl-defgeneric agentq-connection-start (kind project command)
  "Start a server for PROJECT by COMMAND and return its connection.
KIND is `eglot' or `lsp-mode'.  COMMAND is a list of strings, which may
end in keyword arguments such as `:initializationOptions'.  Signal a
`user-error' that says why the server did not start.")

(defun agentq-connection-kind ()
  "Return which client for language servers to start a server with here."
  (cond ((and (eq agentq-connection 'lsp-mode) (file-remote-p default-directory))
         (user-error "The connection to another machine is held by Eglot: set `agentq-connection' to nil"))
        (agentq-connection)
        ((file-remote-p default-directory) 'eglot)
        ((bound-and-true-p lsp-managed-mode) 'lsp-mode)
        ((bound-and-true-p eglot--managed-mode) 'eglot)
        ((featurep 'lsp-mode) 'lsp-mode)
        (t 'eglot)))

(defvar agentq-connection--loading nil
  "The kinds of connections whose shim is being loaded.")

(defun agentq-connection-load (kind)
  "Load the shim for connections of KIND."
  (let ((agentq-connection--loading (cons kind agentq-connection--loading)))
    (pcase-exhaustive kind
      ('eglot (require 'agentq-eglot))
      ('lsp-mode (unless (require 'lsp-mode nil t)
                   (user-error "`agentq-connection' is lsp-mode, which is not installed"))
                 (require 'agentq-lsp-mode-clients)))))

(defun agentq-connection-last-line (buffer)
  "Return the last line that a program wrote into BUFFER, or nil.
What Emacs itself writes at the end of a process is none."
  (with-current-buffer buffer
    (car (last (seq-remove
                (lambda (line)
                  (string-match-p (rx bos "Process " (+ nonl) (or "finished" "exited" "killed" "broken"
                                                                  "segmentation"))
                                  line))
                (split-string (buffer-string) "\n" t "[ \t]+"))))))

(defun agentq-connection-load-along ()
  "Load the shim of each client for language servers that is loaded.
The client may also start the server by itself, as the TypeScript server
of a buffer."
  (dolist (kind '(eglot lsp-mode))
    (when (and (featurep kind) (not (memq kind agentq-connection--loading)))
      (agentq-connection-load kind))))

;;; The connection

(cl-defgeneric agentq-connection-name (connection)
  "Return how CONNECTION is called where all connections are listed.")

(cl-defgeneric agentq-connection-nickname (connection)
  "Return the name of the project of CONNECTION.")

(cl-defgeneric agentq-connection-folder (connection)
  "Return the root of the project of CONNECTION, as it was when it was started.")

(cl-defgeneric agentq-connection-running-p (connection)
  "Return non-nil while the server of CONNECTION is alive.")

(cl-defgeneric agentq-connection-shutdown (connection)
  "Ask the server of CONNECTION to end, and see to it that it does.")

(cl-defgeneric agentq-connection-request (connection method params timeout then else)
  "Send the request METHOD, a keyword, with PARAMS and return at once.
Later call THEN with the result, or ELSE with the error, an object with
`:code' and `:message'; after TIMEOUT seconds, unless that is nil, or when
the server of CONNECTION ends, the error has no code of the server's.")

(cl-defgeneric agentq-connection-ask (connection method params timeout &optional until-input)
  "Send the request METHOD with PARAMS to CONNECTION and wait for the result.
Signal an error when there is none after TIMEOUT seconds.  With UNTIL-INPUT
return nil as soon as the person types.")

(cl-defgeneric agentq-connection-notify (connection method params)
  "Send the notification METHOD, a keyword, with PARAMS to CONNECTION.")

(cl-defgeneric agentq-connection-execute (connection action)
  "Have CONNECTION carry out ACTION, a code action of its server.")

;;; The names of files in what is sent and received

(defun agentq-connection-host (connection)
  "Return what stands in front of the files of CONNECTION, nil for this machine."
  (file-remote-p (agentq-connection-folder connection)))

(cl-defmethod agentq-connection-request :around ((server agentq-connected-server) method params
                                                 timeout then else)
  "Send SERVER the request METHOD with PARAMS, TIMEOUT, THEN and ELSE.
The files are named as the machine of SERVER does."
  (let ((host (agentq-connection-host server)))
    (cl-call-next-method server method (agentq-remote-outgoing host params) timeout
                         (lambda (result)
                           (agentq-tramp-when-free
                            host (lambda () (funcall then (agentq-remote-incoming host result)))))
                         (lambda (reply)
                           (agentq-tramp-when-free host (lambda () (funcall else reply)))))))

(cl-defmethod agentq-connection-ask :around ((server agentq-connected-server) method params
                                             &rest more)
  "Ask SERVER the request METHOD with PARAMS and MORE.
The files are named as the machine of SERVER does."
  (let ((host (agentq-connection-host server)))
    (agentq-remote-incoming
     host (apply #'cl-call-next-method server method (agentq-remote-outgoing host params) more))))

(cl-defmethod agentq-connection-notify :around ((connection agentq-connected-server)
                                                method params)
  "Tell CONNECTION METHOD with PARAMS, the files named as its machine does."
  (cl-call-next-method connection method
                       (agentq-remote-outgoing (agentq-connection-host connection) params)))

(cl-defmethod agentq-connection-execute :around ((connection agentq-connected-server) action)
  "Have CONNECTION carry out ACTION, the files named as its machine does."
  (cl-call-next-method connection
                       (agentq-remote-outgoing (agentq-connection-host connection) action)))

;;; The documents that the other client syncs itself

(cl-defgeneric agentq-connection-manages-p (connection)
  "Return non-nil when the current buffer is synced with CONNECTION already.
That is so where Agent-Q is the person's TypeScript server.")

(cl-defgeneric agentq-connection-flush (connection)
  "Send CONNECTION what was typed in the current buffer, which it manages.")

(cl-defgeneric agentq-connection-version (connection)
  "Return the version of the current buffer, which CONNECTION manages.
Return nil when the server has not seen the present text.")

(defun agentq-connection-manager ()
  "Return the connection that manages the current buffer, or nil."
  (seq-find #'agentq-connection-manages-p agentq--servers))

(defvar agentq-connection-before-rename-hook nil
  "Hook run in the buffer of a file that is about to get another name.")

(defvar agentq-connection-after-rename-hook nil
  "Hook run in a buffer whose file has got another name.")

(defvar agentq-connection-diagnostic-functions nil
  "Functions that return what a server said of a Flymake diagnostic, or nil.")

;;; What the server sends

(define-error 'agentq-connection-refused "Refused")

(defvar agentq-connection-notifications (make-hash-table :test #'eq)
  "What happens at notifications: functions of a connection and parameters.
The keys are methods, symbols without a colon.")

(defvar agentq-connection-requests (make-hash-table :test #'eq)
  "What answers requests: functions of a connection and parameters.
The keys are methods, symbols without a colon.")

(defun agentq-connection-receive (connection method params)
  "Let happen what a notification METHOD of CONNECTION with PARAMS means.
Return nil if it means nothing here."
  (when-let* ((handler (gethash method agentq-connection-notifications)))
    (let ((host (agentq-connection-host connection)))
      (agentq-tramp-when-free
       host (lambda ()
              (agentq--quietly handler connection (agentq-remote-incoming host params)))))
    t))

(defun agentq-connection-answer (connection method params)
  "Return the answer to the request METHOD of CONNECTION with PARAMS.
Signal `agentq-connection-refused' with a sentence if there is none."
  (let ((inhibit-interaction t)
        (host (agentq-connection-host connection)))
    (agentq-remote-outgoing
     host (funcall (gethash method agentq-connection-requests) connection
                   (agentq-remote-incoming host params)))))

(defmacro agentq-define-notification (method arguments documentation &rest body)
  "Define BODY as what happens at a notification METHOD of a server.
ARGUMENTS are the names that the server and the parameters have in BODY.
BODY can ask nothing, and its errors become messages.  DOCUMENTATION is as
in `defun'."
  (declare (indent 2) (doc-string 3))
  `(puthash ',method (lambda ,arguments ,documentation ,@body)
            agentq-connection-notifications))

(defmacro agentq-define-request (method arguments documentation &rest body)
  "Define BODY as the answer to a request METHOD of a server.
ARGUMENTS are the names that the server and the parameters have in BODY.
BODY can ask nothing; its errors are answered as such.  DOCUMENTATION is as
in `defun'."
  (declare (indent 2) (doc-string 3))
  `(puthash ',method (lambda ,arguments ,documentation ,@body)
            agentq-connection-requests))

(defun agentq--quietly (function &rest arguments)
  "Call FUNCTION with ARGUMENTS; never ask anything, show errors as messages."
  (let ((inhibit-interaction t))
    (with-demoted-errors "Agent-Q: %S"
      (apply function arguments))))

(defun agentq--tell (hook &rest arguments)
  "Call every function of HOOK with ARGUMENTS; one that fails stops no other."
  (run-hook-wrapped hook (lambda (function)
                           (apply #'agentq--quietly function arguments)
                           nil)))

(provide 'agentq-connection)

;;; agentq-connection.el ends here
