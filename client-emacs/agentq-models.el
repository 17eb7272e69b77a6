;;; agentq-models.el --- Which model answers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which model answers, and how much it thinks: for the conversation of the
;; project, or for new ones while there is none.

;;; Code:

(require 'agentq-chat)
(require 'agentq-later)
(require 'agentq-read)
(require 'agentq-visible)

(defconst agentq-models--thinking '("auto" "off" "low" "medium" "high" "xhigh" "max")
  "How much a model may be asked to think.")

(defun agentq-models--change (server params)
  "Ask SERVER for the change that PARAMS name, and tell what answers then."
  (let ((session (agentq-get ChooseModelParams params :sessionId)))
    (agentq-request
     server :agentq/chooseModel params
     :then (lambda (choice)
             (let ((model (agentq-visible (agentq-get ModelChoice choice :model))))
               (when (equal session (agentq-server-session-id server))
                 (setf (agentq-server-model server) model))
               (force-mode-line-update t)
               (message "Agent-Q: %s (%s) answers %s; thinking: %s" model
                        (agentq-visible (agentq-get ModelChoice choice :profile))
                        (if session "this conversation, from its next turn on"
                          "new conversations")
                        (agentq-get ModelChoice choice :thinking)))))))

(defun agentq-models--line (choice model)
  "Return MODEL as a line of a list; CHOICE is what answers now."
  (let ((context (agentq-get ModelInfo model :maxInputTokens)))
    (agentq-visible
     (format "%s (profile %s%s%s)"
             (agentq-get ModelInfo model :name)
             (agentq-get ModelInfo model :profile)
             (if context (format ", %dk tokens" (/ context 1000)) "")
             (if (and (equal (agentq-get ModelInfo model :model)
                             (agentq-get ModelChoice choice :model))
                      (equal (agentq-get ModelInfo model :profile)
                             (agentq-get ModelChoice choice :profile)))
                 ", answers now"
               "")))))

(defun agentq-choose-model ()
  "Choose which model answers, among those of all profiles."
  (interactive)
  (let* ((server (agentq-ensure-server))
         (session (agentq-server-session-id server)))
    (agentq-request
     server :agentq/listModels (agentq-make ChooseModelParams :sessionId session)
     :then (lambda (list)
             (seq-doseq (profile (agentq-get ModelList list :profiles))
               (when-let* ((problem (agentq-get ModelListProfiles profile :problem)))
                 (message "Agent-Q: %s: %s" (agentq-get ModelListProfiles profile :name)
                          (agentq-visible problem))))
             (agentq-read-soon #'agentq-models--ask server session list)))))

(defun agentq-models--ask (server session list)
  "Ask for a model of LIST, a ModelList, for SESSION at SERVER."
  (let ((items (append (agentq-get ModelList list :items) nil)))
    (if (null items)
        (message "Agent-Q: there is no model to choose; M-x agentq-status tells why")
      (let ((model (agentq-later-choose
                    "Model" items
                    (apply-partially #'agentq-models--line (agentq-get ModelList list :choice)))))
        (agentq-models--change
         server (agentq-make ChooseModelParams :sessionId session
                  :profile (agentq-get ModelInfo model :profile)
                  :model (agentq-get ModelInfo model :model)))))))

(defun agentq-choose-thinking (thinking)
  "Choose how much the model thinks: THINKING."
  (interactive (list (completing-read "Thinking: " agentq-models--thinking nil t)))
  (let ((server (agentq-ensure-server)))
    (agentq-models--change
     server (agentq-make ChooseModelParams :sessionId (agentq-server-session-id server)
              :thinking thinking))))

(provide 'agentq-models)

;;; agentq-models.el ends here
