;;; agentq-status.el --- State of Agent-Q and its surroundings  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What waits for the user in the mode line, what the server says about itself,
;; and a check of everything that has to be installed.

;;; Code:

(require 'agentq-client)
(require 'agentq-changes)
(require 'agentq-repl-state)

(defvar agentq-program)                 ; agentq.el

;;; Mode line

(defvar agentq-mode-line '(:eval (agentq-status--mode-line))
  "Mode line construct: what runs and how many decisions are waited for.")
(put 'agentq-mode-line 'risky-local-variable t)

(defun agentq-status--mode-line ()
  "Return the state of the current project's server for the mode line."
  (when-let* ((agentq--servers)
              (server (agentq-current-server)))
    (let ((waiting (agentq-waiting-count server)))
      (concat " AgentQ"
              (when (agentq-server-turn-id server) "*")
              (when (> waiting 0)
                (propertize (format "[%d]" waiting) 'face 'warning
                            'help-echo "Decisions that wait for you"))
              (when-let* ((image (agentq-repl-state-short server)))
                (propertize (concat " image:" image) 'face 'warning
                            'help-echo "M-x agentq-status tells more"))))))

(defun agentq-waiting-count (server)
  "Return how many decisions about what SERVER did or asks wait for the user."
  (+ (length (agentq-pending-proposals server))
     (length (agentq-server-approvals server))
     (agentq-changes-count server)))

(defun agentq-status--show-mode-line (_server)
  "Add Agent-Q to the mode line."
  (add-to-list 'mode-line-misc-info 'agentq-mode-line t))

(add-hook 'agentq-connect-functions #'agentq-status--show-mode-line)

;;; Status

(defun agentq-status ()
  "Show the state of the server: projects, image, model, proposals."
  (interactive)
  (agentq-request (agentq-running-server) :agentq/status nil
                  :then (lambda (status)
                          (agentq-status--display "*agentq-status*"
                                                  (agentq-status--text status)))))

(defun agentq-status--display (name text)
  "Show TEXT in the buffer NAME."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min)))
    (special-mode)
    (display-buffer (current-buffer))))

(defun agentq-status--text (status)
  "Return the Status STATUS as lines of text."
  (let ((typescript (plist-get status :typescript))
        (repl (plist-get status :repl))
        (model (plist-get status :model)))
    (string-join
     (list
      (format "Server      %s on Node %s" (plist-get status :version)
              (plist-get status :node))
      (format "Folders     %s" (mapconcat #'identity
                                          (plist-get status :workspaceFolders) ", "))
      (format "TypeScript  %s, %s%s" (plist-get typescript :version)
              (plist-get typescript :state) (agentq-status--reason typescript))
      (mapconcat (lambda (project)
                   (format "            %s: %d files\n" (plist-get project :name)
                           (plist-get project :files)))
                 (plist-get typescript :projects) "")
      (format "Image       %s, %s%s%s" (plist-get repl :state)
              (plist-get repl :confinement)
              (if (eq t (plist-get repl :locked)) ", locked for the agent" "")
              (agentq-status--reason repl))
      (format "            %s" (plist-get repl :confinementDetail))
      (format "Model       %s at %s, %s%s" (plist-get model :model)
              (plist-get model :baseUrl)
              (if (eq t (plist-get model :ready)) "ready" "not ready")
              (agentq-status--reason model))
      (format "Waiting     %d proposals\n" (plist-get status :pendingProposals)))
     "\n")))

(defun agentq-status--reason (part)
  "Return the reason in PART of the status, to be put behind its state."
  (if-let* ((reason (plist-get part :reason)))
      (concat ": " reason)
    ""))

;;; Doctor

(defun agentq-doctor ()
  "Check what Agent-Q needs here, and say what to do about what is missing."
  (interactive)
  (agentq-status--display
   "*agentq-doctor*"
   (concat
    (mapconcat (pcase-lambda (`(,good ,what ,advice))
                 (format "%s  %s%s\n" (if good "ok     " "MISSING") what
                         (if good "" (concat "\n         " advice))))
               (agentq-status--checks) "")
    "\nThe server's own doctor, in this environment:\n\n"
    (if-let* ((command (ignore-errors (agentq-command))))
        ;; It looks at the project of its folder.
        (let ((default-directory (or agentq--root
                                     (expand-file-name (project-root (agentq--project))))))
          (cdr (agentq-status--ask-program command "doctor")))
      "There is no server program to ask."))))

(defun agentq-status--checks ()
  "Return a list of (GOOD WHAT ADVICE)."
  (let* ((command (ignore-errors (agentq-command)))
         (version (and command (agentq-status--ask-program command "--version")))
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
     (list (or (fboundp 'typescript-ts-mode) (fboundp 'typescript-mode))
           "a major mode for TypeScript"
           "Install the tree-sitter grammar: M-x treesit-install-language-grammar.")
     (list server (format "connection: %s"
                          (if server (jsonrpc-name server) "none"))
           "M-x agentq starts it."))))

(defun agentq-status--ask-program (command argument)
  "Return (GOOD . TEXT): what COMMAND answers to ARGUMENT."
  (with-temp-buffer
    (let ((code (ignore-errors
                  (apply #'call-process (car command) nil t nil
                         (append (remove "--stdio" (seq-take-while #'stringp
                                                                   (cdr command)))
                                 (list argument))))))
      (cons (eql code 0) (string-trim (buffer-string))))))

(provide 'agentq-status)

;;; agentq-status.el ends here
