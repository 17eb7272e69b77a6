;;; agentq-sync.el --- Text sync of Agent-Q beside other servers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer is usually synced with the person's TypeScript server alone.  This
;; small minor mode tells the Agent-Q server about the same buffer.  Where the
;; holder of the connection manages the buffer with Agent-Q already, the mode stays
;; off, and the sync and the document versions of that one are used instead.
;;
;; Invariant: after `agentq-sync-flush' the server has exactly the text that
;; `agentq-sync-text' returns, under the version of `agentq-sync-version'.

;;; Code:

(require 'subr-x)
(require 'agentq-connection)
(require 'agentq-positions)

(defconst agentq-sync--idle-time 0.5
  "Seconds of idleness after which changed text is sent.")

(defconst agentq-sync--languages
  '(("ts" . "typescript") ("mts" . "typescript") ("cts" . "typescript")
    ("tsx" . "typescriptreact")
    ("js" . "javascript") ("mjs" . "javascript") ("cjs" . "javascript")
    ("jsx" . "javascriptreact")
    ("json" . "json") ("md" . "markdown"))
  "LSP language ids by file extension.")

(defvar-local agentq-sync--server nil "The server this buffer is synced with.")
(defvar-local agentq-sync--uri nil "The URI under which this buffer was opened.")
(defvar-local agentq-sync--version 0 "The last document version sent.")
(defvar-local agentq-sync--dirty nil "Non-nil when the server has an older text.")
(defvar-local agentq-sync--timer nil "Idle timer of the next flush.")

;; `revert-buffer' and `normal-mode' kill local variables, the document stays.
(dolist (variable '(agentq-sync-mode agentq-sync--server agentq-sync--uri
                    agentq-sync--version agentq-sync--dirty agentq-sync--timer))
  (put variable 'permanent-local t))
(dolist (function '(agentq-sync--changed agentq-sync--saved agentq-sync--close))
  (put function 'permanent-local-hook t))

(define-minor-mode agentq-sync-mode
  "Keep the Agent-Q server informed about the text of this buffer."
  :interactive nil
  (cond
   (agentq-sync-mode
    (add-hook 'after-change-functions #'agentq-sync--changed nil t)
    (add-hook 'after-save-hook #'agentq-sync--saved nil t)
    (add-hook 'kill-buffer-hook #'agentq-sync--close nil t)
    (agentq-sync--open))
   (t
    (remove-hook 'after-change-functions #'agentq-sync--changed t)
    (remove-hook 'after-save-hook #'agentq-sync--saved t)
    (remove-hook 'kill-buffer-hook #'agentq-sync--close t)
    (agentq-sync--close))))

(defun agentq-sync-start (server)
  "Sync the current file buffer with SERVER, unless that is done already."
  (unless (or (not buffer-file-name)
              (agentq-connection-manages-p server)
              (and agentq-sync-mode (eq agentq-sync--server server)))
    (setq agentq-sync--server server)
    (agentq-sync-mode)))

(defun agentq-sync-flush ()
  "Send the current buffer to its server if it is newer there."
  (cond
   ((agentq-sync--flush-managed))
   ((not agentq-sync-mode))
   ((not (agentq-connection-running-p agentq-sync--server))
    (agentq-sync-mode -1))
   ((not (equal agentq-sync--uri (agentq-sync--current-uri)))
    (agentq-sync--close)
    (agentq-sync--open))
   (agentq-sync--dirty
    (setq agentq-sync--dirty nil)
    (agentq-connection-notify
     agentq-sync--server :textDocument/didChange
     (list :textDocument (list :uri agentq-sync--uri
                               :version (cl-incf agentq-sync--version))
           :contentChanges (vector (list :text (agentq-sync-text))))))))

(defun agentq-sync--flush-managed ()
  "Flush the current buffer if its connection manages it; return non-nil then."
  (when-let* ((manager (agentq-connection-manager)))
    (agentq-connection-flush manager)
    t))

(defun agentq-sync-end (server)
  "Follow no buffer for SERVER any more, which has ended."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and agentq-sync-mode (eq agentq-sync--server server))
        (agentq-sync-mode -1)))))

(defun agentq-sync-flush-all (server)
  "Send every newer buffer synced with SERVER."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (or (eq agentq-sync--server server) (agentq-connection-manages-p server))
        (agentq-sync-flush)))))

(defun agentq-sync-version ()
  "Return the version of the current buffer's text that the server has.
Return nil when the server has not seen the present text."
  (if-let* ((manager (agentq-connection-manager)))
      (agentq-connection-version manager)
    (and agentq-sync-mode (not agentq-sync--dirty) agentq-sync--version)))

(defun agentq-sync-text ()
  "Return the current buffer's text as the server knows it.
Line ends are those of the file; a connection that manages the buffer
always sends newlines."
  (let ((text (save-restriction
                (widen)
                (buffer-substring-no-properties (point-min) (point-max)))))
    (if (and (agentq-sync-dos-p) (not (agentq-connection-manager)))
        (string-replace "\n" "\r\n" text)
      text)))

(defun agentq-sync-dos-p ()
  "Return non-nil when the file of the current buffer has DOS line ends."
  (eq 1 (coding-system-eol-type buffer-file-coding-system)))

(defun agentq-sync-sha256 ()
  "Return the hex SHA-256 of the current buffer's text in UTF-8."
  (secure-hash 'sha256 (encode-coding-string (agentq-sync-text) 'utf-8-unix)))

(defun agentq-sync--current-uri ()
  "Return the URI of the current buffer's file."
  (agentq-path-to-uri buffer-file-name))

(defun agentq-sync--open ()
  "Tell the server that the current buffer is open now."
  (setq agentq-sync--uri (agentq-sync--current-uri)
        agentq-sync--version 0
        agentq-sync--dirty nil)
  (agentq-connection-notify
   agentq-sync--server :textDocument/didOpen
   (list :textDocument
         (list :uri agentq-sync--uri
               :languageId (alist-get (or (file-name-extension buffer-file-name) "")
                                      agentq-sync--languages "plaintext" nil #'equal)
               :version agentq-sync--version
               :text (agentq-sync-text)))))

(defun agentq-sync--close ()
  "Tell the server that the current buffer is closed."
  (when (timerp agentq-sync--timer)
    (cancel-timer agentq-sync--timer))
  (when (and agentq-sync--uri (agentq-connection-running-p agentq-sync--server))
    (agentq-connection-notify agentq-sync--server :textDocument/didClose
                    (list :textDocument (list :uri agentq-sync--uri))))
  (setq agentq-sync--uri nil))

(defun agentq-sync--changed (&rest _)
  "Remember that the text changed and send it when Emacs is idle."
  (setq agentq-sync--dirty t)
  (when (timerp agentq-sync--timer)
    (cancel-timer agentq-sync--timer))
  (setq agentq-sync--timer
        (agentq-tramp-run-when-idle agentq-sync--idle-time
                                    #'agentq-sync--flush-buffer (current-buffer))))

(defun agentq-sync--flush-buffer (buffer)
  "Flush BUFFER if it still lives."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (agentq-sync-flush))))

(defun agentq-sync--saved ()
  "Tell the server that the current buffer was saved."
  (agentq-sync-flush)
  (when (and agentq-sync--uri (agentq-connection-running-p agentq-sync--server))
    (agentq-connection-notify agentq-sync--server :textDocument/didSave
                    (list :textDocument (list :uri agentq-sync--uri)))))

(provide 'agentq-sync)

;;; agentq-sync.el ends here
