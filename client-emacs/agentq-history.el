;;; agentq-history.el --- What was evaluated in the live image  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Lists what was evaluated and by whom, and runs forms again in a fresh image.

;;; Code:

(require 'agentq-client)
(require 'agentq-inspect)
(require 'agentq-log)

(defvar-keymap agentq-history-mode-map
  :doc "Keys of `agentq-history-mode'."
  :parent special-mode-map
  "RET" #'agentq-history-inspect
  "r" #'agentq-history-replay)

(define-derived-mode agentq-history-mode special-mode "AgentQ-History"
  "What was evaluated in the live image, by the user and by the agent.
\\{agentq-history-mode-map}"
  (setq revert-buffer-function (lambda (&rest _) (agentq-history)))
  (buffer-disable-undo))

;;;###autoload
(defun agentq-history ()
  "List what was evaluated in the live image."
  (interactive)
  (let ((server (agentq-running-server))
        (from (selected-window)))
    (agentq-request
     server :agentq/replHistory (list :limit 200)
     :then (lambda (page)
             (with-current-buffer (agentq-buffer server "agentq-history" 'agentq-history-mode)
               (let ((inhibit-read-only t))
                 (erase-buffer)
                 (mapc #'agentq-history--insert (reverse (plist-get page :items)))
                 (when (bobp)
                   (insert "Nothing was evaluated yet.\n")))
               (goto-char (point-max))
               (agentq-show (current-buffer) from))))))

(defun agentq-history--insert (item)
  "Insert the HistoryItem ITEM."
  (insert (propertize
           (concat (plist-get item :evalId) " " (plist-get item :by)
                   (if-let* ((module (plist-get item :module)))
                       (concat " in " (file-relative-name module)) "")
                   (if-let* ((again (plist-get item :replayOf)))
                       (format " (again %s)" again) "")
                   ": " (plist-get item :outcome)
                   (if-let* ((handle (plist-get item :valueId)))
                       (format " %s : %s = %s" handle (plist-get item :type)
                               (string-replace "\n" " " (or (plist-get item :preview) "")))
                     "")
                   (if-let* ((failure (plist-get item :error)))
                       (concat " " (string-replace "\n" " " failure)) "")
                   (if (eq t (plist-get item :stateKept)) "" ", lost with its process")
                   (if-let* ((left (plist-get item :left))) (concat ", left open: " left) "")
                   "\n    " (string-replace "\n" "\n    " (string-trim (plist-get item :code)))
                   "\n")
           'agentq-history-item item)))

(defun agentq-history--item ()
  "Return the item at point."
  (or (get-text-property (point) 'agentq-history-item)
      (user-error "No evaluation here")))

(defun agentq-history-inspect ()
  "Look into the value of the evaluation at point."
  (interactive nil agentq-history-mode)
  (let ((item (agentq-history--item)))
    (unless (and (plist-get item :valueId) (eq t (plist-get item :stateKept)))
      (user-error "Evaluation %s has no value to look into" (plist-get item :evalId)))
    (agentq-inspect (plist-get item :valueId))))

(defun agentq-history-replay (ids)
  "Restart the image and run the evaluations IDS again.
They are those of the region, or the one at point."
  (interactive
   (list (if (use-region-p)
             (agentq-history--ids (region-beginning) (region-end))
           (list (plist-get (agentq-history--item) :evalId))))
   agentq-history-mode)
  (when (yes-or-no-p (format "Restart the image and run %s again, with all effects? "
                             (string-join ids ", ")))
    (agentq-restart-repl ids #'agentq-history)))

(defun agentq-history--ids (beg end)
  "Return the ids of the evaluations between BEG and END, in their order."
  (let (ids)
    (save-excursion
      (goto-char beg)
      (while (< (point) end)
        (when-let* ((item (get-text-property (point) 'agentq-history-item)))
          (cl-pushnew (plist-get item :evalId) ids :test #'equal))
        (forward-line 1)))
    (nreverse ids)))

;;;###autoload
(defun agentq-restart-repl (&optional replay then)
  "Start the live image anew, then call THEN without arguments.
REPLAY is a list of evaluation ids to run again, or (\"all\") for what the
present state was built from; interactively, \"all\" with a prefix argument."
  (interactive (list (and current-prefix-arg '("all"))))
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/restartRepl
     (and replay (list :replay (vconcat replay)))
     :timeout nil
     :then (lambda (result)
             (let ((text (agentq-history--restarted result)))
               (agentq-log-note server text)
               (message "Agent-Q: %s" text))
             (when then
               (funcall then))))))

(defun agentq-history--restarted (answer)
  "Return the ANSWER to a restart in words."
  (let* ((again (plist-get answer :replayed))
         (failed (seq-count (lambda (item) (not (equal (plist-get item :outcome) "value")))
                            again)))
    (concat (format "the image is %s" (plist-get answer :state))
            (when again
              (format ", %d form%s run again" (length again) (if (length= again 1) "" "s")))
            (when (> failed 0)
              (format ", %d of them failed" failed))
            (when-let* ((unknown (plist-get answer :unknown)))
              (format "; no form that succeeded has the id %s"
                      (string-join unknown ", "))))))

(provide 'agentq-history)

;;; agentq-history.el ends here
