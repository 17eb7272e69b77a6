;;; agentq-ediff.el --- A text for a hunk, made in Ediff  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A hunk in conflict has three texts: what its lines are now, what was proposed,
;; and what they were when that was proposed.  Ediff merges the former two with the
;; third as their ancestor.  For any other hunk Ediff shows the lines of the file
;; beside the text that is edited.
;;
;; Invariants:
;; - Nothing is decided in Ediff: the merge is the text of the edit buffer then,
;;   which the person accepts or leaves.
;; - No buffer of Ediff stays behind, and the windows are what they were.

;;; Code:

(require 'ediff)
(require 'agentq-proposed)
(require 'agentq-unsent)

(defun agentq-review-ediff (&optional stop)
  "Write another text for the hunk at point in Ediff, to be accepted after that.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (agentq-review-edit stop)
  (agentq-ediff))

(defun agentq-ediff ()
  "Make the text of this buffer in Ediff.
Of a hunk in conflict Ediff merges what stands there now with what was
proposed; else it shows the lines of the file beside the text."
  (interactive nil agentq-review-edit-mode)
  (let* ((edit (current-buffer))
         (hunk agentq-review--edit-hunk)
         (before (current-window-configuration))
         (standing (agentq-ediff--buffer "now" (agentq-review--standing hunk))))
    (agentq-ediff--leave-side-window)
    (if (agentq-hunk-conflict-p hunk)
        (let ((proposed (agentq-ediff--buffer "proposed" (agentq-get Hunk hunk :newText)))
              (was (agentq-ediff--buffer "before" (agentq-get Hunk hunk :oldText))))
          (ediff-merge-buffers-with-ancestor
           standing proposed was
           (list (lambda ()
                   (let ((merge ediff-buffer-C))
                     (with-current-buffer merge
                       (agentq-edit-context-keep-indentation)
                       (set-buffer-modified-p nil)
                       (agentq-unsent-guard (lambda ()
                                              (when (buffer-modified-p)
                                                (format "The merge in %s is not over" (buffer-name))))))
                     (agentq-ediff--at-end
                      (lambda ()
                        (agentq-ediff--take merge edit)
                        (agentq-ediff--clean before edit
                                             (list standing proposed was merge)))))))))
      (ediff-buffers
       standing edit
       (list (lambda ()
               (agentq-ediff--at-end
                (lambda ()
                  ;; Ediff leaves its buffers widened.
                  (with-current-buffer edit (agentq-edit-context-narrow))
                  (agentq-ediff--clean before edit (list standing))))))))))

(defun agentq-ediff--leave-side-window ()
  "Select a window that Ediff can divide, which no side window is."
  (when (window-parameter nil 'window-side)
    (select-window (seq-find (lambda (window) (not (window-parameter window 'window-side)))
                             (window-list nil 'without-minibuffer)))))

(defun agentq-ediff--buffer (name text)
  "Return a new buffer with TEXT in the major mode of the current one.
NAME says what TEXT is."
  (let ((mode major-mode)
        (file (file-name-nondirectory
               (agentq-uri-to-path (agentq-get Hunk agentq-review--edit-hunk :uri)))))
    (with-current-buffer (generate-new-buffer (format "*agentq-%s: %s*" name file))
      (insert (string-replace "\r\n" "\n" (or text "")))
      (ignore-errors (delay-mode-hooks (funcall mode)))
      (agentq-edit-context-keep-indentation)
      (setq buffer-read-only (not (equal name "now")))
      (current-buffer))))

(defun agentq-ediff--at-end (function)
  "Call FUNCTION when the session of Ediff that begins here is over."
  (add-hook 'ediff-after-quit-hook-internal function nil t))

(defun agentq-ediff--take (merge edit)
  "Put the text of the buffer MERGE into the buffer EDIT, as one undo step."
  (when (and (buffer-live-p merge) (buffer-live-p edit))
    (let ((text (with-current-buffer merge (buffer-string))))
      (with-current-buffer edit
        (agentq-edit-context-replace (substring-no-properties text))))))

(defun agentq-ediff--clean (windows edit buffers)
  "Show WINDOWS again with EDIT selected, and kill BUFFERS."
  (dolist (buffer buffers)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (set-buffer-modified-p nil))
      (kill-buffer buffer)))
  (set-window-configuration windows)
  (when-let* ((window (get-buffer-window edit)))
    (select-window window)
    (message "%s" (if (agentq-review-edit-both-texts)
                      agentq-review-edit-both-words
                    (substitute-command-keys
                     "\\<agentq-review-edit-mode-map>\\[agentq-review-edit-finish] accepts the hunk with this text")))))

(provide 'agentq-ediff)

;;; agentq-ediff.el ends here
