;;; agentq.el --- A REPL-aware coding agent for TypeScript  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "30.1"))
;; Keywords: tools, languages, convenience
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Agent-Q looks at your TypeScript with the compiler, evaluates code in a live
;; Node process, and proposes edits that you accept or reject hunk by hunk.  This
;; is its Emacs client.  It speaks to the server through Eglot or lsp-mode and lives
;; beside the TypeScript server that one of them already runs for your buffers.
;;
;; M-x agentq           start the server, show the conversation
;; M-x agentq-menu      all of what follows on single keys, with what waits
;; M-x agentq-prompt    ask something; the region goes along, or where point is
;; M-x agentq-review    decide about the proposed hunks
;; M-x agentq-approve   answer whether a dangerous call may be made
;; M-x agentq-cancel    stop the running turn
;; M-x agentq-new       begin a new conversation
;; M-x agentq-queue     edit or take back prompts that wait for the running turn
;; M-x agentq-sessions  go on with a conversation that is kept
;; M-x agentq-search-sessions  the same with one in which some words stand
;; M-x agentq-rename-session   name the conversation (also -fork-, -export-, -delete-)
;; M-x agentq-choose-model  choose which model answers
;; M-x agentq-code-actions  explain, document, test, fix what is at point
;; M-x agentq-eval      evaluate in the REPL (also -region, -buffer)
;; M-x agentq-eval-form evaluate the definition at point; importers see it
;; M-x agentq-repl      the log of evaluations and the state of the process
;; M-x agentq-process   choose where forms go: the REPL, or a program of `agentq run'
;; M-x agentq-interrupt stop the newest evaluation; C-u chooses
;; M-x agentq-trace     print the calls of a function (also -untrace)
;; M-x agentq-run-tests run the tests
;; M-x agentq-callers   who calls the symbol at point (also -references,
;;                      -hierarchy, -implementations), as xrefs
;; M-x agentq-changes   keep or revert files that an evaluation changed
;; M-x agentq-inspect   look into a value; M-x agentq-history what was evaluated
;; M-x agentq-restart-repl  a fresh process, C-u with the forms run again
;; M-x agentq-lock-repl  the agent runs nothing in it; C-u unlocks
;; M-x agentq-shutdown  stop the server, with its process
;; M-x agentq-status    what the server has loaded; the model and the process
;; M-x agentq-remembered  calls that are not asked about again; forgets one
;; M-x agentq-list-tools  how safe each tool is, and which only programs call
;; M-x agentq-metrics   how the calls of each tool went
;; M-x agentq-doctor    what is missing on this machine
;; M-x agentq-manual    all of this at length

;;; Code:

(defgroup agentq nil
  "A coding agent for TypeScript with a REPL."
  :group 'tools
  :prefix "agentq-")

(defcustom agentq-program '("agentq" "--stdio")
  "Command line of the Agent-Q server.
Keyword arguments may follow, such as `:initializationOptions' with the
settings of the server.  When the program is not installed, the server
of the checkout around this file is used."
  :type '(repeat sexp))

