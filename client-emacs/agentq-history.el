;;; agentq-history.el --- What was evaluated in the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Lists what was evaluated and by whom, and runs forms again in a fresh REPL.

;;; Code:

(require 'agentq-client)
(require 'agentq-inspect)
(require 'agentq-mouse)
(require 'agentq-log)
(require 'agentq-process)
(require 'agentq-restart)

(defvar-local agentq-history--process nil
  "Id of the program whose forms are listed, nil for those of the REPL.")

(defvar-keymap agentq-history-mode-map
  :doc "Keys of `agentq-history-mode'."
  :parent special-mode-map
  "RET" #'agentq-history-inspect
  "r" #'agentq-history-replay)

(define-derived-mode agentq-history-mode special-mode "AgentQ-History"
  "What was evaluated in the REPL, by the person and by the agent.
\\{agentq-history-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-history agentq-history--process)))
  (buffer-disable-undo))

;;;###autoload
(defun agentq-history (&optional process)
  "List what was evaluated in the REPL, or in the program where forms go.
PROCESS is the id of that program."
  (interactive (list (agentq-process-of (agentq-running-server))))
  (let ((server (agentq-running-server))
        (from (selected-window)))
    (agentq-request
     server :agentq/replHistory (agentq-make ReplHistoryParams :process process :limit 200)
     :then (lambda (page)
             (with-current-buffer (agentq-buffer server "agentq-history" 'agentq-history-mode)
               (setq agentq-history--process process
                     header-line-format (and process (concat " Forms in " process)))
               (let ((inhibit-read-only t))
                 (erase-buffer)
                 (mapc #'agentq-history--insert (reverse (agentq-get ReplHistoryResult page :items)))
                 (put-text-property (point-min) (point) 'agentq-process process)
                 (when (bobp)
                   (insert "Nothing was evaluated yet.\n")))
               (goto-char (point-max))
               (agentq-show (current-buffer) from))))))

(defun agentq-history--insert (item)
  "Insert the HistoryItem ITEM."
  (insert (propertize
           (concat (agentq-mouse-line (agentq-get HistoryItem item :evalId)) " " (agentq-get HistoryItem item :by)
                   (if-let* ((module (agentq-get HistoryItem item :module)))
                       (concat " in " (file-relative-name module)) "")
                   (if-let* ((again (agentq-get HistoryItem item :replayOf)))
                       (format " (again %s)" again) "")
                   ": " (agentq-get HistoryItem item :outcome)
                   (if-let* ((handle (agentq-get HistoryItem item :valueId)))
                       (format " %s : %s = %s" handle (agentq-get HistoryItem item :type)
                               (string-replace "\n" " " (or (agentq-get HistoryItem item :preview) "")))
                     "")
                   (if-let* ((failure (agentq-get HistoryItem item :error)))
                       (concat " " (string-replace "\n" " " failure)) "")
                   (if (eq t (agentq-get HistoryItem item :stateKept)) "" ", lost with its process")
                   (if-let* ((left (agentq-get HistoryItem item :left))) (concat ", left open: " left) "")
                   "\n    " (string-replace "\n" "\n    " (string-trim (agentq-get HistoryItem item :code)))
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
    (unless (and (agentq-get HistoryItem item :valueId) (eq t (agentq-get HistoryItem item :stateKept)))
      (user-error "Evaluation %s has no value to look into" (agentq-get HistoryItem item :evalId)))
    (agentq-inspect (agentq-get HistoryItem item :valueId) nil agentq-history--process)))

(defun agentq-history-replay (ids)
  "Restart the REPL and run the evaluations IDS again.
They are those of the region, or the one at point."
  (interactive
   (list (if (use-region-p)
             (agentq-history--ids (region-beginning) (region-end))
           (list (agentq-get HistoryItem (agentq-history--item) :evalId))))
   agentq-history-mode)
  (when agentq-history--process
    (user-error "Forms run again in a fresh REPL; %s is started anew by you"
                agentq-history--process))
  (when (yes-or-no-p (format "Restart the REPL and run %s again, with all effects? "
                             (string-join ids ", ")))
    (agentq-restart-repl ids #'agentq-history)))

(defun agentq-history--ids (beg end)
  "Return the ids of the evaluations between BEG and END, in their order."
  (let (ids)
    (save-excursion
      (goto-char beg)
      (while (< (point) end)
        (when-let* ((item (get-text-property (point) 'agentq-history-item)))
          (cl-pushnew (agentq-get HistoryItem item :evalId) ids :test #'equal))
        (forward-line 1)))
    (nreverse ids)))

(provide 'agentq-history)

;;; agentq-history.el ends here
