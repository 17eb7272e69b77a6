;;; agentq-overlays.el --- Hunks that wait, shown in their files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A file that is on the screen shows what is proposed for it: the lines that would
;; go, and behind them the lines that would come.
;;
;; Invariants:
;; - Overlays alone: the text of the buffer, its undo and its file stay as they are.
;; - A hunk is shown where its old text stands, or not at all.
;; - Nothing can be decided here; the review does that.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-hunks)
(require 'agentq-positions)
(require 'agentq-store)
(require 'agentq-visible)

(defcustom agentq-show-hunks t
  "Whether the buffer of a file shows the hunks that wait for a decision there."
  :group 'agentq
  :type 'boolean)

(defface agentq-hunk-old '((t :inherit diff-removed :extend t))
  "Face of lines of a file that a proposed hunk takes away."
  :group 'agentq)

(defface agentq-hunk-new '((t :inherit diff-added :extend t))
  "Face of lines that a proposed hunk brings, as its file shows them."
  :group 'agentq)

(defvar-local agentq-overlays--here nil "The overlays of hunks in this buffer.")

;; `revert-buffer' kills local variables, and leaves overlays.
(put 'agentq-overlays--here 'permanent-local t)

(defun agentq-overlays--note (server _proposal &optional _new)
  "Show the hunks that wait at SERVER, in the buffers of their files."
  (add-hook 'find-file-hook #'agentq-overlays--found)
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'agentq-overlays--here buffer)
      (with-current-buffer buffer
        (agentq-overlays--remove server))))
  (pcase-dolist (`(,uri . ,hunks) (seq-group-by (agentq-getter Hunk :uri)
                                                (agentq-overlays--waiting server)))
    (when-let* ((buffer (agentq-buffer-visiting (agentq-uri-to-path uri))))
      (with-current-buffer buffer
        (dolist (hunk hunks)
          (agentq-overlays--show server hunk))))))

(defun agentq-overlays--found ()
  "Show the hunks that wait in the file that was just visited."
  (when buffer-file-truename
    (let ((path (expand-file-name buffer-file-truename)))
      (dolist (server agentq--servers)
        (dolist (hunk (agentq-overlays--waiting server))
          (when (equal (agentq-uri-to-path (agentq-get Hunk hunk :uri)) path)
            (agentq-overlays--show server hunk)))))))

(defun agentq-overlays--waiting (server)
  "Return the hunks of SERVER that wait and can be shown, the oldest first."
  (and agentq-show-hunks
       (seq-filter (lambda (hunk) (equal (agentq-get Hunk hunk :kind) "edit"))
                   (mapcan #'agentq-review--pending
                           (agentq-pending-proposals server)))))

(defun agentq-overlays--remove (server)
  "Remove the overlays of SERVER from the current buffer."
  (setq agentq-overlays--here
        (seq-filter (lambda (overlay)
                      (or (not (eq server (overlay-get overlay 'agentq-server)))
                          (delete-overlay overlay)))
                    agentq-overlays--here)))

(defun agentq-overlays--show (server hunk)
  "Show HUNK of SERVER in the current buffer.
Do nothing where the old text of HUNK does not stand at its place, or where
the hunk of an older proposal is shown."
  (save-restriction
    (widen)
    (pcase-let ((`(,beg . ,end) (agentq-region-of (agentq-get Hunk hunk :range)))
                (old (string-replace "\r\n" "\n" (agentq-get Hunk hunk :oldText))))
      (when (and (<= beg end)
                 (not (agentq-hunk-conflict-p hunk))
                 (equal old (buffer-substring-no-properties beg end))
                 (not (agentq-overlays--taken-p beg end)))
        (let ((overlay (make-overlay beg end nil t nil)))
          (overlay-put overlay 'agentq-server server)
          (overlay-put overlay 'face 'agentq-hunk-old)
          (overlay-put overlay 'after-string (agentq-overlays--new hunk))
          (overlay-put overlay 'help-echo "Agent-Q proposes this; M-x agentq-review decides")
          (overlay-put overlay 'modification-hooks (list #'agentq-overlays--changed))
          (push overlay agentq-overlays--here))))))

(defun agentq-overlays--taken-p (beg end)
  "Return non-nil when a hunk is shown between BEG and END."
  (seq-some (lambda (overlay)
              (and (overlay-buffer overlay)
                   (or (= beg (overlay-start overlay))
                       (and (< beg (overlay-end overlay)) (< (overlay-start overlay) end)))))
            agentq-overlays--here))

(defun agentq-overlays--new (hunk)
  "Return the new text of HUNK for the buffer of its file."
  (propertize (agentq-visible (string-replace "\r\n" "\n" (agentq-get Hunk hunk :newText)))
              'face 'agentq-hunk-new))

(defun agentq-overlays--changed (overlay after &rest _)
  "Take OVERLAY away AFTER its text was changed: the hunk is another one then."
  (when after
    (setq agentq-overlays--here (delq overlay agentq-overlays--here))
    (delete-overlay overlay)))

(add-hook 'agentq-proposal-functions #'agentq-overlays--note)

(provide 'agentq-overlays)

;;; agentq-overlays.el ends here