(defcustom agentq-eval-timeout 30
  "Seconds after which an evaluation of yours is stopped."
  :type 'number)

(defcustom agentq-prompt-place t
  "Whether a prompt from a file tells the model where point is.
It gets the name of the file, the number of the line and the line; with an
active region always that instead.  It also hears which lines are on the
screen, and the errors and warnings that are shown there.  The transcript
shows what went along.  A prompt from another buffer, such as that of the
conversation, tells the same of the file that is on the screen."
  :type 'boolean)

(defcustom agentq-save-after-apply nil
  "Whether to save a buffer after an accepted edit was applied to it.
Nothing has to be saved for the agent: its tools, tests and commands see
the buffers.  Buffers that had unsaved changes before are never saved.
The file gets the text that was approved: `before-save-hook' does not run."
  :type 'boolean)

(require 'agentq-client)
(require 'agentq-ask)
(require 'agentq-events)
(require 'agentq-later)
(require 'agentq-queue)
(require 'agentq-models)
(require 'agentq-sessions)
(require 'agentq-stored)
(require 'agentq-messages)
(require 'agentq-blocks)
(require 'agentq-code-actions)
(require 'agentq-command-map)
(require 'agentq-review)
(require 'agentq-lines)
(require 'agentq-take-back)
(require 'agentq-overlays)
(require 'agentq-proposed)
(require 'agentq-open-buffers)
(require 'agentq-approvals)
(require 'agentq-question)
(require 'agentq-arguments)
(require 'agentq-eval)
(require 'agentq-agent)
(require 'agentq-repl-state)
(require 'agentq-programs)
(require 'agentq-interrupt)
(require 'agentq-tools)
(require 'agentq-found)
(require 'agentq-inspect)
(require 'agentq-history)
(require 'agentq-restart)
(require 'agentq-mcp)
(require 'agentq-changes)
(require 'agentq-status)
(require 'agentq-records)
(require 'agentq-health)

;;;###autoload (autoload 'agentq-prompt "agentq" nil t)
;; Who loads this file without autoloads has the menu too, and `transient' waits for the menu.
(autoload 'agentq-menu "agentq-menu" nil t)
(autoload 'agentq-manual "agentq-manual" nil t)
;;;###autoload (autoload 'agentq-cancel "agentq" nil t)
;;;###autoload (autoload 'agentq-new "agentq" nil t)
;;;###autoload (autoload 'agentq-queue "agentq" nil t)
;;;###autoload (autoload 'agentq-choose-model "agentq" nil t)
;;;###autoload (autoload 'agentq-choose-thinking "agentq" nil t)
;;;###autoload (autoload 'agentq-sessions "agentq" nil t)
;;;###autoload (autoload 'agentq-rename-session "agentq" nil t)
;;;###autoload (autoload 'agentq-delete-session "agentq" nil t)
;;;###autoload (autoload 'agentq-search-sessions "agentq" nil t)
;;;###autoload (autoload 'agentq-export-session "agentq" nil t)
;;;###autoload (autoload 'agentq-fork-session "agentq" nil t)
;;;###autoload (autoload 'agentq-code-actions "agentq" nil t)
;;;###autoload (autoload 'agentq-review "agentq" nil t)
;;;###autoload (autoload 'agentq-undo-proposal "agentq" nil t)
;;;###autoload (autoload 'agentq-reopen-proposal "agentq" nil t)
;;;###autoload (autoload 'agentq-rewind "agentq" nil t)
;;;###autoload (autoload 'agentq-proposal-patch "agentq" nil t)
;;;###autoload (autoload 'agentq-approve "agentq" nil t)
;;;###autoload (autoload 'agentq-eval "agentq" nil t)
;;;###autoload (autoload 'agentq-changes "agentq" nil t)
;;;###autoload (autoload 'agentq-eval-region "agentq" nil t)
;;;###autoload (autoload 'agentq-eval-form "agentq" nil t)
;;;###autoload (autoload 'agentq-eval-buffer "agentq" nil t)
;;;###autoload (autoload 'agentq-repl "agentq" nil t)
;;;###autoload (autoload 'agentq-process "agentq" nil t)
;;;###autoload (autoload 'agentq-interrupt "agentq" nil t)
;;;###autoload (autoload 'agentq-trace "agentq" nil t)
;;;###autoload (autoload 'agentq-untrace "agentq" nil t)
;;;###autoload (autoload 'agentq-run-tests "agentq" nil t)
;;;###autoload (autoload 'agentq-callers "agentq" nil t)
;;;###autoload (autoload 'agentq-references "agentq" nil t)
;;;###autoload (autoload 'agentq-hierarchy "agentq" nil t)
;;;###autoload (autoload 'agentq-implementations "agentq" nil t)
;;;###autoload (autoload 'agentq-inspect "agentq" nil t)
;;;###autoload (autoload 'agentq-history "agentq" nil t)
;;;###autoload (autoload 'agentq-restart-repl "agentq" nil t)
;;;###autoload (autoload 'agentq-lock-repl "agentq" nil t)
;;;###autoload (autoload 'agentq-shutdown "agentq" nil t)
;;;###autoload (autoload 'agentq-status "agentq" nil t)
;;;###autoload (autoload 'agentq-remembered "agentq" nil t)
;;;###autoload (autoload 'agentq-list-tools "agentq" nil t)
;;;###autoload (autoload 'agentq-metrics "agentq" nil t)
;;;###autoload (autoload 'agentq-doctor "agentq" nil t)

;;;###autoload
(defun agentq ()
  "Start Agent-Q for the current project if needed and show the conversation."
  (interactive)
  (pop-to-buffer (agentq-chat-buffer (agentq-ensure-server)))
  (agentq-chat-write))

(defun agentq--load-along (&rest _)
  "Load what other packages that are loaded need.
This runs after every file that is loaded."
  (agentq-connection-load-along)
  (when (featurep 'evil)
    (require 'agentq-evil)))

(provide 'agentq)

(add-hook 'after-load-functions #'agentq--load-along)
(agentq--load-along)

;;; agentq.el ends here
