;;; agentq-key.el --- The model's key from auth-source  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A graphical Emacs has seldom the environment of a shell, and a key belongs in no
;; init file.  `auth-source' has it in an encrypted file or the system's keyring.
;;
;; Invariants:
;; - The key stands in the environment of the server's process alone: neither Emacs's
;;   own environment nor a message, a log or a command line ever has it.
;; - It is sent to no other machine: TRAMP would write it into a command line there.

;;; Code:

(require 'auth-source)

(defcustom agentq-key-host nil
  "Host under which `auth-source' has the key of the model, or nil.
The server gets that key as ANTHROPIC_API_KEY, unless Emacs's environment
has one.  An entry of ~/.authinfo.gpg is such as
\"machine api.anthropic.com login apikey password sk-...\"."
  :group 'agentq
  :type '(choice (const :tag "The key is in the environment" nil)
                 (string :tag "Host" :value "api.anthropic.com")))

(defun agentq-key-environment ()
  "Return what the environment of a server in the current folder has in addition.
It is an alist from the names of variables to their values."
  (when-let* ((agentq-key-host)
              ((not (file-remote-p default-directory)))
              ((not (getenv "ANTHROPIC_API_KEY")))
              (entry (or (car (auth-source-search :host agentq-key-host :max 1 :require '(:secret)))
                         (progn (message "Agent-Q: auth-source has no key for %s" agentq-key-host)
                                nil))))
    `(("ANTHROPIC_API_KEY" . ,(auth-info-password entry)))))

(defmacro agentq-key-with (&rest body)
  "Run BODY, whose processes have the key in their environment."
  (declare (indent 0) (debug t))
  `(let ((process-environment
          (append (mapcar (lambda (entry) (concat (car entry) "=" (cdr entry)))
                          (agentq-key-environment))
                  process-environment)))
     ,@body))

(provide 'agentq-key)

;;; agentq-key.el ends here
