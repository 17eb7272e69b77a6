;;; agentq-heading.el --- The line above the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What runs and for how long, what waits for the person and by which keys it is
;; answered, how full the context is, what the conversation cost and who answers.
;; A narrow window leaves out what stands last, one thing after the other.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-conversation)
(require 'agentq-queue)
(require 'agentq-store)
(require 'agentq-transcript)

(defvar-local agentq-heading--problem nil "Why the last prompt was not taken, or nil.")
(defvar-local agentq-heading--clock nil "Timer that draws the line again, or nil.")

(defun agentq-heading-note-problem (problem)
  "Show in the current buffer why a prompt was not taken: PROBLEM, or nil."
  (setq agentq-heading--problem problem)
  (force-mode-line-update))

(defun agentq-heading (&optional width)
  "Return the line for the current buffer, a transcript.
What has no room in WIDTH columns, when non-nil, is left out."
  (if-let* ((server (agentq-current-server)))
      (string-replace
       "%" "%%"
       (agentq-heading--fit
        (delq nil (append (list (agentq-heading--state server))
                          (agentq-heading--waiting server)
                          (agentq-heading--facts server)))
        width))
    " Not connected: the next prompt starts a server"))

(defun agentq-heading--fit (parts width)
  "Return PARTS on one line, without the last ones if WIDTH columns are too few.
The first of PARTS is always there; WIDTH nil is room for all."
  (let ((line (concat " " (car parts))))
    (catch 'full
      (dolist (part (cdr parts) line)
        (let ((longer (concat line "  |  " part)))
          (when (and width (> (string-width longer) width)) (throw 'full line))
          (setq line longer))))))

(defun agentq-heading--state (server)
  "Return in words what SERVER does."
  (substitute-command-keys
   (cond ((agentq-server-turn-id server)
          (if-let* ((work (agentq-heading--work server)))
              (concat work ", \\[agentq-cancel] stops")
            "Waiting for you"))
         (agentq-heading--problem
          (format "%s, \\[agentq-doctor] tells more" agentq-heading--problem))
         (t "Ready, \\[agentq-chat-keys] lists the keys"))))

(defun agentq-heading--work (server)
  "Return what the turn of SERVER is at and for how long it has run, in words.
Return nil while only the person can go on."
  (let ((tool (agentq-tool-calls-running)))
    (unless (and (null tool)
                 (or (agentq-server-approvals server) (agentq-pending-proposals server)))
      (concat (if tool (agentq-visible-line tool) "Working")
              (agentq-heading--time (agentq-server-turn-began server))))))

(defun agentq-heading--time (since)
  "Return in words how long ago SINCE was, with a space before it, or \"\"."
  (let ((seconds (floor (- (float-time) (or since (float-time))))))
    (cond ((< seconds 1) "")
          ((< seconds 60) (format " %d s" seconds))
          (t (format " %d:%02d" (/ seconds 60) (% seconds 60))))))

(defun agentq-heading--waiting (server)
  "Return what waits for the person, or for SERVER, each with the key for it."
  (mapcar
   #'substitute-command-keys
   (delq nil
         (list (when-let* ((questions (length (agentq-server-approvals server)))
                           ((> questions 0)))
                 (format (ngettext "%d question, \\[agentq-approve] answers"
                                   "%d questions, \\[agentq-approve] answers" questions)
                         questions))
               (when-let* ((waiting (agentq-pending-proposals server)))
                 (format (ngettext "%d proposal, \\[agentq-review] reviews"
                                   "%d proposals, \\[agentq-review] reviews" (length waiting))
                         (length waiting)))
               (when-let* ((queued (agentq-queue-words server)))
                 (format "%s, \\[agentq-queue] shows" queued))
               ;; What the person can answer has room before the way out of that.
               (when (and (agentq-server-turn-id server) (not (agentq-heading--work server)))
                 "\\[agentq-cancel] stops")))))

(defun agentq-heading--facts (server)
  "Return what is known of the conversation with SERVER."
  (list (agentq-server-context-size server)
        (agentq-transcript-cost)
        (agentq-server-model server)
        (when-let* ((name (agentq-server-session-name server)))
          (truncate-string-to-width name 30 nil nil t))
        (agentq-transcript-usage)))

;;; Time goes on

(defun agentq-heading-start-clock ()
  "Draw the line of the current buffer every second from now on."
  (agentq-heading-stop-clock)
  (setq agentq-heading--clock (run-at-time 1 1 #'agentq-heading--tick (current-buffer)))
  (add-hook 'kill-buffer-hook #'agentq-heading-stop-clock nil t))

(defun agentq-heading-stop-clock ()
  "Draw the line of the current buffer every second no more."
  (when agentq-heading--clock
    (cancel-timer agentq-heading--clock)
    (setq agentq-heading--clock nil)))

(defun agentq-heading--tick (buffer)
  "Draw the line of BUFFER again."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (force-mode-line-update))))

(provide 'agentq-heading)

;;; agentq-heading.el ends here
