;;; agentq-navigate.el --- From hunk to hunk, and into the file  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Moves point in a review buffer and keeps the hunk at point in sight.

;;; Code:

(require 'cl-lib)
(require 'agentq-hunks)

(defvar agentq-review-mode)             ; agentq-review.el

(defun agentq-review-next (&optional count)
  "Move to the next hunk, COUNT times."
  (interactive "p")
  (dotimes (_ (or count 1))
    (goto-char (or (seq-find (lambda (beginning) (> beginning (point)))
                             (agentq-review--beginnings))
                   (user-error "No next hunk"))))
  (agentq-review--show-hunk (selected-window)))

(defun agentq-review-previous (&optional count)
  "Move to the previous hunk, COUNT times."
  (interactive "p")
  (dotimes (_ (or count 1))
    (goto-char (or (seq-find (lambda (beginning) (< beginning (point)))
                             (reverse (agentq-review--beginnings)))
                   (user-error "No previous hunk"))))
  (agentq-review--show-hunk (selected-window)))

(defun agentq-review-next-file (&optional count)
  "Move to the first hunk of the next file, COUNT times."
  (interactive "p" agentq-review-mode)
  (dotimes (_ (or count 1))
    (goto-char (or (seq-find (lambda (beginning) (> beginning (point)))
                             (agentq-navigate--files))
                   (user-error "No next file"))))
  (agentq-review--show-hunk (selected-window)))

(defun agentq-review-previous-file (&optional count)
  "Move to the first hunk of the previous file, COUNT times."
  (interactive "p" agentq-review-mode)
  (dotimes (_ (or count 1))
    (goto-char (or (seq-find (lambda (beginning)
                               ;; From within a file the way leads to the file before that one.
                               (< beginning (save-excursion (agentq-navigate--file-start))))
                             (reverse (agentq-navigate--files)))
                   (user-error "No previous file"))))
  (agentq-review--show-hunk (selected-window)))

(defun agentq-navigate--files ()
  "Return where the first hunks of the files of this buffer begin."
  (seq-filter (lambda (beginning)
                (and (> beginning (point-min))
                     (save-excursion (goto-char beginning)
                                     (forward-line -1)
                                     (looking-at-p "\\+\\+\\+ "))))
              (agentq-review--beginnings)))

(defun agentq-navigate--file-start ()
  "Return where the first hunk of the file at point begins."
  (or (seq-find (lambda (beginning) (<= beginning (point)))
                (reverse (agentq-navigate--files)))
      (point-min)))

(defun agentq-review--show-hunk (window)
  "Scroll WINDOW so that the whole hunk at its point is seen.
Where the window is too small and the selected one, make it larger."
  (when-let* (((eq (current-buffer) (window-buffer window)))
              (key (get-text-property (window-point window) 'agentq-hunk)))
    (let ((selected (eq window (selected-window))))
      (with-selected-window window
        (save-excursion
          (goto-char (agentq-review--beginning-of key))
          (let ((lines (count-screen-lines (point) (agentq-review--end-of key))))
            (when (and selected (> lines (window-body-height)) (not (frame-root-window-p window)))
              (maximize-window))
            (recenter (max 0 (/ (- (window-body-height) lines) 2)))))))))

(defun agentq-review--goto-pending ()
  "Stay in an undecided hunk, or move to the next one, or the first."
  (let* ((keys (agentq-review--keys (agentq-review--proposals) #'agentq-review--pending))
         (undecided (seq-filter (lambda (beginning)
                                  (member (get-text-property beginning 'agentq-hunk) keys))
                                (agentq-review--beginnings))))
    (unless (or (null undecided) (region-active-p)
                (member (get-text-property (point) 'agentq-hunk) keys))
      (goto-char (or (seq-find (lambda (beginning) (> beginning (point))) undecided)
                     (car undecided)))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-point window (point))
        (agentq-review--show-hunk window)))))

(defun agentq-review--show-beginning ()
  "Show this buffer from its beginning in each of its windows: all is decided.
Point stays at what was decided last where that is in sight then, so that
the decision can be taken back; else point goes to the beginning, too."
  (dolist (window (get-buffer-window-list nil nil t))
    (unless (<= (count-screen-lines (point-min) (window-point window) t window)
                (window-body-height window))
      (goto-char (point-min))
      (set-window-point window (point-min)))
    (set-window-start window (point-min))))

(defun agentq-review-goto ()
  "Go to the line at point in its file, in another window.
A line that goes, or does not come, leads to the place where it would be.
In the list of files go to the first hunk of the file."
  (interactive nil agentq-review-mode)
  (if-let* ((uri (get-text-property (point) 'agentq-file)))
      (progn
        (goto-char (agentq-navigate--first-of (agentq-review--proposal) uri))
        (agentq-review--show-hunk (selected-window)))
    (agentq-navigate--visit)))

(defun agentq-navigate--first-of (proposal uri)
  "Return where the first hunk of the file URI of PROPOSAL begins."
  (agentq-review--beginning-of
   (car (agentq-review--keys (list proposal)
                             (lambda (proposal)
                               (seq-filter (lambda (hunk) (equal (agentq-get Hunk hunk :uri) uri))
                                           (agentq-get Proposal proposal :hunks)))))))

(defun agentq-navigate--visit ()
  "Go to the line at point in its file, in another window."
  (pcase-let* ((hunk (or (agentq-review--known-at-point)
                         (user-error "No hunk at point")))
               (path (agentq-uri-to-path (agentq-get Hunk hunk :uri)))
               (`(,line . ,column) (agentq-navigate--place hunk)))
    (unless (or (find-buffer-visiting path) (file-exists-p path))
      (user-error "%s does not exist yet" (file-name-nondirectory path)))
    (pop-to-buffer (find-file-noselect path)
                   '((display-buffer-reuse-window display-buffer-use-some-window)))
    (widen)
    (goto-char (point-min))
    (forward-line (1- line))
    (move-to-column column)))

(defun agentq-navigate--place (hunk)
  "Return (LINE . COLUMN) in the file of HUNK for point, LINE from 1.
Lines of HUNK that are not in the file count nothing."
  (let* ((there (if (member (agentq-hunk-state hunk) '("accepted" "edited")) ?+ ?-))
         (key (get-text-property (point) 'agentq-hunk))
         (column (max 0 (1- (current-column))))
         (end (pos-bol))
         (line 0))
    (save-excursion
      (goto-char (agentq-review--beginning-of key))
      (when (looking-at "@@ -\\([0-9]+\\)\\(?:,[0-9]+\\)? \\+\\([0-9]+\\)")
        (setq line (max 1 (string-to-number (match-string (if (eq there ?+) 2 1))))))
      (forward-line 1)
      (while (< (point) end)
        (when (memq (char-after) (list ?\s there))
          (cl-incf line))
        (forward-line 1)))
    (cons line column)))

(provide 'agentq-navigate)

;;; agentq-navigate.el ends here
