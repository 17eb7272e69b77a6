;;; agentq-buffers.el --- The buffers of a project  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every project has buffers of its own, whose names end in the project's name.
;; When two projects have one name, the later one is named by its whole path.

;;; Code:

(require 'project)

(defvar-local agentq--root nil "Root of the project of an Agent-Q buffer.")

(defvar agentq--names nil "Alist from roots of projects to their names.")

(defun agentq-project-name (root name)
  "Return what the project at ROOT, whose own name is NAME, is called here.
That is NAME for the first one of it, ROOT for others."
  (or (alist-get root agentq--names nil nil #'equal)
      (setf (alist-get root agentq--names nil nil #'equal)
            (if (rassoc name agentq--names)
                (abbreviate-file-name (directory-file-name root))
              name))))

(defun agentq-project-buffer (kind root name mode)
  "Return the buffer KIND of the project at ROOT called NAME, in MODE."
  (let ((buffer (get-buffer-create
                 (format "*%s: %s*" kind (agentq-project-name root name)))))
    (with-current-buffer buffer
      (unless (derived-mode-p mode)
        (funcall mode))
      (setq agentq--root root
            default-directory root))
    buffer))

(define-derived-mode agentq-report-mode special-mode "AgentQ-Report"
  "A text that is only read."
  :interactive nil)

(defun agentq-report (name text)
  "Return the buffer NAME, in which TEXT can be read."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min)))
    (agentq-report-mode)
    (current-buffer)))

(defvar display-line-numbers-type)

(defun agentq-without-line-numbers ()
  "Leave the current buffer without the numbers of a global mode.
They would leap where text is folded.  Where the person asks for them here,
they count what is seen."
  (display-line-numbers-mode -1)
  (setq-local display-line-numbers-type 'visual))

(defun agentq-width ()
  "Return how many columns the windows of the current buffer have, 80 without one."
  (apply #'min (or (mapcar #'window-body-width (get-buffer-window-list nil nil t)) '(80))))

(defun agentq-show (buffer from)
  "Show BUFFER, and go there if the person is still in the window FROM."
  (let ((window (display-buffer buffer)))
    (when (and window (eq from (selected-window)) (not (active-minibuffer-window)))
      (select-window window))))

(provide 'agentq-buffers)

;;; agentq-buffers.el ends here
