;;; agentq-log.el --- The log of the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A buffer that shows every evaluation with its output as it comes, below a line
;; with the state of the REPL.

;;; Code:

(require 'agentq-client)
(require 'agentq-describe)
(require 'agentq-places)
(require 'ansi-color)

(declare-function agentq-eval "agentq-eval")
(declare-function agentq-inspect "agentq-inspect")
(declare-function agentq-interrupt "agentq-interrupt")
(declare-function agentq-repl-state-header "agentq-repl-state")

(defvar-keymap agentq-repl-mode-map
  :doc "Keys of `agentq-repl-mode'."
  :parent special-mode-map
  "e" #'agentq-eval
  "RET" #'agentq-repl-go
  "i" #'agentq-inspect
  "C-c C-c" #'agentq-interrupt
  "C-c C-k" #'agentq-interrupt)

(defconst agentq-log--max-size 1000000
  "Characters that the log may have before its older half is forgotten.")
(defvar-local agentq-log--written 0
  "Counts what was written for forms: one that is not the latest has company.")
(defvar-local agentq-log--subject nil
  "Id of the evaluation that the end of the log is of, where that is known.")
(defvar-local agentq-log--own-calls 0
  "How many tools that the person called have not answered.")
(defvar-local agentq-log--running nil
  "Codes of the evaluations that have not answered, latest first.")

(define-derived-mode agentq-repl-mode special-mode "AgentQ-REPL"
  "Log of evaluations in the REPL.
\\{agentq-repl-mode-map}"
  (setq header-line-format '(:eval (agentq-repl-state-header)))
  (buffer-disable-undo))

(defun agentq-log-buffer (server)
  "Return the evaluation log of SERVER, made if needed."
  (agentq-buffer server "agentq-repl" 'agentq-repl-mode))

;;;###autoload
(defun agentq-repl ()
  "Show the log of evaluations in another window, at its end."
  (interactive)
  (let ((window (display-buffer (agentq-log-buffer (agentq-running-server)))))
    (set-window-point window (with-current-buffer (window-buffer window) (point-max)))))

(defun agentq-log--insert (server text)
  "Add TEXT to the log of SERVER.
Its windows follow, but for the selected one when point is not at the end."
  (with-current-buffer (agentq-log-buffer server)
    (let ((inhibit-read-only t)
          (end (point-max)))
      (save-excursion
        (goto-char end)
        (insert text)
        ;; A flood must not make Emacs slow for the rest of the day.
        (when (> (buffer-size) agentq-log--max-size)
          (goto-char (- (point-max) (/ agentq-log--max-size 2)))
          (delete-region (point-min) (pos-bol))))
      (dolist (window (get-buffer-window-list nil nil t))
        (when (or (not (eq window (selected-window))) (= (window-point window) end))
          (set-window-point window (point-max)))))))

(defun agentq-log-note (server text &optional id)
  "Write the lines of TEXT, which is no output, into the log of SERVER.
ID is that of the evaluation it is about."
  (agentq-log--end-line server)
  (agentq-log--insert server (concat text "\n"))
  (with-current-buffer (agentq-log-buffer server)
    (setq agentq-log--subject id)
    (cl-incf agentq-log--written)))

(defun agentq-log--end-line (server)
  "End an output line of SERVER that came without a newline."
  (with-current-buffer (agentq-log-buffer server)
    (unless (or (= (point-max) (point-min)) (eq (char-before (point-max)) ?\n))
      (agentq-log--insert server "\n"))))

(defun agentq-log--output (server params)
  "Show the agentq/replOutput PARAMS of SERVER in its colours."
  (let ((id (agentq-get ReplOutput params :evalId))
        (late (eq t (agentq-get ReplOutput params :late)))
        (text (agentq-get ReplOutput params :text)))
    (with-current-buffer (agentq-log-buffer server)
      ;; What comes when its form is over, or beside or after others, says which one it is of.
      (when (and id (not (equal id agentq-log--subject))
                 (or late agentq-log--subject
                     ;; The heading of the only one that runs stands above.
                     (/= 1 (+ (length agentq-log--running) agentq-log--own-calls))))
        (agentq-log--end-line server)
        (agentq-log--insert server (propertize (format "form %s%s:\n" id (if late ", later" ""))
                                               'face 'agentq-note))
        (setq agentq-log--subject id))
      (let ((shown (ansi-color-apply (string-replace "\r\n" "\n" text))))
        (when (equal (agentq-get ReplOutput params :stream) "stderr")
          (add-face-text-property 0 (length shown) 'warning t shown))
        (agentq-log--insert server shown))
      (agentq-log--begin-lines-again))))

(defun agentq-log--begin-lines-again ()
  "Take away what a carriage return on the last line overwrites."
  (let ((inhibit-read-only t))
    (save-excursion
      (goto-char (point-max))
      (while (search-backward "\r" (pos-bol) t)
        (if (eq (1+ (point)) (point-max))
            (goto-char (pos-bol))
          (delete-region (pos-bol) (1+ (point))))))))

(defun agentq-repl-go ()
  "Go to the place that the line names, such as a stack frame, else evaluate."
  (interactive nil agentq-repl-mode)
  (if-let* ((position (agentq-places-on-line (agentq-current-server))))
      (agentq-places-visit position)
    (call-interactively #'agentq-eval)))

(agentq-define-notification agentq/replOutput (server output)
  "Show the OUTPUT of the REPL of SERVER."
  (agentq-log--output server output))

(provide 'agentq-log)

;;; agentq-log.el ends here
