;;; agentq-test-support.el --- Shared parts of the Agent-Q tests  -*- lexical-binding: t; -*-

;;; Commentary:

;; Tests run on real buffers and real files in a folder of their own.  The server
;; is a real `agentq-server' object whose process takes everything and answers
;; nothing; what was sent to it is read from jsonrpc's own event hook, and what
;; it says is handed to the real notification handlers.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'agentq)
(require 'agentq-eglot)

;; Most tests look at the files.
(setq agentq-save-after-apply t)

(defvar agentq-test-folder nil "The folder of the running test, a true name.")
(defvar agentq-test-sent nil "Messages sent to the server, newest first.")

(defmacro agentq-test-in-folder (files &rest body)
  "Run BODY in a new folder with FILES, a list of (NAME TEXT)."
  (declare (indent 1) (debug t))
  `(let* ((agentq-test-folder (file-truename (make-temp-file "agentq-test" t)))
          (agentq-test-folder (file-name-as-directory agentq-test-folder))
          (default-directory agentq-test-folder)
          (before (buffer-list)))
     (unwind-protect
         (progn
           (pcase-dolist (`(,name ,text) ,files)
             (agentq-test-write name text))
           ,@body)
       (dolist (buffer (buffer-list))
         (unless (memq buffer before)
           (with-current-buffer buffer
             (set-buffer-modified-p nil)
             (let (kill-buffer-query-functions)
               (kill-buffer buffer)))))
       (delete-directory agentq-test-folder t))))

(defmacro agentq-test-with-server (server &rest body)
  "Run BODY with SERVER bound to a connected server that never answers."
  (declare (indent 1) (debug t))
  `(let* ((agentq-test-sent nil)
          (agentq--servers nil)
          (agentq-decide--queue nil)
          (jsonrpc-event-hook (list #'agentq-test--record))
          (,server (make-instance
                    'agentq-server :name "mute"
                    :process (make-process :name "mute" :command '("sleep" "100")
                                           :connection-type 'pipe :noquery t
                                           :coding 'utf-8-emacs-unix)
                    :notification-dispatcher #'ignore
                    :request-dispatcher #'ignore)))
     (setf (eglot--project ,server) (cons 'agentq (cons 'transient agentq-test-folder))
           (eglot--project-nickname ,server) "test")
     (push ,server agentq--servers)
     (unwind-protect
         (progn ,@body)
       (delete-process (jsonrpc--process ,server)))))

(defun agentq-test--record (_connection origin &rest event)
  "Remember the EVENT of ORIGIN if it is a message of ours."
  (when (eq origin 'client)
    (push (plist-get event :message) agentq-test-sent)))

(defun agentq-test-sent (method)
  "Return the params of the messages METHOD that were sent, oldest first."
  (cl-loop for message in (reverse agentq-test-sent)
           when (eq method (intern (format "%s" (plist-get message :method))))
           collect (plist-get message :params)))

(defun agentq-test-answer (server result)
  "Let SERVER answer its oldest unanswered request with RESULT."
  (let ((continuation (car (last (jsonrpc--continuations server)))))
    (jsonrpc--remove server (car continuation))
    (funcall (nth 2 continuation) result)))

(defun agentq-test-tell (server method &rest params)
  "Let SERVER send the notification METHOD with PARAMS."
  (apply #'eglot-handle-notification server method params))

(defun agentq-test-write (name text)
  "Write TEXT to the file NAME of the test's folder and return its full name."
  (let ((path (expand-file-name name agentq-test-folder))
        (coding-system-for-write 'utf-8-unix))
    (make-directory (file-name-directory path) t)
    (write-region text nil path nil 'silent)
    path))

(defun agentq-test-read (name)
  "Return the bytes of the file NAME as text."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents (expand-file-name name agentq-test-folder)))
    (buffer-string)))

(defun agentq-test-uri (name)
  "Return the URI of the file NAME."
  (agentq-path-to-uri (expand-file-name name agentq-test-folder)))

(defun agentq-test-range (line character end-line end-character)
  "Return the LSP range from LINE, CHARACTER to END-LINE, END-CHARACTER."
  (list :start (list :line line :character character)
        :end (list :line end-line :character end-character)))

(defun agentq-test-text-edit (name version &rest edits)
  "Return a TextDocumentEdit for the file NAME at VERSION.
EDITS are lists (RANGE TEXT)."
  (list :textDocument (list :uri (agentq-test-uri name) :version version)
        :edits (vconcat (mapcar (pcase-lambda (`(,range ,text))
                                  (list :range range :newText text))
                                edits))))

(defun agentq-test-creation (name text)
  "Return the operations that create the file NAME with TEXT."
  (list (list :kind "create" :uri (agentq-test-uri name))
        (agentq-test-text-edit name nil (list (agentq-test-range 0 0 0 0) text))))

(defun agentq-test-edit (&rest operations)
  "Return the WorkspaceEdit of OPERATIONS."
  (list :documentChanges (vconcat operations)))

(defun agentq-test-hunk (id name range old new &optional kind)
  "Return the pending hunk ID that replaces OLD at RANGE of NAME with NEW.
KIND is \"edit\" by default."
  (list :id id :uri (agentq-test-uri name) :range range :oldText old :newText new
        :kind (or kind "edit") :title name :state "pending"))

(defun agentq-test-proposal (&rest hunks)
  "Return a pending proposal \"p1\" of HUNKS."
  (list :proposalId "p1" :title "A change" :why "Because." :hunks (vconcat hunks)
        :check '(:state "unavailable") :state "pending"))

(provide 'agentq-test-support)

;;; agentq-test-support.el ends here
