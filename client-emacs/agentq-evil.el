;;; agentq-evil.el --- Keys under Evil  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The single keys of a review, a question and the other pages are commands, which the
;; normal state of Evil would hide: these buffers begin in Emacs state, where nobody
;; chose another one.  What is typed stands in insert state, as in all of comint; in
;; normal state RET and TAB do there what they do without Evil.

;;; Code:

(require 'seq)

(declare-function evil-define-key* "evil-core" (state keymap key def &rest bindings))
(declare-function evil-set-initial-state "evil-core" (mode state))
(declare-function evil-state-property "evil-common" (state prop &optional value))

(declare-function agentq-transcript-toggle "agentq-tool-calls" ())
(declare-function agentq-typing-return "agentq-typing" ())
(defvar agentq-chat-mode-map)           ; agentq-chat-keys.el
(defvar agentq-typing-mode-map)         ; agentq-typing.el

(defconst agentq-evil--pages
  '(agentq-history-mode agentq-inspect-mode agentq-manual-mode agentq-question-mode
    agentq-report-mode agentq-review-mode agentq-tests-mode)
  "Modes whose single keys are commands.")

(defun agentq-evil--chosen-p (mode)
  "Return non-nil if somebody chose in which state the buffers of MODE begin."
  (seq-some (lambda (state) (memq mode (symbol-value (cdr state))))
            (evil-state-property t :modes)))

(dolist (mode agentq-evil--pages)
  (unless (agentq-evil--chosen-p mode)
    (evil-set-initial-state mode 'emacs)))

(evil-define-key* 'normal agentq-typing-mode-map (kbd "RET") #'agentq-typing-return)
(evil-define-key* 'normal agentq-chat-mode-map (kbd "TAB") #'agentq-transcript-toggle)

(provide 'agentq-evil)

;;; agentq-evil.el ends here
