;;; agentq-code-actions.el --- Ask the agent from a menu of code actions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Code actions of the server say something to the agent: explain, document or
;; test what stands at point, fix diagnostics, review the diff.  Where Agent-Q is
;; the TypeScript server of a buffer, the ordinary command for code actions lists
;; them beside the compiler's.  Beside another server `agentq-code-actions' does.

;;; Code:

(require 'agentq-ask)
(require 'agentq-diagnostics)
(require 'agentq-later)
(require 'agentq-read)

(defun agentq-code-actions (beg end)
  "Choose what the agent does about the region from BEG to END, or about point.
What is shown there as wrong goes along in its own words."
  (interactive (if (use-region-p)
                   (list (region-beginning) (region-end))
                 (list (point) (point))))
  (unless buffer-file-name
    (user-error "There are code actions in files alone"))
  (let ((server (agentq-ensure-server))
        (buffer (current-buffer)))
    (agentq-request
     server :textDocument/codeAction
     (list :textDocument (list :uri (agentq-path-to-uri buffer-file-name))
           :range (agentq-context--range beg end)
           :context (list :diagnostics
                          (vconcat (agentq-diagnostics-in (if (= beg end) (pos-bol) beg)
                                                          (if (= beg end) (pos-eol) end)))
                          :triggerKind 1))
     :then (lambda (actions)
             (if (seq-empty-p actions)
                 (message "Agent-Q: no code action here; is the file part of the project?")
               (agentq-read-soon #'agentq-code-actions--choose
                                 server buffer (append actions nil)))))))

(defun agentq-code-actions--choose (server buffer actions)
  "Ask for one of ACTIONS and have SERVER carry it out in BUFFER."
  (let ((action (agentq-later-choose "Code action" actions
                                     (lambda (action) (plist-get action :title)))))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (or (agentq-code-actions-ask action)
            (agentq-connection-execute server action))))))

(defun agentq-code-actions-ask (action)
  "Say to the agent what ACTION names; return nil if it names nothing.
The answer belongs into the transcript, so this is done here and not by
the server."
  (when (equal (plist-get action :command) "agentq.ask")
    (let ((asked (seq-first (plist-get action :arguments))))
      (agentq-prompt (plist-get asked :text) (append (plist-get asked :context) nil))
      t)))

(provide 'agentq-code-actions)

;;; agentq-code-actions.el ends here
