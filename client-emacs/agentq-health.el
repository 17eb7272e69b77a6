;;; agentq-health.el --- What is missing on this machine  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Checks everything that has to be installed, and asks the server's own doctor.

;;; Code:

(require 'agentq-client)
(require 'agentq-fontify)
(require 'agentq-key)
(require 'agentq-status)

(defvar agentq-program)                 ; agentq.el

(defun agentq-doctor ()
  "Check what Agent-Q needs here, and say what to do about what is missing."
  (interactive)
  (agentq-status-display
   "*agentq-doctor*"
   (concat
    (mapconcat (pcase-lambda (`(,good ,what ,advice))
                 (format "%s  %s%s\n" (if good "ok     " "MISSING") what
                         (if good "" (concat "\n         " advice))))
               (agentq-health--checks) "")
    "\nThe server's own doctor, in this environment:\n\n"
    (if-let* ((command (ignore-errors (agentq-command))))
        ;; It looks at the project of its folder.
        (let ((default-directory (or agentq--root
                                     (expand-file-name (project-root (agentq--project))))))
          (agentq-key-with
            (cdr (agentq-health--ask-program command "doctor"))))
      "There is no server program to ask."))))

(defun agentq-health--checks ()
  "Return a list of (GOOD WHAT ADVICE)."
  (let* ((command (ignore-errors (agentq-command)))
         (version (and command (agentq-health--ask-program command "--version")))
         (server (agentq-current-server)))
    (list
     (list (>= emacs-major-version 30) (format "Emacs %s" emacs-version)
           "Agent-Q needs Emacs 30 or newer.")
     (list command (format "server program: %s"
                           (string-join (seq-take-while #'stringp (or command agentq-program))
                                        " "))
           "Put `agentq' on `exec-path' or set `agentq-program'.")
     (list (car version) (format "server answers: %s" (cdr version))
           "Run the program in a terminal with --version to see why.")
     (list (seq-some #'agentq-fontify-installed-p '(typescript-ts-mode typescript-mode))
           "a major mode for TypeScript"
           "Install the tree-sitter grammar: M-x treesit-install-language-grammar.")
     (list server (format "connection: %s"
                          (if server (agentq-connection-name server) "none"))
           "M-x agentq starts it."))))

(defun agentq-health--ask-program (command argument)
  "Return (GOOD . TEXT): what COMMAND answers to ARGUMENT."
  (with-temp-buffer
    (let ((code (ignore-errors
                  (apply #'process-file (car command) nil t nil
                         (append (remove "--stdio" (seq-take-while #'stringp
                                                                   (cdr command)))
                                 (list argument))))))
      (cons (eql code 0) (string-trim (buffer-string))))))

(provide 'agentq-health)

;;; agentq-health.el ends here
