;;; agentq-proposed.el --- Another text for a proposed hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The person accepts a hunk with a text of their own, which is written in a
;; buffer as it would be in the file, between the lines that stand round it there.
;; For a hunk in conflict the text begins with what stands at its place.
;;
;; Invariants:
;; - What the person wrote is kept until the server has taken it.

;;; Code:

(require 'agentq-edit-context)
(require 'agentq-mouse)
(require 'agentq-review)
(require 'agentq-unsent)

(autoload 'agentq-ediff "agentq-ediff" nil t)
(autoload 'agentq-review-ediff "agentq-ediff" nil t)

(defvar-local agentq-review--edit-finish nil
  "Function that takes the edited text and returns the buffer of its review.")

(defvar-local agentq-review--edit-texts nil
  "The texts that a merge can begin with, the one that it began with first.
Each is (NAME . TEXT).")

(defvar-local agentq-review--edit-hunk nil "The hunk, as the person saw it last.")

(defvar-local agentq-review--edit-over nil
  "What stood at the place of the hunk when the person began.")

(defvar-keymap agentq-review-edit-mode-map
  :doc "Keys of `agentq-review-edit-mode'."
  "C-c C-c" #'agentq-review-edit-finish
  "C-c C-k" #'agentq-review-edit-abort
  "C-c C-t" #'agentq-review-edit-other
  "C-c C-e" #'agentq-ediff
  "<remap> <save-buffer>" #'agentq-review-edit-save)

(define-minor-mode agentq-review-edit-mode
  "Edit the new text of a hunk.
\\{agentq-review-edit-mode-map}"
  :interactive nil
  (agentq-unsent-guard (lambda ()
                         (when (buffer-modified-p)
                           (format "The text in %s was not accepted" (buffer-name)))))
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-review--edit-header)))))

(defun agentq-review--edit-header ()
  "Return the header line of a text that is edited."
  (substitute-command-keys
   (concat "\\<agentq-review-edit-mode-map> \\[agentq-review-edit-finish] accept"
           (if-let* ((other (cadr agentq-review--edit-texts)))
               (format "  \\[agentq-review-edit-other] %s" (car other))
             "")
           "  \\[agentq-ediff] Ediff  \\[agentq-review-edit-abort] leave")))

(defun agentq-review-edit (&optional stop)
  "Accept the hunk at point with another text, written in a buffer.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (let* ((review (current-buffer))
         (hunk (agentq-review--hunk-at-point))
         (id (agentq-get Proposal (agentq-review--proposal) :proposalId))
         (path (if (member (agentq-get Hunk hunk :kind) '("rename" "delete" "entry"))
                   (user-error "To %s has no text to change"
                               (agentq-visible-line (agentq-get Hunk hunk :title)))
                 (agentq-uri-to-path (agentq-get Hunk hunk :uri)))))
    (pop-to-buffer (generate-new-buffer
                    (format "*agentq-edit: %s*" (file-name-nondirectory path))))
    (let ((texts (agentq-review--edit-beginnings hunk)))
      (agentq-edit-context-begin (cdar texts) hunk)
      (font-lock-mode)
      (glyphless-display-mode)
      (agentq-review-edit-mode)
      (setq agentq-review--edit-texts texts
            agentq-review--edit-hunk hunk
            agentq-review--edit-over (agentq-review--standing hunk)))
    (setq agentq-review--edit-finish
          (lambda (text)
            (let ((hunk agentq-review--edit-hunk)
                  (over agentq-review--edit-over)
                  (buffer (current-buffer)))
              (unless (buffer-live-p review)
                (let ((server (agentq-running-server)))
                  (with-current-buffer (setq review (agentq-review--buffer server))
                    (agentq-review--write server))))
              (with-current-buffer review
                (agentq-review--edit-follow id hunk buffer)
                (agentq-decide (agentq-running-server) id (list hunk) "edit"
                               (agentq-review--whole-lines text hunk) stop over))
              review)))))

(defun agentq-review--standing (hunk)
  "Return what stands at the place of HUNK, as far as the server told."
  (if (agentq-hunk-conflict-p hunk)
      (agentq-get Hunk hunk :currentText)
    (agentq-get Hunk hunk :oldText)))

(defun agentq-review--edit-beginnings (hunk)
  "Return the texts with which a text for HUNK can begin, as (NAME . TEXT)."
  (let ((texts (list (cons "proposed text" (agentq-get Hunk hunk :newText)))))
    (when (agentq-hunk-conflict-p hunk)
      (push (cons "text as it is now" (or (agentq-get Hunk hunk :currentText) "")) texts))
    (mapcar (lambda (text) (cons (car text) (string-replace "\r\n" "\n" (cdr text))))
            texts)))

(defun agentq-review-edit-other ()
  "Begin anew with the other text of a conflict.
Undo brings back what was there."
  (interactive nil agentq-review-edit-mode)
  (unless (cdr agentq-review--edit-texts)
    (user-error "There is one text to begin with"))
  (setq agentq-review--edit-texts (append (cdr agentq-review--edit-texts)
                                          (list (car agentq-review--edit-texts)))
        agentq-review--edit-over (agentq-review--standing agentq-review--edit-hunk))
  (agentq-edit-context-replace (cdar agentq-review--edit-texts)))

(defun agentq-review--edit-follow (proposal-id hunk buffer)
  "Kill BUFFER, a text for HUNK of PROPOSAL-ID, once the server has taken the text.
Show BUFFER again if the server has not."
  (let ((id (agentq-get Hunk hunk :id))
        follow)
    (setq follow
          (lambda (_server proposal &optional _new)
            (when (equal proposal-id (agentq-get Proposal proposal :proposalId))
              (let ((now (cl-find id (append (agentq-get Proposal proposal :hunks) nil)
                                  :test #'equal :key (agentq-getter Hunk :id))))
                (unless (equal (agentq-get Hunk now :state) "deciding")
                  (remove-hook 'agentq-proposal-functions follow)
                  (when (buffer-live-p buffer)
                    (cond ((equal (agentq-get Hunk now :state) "edited")
                           (with-current-buffer buffer (set-buffer-modified-p nil))
                           (kill-buffer buffer))
                          ((equal (agentq-get Proposal proposal :state) "pending")
                           (agentq-review--edit-again buffer now)))))))))
    (add-hook 'agentq-proposal-functions follow 100)))

(defun agentq-review--edit-again (buffer hunk)
  "Show BUFFER, whose text for HUNK was not taken, with what stands there now."
  (with-current-buffer buffer
    (setq agentq-review--edit-hunk hunk
          agentq-review--edit-texts (append (list (cons "your text" (agentq-edit-context-text)))
                                            (agentq-review--edit-beginnings hunk))))
  (pop-to-buffer buffer)
  (message "Agent-Q: your text was not taken, as the lines changed; it is kept here"))

(defun agentq-review--whole-lines (text hunk)
  "Return TEXT, the person's own for HUNK, with the line ends that HUNK has.
Its last line is ended where that of the hunk was: else what follows in
the file would be joined to it."
  (let* ((old (agentq-get Hunk hunk :oldText))
         (new (agentq-get Hunk hunk :newText))
         (model (cond ((agentq-hunk-conflict-p hunk)
                       (let ((now (or (agentq-get Hunk hunk :currentText) "")))
                         (if (string-empty-p now) new now)))
                      ((string-empty-p new) old)
                      (t new)))
         (whole (if (or (string-empty-p text) (string-suffix-p "\n" text)
                        (not (string-suffix-p "\n" model)))
                    text
                  (concat text "\n"))))
    (if (string-search "\r\n" (concat old new))
        (string-replace "\n" "\r\n" whole)
      whole)))

(defun agentq-review-edit-save ()
  "Say how the text of this buffer is accepted: it has no file."
  (interactive nil agentq-review-edit-mode)
  (user-error "%s" (substitute-command-keys
                    "This text has no file yet; \\[agentq-review-edit-finish] accepts it")))

(defun agentq-review-edit-finish ()
  "Accept the hunk with the text of this buffer."
  (interactive nil agentq-review-edit-mode)
  (when-let* ((place (agentq-review-edit-both-texts)))
    (goto-char place)
    (user-error "%s" agentq-review-edit-both-words))
  (let* ((buffer (current-buffer))
         (window (selected-window))
         (review (funcall agentq-review--edit-finish (agentq-edit-context-text))))
    (when (eq (window-buffer window) buffer)
      (quit-window nil window))
    ;; Whatever was shown in that window in the meantime, the person is back where they came from.
    (pop-to-buffer review '((display-buffer-reuse-window display-buffer-same-window)))))

(defconst agentq-review-edit-both-words
  "This merge still has both texts where you chose none: <<<<<<< variant A"
  "What is said of a text in which Ediff left a place undecided.")

(defun agentq-review-edit-both-texts ()
  "Return where this buffer has what Ediff writes round both texts, or nil."
  (save-excursion
    (goto-char (point-min))
    (and (re-search-forward "^<<<<<<< variant A$" nil t)
         (pos-bol))))

(defun agentq-review-edit-abort ()
  "Give up editing; the hunk stays undecided.
Ask about a text that was changed."
  (interactive nil agentq-review-edit-mode)
  (when (or (rassoc (agentq-edit-context-text) agentq-review--edit-texts)
            (y-or-n-p "Leave the hunk as it was and throw your text away? "))
    (set-buffer-modified-p nil)
    (quit-window t)))

(provide 'agentq-proposed)

;;; agentq-proposed.el ends here
