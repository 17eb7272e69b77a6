;;; agentq-writer.el --- Write above the prompt of a buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Text and streamed text above the prompt of a buffer (agentq-typing.el).
;; Streamed text is collected and inserted a few times a second, and nothing that
;; stands above is written again.  Windows that showed the end go on showing it.
;;
;; The functions work on the current buffer.

;;; Code:

(require 'agentq-typing)
(require 'seq)

(defconst agentq-writer--flush-seconds 0.05
  "Seconds for which streamed text is collected before it is shown.")

(defvar-local agentq-writer--pending nil "Streamed strings not yet shown, newest first.")
(defvar-local agentq-writer--timer nil "Timer of the next flush.")
(defvar-local agentq-writer--block nil "Kind of the text that is streaming.")

(defvar-local agentq-writer-streamed-functions nil
  "Functions called after streamed text was inserted, or its block has ended.
The arguments are where the text begins, where it ends, and whether the
block has ended.")

(defun agentq-writer-append (text &optional face)
  "Insert TEXT in FACE above the prompt, below what was streamed before.
Windows that showed the end go on showing it."
  (agentq-writer-flush)
  (agentq-writer--insert (propertize text 'face face)))

(defun agentq-writer-show-end ()
  "Show the end in all windows of the buffer, and go on showing it.
Where somebody is typing, point stays; else it is above the prompt, where
the keys of the text are in force."
  (when (agentq-typing-above-p)
    (goto-char (agentq-typing-end)))
  (dolist (window (get-buffer-window-list nil nil t))
    (when (agentq-typing-above-p (window-point window))
      (set-window-point window (agentq-typing-end)))))

(defmacro agentq-writer-following (&rest body)
  "Run BODY, which writes; windows that showed the end show it afterwards.
Those with point behind the prompt do so by themselves."
  (declare (indent 0) (debug t))
  `(let ((followers (seq-filter (lambda (window) (= (window-point window) (agentq-typing-end)))
                                (get-buffer-window-list nil nil t)))
         (at-end (= (point) (agentq-typing-end))))
     (agentq-typing-above
       (save-excursion ,@body))
     (when at-end (goto-char (agentq-typing-end)))
     (dolist (window followers)
       (set-window-point window (agentq-typing-end)))))

(defun agentq-writer-insert (text)
  "Insert TEXT at point, which is above the prompt; nobody can change it."
  (insert (propertize text 'read-only t 'front-sticky '(read-only))))

(defun agentq-writer--insert (text)
  "Insert TEXT at the end."
  (agentq-writer-following
    (goto-char (agentq-typing-end))
    (agentq-writer-insert text)))

(defun agentq-writer-stream (kind text face)
  "Show TEXT of the block KIND in FACE soon."
  (unless (eq kind agentq-writer--block)
    (agentq-writer-end-block)
    (setq agentq-writer--block kind))
  (push (propertize text 'face face) agentq-writer--pending)
  (unless agentq-writer--timer
    (setq agentq-writer--timer
          (run-at-time agentq-writer--flush-seconds nil
                       #'agentq-writer--flush-buffer (current-buffer)))))

(defun agentq-writer--flush-buffer (buffer)
  "Show what was streamed to BUFFER, if it still lives."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (agentq-writer-flush))))

(defun agentq-writer-flush ()
  "Show what was streamed."
  (when agentq-writer--timer
    (cancel-timer agentq-writer--timer)
    (setq agentq-writer--timer nil))
  (when agentq-writer--pending
    (let ((text (apply #'concat (nreverse agentq-writer--pending))))
      (setq agentq-writer--pending nil)
      (agentq-writer--insert text)
      (agentq-writer--tell (- (agentq-typing-end) (length text)) nil))))

(defun agentq-writer--tell (start ended)
  "Run `agentq-writer-streamed-functions' with START, the end and ENDED."
  (agentq-typing-above
    (run-hook-with-args 'agentq-writer-streamed-functions start (agentq-typing-end) ended)))

(defun agentq-writer-end-block ()
  "End the streaming block, and its last line."
  (when agentq-writer--block
    (agentq-writer-flush)
    (unless (memq (char-before (agentq-typing-end)) '(nil ?\n))
      (agentq-writer--insert "\n"))
    (agentq-writer--tell (agentq-typing-end) t)
    (setq agentq-writer--block nil)))

(provide 'agentq-writer)

;;; agentq-writer.el ends here
