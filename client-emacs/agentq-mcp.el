;;; agentq-mcp.el --- Servers of other tools  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The MCP servers that the settings name: their state, and a new start for one.

;;; Code:

(require 'agentq-client)
(require 'agentq-read)

(defun agentq-mcp-text (mcp)
  "Return the McpServerStatus MCP as text."
  (let ((tools (agentq-get McpServerStatus mcp :tools))
        (reason (agentq-get McpServerStatus mcp :reason)))
    (format "%s: %s, %d tool%s%s" (agentq-get McpServerStatus mcp :name)
            (agentq-get McpServerStatus mcp :state)
            tools (if (eql tools 1) "" "s")
            (if reason (concat ": " reason) ""))))

;;;###autoload
(defun agentq-restart-mcp-server ()
  "Start one of the MCP servers that the settings name anew."
  (interactive)
  (let ((server (agentq-running-server)))
    (agentq-request server :agentq/status nil
                    :then (lambda (status)
                            (let ((known (agentq-get Status status :mcp)))
                              (if (seq-empty-p known)
                                  (message "Agent-Q: the settings name no MCP server")
                                ;; A question inside of the answer would keep the server's other messages.
                                (agentq-read-soon #'agentq-mcp--choose server known)))))))

(defun agentq-mcp--choose (server known)
  "Ask which of the KNOWN MCP servers of SERVER is to be started anew, and do it."
  (let* ((choices (mapcar (lambda (mcp)
                            (cons (agentq-mcp-text mcp) (agentq-get McpServerStatus mcp :name)))
                          known))
         (chosen (completing-read "Restart which MCP server? " choices nil t)))
    (when-let* ((name (cdr (assoc chosen choices))))
      (agentq-request server :agentq/restartMcpServer
                      (agentq-make RestartMcpServerParams :name name)
                      :timeout nil
                      :then (lambda (mcp)
                              (message "Agent-Q: MCP server %s" (agentq-mcp-text mcp)))))))

(provide 'agentq-mcp)

;;; agentq-mcp.el ends here
