;;; agentq-log.el --- The log of the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that shows every evaluation with its output as it comes, below a line
;; with the state of the REPL and above a prompt (agentq-repl-input.el).

;;; Code:

(require 'agentq-client)
(require 'agentq-describe)
(require 'agentq-places)
(require 'agentq-process)
(require 'agentq-repl-input)
(require 'ansi-color)

(declare-function agentq-eval "agentq-eval")
(declare-function agentq-inspect "agentq-inspect")
(declare-function agentq-interrupt "agentq-interrupt")
(declare-function agentq-repl-state-header "agentq-repl-state")

(defvar-keymap agentq-repl-mode-map
  :doc "Keys of `agentq-repl-mode'."
  "C-c C-l" #'comint-dynamic-list-input-ring
  "C-c C-c" #'agentq-interrupt
  "C-c C-k" #'agentq-interrupt)

(defvar-keymap agentq-log-map
  :doc "Keys in the text above the prompt."
  "e" #'agentq-eval
  "RET" #'agentq-repl-go
  "<mouse-2>" #'agentq-repl-go
  "i" #'agentq-inspect
  "q" #'quit-window
  "SPC" #'scroll-up-command
  "S-SPC" #'scroll-down-command
  "DEL" #'scroll-down-command
  "?" #'describe-mode)

(defconst agentq-log--max-size 1000000
  "Characters that the log may have before its older half is forgotten.")
(defvar-local agentq-log--written 0
  "Counts what was written for forms: one that is not the latest has company.")
(defvar-local agentq-log--subject nil
  "Key of the evaluation that the end of the log is of, where that is known.
It is as `agentq-process-key' returns it.")
(defvar-local agentq-log--own-calls 0
  "How many tools that the person called have not answered.")
(defvar-local agentq-log--running nil
  "Lists (CODE PROCESS) of the evaluations that have not answered, latest first.
PROCESS is the id of the program in which it runs, nil for the REPL.")

(define-derived-mode agentq-repl-mode agentq-typing-mode "AgentQ-REPL"
  "Log of evaluations in the REPL, with a prompt at its end.
\\<agentq-repl-mode-map>
\\[agentq-typing-return] evaluates what is typed, or begins a new line where a bracket is open;
\\[agentq-typing-newline] always begins a new line.
\\[agentq-typing-previous] and \\[agentq-typing-next] bring back what was typed before.
\\[completion-at-point] completes from what the process has.
\\[agentq-interrupt] interrupts what runs.

Keys above the prompt:
\\{agentq-log-map}"
  (setq header-line-format '(:eval (agentq-repl-state-header)))
  (agentq-repl-input-setup))

(defun agentq-log-buffer (server)
  "Return the evaluation log of SERVER, made if needed."
  (agentq-buffer server "agentq-repl" 'agentq-repl-mode))

;;;###autoload
(defun agentq-repl ()
  "Go to the log of evaluations, to the prompt at its end.
The log of a server that has ended can be read all the same."
  (interactive)
  (pop-to-buffer (or (and (not (agentq-current-server)) (agentq-log--left))
                     (agentq-log-buffer (agentq-running-server))))
  (goto-char (point-max)))

(defun agentq-log--left ()
  "Return the log of a server that has ended and was that of this place, or nil."
  (seq-find (lambda (buffer)
              (and (eq (buffer-local-value 'major-mode buffer) 'agentq-repl-mode)
                   (file-in-directory-p default-directory
                                        (buffer-local-value 'agentq--root buffer))))
            (buffer-list)))

(defun agentq-log-end (server)
  "Return a marker at the end that the log of SERVER has now."
  (with-current-buffer (agentq-log-buffer server)
    (copy-marker (agentq-typing-end))))

(defun agentq-log-running (log process)
  "Return the evaluations of PROCESS that have not answered, of the buffer LOG.
PROCESS is the id of a program, nil for the REPL."
  (seq-filter (lambda (form) (equal process (nth 1 form)))
              (buffer-local-value 'agentq-log--running log)))

(defun agentq-log--insert (server text &optional process)
  "Add TEXT to the log of SERVER, as one of PROCESS, nil for the REPL.
Windows where somebody reads above the prompt follow, but for the selected
one."
  (with-current-buffer (agentq-log-buffer server)
    (agentq-typing-above
      (save-excursion
        (goto-char (agentq-typing-end))
        (insert (propertize (agentq-process-mark process text) 'read-only t 'front-sticky '(read-only)
                            'field 'output 'keymap agentq-log-map))
        ;; A flood must not make Emacs slow for the rest of the day.
        (when (> (buffer-size) agentq-log--max-size)
          (goto-char (- (agentq-typing-end) (/ agentq-log--max-size 2)))
          (delete-region (point-min) (pos-bol)))))
    (dolist (window (get-buffer-window-list nil nil t))
      (when (and (not (memq window (list (selected-window) (minibuffer-selected-window))))
                 (< (window-point window) (agentq-typing-end)))
        (set-window-point window (point-max))))))

(defun agentq-log-note (server text &optional id process)
  "Write the lines of TEXT, which is no output, into the log of SERVER.
ID is that of the evaluation it is about, and PROCESS the id of the
program in which that ran, nil for the REPL."
  (agentq-log--end-line server)
  (agentq-log--insert server (concat text "\n") process)
  (with-current-buffer (agentq-log-buffer server)
    (setq agentq-log--subject (and id (agentq-process-key process id)))
    (cl-incf agentq-log--written)))

(defun agentq-log--end-line (server)
  "End an output line of SERVER that came without a newline."
  (with-current-buffer (agentq-log-buffer server)
    (unless (memq (char-before (agentq-typing-end)) '(nil ?\n))
      (agentq-log--insert server "\n"))))

(defun agentq-log--output (server params)
  "Show the agentq/replOutput PARAMS of SERVER in its colours."
  (let* ((id (agentq-get ReplOutput params :evalId))
         (process (agentq-get ReplOutput params :process))
         (key (and id (agentq-process-key process id)))
         (late (eq t (agentq-get ReplOutput params :late)))
         (text (agentq-get ReplOutput params :text)))
    (with-current-buffer (agentq-log-buffer server)
      ;; What comes when its form is over, or beside or after others, says which one it is of.
      (when (and key (not (equal key agentq-log--subject))
                 (or late agentq-log--subject (not (agentq-log--only-p process))))
        (agentq-log--end-line server)
        (agentq-log--insert server (propertize (format "form %s%s:\n" id (if late ", later" ""))
                                               'face 'agentq-note)
                            process)
        (setq agentq-log--subject key))
      ;; A line is of one process.
      (unless (or (= (agentq-typing-end) (point-min))
                  (equal process (agentq-process-at (1- (agentq-typing-end)))))
        (agentq-log--end-line server))
      (let ((shown (ansi-color-apply (string-replace "\r\n" "\n" text))))
        (when (equal (agentq-get ReplOutput params :stream) "stderr")
          (add-face-text-property 0 (length shown) 'warning t shown))
        (agentq-log--insert server shown process))
      (agentq-log--begin-lines-again))))

(defun agentq-log--only-p (process)
  "Return non-nil if one form of the person's in PROCESS is alone.
Then the heading of the form is the last one in the log."
  (and (= 1 (+ (length agentq-log--running) agentq-log--own-calls))
       (equal process (nth 1 (car agentq-log--running)))))

(defun agentq-log--begin-lines-again ()
  "Take away what a carriage return on the last line overwrites."
  (agentq-typing-above
    (save-excursion
      (goto-char (agentq-typing-end))
      (while (search-backward "\r" (pos-bol) t)
        (if (= (1+ (point)) (agentq-typing-end))
            (goto-char (pos-bol))
          (delete-region (pos-bol) (1+ (point))))))))

(defun agentq-repl-go (&optional event)
  "Look into the value at point, or go to the place that the line names.
A place is for example that of a stack frame.  Where there is neither, go
to the prompt.  EVENT is the click that called this, if any."
  (interactive (list last-nonmenu-event) agentq-repl-mode)
  (when (mouse-event-p event)
    (mouse-set-point event))
  (let ((value (agentq-log--handle (point))))
    (if-let* ((position (and (not value) (agentq-places-on-line (agentq-current-server)))))
        (agentq-places-visit position)
      (if-let* ((value (or value (agentq-log--handle-on-line))))
          (agentq-inspect value nil (agentq-process-at (point)))
        (goto-char (point-max))))))

(defun agentq-log--handle (position)
  "Return the handle of the value at POSITION, such as $7, or nil."
  (or (get-text-property position 'agentq-handle)
      (save-excursion
        (goto-char position)
        (and (thing-at-point-looking-at "\\$[0-9]+\\_>")
             (match-string-no-properties 0)))))

(defun agentq-log--handle-on-line ()
  "Return the handle of the first value that stands on the line, or nil."
  (when-let* ((value (text-property-not-all (pos-bol) (pos-eol) 'agentq-handle nil)))
    (get-text-property value 'agentq-handle)))

(agentq-define-notification agentq/replOutput (server output)
  "Show the OUTPUT of the REPL of SERVER."
  (agentq-log--output server output))

(provide 'agentq-log)

;;; agentq-log.el ends here
