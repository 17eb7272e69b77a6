;;; agentq-fold.el --- Hunks of a review, folded to one line  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A hunk that is decided takes one line, until the person opens it; any other hunk
;; is folded by the person alone.  Searching opens what is folded.

;;; Code:

(require 'agentq-hunks)

(defvar agentq-review-mode)             ; agentq-review.el

(defvar-local agentq-fold--chosen nil
  "Alist from hunks, by their keys, to (STATE . FOLDED).
FOLDED is what the person chose while the hunk was in STATE.")

(defun agentq-fold-draw ()
  "Fold what is decided in this buffer, and what the person folded."
  (remove-overlays (point-min) (point-max) 'agentq-fold t)
  (dolist (key (agentq-review--keys (agentq-review--proposals)))
    (when (agentq-fold--folded-p key)
      (agentq-fold--hide key))))

(defun agentq-fold--state (key)
  "Return the state of the hunk KEY."
  (agentq-hunk-state (agentq-review--hunk-of
                      (agentq-known-proposal agentq-review--server (car key)) key)))

(defun agentq-fold--folded-p (key)
  "Return non-nil if the hunk KEY takes one line."
  (let ((state (agentq-fold--state key)))
    (pcase (alist-get key agentq-fold--chosen nil nil #'equal)
      (`(,(pred (equal state)) . ,folded) folded)
      (_ (member state '("accepted" "edited" "rejected" "taken back"))))))

(defun agentq-fold--hide (key)
  "Hide all lines of the hunk KEY but the first."
  (when-let* ((beginning (agentq-review--beginning-of key))
              (start (save-excursion (goto-char beginning) (pos-eol)))
              (end (1- (agentq-review--end-of key)))
              ((< start end)))
    (let ((overlay (make-overlay start end nil t nil)))
      (overlay-put overlay 'agentq-fold t)
      (overlay-put overlay 'evaporate t)
      (overlay-put overlay 'invisible 'agentq-fold)
      (overlay-put overlay 'isearch-open-invisible #'delete-overlay))))

(defun agentq-fold--at (key)
  "Return the overlay that folds the hunk KEY, or nil."
  (seq-find (lambda (overlay) (overlay-get overlay 'agentq-fold))
            (overlays-at (save-excursion (goto-char (agentq-review--beginning-of key))
                                         (pos-eol)))))

(defun agentq-review-toggle ()
  "Fold the hunk at point to one line, or unfold it."
  (interactive nil agentq-review-mode)
  (let* ((key (or (get-text-property (point) 'agentq-hunk) (user-error "No hunk at point")))
         (overlay (agentq-fold--at key)))
    (setf (alist-get key agentq-fold--chosen nil nil #'equal)
          (cons (agentq-fold--state key) (not overlay)))
    (if overlay
        (delete-overlay overlay)
      (goto-char (agentq-review--beginning-of key))
      (agentq-fold--hide key))))

(provide 'agentq-fold)

;;; agentq-fold.el ends here
