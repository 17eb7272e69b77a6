;;; agentq-status.el --- The state of Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What waits for the person, in the mode line, and what the server says about
;; itself.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-changes)
(require 'agentq-chat)
(require 'agentq-client)
(require 'agentq-mcp)
(require 'agentq-process)
(require 'agentq-repl-state)
(require 'agentq-store)

;;; Mode line

(defvar agentq-mode-line '(:eval (agentq-status--mode-line))
  "Mode line construct: what runs and how many decisions are waited for.")
(put 'agentq-mode-line 'risky-local-variable t)

(defun agentq-status--mode-line ()
  "Return the state of the current project's server for the mode line.
In every buffer it tells how many decisions wait in other projects."
  (when-let* ((agentq--servers))
    (let* ((server (agentq-current-server))
           (waiting (if server (agentq-waiting-count server) 0))
           (elsewhere (- (apply #'+ (mapcar #'agentq-waiting-count agentq--servers)) waiting)))
      (when (or server (> elsewhere 0))
        (concat " AgentQ"
                (when (and server (agentq-server-turn-id server)) "*")
                (when (> waiting 0)
                  (propertize (format "[%d]" waiting) 'face 'warning
                              'help-echo "Decisions that wait for you"))
                (when (> elsewhere 0)
                  (propertize (format "(+%d)" elsewhere) 'face 'warning
                              'help-echo "Decisions that wait in other projects"))
                (when-let* ((repl (and server (agentq-repl-state-short server))))
                  (propertize (concat " REPL:" repl) 'face 'warning
                              'help-echo "M-x agentq-status tells more")))))))

(defun agentq-waiting-count (server)
  "Return how many decisions about what SERVER did or asks wait for the person."
  (+ (length (agentq-pending-proposals server))
     (length (agentq-server-approvals server))
     (agentq-changes-count server)))

(defconst agentq-status--before-modes
  '(:eval (when-let* ((state (agentq-status--mode-line)))
            (concat (string-trim-left state) " ")))
  "Mode line construct: `agentq-mode-line' before the names of the modes.")

(defun agentq-status--show-mode-line (_server)
  "Add Agent-Q to the mode line.
What stands behind the names of the modes has no room in a narrow window.
A mode line that another package makes shows what is behind them."
  (if (memq 'mode-line-modes (default-value 'mode-line-format))
      (add-to-list 'mode-line-modes agentq-status--before-modes)
    (add-to-list 'mode-line-misc-info 'agentq-mode-line t)))

(add-hook 'agentq-connect-functions #'agentq-status--show-mode-line)

;;; Status

(defun agentq-status ()
  "Show the state of the server: projects, REPL, model, proposals."
  (interactive)
  (let ((server (agentq-running-server)))
    (agentq-request server :agentq/status nil
                    :then (lambda (status)
                            (agentq-status-display
                             "*agentq-status*"
                             (agentq-status--text status (agentq-process-place server)))))))

(defun agentq-status-display (name text)
  "Show TEXT in the buffer NAME."
  (display-buffer (agentq-report name text)))

(defun agentq-status--text (status &optional place)
  "Return the Status STATUS as lines of text.
PLACE is where forms go in words, if they do not go to the REPL."
  (let ((typescript (agentq-get Status status :typescript))
        (repl (agentq-get Status status :repl))
        (model (agentq-get Status status :model)))
    (string-join
     (list
      (format "Server      %s on Node %s" (agentq-get Status status :version)
              (agentq-get Status status :node))
      (format "Folders     %s" (mapconcat #'identity
                                          (agentq-get Status status :workspaceFolders) ", "))
      (format "TypeScript  %s, %s%s" (agentq-get TypeScriptStatus typescript :version)
              (agentq-get TypeScriptStatus typescript :state) (agentq-status--reason (agentq-get TypeScriptStatus typescript :reason)))
      (mapconcat (lambda (project)
                   (format "            %s: %d files\n" (agentq-get TypeScriptStatusProjects project :name)
                           (agentq-get TypeScriptStatusProjects project :files)))
                 (agentq-get TypeScriptStatus typescript :projects) "")
      (format "REPL        %s, %s%s%s" (agentq-get ReplStatus repl :state)
              (or (agentq-get ReplStatus repl :level) (agentq-get ReplStatus repl :confinement))
              (if (eq t (agentq-get ReplStatus repl :locked)) ", locked for the agent" "")
              (agentq-status--reason (agentq-get ReplStatus repl :reason)))
      (concat (format "            %s" (agentq-get ReplStatus repl :confinementDetail))
              (if place (format "\n            Your forms go to %s" place) ""))
      (agentq-status--wall (agentq-get Status status :wall))
      (format "Model       %s at %s, %s%s" (agentq-get ModelStatus model :model)
              (agentq-get ModelStatus model :baseUrl)
              (if (eq t (agentq-get ModelStatus model :ready)) "ready" "not ready")
              (agentq-status--reason (agentq-get ModelStatus model :reason)))
      (format "Waiting     %d proposals\n" (agentq-get Status status :pendingProposals))
      (mapconcat (lambda (each)
                   (format "Background  %s: %s\n" (agentq-get BackgroundCommand each :id)
                           (agentq-get BackgroundCommand each :command)))
                 (agentq-get Status status :background) "")
      (mapconcat (lambda (mcp)
                   (format "MCP         %s\n" (agentq-mcp-text mcp)))
                 (agentq-get Status status :mcp) ""))
     "\n")))

(defun agentq-status--wall (wall)
  "Return lines about WALL, the WallStatus of the server.
Servers of before tell nothing of it."
  (if (null wall) ""
    (concat (format "Level       %s: %s" (agentq-get WallStatus wall :level)
                    (agentq-get WallStatus wall :detail))
            (if-let* ((missing (agentq-get WallStatus wall :missing)))
                (format "\n            %s" missing)
              ""))))

(defun agentq-status--reason (reason)
  "Return REASON, which may be nil, to be put behind a state."
  (if reason (concat ": " reason) ""))

(provide 'agentq-status)

;;; agentq-status.el ends here
