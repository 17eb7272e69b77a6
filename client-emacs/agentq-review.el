;;; agentq-review.el --- Review proposed edits hunk by hunk  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A proposal is shown as a diff in which every hunk waits for a decision.
;;
;; Invariants:
;; - Nothing is decided but by a command of this mode: leaving the buffer, killing
;;   it or quitting a question leaves the hunks pending.  No key of `diff-mode',
;;   whose commands change files and take hunks out of sight, works here.
;; - One hunk is decided only with point on it, where it is seen.
;; - Questions (a reason, another text) are asked before anything is sent.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'agentq-client)
(require 'agentq-decide)
(require 'agentq-draw)
(require 'agentq-proof)
(require 'agentq-store)
(require 'agentq-tests)

(declare-function agentq-review-edit "agentq-proposed" (&optional stop))
(declare-function agentq-review-split "agentq-lines" ())
(declare-function agentq-review-undo "agentq-take-back" ())
(declare-function agentq-take-back-ids "agentq-take-back" (server id))
(declare-function agentq-lines-of-region "agentq-lines" (hunks beginning end))

(defvar-local agentq-review--proposal-id nil "The proposal this buffer shows.")

(defvar-local agentq-review--settled nil
  "Ids of the hunks that were decided when this buffer was written last.
Nil where all were: then nobody went back to one from one that waits.")

(defvar-keymap agentq-review-mode-map
  :doc "Keys of `agentq-review-mode'."
  :parent special-mode-map
  "a" #'agentq-review-accept
  "r" #'agentq-review-reject
  "e" #'agentq-review-edit
  "s" #'agentq-review-split
  "u" #'agentq-review-undo
  "<remap> <undo>" #'agentq-review-undo
  "A" #'agentq-review-accept-all
  "R" #'agentq-review-reject-all
  "t" #'agentq-review-test
  "n" #'agentq-review-next
  "p" #'agentq-review-previous
  "g" #'agentq-review
  "RET" #'diff-goto-source
  "?" #'describe-mode
  "q" #'quit-window)

