;;; agentq-interrupt.el --- Stop evaluations in the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Stops the newest evaluation where forms go, the person's before the agent's, and
;; names those that still run.  With a prefix argument the person chooses, also among forms
;; that are over and left something open.

;;; Code:

(require 'agentq-client)
(require 'agentq-describe)
(require 'agentq-eval)
(require 'agentq-process)

;;;###autoload
(defun agentq-interrupt (&optional which)
  "Stop the newest evaluation; what was defined before stays.
WHICH is the id of another one, or \"all\"; with a prefix argument it is
chosen among all that an interrupt would end something of."
  (interactive (list (and current-prefix-arg (agentq-interrupt--read))))
  (let* ((server (agentq-running-server))
         (process (agentq-process-of server)))
    (if which
        (agentq-interrupt--named server process which)
      (agentq-interrupt--newest server process))))

(defun agentq-interrupt--stoppable-page (process)
  "Return what is asked to learn what an interrupt in PROCESS would end.
PROCESS is here the id of a program, nil for the REPL."
  (agentq-make ReplHistoryParams :process process :only "stoppable" :limit 100))

(defun agentq-interrupt--stoppable (server process then)
  "Call THEN with what an interrupt in PROCESS of SERVER would end, newest first."
  (agentq-request server :agentq/replHistory (agentq-interrupt--stoppable-page process)
                  :then (lambda (page) (funcall then (append (agentq-get ReplHistoryResult page :items) nil)))))

(defun agentq-interrupt--running (items)
  "Return those of ITEMS that run."
  (seq-filter (lambda (item) (equal (agentq-get HistoryItem item :outcome) "running")) items))

(defun agentq-interrupt--name (item)
  "Return how ITEM is called."
  (format "%sform %s (%s)"
          (pcase (agentq-get HistoryItem item :by)
            ("agent" "the agent's ")
            ("startup" "the start-up script, ")
            (_ ""))
          (agentq-get HistoryItem item :evalId)
          (agentq-describe-short (agentq-get HistoryItem item :code) 40)))

(defun agentq-interrupt--read ()
  "Read which evaluation to interrupt."
  (let* ((server (agentq-running-server))
         (page (agentq-connection-ask
                server :agentq/replHistory
                (agentq-interrupt--stoppable-page (agentq-process-of server)) 5))
         (items (append (agentq-get ReplHistoryResult page :items) nil))
         (choices (mapcar (lambda (item)
                            (cons (concat (agentq-interrupt--name item)
                                          (if-let* ((left (agentq-get HistoryItem item :left)))
                                              (concat " left open: " left)
                                            " runs"))
                                  (agentq-get HistoryItem item :evalId)))
                          items)))
    (unless items
      (user-error "Nothing is being evaluated, and nothing was left open"))
    (let ((all (append choices '(("all that run" . "all")))))
      (cdr (assoc (completing-read (format-prompt "Interrupt" (caar choices)) all nil t
                                   nil nil (caar choices))
                  all)))))

(defun agentq-interrupt--request (server process id then)
  "Ask SERVER to stop the evaluation ID in PROCESS, nil for all.
Then call THEN with whether something was stopped."
  (agentq-request
   server :agentq/interrupt (agentq-make InterruptParams :process process :evalId id)
   :then (lambda (result)
           (when-let* ((ended (agentq-get InterruptResult result :ended)))
             (agentq-interrupt--say
              server process (format "What form %s had left open was ended: %s" id ended)))
           (funcall then (eq t (agentq-get InterruptResult result :interrupted))))))

(defun agentq-interrupt--say (server process text)
  "Write TEXT, which is about PROCESS, into the log of SERVER and show it."
  (agentq-log-note server text nil process)
  (message "Agent-Q: %s" text))

(defun agentq-interrupt--named (server process which)
  "Stop the evaluation WHICH in PROCESS of SERVER, or \"all\"."
  (let ((id (unless (equal which "all") which)))
    (agentq-interrupt--request
     server process id
     (lambda (interrupted)
       (unless interrupted
         (message "Agent-Q: %s"
                  (if id
                      (format "form %s does not run, and nothing that it left is open" id)
                    "nothing is being evaluated")))))))

(defun agentq-interrupt--newest (server process)
  "Stop the newest evaluation in PROCESS of SERVER and name those that go on."
  (agentq-interrupt--stoppable
   server process
   (lambda (items)
     (let* ((running (agentq-interrupt--running items))
            (chosen (or (seq-find (lambda (item) (equal (agentq-get HistoryItem item :by) "person")) running)
                        (car running)))
            (id (agentq-get HistoryItem chosen :evalId)))
       (if (null chosen)
           (agentq-interrupt--nothing server process items)
         ;; One that has no id yet waits for its turn.
         (agentq-interrupt--request
          server process (unless (equal id "") id)
          (lambda (_interrupted)
            (agentq-interrupt--stoppable
             server process
             (lambda (now) (agentq-interrupt--rest server process chosen now))))))))))

(defun agentq-interrupt--rest (server process chosen items)
  "Say which of ITEMS in PROCESS of SERVER go on after CHOSEN was stopped."
  (let ((rest (seq-remove (lambda (item)
                            (equal (agentq-get HistoryItem item :evalId) (agentq-get HistoryItem chosen :evalId)))
                          (agentq-interrupt--running items))))
    (cond (rest
           (agentq-interrupt--say
            server process
            (format "%s was stopped; still running: %s. C-u M-x agentq-interrupt chooses."
                    (agentq-interrupt--name chosen)
                    (mapconcat #'agentq-interrupt--name rest ", "))))
          ((not (equal (agentq-get HistoryItem chosen :by) "person"))
           (message "Agent-Q: %s was stopped" (agentq-interrupt--name chosen))))))

(defun agentq-interrupt--nothing (server process items)
  "Stop what else an interrupt in PROCESS of SERVER means.
That are the tools that the person called and what finished forms left.
ITEMS are those that left something open: they are named."
  (if (and process
           (null (agentq-log-running (agentq-log-buffer server) process))
           (> (buffer-local-value 'agentq-log--own-calls (agentq-log-buffer server)) 0))
      ;; Tools that the person called run beside the REPL.
      (agentq-interrupt--newest server nil)
    (agentq-interrupt--left server process items)))

(defun agentq-interrupt--left (server process items)
  "Stop in PROCESS of SERVER what waits and what finished forms left.
ITEMS as in `agentq-interrupt--nothing'."
  ;; A form that waits for the person's consent to an open REPL is not in the history yet.
  (let* ((log (agentq-log-buffer server))
         (waits (agentq-log-running log process))
         (tool (> (buffer-local-value 'agentq-log--own-calls log) 0)))
    (agentq-interrupt--request
     server process nil
     (lambda (interrupted)
       (let ((text (cond ((not interrupted) "nothing is being evaluated")
                         (waits "stopped before it began")
                         (tool "the tool that you called was stopped")
                         (t "what earlier forms had left running was stopped"))))
         (if (null items)
             (message "Agent-Q: %s" text)
           (agentq-interrupt--say
            server process
            (format "%s; %s. C-u M-x agentq-interrupt ends that." text
                    (mapconcat (lambda (item)
                                 (format "%s left open: %s" (agentq-interrupt--name item)
                                         (agentq-get HistoryItem item :left)))
                               items ", ")))))))))

(provide 'agentq-interrupt)

;;; agentq-interrupt.el ends here
