;;; agentq-review.el --- Review proposed edits hunk by hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A proposal is shown as a diff in which every hunk waits for a decision.
;;
;; Invariants:
;; - Nothing is decided but by a command of this mode: leaving the buffer, killing
;;   it or quitting a question leaves the hunks pending.
;; - Questions (a reason, another text) are asked before anything is sent.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'agentq-client)
(require 'agentq-decide)
(require 'agentq-diff)

(defvar-local agentq-review--proposal-id nil "The proposal this buffer shows.")

(defvar-keymap agentq-review-mode-map
  :doc "Keys of `agentq-review-mode'."
  :suppress t
  "a" #'agentq-review-accept
  "r" #'agentq-review-reject
  "e" #'agentq-review-edit
  "A" #'agentq-review-accept-all
  "R" #'agentq-review-reject-all
  "n" #'agentq-review-next
  "p" #'agentq-review-previous
  "g" #'agentq-review
  "RET" #'diff-goto-source
  "?" #'describe-mode
  "q" #'quit-window)

(define-derived-mode agentq-review-mode diff-mode "AgentQ-Review"
  "Review the hunks of a proposal.
\\<agentq-review-mode-map>
\\[agentq-review-accept] accepts the hunk at point.
\\[agentq-review-reject] rejects it, after asking for the reason.
\\[agentq-review-edit] accepts it with another text.
\\[agentq-review-accept-all] and \\[agentq-review-reject-all] decide all the rest.
With a prefix argument the agent stops after the decision.
\\[quit-window] leaves everything undecided.

\\{agentq-review-mode-map}"
  (setq-local diff-mode-read-only nil)
  (remove-hook 'read-only-mode-hook t t)
  (setq buffer-read-only t)
  (buffer-disable-undo)
  (setq header-line-format '(:eval (agentq-review--header))))

(defun agentq-review ()
  "Show the oldest proposal that waits for a decision."
  (interactive)
  (let* ((server (agentq-ensure-server))
         (proposal (car (agentq-pending-proposals server))))
    (unless proposal
      (user-error "No proposal waits for a decision"))
    (pop-to-buffer (agentq-review--buffer server))
    (unless (equal agentq-review--proposal-id (plist-get proposal :proposalId))
      (agentq-review--show proposal)
      (agentq-review--goto-pending (point-min)))))

;;; The buffer

(defun agentq-review--buffer (server)
  "Return the review buffer of SERVER, made if needed."
  ;; The diff is rewritten as a whole, so its headers need no repair.
  (let ((diff-update-on-the-fly nil))
    (agentq-buffer server "agentq-review" 'agentq-review-mode)))

(defun agentq-review--proposal ()
  "Return the proposal of the current buffer."
  (or (cdr (assoc agentq-review--proposal-id
                  (agentq-server-proposals (agentq-ensure-server))))
      (user-error "This proposal is no longer known")))

(defun agentq-review--show (proposal)
  "Write PROPOSAL into the current buffer and keep the line of point."
  (let ((inhibit-read-only t)
        (line (line-number-at-pos)))
    (erase-buffer)
    (setq agentq-review--proposal-id (plist-get proposal :proposalId))
    (agentq-diff-insert proposal agentq--root)
    (goto-char (point-min))
    (forward-line (1- line))))

(defun agentq-review--header ()
  "Return the header line: what is left and how to decide."
  (if-let* ((server (agentq-current-server))
            (proposal (cdr (assoc agentq-review--proposal-id
                                  (agentq-server-proposals server)))))
      (let ((left (length (agentq-review--pending proposal)))
            (more (1- (length (agentq-pending-proposals server)))))
        (if (equal (plist-get proposal :state) "pending")
            (substitute-command-keys
             (format " %d of %d left%s  \\`a' accept  \\`r' reject  \\`e' edit  \\`A'/\\`R' all  \\`n'/\\`p' move  \\`q' later"
                     left (length (plist-get proposal :hunks))
                     (if (> more 0) (format " (+%d proposals)" more) "")))
          (format " Decided: %s%s" (plist-get proposal :state)
                  (if (>= more 0) (substitute-command-keys "  \\`g' next proposal") ""))))
    " Not connected"))

;;; Moving

(defun agentq-review-next (&optional count)
  "Move to the next hunk, COUNT times."
  (interactive "p")
  (diff-hunk-next count))

(defun agentq-review-previous (&optional count)
  "Move to the previous hunk, COUNT times."
  (interactive "p")
  (diff-hunk-prev count))

(defun agentq-review--pending (proposal)
  "Return the hunks of PROPOSAL that are undecided."
  (seq-filter (lambda (hunk) (equal (plist-get hunk :state) "pending"))
              (plist-get proposal :hunks)))

(defun agentq-review--hunk-at-point ()
  "Return the undecided hunk at point, or the first one after it."
  (let* ((proposal (agentq-review--proposal))
         (pending (agentq-review--pending proposal))
         (position (point))
         hunk)
    (while (and position (not hunk))
      (let ((id (get-text-property position 'agentq-hunk)))
        (setq hunk (and id (cl-find id pending :test #'equal
                                    :key (lambda (each) (plist-get each :id))))
              position (next-single-property-change position 'agentq-hunk))))
    (or hunk (car pending) (user-error "Every hunk is decided"))))

(defun agentq-review--goto-pending (from)
  "Move to the first undecided hunk at or after FROM, if there is one."
  (goto-char from)
  (when-let* ((hunk (ignore-errors (agentq-review--hunk-at-point)))
              (position (text-property-any (point-min) (point-max)
                                           'agentq-hunk (plist-get hunk :id))))
    (goto-char position)
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window position))))

;;; Deciding

(defun agentq-review-accept (&optional stop)
  "Accept the hunk at point.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (agentq-review--decide (list (agentq-review--hunk-at-point)) "accept" nil stop))

(defun agentq-review-accept-all (&optional stop)
  "Accept all undecided hunks; with prefix argument STOP the agent stops then."
  (interactive "P" agentq-review-mode)
  (agentq-review--decide (agentq-review--all-pending) "accept" nil stop))

(defun agentq-review-reject (&optional stop)
  "Reject the hunk at point, after asking for the reason.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (let ((hunk (agentq-review--hunk-at-point)))
    (agentq-review--decide (list hunk) "reject" (agentq-review--read-reason) stop)))

(defun agentq-review-reject-all (&optional stop)
  "Reject all undecided hunks, after asking for the reason.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (let ((hunks (agentq-review--all-pending)))
    (agentq-review--decide hunks "reject" (agentq-review--read-reason) stop)))

(defun agentq-review--read-reason ()
  "Read why something is rejected; empty when the user gives no reason."
  (string-trim (read-string "Reject because (may be empty): ")))

(defun agentq-review--all-pending ()
  "Return the undecided hunks of this buffer, at least one."
  (or (agentq-review--pending (agentq-review--proposal))
      (user-error "Every hunk is decided")))

(defun agentq-review--decide (hunks decision text stop)
  "Send DECISION with TEXT on HUNKS of the proposal of this buffer.
With STOP the agent ends its turn."
  (agentq-decide (agentq-ensure-server) agentq-review--proposal-id
                 hunks decision text stop))

;;; Another text for a hunk

(defvar-local agentq-review--edit-finish nil "Function that takes the edited text.")

(defvar-keymap agentq-review-edit-mode-map
  :doc "Keys of `agentq-review-edit-mode'."
  "C-c C-c" #'agentq-review-edit-finish
  "C-c C-k" #'agentq-review-edit-abort)

(define-minor-mode agentq-review-edit-mode
  "Edit the new text of a hunk.
\\{agentq-review-edit-mode-map}"
  :interactive nil
  (setq header-line-format
        (substitute-command-keys
         "\\<agentq-review-edit-mode-map> \\[agentq-review-edit-finish] accept with \
this text  \\[agentq-review-edit-abort] leave undecided")))

(defun agentq-review-edit (&optional stop)
  "Accept the hunk at point with another text, written in a buffer.
With prefix argument STOP the agent ends its turn after that."
  (interactive "P" agentq-review-mode)
  (let* ((review (current-buffer))
         (hunk (agentq-review--hunk-at-point))
         (path (eglot-uri-to-path (plist-get hunk :uri)))
         (mode (assoc-default path auto-mode-alist #'string-match)))
    (pop-to-buffer (generate-new-buffer
                    (format "*agentq-edit: %s*" (file-name-nondirectory path))))
    (insert (plist-get hunk :newText))
    (goto-char (point-min))
    (when (and (symbolp mode) (fboundp mode))
      (ignore-errors (delay-mode-hooks (funcall mode))))
    (agentq-review-edit-mode)
    (setq agentq-review--edit-finish
          (lambda (text)
            (with-current-buffer review
              (agentq-review--decide (list hunk) "edit" text stop))))))

(defun agentq-review-edit-finish ()
  "Accept the hunk with the text of this buffer."
  (interactive nil agentq-review-edit-mode)
  (funcall agentq-review--edit-finish
           (buffer-substring-no-properties (point-min) (point-max)))
  (quit-window t))

(defun agentq-review-edit-abort ()
  "Give up editing; the hunk stays undecided."
  (interactive nil agentq-review-edit-mode)
  (quit-window t))

;;; News

(defun agentq-review--note (server proposal &optional new)
  "Show PROPOSAL of SERVER in its buffer; mention it when NEW."
  (with-current-buffer (agentq-review--buffer server)
    (when (equal agentq-review--proposal-id (plist-get proposal :proposalId))
      (agentq-review--show proposal)
      (agentq-review--goto-pending (point))))
  (when new
    (message "%s" (substitute-command-keys
                   "Agent-Q proposes an edit: \\[agentq-review] shows it")))
  (force-mode-line-update t))

(add-hook 'agentq-proposal-functions #'agentq-review--note)

(provide 'agentq-review)

;;; agentq-review.el ends here
