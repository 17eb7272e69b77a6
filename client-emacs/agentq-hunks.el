;;; agentq-hunks.el --- The hunks of a review buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which proposals a review buffer shows, and where their hunks stand.  A hunk is
;; known here by its KEY, (PROPOSAL . HUNK), two ids: the text property `agentq-hunk'
;; of its text, as agentq-draw.el says.
;;
;; Invariants:
;; - What is said of "the proposal" of a review is said of the one at point.
;; - A hunk to which point went by itself, as the model proposed it, is not decided by
;;   a key that was meant for the one before.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-store)

(defvar-local agentq-review--shown nil
  "Ids of the proposals that this buffer shows, oldest first.")

(defvar-local agentq-review--server nil
  "The server of the proposals that this buffer shows; it may have ended.")

(defun agentq-review--proposals ()
  "Return the proposals of this buffer, oldest first."
  (delq nil (mapcar (lambda (id) (agentq-known-proposal agentq-review--server id))
                    agentq-review--shown)))

(defun agentq-review--proposal-at-point ()
  "Return the proposal at point, or nil.
The end of the buffer belongs to the last one."
  (when-let* ((id (or (get-text-property (point) 'agentq-proposal)
                      (get-text-property (max (1- (point)) (point-min)) 'agentq-proposal))))
    (agentq-known-proposal agentq-review--server id)))

(defun agentq-review--proposal ()
  "Return the proposal at point, which there has to be."
  (agentq-running-server)
  (or (agentq-review--proposal-at-point)
      (user-error "No proposal at point")))

(defun agentq-review--pending (proposal)
  "Return the hunks of PROPOSAL that are undecided."
  (and (equal (agentq-get Proposal proposal :state) "pending")
       (seq-filter #'agentq-hunk-open-p (agentq-get Proposal proposal :hunks))))

(defconst agentq-review--pause 0.6
  "Seconds for which a hunk to which point went by itself takes no decision.")

(defvar-local agentq-review--not-before 0 "The time from which keys decide.")

(defun agentq-review--refuse-unread ()
  "Refuse a key that was pressed before anybody could read what came."
  (when (< (float-time) agentq-review--not-before)
    (user-error "This hunk has just come; read it first")))

(defun agentq-review--all-pending ()
  "Return the undecided hunks of the proposal at point, at least one."
  (agentq-review--refuse-unread)
  (or (agentq-review--pending (agentq-review--proposal))
      (user-error "Every hunk of this proposal is decided")))

(defun agentq-review--known-at-point ()
  "Return the hunk at point, decided or not, or nil."
  (when-let* ((key (get-text-property (point) 'agentq-hunk)))
    (agentq-review--hunk-of (agentq-review--proposal-at-point) key)))

(defun agentq-review--hunk-of (proposal key)
  "Return the hunk of PROPOSAL that is KEY, or nil."
  (and (equal (agentq-get Proposal proposal :proposalId) (car key))
       (seq-find (lambda (hunk) (equal (agentq-get Hunk hunk :id) (cdr key)))
                 (agentq-get Proposal proposal :hunks))))

(defun agentq-review--undecided-at-point ()
  "Return the undecided hunk at point, or nil."
  (when-let* ((hunk (agentq-review--known-at-point)))
    (car (memq hunk (agentq-review--pending (agentq-review--proposal-at-point))))))

(defun agentq-review--hunk-at-point ()
  "Return the undecided hunk at point, which there has to be."
  (agentq-review--refuse-unread)
  (agentq-review--proposal)
  (or (agentq-review--undecided-at-point)
      (user-error (if (seq-some #'agentq-review--pending (agentq-review--proposals))
                      "No undecided hunk at point"
                    "Every hunk is decided"))))

(defun agentq-review--hunks-at-point ()
  "Return the undecided hunks that point means, at least one.
On the line of a file these are all of that file in the proposal at point."
  (if-let* ((uri (get-text-property (point) 'agentq-file)))
      (or (seq-filter (lambda (hunk) (equal uri (agentq-get Hunk hunk :uri)))
                      (agentq-review--all-pending))
          (user-error "Every hunk of this file is decided"))
    (list (agentq-review--hunk-at-point))))

(defun agentq-review--keys (proposals &optional choose)
  "Return the keys of the hunks of PROPOSALS in their order.
CHOOSE, a function, returns those of a proposal that are meant."
  (cl-loop for proposal in proposals
           for id = (agentq-get Proposal proposal :proposalId)
           nconc (mapcar (lambda (hunk) (cons id (agentq-get Hunk hunk :id)))
                         (if choose (funcall choose proposal)
                           (agentq-get Proposal proposal :hunks)))))

;;; Places

(defun agentq-review--beginnings (&optional property)
  "Return where the hunks of this buffer begin, in their order.
With PROPERTY, `agentq-proposal', where its proposals begin."
  (let ((property (or property 'agentq-hunk))
        (position (point-min))
        found)
    (while position
      (when (get-text-property position property)
        (push position found))
      (setq position (next-single-property-change position property)))
    (nreverse found)))

(defun agentq-review--beginning-of (key)
  "Return where the hunk KEY begins in this buffer, or nil."
  ;; Each message of the server brings strings of its own, so `eq' would not do.
  (seq-find (lambda (beginning) (equal (get-text-property beginning 'agentq-hunk) key))
            (agentq-review--beginnings)))

(defun agentq-review--end-of (key)
  "Return where the hunk KEY of this buffer ends."
  (next-single-property-change (agentq-review--beginning-of key) 'agentq-hunk nil (point-max)))

(defun agentq-review--place (position)
  "Return (KEY . OFFSET), the hunk at POSITION and how far behind its beginning.
Between two hunks KEY is the id of the proposal, and OFFSET counts from
the beginning of that.  The end of the buffer belongs to the last hunk."
  (let* ((at (if (and (= position (point-max)) (> position (point-min))) (1- position) position))
         (key (get-text-property at 'agentq-hunk))
         (id (get-text-property at 'agentq-proposal)))
    (cond (key (cons key (- position (agentq-review--beginning-of key))))
          (id (cons id (- position (agentq-review--section id)))))))

(defun agentq-review--section (id)
  "Return where the proposal ID begins in this buffer, or nil."
  (seq-find (lambda (beginning) (equal (get-text-property beginning 'agentq-proposal) id))
            (agentq-review--beginnings 'agentq-proposal)))

(defun agentq-review--position (place)
  "Return the position of PLACE, or that of the first piece of its hunk, or nil."
  (pcase place
    (`((,id . ,hunk) . ,offset)
     (if-let* ((beginning (agentq-review--beginning-of (car place))))
         (let ((end (agentq-review--end-of (car place))))
           (min (+ beginning offset) (if (= end (point-max)) end (1- end))))
       (seq-find (lambda (beginning)
                   (pcase (get-text-property beginning 'agentq-hunk)
                     (`(,(pred (equal id)) . ,piece) (string-prefix-p (concat hunk ".") piece))))
                 (agentq-review--beginnings))))
    (`(,id . ,offset)
     (when-let* ((beginning (agentq-review--section id)))
       (min (+ beginning offset) (point-max))))))

(provide 'agentq-hunks)

;;; agentq-hunks.el ends here
