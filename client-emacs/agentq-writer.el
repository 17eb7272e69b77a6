;;; agentq-writer.el --- Write at the end of a buffer that grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Text and streamed text for a buffer that grows at its end.  Streamed text is
;; collected and inserted a few times a second, and nothing that stands above is
;; written again.  Windows that showed the end go on showing it.
;;
;; The functions work on the current buffer, once it is set up by
;; `agentq-writer-setup'.

;;; Code:

(require 'subr-x)

(defconst agentq-writer--flush-seconds 0.05
  "Seconds for which streamed text is collected before it is shown.")

(defvar-local agentq-writer--pending nil "Streamed strings not yet shown, newest first.")
(defvar-local agentq-writer--timer nil "Timer of the next flush.")
(defvar-local agentq-writer--block nil "Kind of the text that is streaming.")

(defvar-local agentq-writer-streamed-functions nil
  "Functions called after streamed text was inserted, or its block has ended.
The arguments are where the text begins, which reaches to the end of the
buffer, and whether the block has ended.")

(defun agentq-writer-setup ()
  "Prepare the current buffer to grow at its end."
  (buffer-disable-undo)
  ;; A window that comes back, from a review for one, shows the end if it did.
  (setq-local window-point-insertion-type t)
  ;; The last line stands at the bottom and not in the middle of the window.
  (setq-local scroll-conservatively 101))

(defun agentq-writer-append (text &optional face)
  "Insert TEXT in FACE at the end, below what was streamed before.
Windows that showed the end go on showing it."
  (agentq-writer-flush)
  (agentq-writer--insert (propertize text 'face face)))

(defun agentq-writer-show-end ()
  "Show the end in all windows of the buffer, and go on showing it."
  (goto-char (point-max))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point-max))))

(defmacro agentq-writer-following (&rest body)
  "Run BODY, which writes; windows that showed the end show it afterwards."
  (declare (indent 0) (debug t))
  `(let ((followers (seq-filter (lambda (window) (= (window-point window) (point-max)))
                                (get-buffer-window-list nil nil t)))
         (at-end (= (point) (point-max)))
         (inhibit-read-only t))
     (save-excursion ,@body)
     (when at-end (goto-char (point-max)))
     (dolist (window followers)
       (set-window-point window (point-max)))))

(defun agentq-writer--insert (text)
  "Insert TEXT at the end."
  (agentq-writer-following
    (goto-char (point-max))
    (insert text)))

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
      (agentq-writer--tell (- (point-max) (length text)) nil))))

(defun agentq-writer--tell (start ended)
  "Run `agentq-writer-streamed-functions' with START and ENDED."
  (run-hook-with-args 'agentq-writer-streamed-functions start ended))

(defun agentq-writer-end-block ()
  "End the streaming block, and its last line."
  (when agentq-writer--block
    (agentq-writer-flush)
    (unless (or (= (point-min) (point-max)) (eq ?\n (char-before (point-max))))
      (agentq-writer--insert "\n"))
    (agentq-writer--tell (point-max) t)
    (setq agentq-writer--block nil)))

(provide 'agentq-writer)

;;; agentq-writer.el ends here
