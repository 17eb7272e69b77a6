;;; agentq-hunks.el --- The hunks of a review buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which proposal a review buffer shows, and where its hunks stand: their text
;; carries the text property `agentq-hunk', as agentq-draw.el says.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-store)

(defvar-local agentq-review--proposal-id nil "The proposal this buffer shows.")

(defun agentq-review--proposal ()
  "Return the proposal of the current buffer."
  (or (agentq-known-proposal (agentq-running-server) agentq-review--proposal-id)
      (user-error "This proposal is no longer known")))

(defun agentq-review--pending (proposal)
  "Return the hunks of PROPOSAL that are undecided."
  (and (equal (agentq-get Proposal proposal :state) "pending")
       (seq-filter #'agentq-hunk-open-p (agentq-get Proposal proposal :hunks))))

(defun agentq-review--all-pending ()
  "Return the undecided hunks of this buffer, at least one."
  (or (agentq-review--pending (agentq-review--proposal))
      (user-error "Every hunk is decided")))

(defun agentq-review--undecided-at-point (proposal)
  "Return the undecided hunk of PROPOSAL at point, or nil."
  (cl-find (get-text-property (point) 'agentq-hunk) (agentq-review--pending proposal)
           :test #'equal :key (agentq-getter Hunk :id)))

(defun agentq-review--hunk-at-point ()
  "Return the undecided hunk at point."
  (let ((pending (agentq-review--all-pending)))
    (or (cl-find (get-text-property (point) 'agentq-hunk) pending
                 :test #'equal :key (agentq-getter Hunk :id))
        (user-error "No undecided hunk at point"))))

;;; Places

(defun agentq-review--beginnings ()
  "Return where the hunks of this buffer begin, in their order."
  (let ((position (point-min))
        found)
    (while position
      (when (get-text-property position 'agentq-hunk)
        (push position found))
      (setq position (next-single-property-change position 'agentq-hunk)))
    (nreverse found)))

(defun agentq-review--beginning-of (id)
  "Return where the hunk ID begins in this buffer, or nil."
  ;; Each message of the server brings strings of its own, so `eq' would not do.
  (seq-find (lambda (beginning) (equal (get-text-property beginning 'agentq-hunk) id))
            (agentq-review--beginnings)))

(defun agentq-review--end-of (id)
  "Return where the hunk ID of this buffer ends."
  (next-single-property-change (agentq-review--beginning-of id) 'agentq-hunk nil (point-max)))

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

(provide 'agentq-hunks)

;;; agentq-hunks.el ends here
