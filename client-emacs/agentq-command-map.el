;;; agentq-command-map.el --- The commands behind a prefix key  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A keymap for a prefix key of the person's, with the keys of `agentq-menu'.  Nothing
;; of the client is loaded before a key of it is pressed.

;;; Code:

;;;###autoload (autoload 'agentq-command-map "agentq-command-map" nil nil 'keymap)
(defvar-keymap agentq-command-map
  :doc "Commands of Agent-Q, for a prefix key of yours."
  :prefix 'agentq-command-map
  "p" 'agentq-prompt
  "b" 'agentq
  "x" 'agentq-code-actions
  "k" 'agentq-cancel
  "n" 'agentq-new
  "s" 'agentq-sessions
  "f" 'agentq-fork-session
  "m" 'agentq-choose-model
  "v" 'agentq-review
  "a" 'agentq-approve
  "c" 'agentq-changes
  "u" 'agentq-undo-proposal
  "o" 'agentq-reopen-proposal
  "w" 'agentq-rewind
  "e" 'agentq-eval
  "d" 'agentq-eval-form
  "B" 'agentq-eval-buffer
  "r" 'agentq-repl
  "g" 'agentq-process
  "i" 'agentq-inspect
  "h" 'agentq-history
  "t" 'agentq-run-tests
  "K" 'agentq-interrupt
  "C" 'agentq-callers
  "E" 'agentq-references
  "H" 'agentq-hierarchy
  "S" 'agentq-status
  "D" 'agentq-doctor
  "?" 'agentq-manual
  "R" 'agentq-restart-repl
  "Q" 'agentq-shutdown)

(provide 'agentq-command-map)

;;; agentq-command-map.el ends here
