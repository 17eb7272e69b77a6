;;; agentq-client.el --- The servers of this Emacs, and requests to them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Starts and finds the server of a project.  What holds the connection to it
;; stands behind agentq-connection.el.
;;
;; Invariants:
;; - Requests are asynchronous.  A quit can therefore never swallow the answer
;;   to a decision that the server has already taken note of.
;; - Before every request the server gets the unsaved text of all buffers.

;;; Code:

(require 'cl-lib)
(require 'agentq-buffers)
(require 'agentq-connection)
(require 'agentq-positions)
(require 'agentq-project)
(require 'agentq-say)
(require 'agentq-sync)
(require 'agentq-wire)

(defvar agentq-program)                 ; agentq.el

(defvar agentq-connect-functions nil
  "Functions called with the server after it is connected.")
(defvar agentq-disconnect-functions nil
  "Functions called with a server that has ended, before another is started.
Each feature forgets here what it kept for that server.")

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

;;; Starting and finding servers

(defun agentq-server-root (server)
  "Return the project root of SERVER, an absolute true name."
  (or (agentq-server--root server)
      (setf (agentq-server--root server)
            (file-truename
                  (file-name-as-directory (agentq-connection-folder server))))))

(defun agentq-buffer (server kind mode)
  "Return the buffer KIND of the project of SERVER, made in MODE if needed."
  (agentq-project-buffer kind (agentq-server-root server)
                         (agentq-connection-nickname server) mode))

(defun agentq-current-server ()
  "Return the running Agent-Q server of the current buffer's project, or nil.
The mode line asks this all the time, so remote files are not asked for
their true name."
  (setq agentq--servers (seq-filter #'agentq-connection-running-p agentq--servers))
  (let ((here (cond (agentq--root)
                    (buffer-file-truename (expand-file-name buffer-file-truename))
                    ((file-remote-p default-directory) default-directory)
                    ((file-truename default-directory)))))
    (car (sort (seq-filter (lambda (server)
                             (string-prefix-p (agentq-server-root server) here))
                           agentq--servers)
               :key (lambda (server) (length (agentq-server-root server)))
               :reverse t))))

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
  (let ((default-directory (or agentq--root default-directory)))
    (or (agentq--find-server)
        (progn
          (unless (or agentq--root (agentq--marked-project)
                      (y-or-n-p (format "No project here.  Let Agent-Q work on all of %s? "
                                        (abbreviate-file-name default-directory))))
            (user-error "Agent-Q was not started"))
          (agentq--start)))))

(defun agentq--start ()
  "Start a server for the current buffer's project and return it.
It runs on the machine that has the files."
  (let* ((kind (agentq-connection-kind))
         (project (agentq--project))
         (default-directory (expand-file-name (project-root project))))
    (agentq-connection-load kind)
    (agentq-connection-start kind project (agentq-command))))

(defun agentq-shutdown ()
  "Stop the Agent-Q server of the project; its turn and REPL end."
  (interactive)
  (let ((server (agentq-running-server)))
    (when (y-or-n-p (format "Stop Agent-Q on %s, with its turn and REPL? "
                            (abbreviate-file-name (agentq-server-root server))))
      (agentq-connection-shutdown server))))

(defun agentq-command ()
  "Return the command line of the server for the files of the current folder.
It is `agentq-program', which may be another one on another machine."
  (let* ((host (file-remote-p default-directory))
         (program (if host (connection-local-value agentq-program) agentq-program)))
    (cond ((not host) (agentq--command-here))
          ((executable-find (car program) t) program)
          (t (user-error "%s has no `%s': install it there, or set `agentq-program' for that \
host; \"Remote files\" in M-x agentq-manual says how"
                         host (car program))))))

(defun agentq--command-here ()
  "Return the command line of the server on this machine.
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
  "Take note of SERVER, which has started."
  (setf (agentq-server--connected server) t)
  (push server agentq--servers)
  (add-hook 'find-file-hook #'agentq--sync-new-buffer)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (agentq--sync-new-buffer)))
  (run-hook-with-args 'agentq-connect-functions server))

(defun agentq--disconnected (server)
  "Forget SERVER, which has ended, and what it waited for."
  (when (agentq-server--connected server)
    (setf (agentq-server--connected server) nil)
    (agentq-sync-end server)
    (agentq--tell 'agentq-disconnect-functions server)
    (force-mode-line-update t)))

(defun agentq--sync-new-buffer ()
  "Sync the current buffer if its file is in a connected project."
  (when-let* ((agentq--servers)
              (name buffer-file-truename)
              (server (agentq-current-server))
              ((string-prefix-p (agentq-server-root server) (expand-file-name name)))
              ((not (file-directory-p buffer-file-name))))
    (agentq-sync-start server)))

;;; Requests

(cl-defun agentq-request (server method params
                                 &key (then #'ignore) (else #'agentq--report)
                                 (timeout 60))
  "Send SERVER the request METHOD with PARAMS and return at once.
Later call THEN with the result, or ELSE with a message and an error
code.  TIMEOUT is in seconds; nil waits for ever."
  (agentq-sync-flush-all server)
  (agentq-connection-request
   server method (or params agentq-connection-empty-object) timeout
   (lambda (result) (agentq--quietly then result))
   (lambda (reply)
     (agentq--quietly else (agentq--reason method reply) (plist-get reply :code)))))

(defun agentq--reason (method reply)
  "Return why there is no result of METHOD, by the error REPLY.
Of a value that cannot be looked at only the reason is worth a word."
  (let ((expected (plist-get (plist-get reply :data) :expected)))
    (if (and (eq method :agentq/inspectValue) (stringp expected)
             (not (equal "/process" (plist-get (plist-get reply :data) :path))))
        expected
      (plist-get reply :message))))

(defun agentq--report (message &optional _code)
  "Show MESSAGE, the text of a failed request."
  (agentq-say (format "Agent-Q: %s" message)))

(provide 'agentq-client)

;;; agentq-client.el ends here
