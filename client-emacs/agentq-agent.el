;;; agentq-agent.el --- The agent's forms in the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows the forms of the agent and their results in the log, written like the
;; person's own and marked as the agent's, and notes of the compiler that come
;; after the answer to their form.

;;; Code:

(require 'agentq-client)
(require 'agentq-describe)
(require 'agentq-log)
(require 'agentq-places)
(require 'agentq-process)

(defvar-local agentq-agent--running nil
  "Alist from keys of the agent's evaluations to the count when they began.
A key is as `agentq-process-key' returns it.")

(defun agentq-agent--note (server form)
  "Show in the log of SERVER the FORM of the agent, or what became of it."
  (let* ((default-directory (agentq-server-root server))
         (id (agentq-get AgentEvaluation form :evalId))
         (process (agentq-get AgentEvaluation form :process))
         (key (agentq-process-key process id))
         (result (agentq-get AgentEvaluation form :result)))
    (with-current-buffer (agentq-log-buffer server)
      ;; What failed before it ran is told at its end alone.
      (unless (assoc key agentq-agent--running)
        (agentq-log-note server (agentq-agent--prompt form) id process)
        (push (cons key agentq-log--written) agentq-agent--running))
      (when result
        (let ((alone (or (= agentq-log--written (cdr (assoc key agentq-agent--running)))
                         (equal key agentq-log--subject))))
          (setf (alist-get key agentq-agent--running nil t #'equal) nil)
          (agentq-places-put server (agentq-get EvalResult result :error) process)
          (let ((text (concat
                       (unless alone
                         (propertize (format "form %s > %s\n" id
                                             (agentq-describe-short (agentq-get AgentEvaluation form :code)))
                                     'face 'agentq-note))
                       (agentq-describe result (agentq-get AgentEvaluation form :isTool) process))))
            (unless (string-empty-p text)
              (agentq-log-note server text id process)))
          (setq ansi-color-context nil))))))

(defun agentq-agent--prompt (form)
  "Return a line with the code of the agent's FORM."
  (let ((places (delq nil (list (agentq-get AgentEvaluation form :process)
                                (when-let* ((module (agentq-get AgentEvaluation form :module)))
                                  (file-relative-name module))))))
    (propertize (concat (or (agentq-get AgentEvaluation form :host) "agent")
                        (and places (concat " in " (string-join places " ")))
                        " > " (agentq-describe-short (agentq-get AgentEvaluation form :code) 100))
                'face 'font-lock-type-face
                'line-prefix "")))

(defun agentq-agent--late (server late)
  "Show in the log of SERVER the notes in LATE, which came after the answer."
  (let ((id (agentq-get LateNotes late :evalId)))
    (agentq-log-note
     server
     (concat (unless (equal id (buffer-local-value 'agentq-log--subject
                                                   (agentq-log-buffer server)))
               (propertize (format "form %s, later:\n" id) 'face 'agentq-note))
             (mapconcat (lambda (note) (agentq-describe-note note nil))
                        (agentq-get LateNotes late :notes) "\n"))
     id)))

(agentq-define-notification agentq/agentEvaluation (server form)
  "Show the FORM of the agent of SERVER."
  (agentq-agent--note server form))

(agentq-define-notification agentq/lateNotes (server late)
  "Show the LATE notes of SERVER."
  (agentq-agent--late server late))

(provide 'agentq-agent)

;;; agentq-agent.el ends here