(define-derived-mode agentq-review-mode diff-mode "AgentQ-Review"
  "Review the hunks of a proposal.
\\<agentq-review-mode-map>
\\[agentq-review-accept] accepts the hunk at point; with an active region, its lines alone.
\\[agentq-review-reject] rejects it, after asking for the reason.
\\[agentq-review-edit] accepts it with another text.
\\[agentq-review-split] splits it into smaller hunks.
\\[agentq-review-undo] takes the decision about it back.
A hunk in conflict shows what its lines were, are and were to be:
\\[agentq-review-accept] tries it again, \\[agentq-review-edit] merges it.
\\[agentq-review-accept-all] and \\[agentq-review-reject-all] decide all the rest.
\\[agentq-review-test] runs the tests of the proposed text.
With a prefix argument the agent stops once all hunks are decided.
\\[quit-window] leaves everything undecided.

\\{agentq-review-mode-map}"
  (setq-local diff-mode-read-only nil)
  (remove-hook 'read-only-mode-hook t t)
  (setq buffer-read-only t)
  (buffer-disable-undo)
  (add-hook 'post-command-hook #'agentq-review--prove nil t)
  (setq header-line-format '(:eval (agentq-review--header))))

(defun agentq-review ()
  "Show the oldest proposal that waits for a decision."
  (interactive)
  (let* ((server (agentq-running-server))
         (proposal (car (agentq-pending-proposals server))))
    (unless proposal
      (user-error "No proposal waits for a decision"))
    (pop-to-buffer (agentq-review--buffer server)
                   '((display-buffer-reuse-window display-buffer-use-some-window)
                     (some-window . agentq-review--largest-window)))
    (agentq-review--show proposal)
    (agentq-review--goto-pending proposal)))

(defun agentq-review--largest-window (_buffer _alist)
  "Return the window in which most of a hunk is seen."
  (get-largest-window))

;;; The buffer

(defun agentq-review--buffer (server)
  "Return the review buffer of SERVER, made if needed."
  ;; The diff is rewritten as a whole, so its headers need no repair.
  (let ((diff-update-on-the-fly nil))
    (agentq-buffer server "agentq-review" 'agentq-review-mode)))

(defun agentq-review--proposal ()
  "Return the proposal of the current buffer."
  (or (agentq-known-proposal (agentq-running-server) agentq-review--proposal-id)
      (user-error "This proposal is no longer known")))

(defun agentq-review--show (proposal)
  "Write PROPOSAL into the current buffer and keep point and region in their hunks.
Point between two hunks stays about there."
  (let* ((inhibit-read-only t)
         (same (equal agentq-review--proposal-id (agentq-get Proposal proposal :proposalId)))
         (place (and same (agentq-review--place (point))))
         ;; Between two hunks: about there the person is after that, too.
         (before (if same (point) (point-min)))
         (region (and same (region-active-p) (agentq-review--place (mark))))
         ;; Writing the buffer anew is no reason to take the person's region away.
         (deactivate-mark nil))
    (erase-buffer)
    (unless same
      (setq agentq-review--proposal-id (agentq-get Proposal proposal :proposalId)
            agentq-draw-drawn nil))
    (agentq-draw-insert proposal agentq--root
                        (when-let* ((server (agentq-current-server)))
                          (agentq-take-back-ids server agentq-review--proposal-id)))
    (let ((hunks (agentq-get Proposal proposal :hunks)))
      (setq agentq-review--settled
            (and (seq-some #'agentq-hunk-open-p hunks)
                 (mapcar (agentq-getter Hunk :id) (seq-remove #'agentq-hunk-open-p hunks)))))
    (let ((position (agentq-review--position place))
          (other (agentq-review--position region)))
      (goto-char (or position before))
      (if (and position other)
          (set-mark other)
        (deactivate-mark)))))

(defun agentq-review--place (position)
  "Return (ID . OFFSET), the hunk at POSITION and how far behind its beginning.
The end of the buffer belongs to the last hunk."
  (when-let* ((id (or (get-text-property position 'agentq-hunk)
                      (get-text-property (max (1- position) (point-min)) 'agentq-hunk))))
    (cons id (- position (agentq-review--beginning-of id)))))

(defun agentq-review--position (place)
  "Return the position of PLACE, or that of the first piece of its hunk, or nil."
  (pcase place
    (`(,id . ,offset)
     (if-let* ((beginning (agentq-review--beginning-of id)))
         (let ((end (agentq-review--end-of id)))
           (min (+ beginning offset) (if (= end (point-max)) end (1- end))))
       (seq-find (lambda (beginning)
                   (string-prefix-p (concat id ".") (get-text-property beginning 'agentq-hunk)))
                 (agentq-review--beginnings))))))

(defun agentq-review--beginning-of (id)
  "Return where the hunk ID begins in this buffer, or nil."
  ;; Each message of the server brings strings of its own, so `eq' would not do.
  (seq-find (lambda (beginning) (equal (get-text-property beginning 'agentq-hunk) id))
            (agentq-review--beginnings)))

(defun agentq-review--end-of (id)
  "Return where the hunk ID of this buffer ends."
  (next-single-property-change (agentq-review--beginning-of id) 'agentq-hunk nil (point-max)))

(defun agentq-review--header ()
  "Return the header line: what is left and how to decide."
  (if-let* ((server (agentq-current-server))
            (proposal (agentq-known-proposal server agentq-review--proposal-id)))
      (let ((left (length (agentq-review--pending proposal)))
            (more (1- (length (agentq-pending-proposals server)))))
        (if (equal (agentq-get Proposal proposal :state) "pending")
            (agentq-review--with-keys
             (concat (format " %d of %d left" left (length (agentq-get Proposal proposal :hunks)))
                     (agentq-review--conflicts proposal)
                     (if (> more 0) (format " (+%d more)" more) "")
                     (agentq-review--check (agentq-proof-rest proposal))
                     (agentq-proof-words proposal (agentq-review--undecided-at-point proposal))
                      (if-let* ((told (agentq-tests-told server proposal)))
                          (concat ", " told)
                        "")
                     (if (member agentq-review--proposal-id (agentq-server-stopping server))
                         ", then the agent stops" "")))
          (concat " " (agentq-review--outcome proposal)
                  (substitute-command-keys
                   (if (>= more 0) "  \\`g' next proposal"
                     "  \\`q' goes back to the conversation")))))
    " The server of this proposal ended: nothing can be decided here"))

(defun agentq-review--conflicts (proposal)
  "Return how many hunks of PROPOSAL are in conflict in a few words, or \"\"."
  (let ((count (seq-count #'agentq-hunk-conflict-p (agentq-get Proposal proposal :hunks))))
    (if (> count 0) (format ", %d in conflict" count) "")))

(defun agentq-review--with-keys (facts)
  "Return FACTS followed by the keys, as far as the window has room for them."
  (let ((keys (seq-find (lambda (keys)
                          (<= (+ (string-width facts) (string-width keys)) (window-width)))
                        (mapcar #'substitute-command-keys
                                '("  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`u' undo  \\`A'/\\`R' all  \\`n'/\\`p' move  \\`q' later"
                                  "  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`A'/\\`R' all  \\`n'/\\`p' move  \\`q' later"
                                  "  \\`a' accept  \\`r' reject  \\`e' edit  \\`s' split  \\`A'/\\`R' all  \\`?' keys"
                                  "  \\`a' accept  \\`r' reject  \\`e' edit  \\`?' keys"
                                  "  \\`a'/\\`r'/\\`e'  \\`?' keys")))))
    (concat facts (or keys ""))))

(defun agentq-review--check (check)
  "Return what of CHECK has to be in sight with every hunk, or \"\"."
  (let ((count (length (agentq-get Check check :introduced)))
        (gone (length (agentq-get Check check :resolved))))
    (cond ((equal (agentq-get Check check :state) "running") ", compiler checking")
          ((> count 0) (format (ngettext ", %d new error" ", %d new errors" count) count))
          ((> gone 0) (format (ngettext ", %d error gone with all" ", %d errors gone with all" gone)
                              gone))
          (t ""))))

(defun agentq-review--undecided-at-point (proposal)
  "Return the undecided hunk of PROPOSAL at point, or nil."
  (cl-find (get-text-property (point) 'agentq-hunk) (agentq-review--pending proposal)
           :test #'equal :key (agentq-getter Hunk :id)))

(defun agentq-review--prove ()
  "Have the compiler asked what rejecting the hunk at point means."
  (when-let* ((server (agentq-current-server))
              (proposal (agentq-known-proposal server agentq-review--proposal-id))
              (hunk (agentq-review--undecided-at-point proposal)))
    (agentq-proof-look proposal hunk)))

(defun agentq-review--outcome (proposal)
  "Say what became of PROPOSAL, which is not pending."
  (let* ((total (length (agentq-get Proposal proposal :hunks)))
         (applied (seq-count (lambda (hunk)
                               (member (agentq-get Hunk hunk :state) '("accepted" "edited")))
                             (agentq-get Proposal proposal :hunks)))
         (hunks (format (ngettext "%d of %d hunk" "%d of %d hunks" total) applied total)))
    (pcase (agentq-get Proposal proposal :state)
      ("withdrawn" (if (= applied 0)
                       "Withdrawn; nothing was applied"
                     (format "Withdrawn; %s was applied before" hunks)))
      ("rejected" "Decided: nothing applied")
      (_ (format "Decided: %s applied" hunks)))))

;;; Moving

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

(defun agentq-review--beginnings ()
  "Return where the hunks of this buffer begin, in their order."
  (let ((position (point-min))
        found)
    (while position
      (when (get-text-property position 'agentq-hunk)
        (push position found))
      (setq position (next-single-property-change position 'agentq-hunk)))
    (nreverse found)))

(defun agentq-review--show-hunk (window)
  "Scroll WINDOW so that the whole hunk at its point is seen.
Where the window is too small and the selected one, make it larger."
  (when-let* (((eq (current-buffer) (window-buffer window)))
              (id (get-text-property (window-point window) 'agentq-hunk)))
    (let ((selected (eq window (selected-window))))
      (with-selected-window window
        (save-excursion
          (goto-char (agentq-review--beginning-of id))
          (let ((lines (count-screen-lines (point) (agentq-review--end-of id))))
            (when (and selected (> lines (window-body-height)) (not (frame-root-window-p window)))
              (maximize-window))
            (recenter (max 0 (/ (- (window-body-height) lines) 2)))))))))

(defun agentq-review--pending (proposal)
  "Return the hunks of PROPOSAL that are undecided."
  (and (equal (agentq-get Proposal proposal :state) "pending")
       (seq-filter #'agentq-hunk-open-p (agentq-get Proposal proposal :hunks))))

(defun agentq-review--hunk-at-point ()
  "Return the undecided hunk at point."
  (let ((pending (agentq-review--all-pending)))
    (or (cl-find (get-text-property (point) 'agentq-hunk) pending
                 :test #'equal :key (agentq-getter Hunk :id))
        (user-error "No undecided hunk at point"))))

(defun agentq-review--goto-pending (proposal)
  "Stay in an undecided hunk of PROPOSAL, or move to the next one, or the first."
  (let* ((ids (mapcar (agentq-getter Hunk :id)
                      (agentq-review--pending proposal)))
         (undecided (seq-filter (lambda (beginning)
                                  (member (get-text-property beginning 'agentq-hunk) ids))
                                (agentq-review--beginnings))))
    (when undecided
      (unless (or (region-active-p)
                  (member (car (agentq-review--place (point))) ids))
        (goto-char (or (seq-find (lambda (beginning) (> beginning (point))) undecided)
                       (car undecided)))))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window (point))
      (agentq-review--show-hunk window))))

;;; Deciding

(defun agentq-review-accept (&optional stop)
  "Accept the hunk at point, or the lines of the active region.
The rest of a hunk of which lines are accepted waits on.
With prefix argument STOP the agent ends its turn once all are decided."
  (interactive "P" agentq-review-mode)
  (if (not (use-region-p))
      (agentq-review--decide (list (agentq-review--hunk-at-point)) "accept" nil stop)
    (pcase-let ((`(,hunks . ,lines) (agentq-lines-of-region (agentq-review--all-pending)
                                                            (region-beginning) (region-end))))
      (deactivate-mark)
      (agentq-review--decide hunks "accept" lines stop))))

(defun agentq-review-accept-all (&optional stop)
  "Accept all undecided hunks but those that are left out by default.
The latter are rejected.  With prefix argument STOP the agent stops then."
  (interactive "P" agentq-review-mode)
  (let* ((hunks (agentq-review--all-pending))
         (left-out (seq-filter #'agentq-review--left-out-p hunks))
         (rest (seq-remove #'agentq-review--left-out-p hunks)))
    (when rest
      (agentq-review--decide rest "accept" nil stop))
    (when left-out
      (agentq-review--decide left-out "reject" "" stop))))

(defun agentq-review--left-out-p (hunk)
  "Return non-nil when HUNK is accepted by itself only."
  (equal (agentq-get Hunk hunk :defaultDecision) "reject"))

(defun agentq-review-reject (&optional stop)
  "Reject the hunk at point, after asking for the reason.
With prefix argument STOP the agent ends its turn once all are decided."
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
  "Read why something is rejected; empty when the person gives no reason."
  (string-trim (read-string "Reject because (may be empty): ")))

(defun agentq-review--all-pending ()
  "Return the undecided hunks of this buffer, at least one."
  (or (agentq-review--pending (agentq-review--proposal))
      (user-error "Every hunk is decided")))

(defun agentq-review--decide (hunks decision text stop &optional over)
  "Send DECISION with TEXT on HUNKS of the proposal of this buffer.
With STOP the agent ends its turn.  OVER is what TEXT was written over."
  (agentq-decide (agentq-running-server) agentq-review--proposal-id
                 hunks decision text stop over))

;;; Testing

(defun agentq-review-test (&optional without)
  "Test the proposed text with all hunks, and with those accepted so far.
With prefix argument WITHOUT, with all hunks and without the one at
point."
  (interactive "P" agentq-review-mode)
  (let* ((ids (mapcar (agentq-getter Hunk :id) (agentq-review--all-pending)))
         (left-out (and without (agentq-get Hunk (agentq-review--hunk-at-point) :id))))
    (agentq-tests-run
     (agentq-running-server) agentq-review--proposal-id
     (list (cons "all" ids)
           (if left-out
               (cons (concat "without " left-out) (remove left-out ids))
             (list "accepted so far"))))))

;;; News

(defun agentq-review--note (server proposal &optional new)
  "Show PROPOSAL of SERVER in its buffer; mention it when NEW."
  (with-current-buffer (agentq-review--buffer server)
    (when (equal agentq-review--proposal-id (agentq-get Proposal proposal :proposalId))
      ;; Who went back to a decided hunk stays there, whatever the news are.
      (let ((settled (member (car (agentq-review--place (point))) agentq-review--settled)))
        (agentq-review--show proposal)
        (if settled
            (dolist (window (get-buffer-window-list nil nil t))
              (set-window-point window (point)))
          (agentq-review--goto-pending proposal)))
      (agentq-review--prove)))
  (when new
    (message "%s" (substitute-command-keys
                   "Agent-Q proposes an edit: \\[agentq-review] shows it")))
  (force-mode-line-update t))

(add-hook 'agentq-proposal-functions #'agentq-review--note)

(provide 'agentq-review)

;;; agentq-review.el ends here
