;;; agentq-client.el --- Connection to the Agent-Q server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The transport is Eglot's: `agentq-server' is a kind of `eglot-lsp-server',
;; started by `eglot' itself, so its events buffer, `eglot-list-connections',
;; `eglot-reconnect' and `eglot-shutdown' work as for any other server.
;;
;; Eglot gives a buffer one server, the first one found under the buffer's
;; project.  Agent-Q is registered under a project of its own (agentq-project.el),
;; so it takes no buffer away from the person's TypeScript server, and
;; agentq-sync.el keeps it informed about the text.
;;
;; Invariants:
;; - A handler answers at once and never asks anything: all of them run with
;;   `inhibit-interaction'.  What needs a person waits for a command.
;; - Requests are asynchronous.  A quit can therefore never swallow the answer
;;   to a decision that the server has already taken note of.
;; - Before every request the server gets the unsaved text of all buffers.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'agentq-buffers)
(require 'agentq-project)
(require 'agentq-sync)
(require 'agentq-wire)

(defvar agentq-program)                 ; agentq.el

(defvar agentq-connect-functions nil
  "Functions called with the server after it is connected.")
(defvar agentq-disconnect-functions nil
  "Functions called with a server that has ended, before another is started.
Each feature forgets here what it kept for that server.")

(defclass agentq-server (eglot-lsp-server)
  ((connected :initform nil :accessor agentq-server--connected
              :documentation "Non-nil from the end of the handshake to that of the server.")
   (root :initform nil :accessor agentq-server--root
         :documentation "True name of the project's root, once it was asked for."))
  :documentation "A running Agent-Q server.")

(defmacro agentq-define-state (name documentation)
  "Define NAME, a function of a server, as the door to state of that server.
The state is nil at first, and `setf' changes it.  The file that defines a
state owns it.  DOCUMENTATION is that of the function."
  (declare (indent 1) (doc-string 2))
  (let ((table (intern (format "%s--table" name))))
    `(progn
       (defvar ,table (make-hash-table :test #'eq :weakness 'key))
       (defun ,name (server)
         ,documentation
         (gethash server ,table))
       (gv-define-setter ,name (value server)
         `(puthash ,server ,value ,',table)))))

(cl-defmethod initialize-instance :after ((server agentq-server) &rest _)
  "Tell those who follow SERVER of its end, before Eglot can connect anew."
  (let ((then (jsonrpc--on-shutdown server)))
    (setf (jsonrpc--on-shutdown server)
          (lambda (server)
            (agentq--disconnected server)
            (funcall then server)))))

(cl-defmethod eglot-client-capabilities ((server agentq-server))
  "Announce what this client can do for SERVER.
Positions are UTF-16 only: a buffer may be managed by another server
that negotiated something else for Eglot's position functions.  To the
server of a remote project nothing is announced, so it proposes no edits:
its file names would be taken for those of this machine."
  (let ((capabilities (copy-tree (cl-call-next-method))))
    (plist-put capabilities :general '(:positionEncodings ["utf-16"]))
    (plist-put capabilities :experimental
               (if (agentq--remote-p server)
                   eglot--{}
                 '(:agentq (:version 1 :proposals t :approvals t :buffers t))))))

;;; Starting and finding servers

(defvar agentq--servers nil "The connected servers.")

(defun agentq-server-root (server)
  "Return the project root of SERVER, an absolute true name."
  (or (agentq-server--root server)
      (setf (agentq-server--root server)
            (agentq--true-root (eglot--project server)))))

(defun agentq-buffer (server kind mode)
  "Return the buffer KIND of the project of SERVER, made in MODE if needed."
  (agentq-project-buffer kind (agentq-server-root server)
                         (eglot-project-nickname server) mode))

(defun agentq-current-server ()
  "Return the running Agent-Q server of the current buffer's project, or nil.
The mode line asks this all the time, so remote files are not asked for
their true name."
  (setq agentq--servers (seq-filter #'jsonrpc-running-p agentq--servers))
  (let ((here (cond (agentq--root)
                    (buffer-file-truename (expand-file-name buffer-file-truename))
                    ((file-remote-p default-directory) default-directory)
                    ((file-truename default-directory)))))
    (car (sort (seq-filter (lambda (server)
                             (string-prefix-p (agentq-server-root server) here))
                           agentq--servers)
               :key (lambda (server) (length (agentq-server-root server)))
               :reverse t))))

(defun agentq-uri-to-path (uri)
  "Return the file name of URI.
Eglot looks for the project of a buffer that none of its servers has, which
reads folders each time; here the server is known."
  (let ((eglot--cached-server (or eglot--cached-server (agentq-current-server))))
    (eglot-uri-to-path uri)))

(defun agentq--find-server ()
  "Return the Agent-Q server for the current buffer, or nil.
Outside of all projects the only running server is taken."
  (or (agentq-current-server)
      (and (length= agentq--servers 1)
           (not (or agentq--root buffer-file-name (project-current)))
           (car agentq--servers))))

(defun agentq-running-server ()
  "Return the Agent-Q server for the current buffer, which has to run."
  (or (agentq--find-server)
      (user-error "%s" (substitute-command-keys
                        "No Agent-Q server runs here; \\[agentq] starts one"))))

(defun agentq-ensure-server ()
  "Return the Agent-Q server for the current buffer, starting it if needed.
Ask before the start where nothing says that there is a project."
  (agentq-refuse-remote)
  (let ((default-directory (or agentq--root default-directory)))
    (or (agentq--find-server)
        (progn
          (unless (or agentq--root (project-current) (agentq--marked-folder)
                      (y-or-n-p (format "No project here.  Let Agent-Q work on all of %s? "
                                        (abbreviate-file-name default-directory))))
            (user-error "Agent-Q was not started"))
          (agentq--start (cons 'agentq (agentq--project)))))))

(defun agentq-refuse-remote ()
  "Refuse to work on the files of another machine.
The server there would name them as if they were on this one."
  (when (file-remote-p default-directory)
    (user-error "%s is on another machine: start Emacs there to use Agent-Q"
                default-directory)))

(defun agentq--start (project)
  "Start a server for PROJECT and return it."
  (let* ((eglot-sync-connect t)
         (server (condition-case problem
                     (eglot '(agentq) project 'agentq-server (agentq-command) '("typescript"))
                   (error (user-error "Agent-Q did not start: %s"
                                      (or (agentq--last-words project)
                                          (error-message-string problem)))))))
    ;; After a quit Eglot returns something else.
    (if (agentq-server-p server)
        server
      (user-error "Agent-Q was not started"))))

(defun agentq-shutdown ()
  "Stop the Agent-Q server of the project; its turn and REPL end."
  (interactive)
  (let ((server (agentq-running-server)))
    (when (y-or-n-p (format "Stop Agent-Q on %s, with its turn and REPL? "
                            (abbreviate-file-name (agentq-server-root server))))
      (agentq--stop server))))

(defun agentq--stop (server)
  "Ask SERVER to end, and see to it that it does.
`eglot-shutdown' fails in a buffer that Eglot does not manage."
  (setf (eglot--shutdown-requested server) t)
  (unwind-protect
      (with-demoted-errors "Agent-Q: %S"
        (jsonrpc-request server :shutdown nil :timeout 3)
        (jsonrpc-notify server :exit nil))
    (jsonrpc-shutdown server t)))

(defun agentq--remote-p (server)
  "Return non-nil when the project of SERVER is on another machine."
  (file-remote-p (project-root (eglot--project server))))

(defun agentq--last-words (project)
  "Return what a server of PROJECT that did not start printed last, if anything."
  (when-let* ((buffer (get-buffer (format " *EGLOT (%s/(agentq)) stderr*"
                                          (project-name project))))
              (lines (split-string (with-current-buffer buffer (buffer-string))
                                   "\n" t "[ \t]+")))
    (car (last lines))))

(defun agentq-command ()
  "Return the command line of the server.
It is `agentq-program', or the server of the checkout around this file
when the program is not installed, with the Node of the checkout if there
is one: that on variable `exec-path' may be too old."
  (let* ((checkout (expand-file-name "../bin/agentq.js" agentq--directory))
         (own (expand-file-name "../node_modules/node/bin/node" agentq--directory))
         (node (if (file-executable-p own) own (executable-find "node"))))
    (cond ((executable-find (car agentq-program)) agentq-program)
          ((and (file-exists-p checkout) node)
           (append (list node checkout "--stdio")
                   (seq-drop-while #'stringp agentq-program)))
          (t (user-error "No `%s' on `exec-path': install it or set `agentq-program'"
                         (car agentq-program))))))

(defconst agentq--directory
  (file-name-directory (or load-file-name buffer-file-name default-directory))
  "The directory of this file.")

(defun agentq--connected (server)
  "Take note of SERVER when it is an Agent-Q server for files of this machine."
  (when (and (object-of-class-p server 'agentq-server)
             (not (agentq--remote-p server)))
    (setf (agentq-server--connected server) t)
    (push server agentq--servers)
    (add-hook 'find-file-hook #'agentq--sync-new-buffer)
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (agentq--sync-new-buffer)))
    (run-hook-with-args 'agentq-connect-functions server)))

(add-hook 'eglot-connect-hook #'agentq--connected)

(defun agentq--disconnected (server)
  "Forget SERVER, which has ended, and what it waited for."
  (when (agentq-server--connected server)
    (setf (agentq-server--connected server) nil)
    (agentq--tell 'agentq-disconnect-functions server)
    (force-mode-line-update t)))

(defun agentq--sync-new-buffer ()
  "Sync the current buffer if its file is in a connected project."
  (when (and agentq--servers buffer-file-name
             (not (file-directory-p buffer-file-name)))
    (when-let* ((server (agentq-current-server))
                ((string-prefix-p (agentq-server-root server)
                                  (file-truename buffer-file-name))))
      (agentq-sync-start server))))

;;; Requests

(cl-defun agentq-request (server method params
                                 &key (then #'ignore) (else #'agentq--report)
                                 (timeout 60))
  "Send SERVER the request METHOD with PARAMS and return at once.
Later call THEN with the result, or ELSE with a message and an error
code.  TIMEOUT is in seconds; nil waits for ever."
  (agentq-sync-flush-all server)
  (jsonrpc-async-request
   server method (or params eglot--{})
   :timeout timeout
   :success-fn (lambda (result) (agentq--quietly then result))
   :error-fn (lambda (reply)
               (agentq--quietly else (agentq--reason method reply) (plist-get reply :code)))
   :timeout-fn (lambda ()
                 (agentq--quietly else (format "No answer to %s in %s seconds"
                                               method timeout)
                                  nil))))

(defun agentq--reason (method reply)
  "Return why the server refused METHOD with the error REPLY.
Of a value that cannot be looked at only the reason is worth a word."
  (let ((expected (plist-get (plist-get reply :data) :expected)))
    (if (and (eq method :agentq/inspectValue) (stringp expected))
        expected
      (plist-get reply :message))))

(defun agentq--report (message &optional _code)
  "Show MESSAGE, the text of a failed request."
  (message "Agent-Q: %s" message))

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

;;; Notifications

(defmacro agentq-define-notification (method arguments documentation &rest body)
  "Define BODY as what happens at a notification METHOD of a server.
ARGUMENTS are the names that the server and the parameters have in BODY.
BODY can ask nothing, and its errors become messages.  DOCUMENTATION is as
in `defun'."
  (declare (indent 2) (doc-string 3))
  (pcase-let ((`(,server ,params) arguments))
    `(cl-defmethod eglot-handle-notification
       ((,server agentq-server) (_method (eql ,method)) &rest ,params)
       ,documentation
       (agentq--quietly (lambda () ,@body)))))

(defmacro agentq-define-request (method arguments documentation &rest body)
  "Define BODY as the answer to a request METHOD of a server.
ARGUMENTS are the names that the server and the parameters have in BODY.
BODY can ask nothing; its errors are answered as such.  DOCUMENTATION is as
in `defun'."
  (declare (indent 2) (doc-string 3))
  (pcase-let ((`(,server ,params) arguments))
    `(cl-defmethod eglot-handle-request
       ((,server agentq-server) (_method (eql ,method)) &rest ,params)
       ,documentation
       (let ((inhibit-interaction t))
         ,@body))))

(provide 'agentq-client)

;;; agentq-client.el ends here
