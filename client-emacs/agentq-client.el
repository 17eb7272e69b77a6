;;; agentq-client.el --- Connection to the Agent-Q server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The transport is Eglot's: `agentq-server' is a kind of `eglot-lsp-server',
;; started by `eglot' itself, so its events buffer, `eglot-list-connections',
;; `eglot-reconnect' and `eglot-shutdown' work as for any other server.
;;
;; Eglot gives a buffer one server, the first one found under the buffer's
;; project.  Agent-Q is registered under a project of its own, `(agentq . REAL)',
;; with the same root: so it takes no buffer away from the user's TypeScript
;; server, and agentq-sync.el keeps it informed about the text.
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
(require 'project)
(require 'agentq-buffers)
(require 'agentq-sync)

(defvar agentq-program)                 ; agentq.el

(defvar agentq-connect-functions nil
  "Functions called with the server after it is connected.")
(defvar agentq-event-functions nil
  "Functions called with the server and the parameters of an agentq/event.")
(defvar agentq-proposal-functions nil
  "Functions called with the server and a new or changed proposal.")
(defvar agentq-approval-functions nil
  "Functions called with the server and a new or changed approval.")
(defvar agentq-repl-functions nil
  "Functions called with the server and the parameters of agentq/replOutput.")

(defclass agentq-server (eglot-lsp-server)
  ((root :initform nil :accessor agentq-server--root
         :documentation "True name of the project's root, once it was asked for.")
   (session-id :initform nil :accessor agentq-server-session-id
               :documentation "Id of the conversation, nil before the first prompt.")
   (turn-id :initform nil :accessor agentq-server-turn-id
            :documentation "Id of the running turn, nil between turns.")
   (proposals :initform nil :accessor agentq-server-proposals
              :documentation "Alist from proposal ids to proposals, oldest first.")
   (origins :initform nil :accessor agentq-server-origins
            :documentation "Alist from ids of forms to where in a file they were taken from.")
   (repl :initform nil :accessor agentq-server-repl
         :documentation "ReplStatus of the image, nil before one was told.")
   (approvals :initform nil :accessor agentq-server-approvals
              :documentation "Alist from approval ids to open approvals, oldest first."))
  :documentation "A running Agent-Q server.")

(cl-defmethod eglot-client-capabilities ((_server agentq-server))
  "Announce what this client can do for Agent-Q.
Positions are UTF-16 only: a buffer may be managed by another server
that negotiated something else for Eglot's position functions."
  (let ((capabilities (copy-tree (cl-call-next-method))))
    (plist-put capabilities :general '(:positionEncodings ["utf-16"]))
    (plist-put capabilities :experimental
               '(:agentq (:version 1 :proposals t :approvals t)))))

;;; The project under which the server is registered

(cl-defmethod project-root ((project (head agentq)))
  "Return the root of the real PROJECT."
  (project-root (cdr project)))

(cl-defmethod project-name ((project (head agentq)))
  "Return the name of the real PROJECT, told apart from others of that name.
Eglot's own buffers for a connection are found by it."
  (agentq-project-name (agentq--true-root project) (project-name (cdr project))))

(cl-defmethod project-files ((project (head agentq)) &optional dirs)
  "Return the files of the real PROJECT in DIRS."
  (project-files (cdr project) dirs))

(cl-defmethod project-ignores ((project (head agentq)) dir)
  "Return the ignored files of the real PROJECT in DIR."
  (project-ignores (cdr project) dir))

(cl-defmethod project-external-roots ((project (head agentq)))
  "Return the external roots of the real PROJECT."
  (project-external-roots (cdr project)))

(defun agentq--project ()
  "Return the project that the current buffer belongs to.
Without version control the nearest tsconfig.json or package.json names it."
  (let ((eglot-lsp-context t))
    (or (project-current)
        (cons 'transient
              (or (locate-dominating-file default-directory "tsconfig.json")
                  (locate-dominating-file default-directory "package.json")
                  default-directory)))))

;;; Starting and finding servers

(defvar agentq--servers nil "The connected servers.")

(defun agentq-server-root (server)
  "Return the project root of SERVER, an absolute true name."
  (or (agentq-server--root server)
      (setf (agentq-server--root server)
            (agentq--true-root (eglot--project server)))))

(defun agentq--true-root (project)
  "Return the root of PROJECT, an absolute true name."
  (file-truename (file-name-as-directory (project-root project))))

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

(defun agentq-ensure-server ()
  "Return the Agent-Q server for the current buffer, starting it if needed.
Outside of all projects the only running server is taken."
  (or (agentq-current-server)
      (and (length= agentq--servers 1)
           (not (or agentq--root buffer-file-name (project-current)))
           (car agentq--servers))
      (let* ((default-directory (or agentq--root default-directory))
             (project (cons 'agentq (agentq--project)))
             (eglot-sync-connect t))
        (condition-case problem
            (eglot '(agentq) project 'agentq-server (agentq-command) '("typescript"))
          (error (user-error "Agent-Q did not start: %s"
                             (or (agentq--last-words project)
                                 (error-message-string problem))))))))

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
when the program is not installed."
  (let ((checkout (expand-file-name "../bin/agentq.js" agentq--directory)))
    (cond ((executable-find (car agentq-program)) agentq-program)
          ((and (file-exists-p checkout) (executable-find "node"))
           (append (list "node" checkout "--stdio")
                   (seq-drop-while #'stringp agentq-program)))
          (t (user-error "No `%s' on `exec-path': install it or set `agentq-program'"
                         (car agentq-program))))))

(defconst agentq--directory
  (file-name-directory (or load-file-name buffer-file-name default-directory))
  "The directory of this file.")

(defun agentq--connected (server)
  "Take note of SERVER when it is an Agent-Q server."
  (when (object-of-class-p server 'agentq-server)
    (push server agentq--servers)
    (add-hook 'find-file-hook #'agentq--sync-new-buffer)
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (agentq--sync-new-buffer)))
    (run-hook-with-args 'agentq-connect-functions server)))

(add-hook 'eglot-connect-hook #'agentq--connected)

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

;;; Notifications

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/event)) &rest params)
  "Hand the event in PARAMS from SERVER on."
  (agentq--quietly #'run-hook-with-args 'agentq-event-functions server params))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/proposal)) &rest proposal)
  "Remember the new PROPOSAL of SERVER."
  (agentq--quietly #'agentq-note-proposal server proposal))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/proposalChanged)) &rest proposal)
  "Remember the changed PROPOSAL of SERVER."
  (agentq--quietly #'agentq-note-proposal server proposal))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/approval)) &rest approval)
  "Remember the question APPROVAL of SERVER."
  (setf (alist-get (plist-get approval :approvalId)
                   (agentq-server-approvals server) nil nil #'equal)
        approval)
  (agentq--quietly #'run-hook-with-args 'agentq-approval-functions server approval))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/approvalChanged)) &rest change)
  "Forget the question of SERVER that is settled by CHANGE."
  (setf (alist-get (plist-get change :approvalId)
                   (agentq-server-approvals server) nil t #'equal)
        nil)
  (agentq--quietly #'run-hook-with-args 'agentq-approval-functions server change))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/replOutput)) &rest output)
  "Hand the OUTPUT of SERVER's image on."
  (agentq--quietly #'run-hook-with-args 'agentq-repl-functions server output))

(defun agentq-note-proposal (server proposal)
  "Keep PROPOSAL in SERVER and tell who is interested."
  (cl-remf proposal :jsonrpc-json)
  (let ((known (assoc (plist-get proposal :proposalId) (agentq-server-proposals server))))
    (if known
        (setcdr known proposal)
      (setf (agentq-server-proposals server)
            (append (agentq-server-proposals server)
                    (list (cons (plist-get proposal :proposalId) proposal)))))
    (run-hook-with-args 'agentq-proposal-functions server proposal (not known))))

(defun agentq-pending-proposals (server)
  "Return the proposals of SERVER that wait for a decision, oldest first."
  (seq-filter (lambda (proposal) (equal (plist-get proposal :state) "pending"))
              (mapcar #'cdr (agentq-server-proposals server))))

(provide 'agentq-client)

;;; agentq-client.el ends here
