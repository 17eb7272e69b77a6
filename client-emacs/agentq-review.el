;;; agentq-review.el --- Review proposed edits hunk by hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; All that waits for a decision stands in one buffer, as a diff: proposal by
;; proposal, and file by file.  A proposal that comes while somebody reviews is added
;; below; what is decided takes one line, until the turn is over and another one
;; proposes something.
;;
;; Invariants:
;; - Nothing is decided but by a command of this mode: leaving the buffer, killing
;;   it or quitting a question leaves the hunks pending.  No key of `diff-mode',
;;   whose commands change files and take hunks out of sight, works here.
;; - Point stays in the hunk that waits there, whatever news come.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'agentq-actions)
(require 'agentq-client)
(require 'agentq-code-colours)
(require 'agentq-fold)
(require 'agentq-header)
(require 'agentq-hunks)
(require 'agentq-mouse)
(require 'agentq-navigate)
(require 'agentq-page)
(require 'agentq-proof)
(require 'agentq-store)

(defvar agentq-event-functions)         ; agentq-chat.el
(declare-function agentq-review-edit "agentq-proposed" (&optional stop))
(declare-function agentq-review-ediff "agentq-ediff" (&optional stop))
(declare-function agentq-review-split "agentq-lines" ())
(declare-function agentq-review-undo "agentq-take-back" ())
(declare-function agentq-take-back-aside-p "agentq-take-back" (server proposal))

(defface agentq-review-title '((t :inherit bold))
  "Face of the title of a proposal." :group 'agentq)

(defvar-local agentq-review--settled nil
  "Keys of the hunks that were decided when this buffer was written last.
Nil where all were: then nobody went back to one from one that waits.")

(defvar-local agentq-review--over nil
  "Non-nil if nothing waited when this buffer was written last.")

(defvar-keymap agentq-review-mode-map
  :doc "Keys of `agentq-review-mode'."
  :parent special-mode-map
  "a" #'agentq-review-accept
  "r" #'agentq-review-reject
  "e" #'agentq-review-edit
  "E" #'agentq-review-ediff
  "s" #'agentq-review-split
  "u" #'agentq-review-undo
  "<remap> <undo>" #'agentq-review-undo
  "A" #'agentq-review-accept-all
  "R" #'agentq-review-reject-all
  "t" #'agentq-review-test
  "n" #'agentq-review-next
  "p" #'agentq-review-previous
  "N" #'agentq-review-next-file
  "P" #'agentq-review-previous-file
  "TAB" #'agentq-review-toggle
  "g" #'agentq-review
  "RET" #'agentq-review-goto
  "?" #'describe-mode
  "q" #'quit-window)

(define-derived-mode agentq-review-mode diff-mode "AgentQ-Review"
  "Review the hunks of all proposals that wait.
\\<agentq-review-mode-map>
\\[agentq-review-accept] accepts the hunk at point; with an active region, its lines alone.
\\[agentq-review-reject] rejects it, after asking for the reason.
On the line of a file both mean all hunks of that file.
\\[agentq-review-edit] accepts it with another text, \\[agentq-review-ediff] with one made in Ediff.
\\[agentq-review-split] splits it into smaller hunks.
\\[agentq-review-undo] takes the decision about it back.
A hunk in conflict shows what its lines were, are and were to be:
\\[agentq-review-accept] tries it again, \\[agentq-review-edit] merges it.
\\[agentq-review-accept-all] and \\[agentq-review-reject-all] decide all the rest of the proposal at point.
\\[agentq-review-test] runs the tests of the text that it proposes.
\\[agentq-review-toggle] folds a hunk to one line and unfolds it; a decided one is folded.
With a prefix argument the agent stops once all hunks are decided.
\\[quit-window] leaves everything undecided.

\\{agentq-review-mode-map}"
  (agentq-without-line-numbers)
  (setq-local diff-mode-read-only nil)
  (remove-hook 'read-only-mode-hook t t)
  (setq buffer-read-only t)
  ;; What is accepted is in sight, however narrow the window is.
  (setq-local truncate-lines nil
              truncate-partial-width-windows nil)
  (buffer-disable-undo)
  (add-to-invisibility-spec '(agentq-fold . t))
  (setq-local diff-font-lock-syntax nil)
  (font-lock-add-keywords
   nil '(("^Proposal: .*" 0 'agentq-review-title t)
         (agentq-code-colours-match 0 (get-text-property (match-beginning 0) 'agentq-code) prepend))
   'append)
  (setq-local revert-buffer-function (lambda (&rest _) (agentq-review)))
  (add-hook 'post-command-hook #'agentq-review--prove nil t)
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-review--header)))))

