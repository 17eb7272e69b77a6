;;; agentq-unsent.el --- What Emacs asks before it forgets what was typed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt that was not sent and the text of a hunk stand in a buffer alone.  Emacs
;; asks before it kills such a buffer, and before it ends; at its end a turn that
;; runs counts too.  Proposals and questions come back, so nobody asks for their sake.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defvar agentq--servers)                ; agentq-connection.el
(declare-function agentq-connection-nickname "agentq-connection" (connection))
(declare-function agentq-connection-running-p "agentq-connection" (connection))
(declare-function agentq-server-turn-id "agentq-conversation" (server))

(defvar-local agentq-unsent--function nil
  "Function that says what of the current buffer would be lost, nil for nothing.")

(defun agentq-unsent-guard (function)
  "Ask before the current buffer is lost with what it has by FUNCTION.
FUNCTION is called in the buffer and returns words, or nil for nothing."
  (setq agentq-unsent--function function)
  (add-hook 'kill-buffer-query-functions #'agentq-unsent--may-be-killed-p nil t)
  (add-hook 'kill-emacs-query-functions #'agentq-unsent--may-leave-p))

(defun agentq-unsent--may-be-killed-p ()
  "Ask before the current buffer is killed with what a person typed."
  (let ((lost (funcall agentq-unsent--function)))
    (or (null lost)
        (yes-or-no-p (format "%s; kill it? " lost)))))

(defun agentq-unsent--may-leave-p ()
  "Ask before Emacs ends with what a person typed, or in the midst of a turn."
  (let ((lost (delete-dups
               (append
                (cl-loop for server in agentq--servers
                         when (and (agentq-connection-running-p server)
                                   (agentq-server-turn-id server))
                         collect (format "The turn in %s is not over"
                                         (agentq-connection-nickname server)))
                (cl-loop for buffer in (buffer-list)
                         when (buffer-local-value 'agentq-unsent--function buffer)
                         collect (with-current-buffer buffer (funcall agentq-unsent--function)))))))
    (or (null (setq lost (delq nil lost)))
        (yes-or-no-p (format "%s; leave Emacs all the same? " (string-join lost ".  "))))))

(provide 'agentq-unsent)

;;; agentq-unsent.el ends here
