;;; agentq-menu.el --- One menu that shows the state  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The commands on single keys, under a line that says what runs and what waits.
;; A command that has nothing to do is shown and cannot be chosen.
;;
;; Invariant: this file is loaded by the first call of `agentq-menu', since
;; `transient' takes longer to load than the rest of the client.

;;; Code:

(require 'transient)
(require 'agentq)

(defun agentq-menu--heading ()
  "Return the state of the server and what waits for the person, on one line."
  (if-let* ((server (agentq-current-server)))
      (concat (file-name-nondirectory (directory-file-name (agentq-server-root server)))
              (if (agentq-server-turn-id server) ": a turn runs" ": no turn runs")
              (let ((waiting (agentq-waiting-count server)))
                (if (= waiting 0) ""
                  (concat ", " (propertize (format (ngettext "%d decision waits for you"
                                                             "%d decisions wait for you" waiting)
                                                   waiting)
                                           'face 'warning))))
              ;; A narrow window cuts the end.
              (if-let* ((model (agentq-server-model server))) (concat ", " model) ""))
    "Agent-Q, no server runs here"))

(defun agentq-menu--count (server-function)
  "Return the length of the list that SERVER-FUNCTION has for the server, or 0."
  (if-let* ((server (agentq-current-server)))
      (length (funcall server-function server))
    0))

(defun agentq-menu--counted (words count)
  "Return WORDS, with COUNT behind them unless that is 0."
  (if (= count 0) words
    (concat words " " (propertize (format "[%d]" count) 'face 'warning))))

(defun agentq-menu--proposals ()
  "Return how many proposals wait for a decision."
  (agentq-menu--count #'agentq-pending-proposals))

(defun agentq-menu--questions ()
  "Return how many questions of the agent are open."
  (agentq-menu--count #'agentq-server-approvals))

(defun agentq-menu--no-server-p ()
  "Return non-nil without a server of this project."
  (not (agentq-current-server)))

(defun agentq-menu--no-turn-p ()
  "Return non-nil without a running turn in this project."
  (not (when-let* ((server (agentq-current-server)))
         (agentq-server-turn-id server))))

(defun agentq-menu--message-p ()
  "Return non-nil where a message of the person can be said another way."
  (condition-case nil (agentq-messages--here) (user-error nil)))

(defun agentq-menu--block-p ()
  "Return non-nil in a finished block of code."
  (get-text-property (point) 'agentq-code))

;;;###autoload (autoload 'agentq-menu "agentq-menu" nil t)
(transient-define-prefix agentq-menu ()
  "Choose a command of Agent-Q, and see what runs and what waits."
  [:description
   agentq-menu--heading
   ["Talk"
    ("p" "ask" agentq-prompt)
    ("b" "transcript" agentq)
    ("x" "about point" agentq-code-actions)
    ("k" "cancel" agentq-cancel :inapt-if agentq-menu--no-turn-p)
    ("n" "new" agentq-new :inapt-if agentq-menu--no-server-p)
    ("s" "sessions" agentq-sessions :inapt-if agentq-menu--no-server-p)
    ("f" "fork" agentq-fork-session :inapt-if agentq-menu--no-server-p)
    ("m" "model" agentq-choose-model :inapt-if agentq-menu--no-server-p)]
   ["Decide"
    ("v" agentq-review
     :description (lambda () (agentq-menu--counted "review" (agentq-menu--proposals)))
     :inapt-if (lambda () (= 0 (agentq-menu--proposals))))
    ("a" agentq-approve
     :description (lambda () (agentq-menu--counted "answer" (agentq-menu--questions)))
     :inapt-if (lambda () (= 0 (agentq-menu--questions))))
    ("c" "changes" agentq-changes :inapt-if agentq-menu--no-server-p)
    ("u" "undo" agentq-undo-proposal :inapt-if agentq-menu--no-server-p)
    ("o" "reopen" agentq-reopen-proposal :inapt-if agentq-menu--no-server-p)
    ("w" "rewind" agentq-rewind :inapt-if agentq-menu--no-server-p)]
   ["Evaluate"
    ("e" "expression" agentq-eval)
    ("d" "definition" agentq-eval-form)
    ("B" "buffer" agentq-eval-buffer)
    ("r" "REPL" agentq-repl)
    ("g" "program" agentq-process)
    ("i" "inspect" agentq-inspect :inapt-if agentq-menu--no-server-p)
    ("h" "history" agentq-history :inapt-if agentq-menu--no-server-p)
    ("t" "tests" agentq-run-tests :inapt-if agentq-menu--no-server-p)
    ("K" "interrupt" agentq-interrupt :inapt-if agentq-menu--no-server-p)]
   ["Look, server"
    ("C" "callers" agentq-callers)
    ("E" "references" agentq-references)
    ("H" "hierarchy" agentq-hierarchy)
    ("S" "status" agentq-status :inapt-if agentq-menu--no-server-p)
    ("T" "tools" agentq-list-tools :inapt-if agentq-menu--no-server-p)
    ("D" "doctor" agentq-doctor)
    ("?" "manual" agentq-manual)
    ("L" "lock REPL" agentq-lock-repl :inapt-if agentq-menu--no-server-p)
    ("R" "restart REPL" agentq-restart-repl :inapt-if agentq-menu--no-server-p)
    ("Q" "shut down" agentq-shutdown :inapt-if agentq-menu--no-server-p)]]
  ["At point in the transcript"
   :if-derived agentq-chat-mode
   :class transient-columns
   [("A" "again" agentq-messages-say-again :inapt-if-not agentq-menu--message-p)]
   [("M" "change" agentq-messages-edit :inapt-if-not agentq-menu--message-p)]
   [("F" "branch" agentq-messages-branch :inapt-if-not agentq-menu--message-p)]
   [("U" "rewind" agentq-messages-rewind :inapt-if-not agentq-menu--message-p)]
   [("y" "copy code" agentq-blocks-copy :inapt-if-not agentq-menu--block-p)]
   [("P" "propose code" agentq-blocks-propose :inapt-if-not agentq-menu--block-p)]])

(provide 'agentq-menu)

;;; agentq-menu.el ends here