(defun agentq-review ()
  "Show the proposals that wait for a decision.
What earlier turns decided is not shown any more."
  (interactive)
  (let ((server (agentq-running-server)))
    (unless (agentq-pending-proposals server)
      (user-error "No proposal waits for a decision"))
    (pop-to-buffer (agentq-review--buffer server)
                   '((display-buffer-reuse-window display-buffer-use-some-window)
                     (some-window . agentq-review--largest-window)))
    (agentq-page-forget)
    (setq agentq-review--not-before 0)
    (agentq-review--write server)
    (agentq-review--goto-pending)
    (agentq-review--show-hunk (selected-window))))

(defun agentq-review--largest-window (_buffer _alist)
  "Return the window in which most of a hunk is seen."
  (get-largest-window))

;;; The buffer

(defun agentq-review--buffer (server)
  "Return the review buffer of SERVER, made if needed."
  ;; The diff is rewritten as a whole, so its headers need no repair.
  (let ((diff-update-on-the-fly nil))
    (agentq-buffer server "agentq-review" 'agentq-review-mode)))

(defun agentq-review--opened (server)
  "Return the review buffer of SERVER if there is one."
  (let ((root (agentq-server-root server)))
    (seq-find (lambda (buffer)
                (and (eq (buffer-local-value 'major-mode buffer) 'agentq-review-mode)
                     (equal (buffer-local-value 'agentq--root buffer) root)))
              (buffer-list))))

(defun agentq-review--write (server)
  "Write the current buffer, the review of SERVER, anew."
  (agentq-page-write server)
  (let* ((proposals (agentq-review--proposals))
         (open (agentq-review--keys proposals #'agentq-review--pending)))
    (setq agentq-review--over (not (seq-some #'agentq-review--waits-p proposals))
          agentq-review--settled
          (and open (seq-difference (agentq-review--keys proposals) open)))))

(defun agentq-review--waits-p (proposal)
  "Return non-nil if PROPOSAL waits for a decision, or for the end of one."
  (equal (agentq-get Proposal proposal :state) "pending"))

(defun agentq-review--prove ()
  "Have the compiler asked what rejecting the hunk at point means."
  (when-let* ((hunk (agentq-review--undecided-at-point)))
    (agentq-proof-look (agentq-review--proposal-at-point) hunk)))

;;; News

(defun agentq-review--note (server proposal &optional new)
  "Show PROPOSAL of SERVER in the review; mention it when NEW."
  (when-let* ((buffer (agentq-review--opened server)))
    (with-current-buffer buffer
      (when (agentq-page-take server proposal)
        ;; Who went back to a decided hunk stays there, whatever the news are.
        (let ((settled (member (car (agentq-review--place (point))) agentq-review--settled))
              (was-over agentq-review--over))
          (agentq-review--write server)
          (unless settled
            (if (and agentq-review--over (not was-over))
                (agentq-review--show-beginning)
              (agentq-review--goto-pending))
            (agentq-review--came proposal new)))
        (agentq-review--prove))))
  (when (and new (not (agentq-take-back-aside-p server proposal)))
    (message "%s" (if (and (agentq-review--opened server)
                           (get-buffer-window (agentq-review--opened server) t))
                      "Agent-Q proposes an edit, which stands in the review"
                    (substitute-command-keys
                     "Agent-Q proposes an edit: \\[agentq-review] shows it"))))
  (force-mode-line-update t))

(defun agentq-review--came (proposal new)
  "Have PROPOSAL read first if it is NEW, of the model, and now at point."
  (when (and new
             (agentq-get Proposal proposal :toolCallId)
             (equal (agentq-get Proposal proposal :proposalId)
                    (get-text-property (point) 'agentq-proposal)))
    (setq agentq-review--not-before (+ (float-time) agentq-review--pause))))

(defun agentq-review--note-proof (proposal)
  "Show what is known by now of PROPOSAL in the current buffer."
  (when (derived-mode-p 'agentq-review-mode)
    (agentq-page-note-check proposal)))

(defun agentq-review--note-event (server params)
  "Take note of the end of a turn of SERVER, which PARAMS may tell."
  (when (equal (agentq-get Event params :event :kind) "turnEnded")
    (when-let* ((buffer (agentq-review--opened server)))
      (with-current-buffer buffer
        (agentq-page-end-turn)))))

(add-hook 'agentq-proposal-functions #'agentq-review--note)
(add-hook 'agentq-proof-functions #'agentq-review--note-proof)
(add-hook 'agentq-event-functions #'agentq-review--note-event)

(provide 'agentq-review)

;;; agentq-review.el ends here
