;;; agentq-test-driver.el --- Answers what a test asks of this Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; One connection for the whole life of an Emacs, a line of JSON a message.  A
;; test sends a form and gets its value, printed.  With `seconds' the form is
;; evaluated at every line that comes, empty ones too, until its value is non-nil,
;; and only then the answer goes out.  A timer would not do: while one is due after
;; every redisplay, Emacs reads from no process.

;;; Code:

(require 'cl-lib)
(require 'json)

;; Emacs asks an xterm what it can do and waits two seconds for the answer.  The
;; terminal of a test answers nothing.
(defvar xterm-extra-capabilities)
(setq xterm-extra-capabilities nil)

;; Most of what an Emacs of a test does would be to look for garbage, a few dozen milliseconds each time.
(setq gc-cons-threshold (* 64 1024 1024))

(defvar agentq-test-driver-load-path load-path
  "Where libraries were when Emacs was dumped; at its start it forgets that.")

(defvar agentq-test-driver--waits nil
  "What is waited for, each as (PROCESS ID FORM DEADLINE).")

(defun agentq-test-driver-connect (socket)
  "Connect to the test that listens on the file SOCKET."
  (make-network-process :name "agentq-test-driver" :family 'local :service socket
                        :coding 'utf-8-unix :noquery t
                        :filter #'agentq-test-driver--receive))

(defun agentq-test-driver-text (buffer)
  "Return the whole text of BUFFER without properties, empty while there is none."
  (if (get-buffer buffer)
      (with-current-buffer buffer
        (save-restriction
          (widen)
          (buffer-substring-no-properties (point-min) (point-max))))
    ""))

(defun agentq-test-driver-text-with (buffer wanted)
  "Return the whole text of BUFFER if it contains WANTED, else nil."
  (let ((text (agentq-test-driver-text buffer)))
    (and (string-search wanted text) text)))

(defun agentq-test-driver--receive (process text)
  "Take TEXT from PROCESS and begin with every request that is complete."
  (let ((lines (split-string (concat (process-get process 'incomplete) text) "\n")))
    (process-put process 'incomplete (car (last lines)))
    (agentq-test-driver--look)
    (dolist (line (delete "" (butlast lines)))
      (let* ((request (json-parse-string line :object-type 'plist))
             (id (plist-get request :id))
             (seconds (plist-get request :seconds)))
        (agentq-test-driver--answering process id
          (let ((form (car (read-from-string (plist-get request :form)))))
            (if seconds
                (agentq-test-driver--wait process id form (+ (float-time) seconds))
              (agentq-test-driver--reply process id
                                         :value (agentq-test-driver--value form)))))))))

(defmacro agentq-test-driver--answering (process id &rest body)
  "Run BODY; when it fails, tell PROCESS why ID has no value.  Return its value."
  (declare (indent 2) (debug t))
  `(condition-case problem
       (progn ,@body)
     ((error quit)
      (agentq-test-driver--reply ,process ,id :error (error-message-string problem))
      'failed)))

(defun agentq-test-driver--wait (process id form deadline)
  "Answer the request ID of PROCESS once FORM is non-nil, or at DEADLINE."
  (let ((wait (list process id form deadline)))
    (unless (agentq-test-driver--over-p wait)
      (push wait agentq-test-driver--waits))))

(defun agentq-test-driver--look ()
  "Answer the waits that are over."
  (dolist (wait agentq-test-driver--waits)
    (when (agentq-test-driver--over-p wait)
      (setq agentq-test-driver--waits (delq wait agentq-test-driver--waits)))))

(defun agentq-test-driver--over-p (wait)
  "Return non-nil if WAIT is over, and answer it then."
  (pcase-let ((`(,process ,id ,form ,deadline) wait))
    (agentq-test-driver--answering process id
      (let ((value (agentq-test-driver--value form)))
        (cond ((not (equal value "nil"))
               (agentq-test-driver--reply process id :value value)
               t)
              ((> (float-time) deadline)
               (error "Waited in vain")))))))

(defun agentq-test-driver--value (form)
  "Return the value of FORM, printed, as seen from the selected window."
  (with-current-buffer (window-buffer)
    (prin1-to-string (eval form t))))

(defun agentq-test-driver--reply (process id key text)
  "Tell PROCESS the TEXT of KEY for the request ID."
  (process-send-string process (concat (json-serialize (list :id id key text)) "\n")))

;;; The server, whatever holds the connection to it

(defun agentq-test-driver-serve (program socket)
  "Have what would start PROGRAM connect to the file SOCKET in place of that."
  (advice-add 'make-process :around
              (lambda (make &rest arguments)
                (if (equal program (plist-get arguments :command))
                    (agentq-test-driver--connect arguments socket)
                  (apply make arguments)))))

(defun agentq-test-driver--connect (arguments socket)
  "Return a connection to SOCKET with ARGUMENTS, which are for `make-process'.
Nothing ever comes to the buffer for errors."
  (let ((name (plist-get arguments :name)))
    (make-pipe-process :name (concat name " errors") :noquery t
                       :buffer (plist-get arguments :stderr))
    (apply #'make-network-process :family 'local :service socket
           (cl-loop for (key value) on arguments by #'cddr
                    unless (memq key '(:command :connection-type :stderr :file-handler))
                    append (list key value)))))

(declare-function agentq-connection-ask "agentq-connection")
(declare-function agentq-ensure-server "agentq-client")
(declare-function agentq-lsp-mode--workspace "agentq-lsp-mode")
(declare-function agentq-running-server "agentq-client")
(declare-function agentq-server-p "agentq-eglot")
(declare-function agentq-server-root "agentq-client")
(declare-function eglot-reconnect "eglot")
(declare-function jsonrpc--process "jsonrpc")
(declare-function lsp--workspace-proc "ext:lsp-mode")

(defun agentq-test-driver-eglot-p (server)
  "Return non-nil when Eglot holds the connection to SERVER."
  (and (fboundp 'agentq-server-p) (agentq-server-p server)))

(defun agentq-test-driver-ask (method &rest params)
  "Return the result of the request METHOD with PARAMS."
  (agentq-connection-ask (agentq-running-server) method
                         (or params (make-hash-table :size 1)) 30))

(defun agentq-test-driver-kill-server ()
  "Kill the process of the server here, or hang up on one that is no process."
  (let* ((server (agentq-running-server))
         (process (if (agentq-test-driver-eglot-p server)
                      (jsonrpc--process server)
                    (lsp--workspace-proc (agentq-lsp-mode--workspace server)))))
    (if (eq 'network (process-type process))
        (delete-process process)
      (signal-process process 'SIGKILL))
    t))

(defun agentq-test-driver-reconnect ()
  "Kill the server here and start another one.
Eglot has a command for that; `lsp-mode' has one for the buffers that it manages."
  (let ((server (agentq-running-server)))
    (if (agentq-test-driver-eglot-p server)
        (eglot-reconnect server)
      (agentq-test-driver-kill-server)
      (while (ignore-errors (agentq-running-server))
        (accept-process-output nil 0.02))
      (agentq-ensure-server))
    t))

;;; From one test to the next

(declare-function agentq-cancel "agentq-ask")
(declare-function agentq-chat-buffer "agentq-chat")
(declare-function agentq-connection-running-p "agentq-connection")
(declare-function agentq-connection-shutdown "agentq-connection")
(declare-function agentq-new "agentq-ask")
(declare-function agentq-server-session-id "agentq-conversation")
(declare-function agentq-server-turn-id "agentq-conversation")
(declare-function agentq-typing-clear "agentq-typing")
(declare-function agentq-waiting-count "agentq-status")
(declare-function tramp-flush-directory-properties "tramp-cache")
(declare-function tramp-list-connections "tramp-cache")
(defvar agentq--servers)
(defvar agentq-decide--queue)

(defun agentq-test-driver-leave ()
  "Cancel the turn that runs, if any.
Return nil when this Emacs is not for another test: something is asked, or
its one server is gone."
  (let ((server (car agentq--servers)))
    (when (and (not (active-minibuffer-window))
               (length= agentq--servers 1)
               (agentq-connection-running-p server))
      (with-current-buffer (agentq-test-driver--project-buffer)
        (when (agentq-server-turn-id server) (agentq-cancel)))
      t)))

(defun agentq-test-driver-left ()
  "Leave the conversation once no turn runs and nothing is applied any more."
  (let ((server (car agentq--servers)))
    (unless (or agentq-decide--queue (agentq-server-turn-id server))
      (with-current-buffer (agentq-chat-buffer server)
        (agentq-typing-clear))
      (when (agentq-server-session-id server)
        (with-current-buffer (agentq-test-driver--project-buffer)
          (agentq-new)))
      t)))

(defun agentq-test-driver-tidy ()
  "Let all buffers go.
Return nil when something of the last test waits for the person all the same."
  (let ((server (car agentq--servers)))
    (dolist (buffer (buffer-list))
      ;; With one of them another one may go.
      (unless (or (not (buffer-live-p buffer))
                  (string-match-p agentq-test-driver--kept (buffer-name buffer)))
        (with-current-buffer buffer
          (set-buffer-modified-p nil)
          (setq-local kill-buffer-query-functions nil)
          (kill-buffer))))
    (pcase-dolist (`(,variable . ,value) agentq-test-driver--earlier)
      (set-default variable value))
    (setq agentq-test-driver--earlier nil)
    ;; The files of the project will be others behind the back of TRAMP.
    (when (featurep 'tramp)
      (dolist (machine (tramp-list-connections))
        (tramp-flush-directory-properties machine "/")))
    (delete-other-windows)
    (switch-to-buffer "*scratch*")
    (with-current-buffer "*Messages*"
      (let ((inhibit-read-only t)) (erase-buffer)))
    (zerop (agentq-waiting-count server))))

(defconst agentq-test-driver--kept
  (rx bos (or " " "*scratch*" "*Messages*" "*EGLOT" "*lsp-log*" "*agentq-ts" "*tramp"))
  "The names of buffers that belong to Emacs or to the connection begin so.")

(defvar agentq-test-driver--earlier nil
  "Alist from variables that the test has set to their values before it.")

(defun agentq-test-driver-set (variable value)
  "Set VARIABLE to VALUE until the end of the test."
  (push (cons variable (default-value variable)) agentq-test-driver--earlier)
  (set-default variable value))

(defun agentq-test-driver-visit ()
  "Visit the file that a test begins in."
  (find-file (expand-file-name "src/allocate.ts" (agentq-server-root (car agentq--servers))))
  t)

(defun agentq-test-driver--project-buffer ()
  "Return a buffer in which commands are about the project."
  (with-current-buffer (get-buffer-create " *agentq-test-driver*")
    (setq default-directory (agentq-server-root (car agentq--servers)))
    (current-buffer)))

(defun agentq-test-driver-end-servers ()
  "Have every server end in order, so that what it took can be told."
  (dolist (server (and (boundp 'agentq--servers) agentq--servers))
    (when (agentq-connection-running-p server)
      (agentq-connection-shutdown server)))
  t)

(provide 'agentq-test-driver)

;;; agentq-test-driver.el ends here
