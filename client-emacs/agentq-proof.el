;;; agentq-proof.el --- What a decision means to the compiler  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; While a person decides, the compiler is asked about what was accepted so far
;; and about leaving out the hunk at point.  The answers stand in the header line
;; of the review.
;;
;; Invariants:
;; - No key waits for an answer: it is asked when Emacs is idle, one question at
;;   a time.
;; - An answer that is about another state of the proposal is dropped.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-store)

(defconst agentq-proof--pause 0.15 "Seconds without a key before the compiler is asked.")

(defconst agentq-proof--method-not-found -32601 "The code of a server without the question.")

(defvar agentq-proof-functions nil
  "Functions called in a review when more is known about a proposal in it.")

(defvar-local agentq-proof--all nil
  "Alist from ids of proposals to what is known about them, a property list.
`:signature' and `:ticks' say what the answers are about, `:so-far' and
`:rest' are checks, `:without' is an alist from ids of hunks to checks,
`:asking' is the id of the hunk about which it is asked now, `:failed'
that there is no answer.")

(defvar-local agentq-proof--timer nil "The idle timer of the next question.")

(agentq-define-state agentq-server-deaf
  "Return non-nil when SERVER does not know agentq/checkSubset.")

(defun agentq-proof-look (proposal hunk)
  "Ask soon about PROPOSAL and the undecided HUNK, for the current buffer."
  (when agentq-proof--timer
    (cancel-timer agentq-proof--timer))
  (let ((buffer (current-buffer)))
    (setq agentq-proof--timer
          (agentq-tramp-run-when-idle
           agentq-proof--pause
           (lambda ()
             (when (buffer-live-p buffer)
               (with-current-buffer buffer
                 (agentq-proof--ask proposal hunk))))))))

(defun agentq-proof--known (proposal)
  "Return what is known about PROPOSAL, of now or of before."
  (alist-get (agentq-get Proposal proposal :proposalId) agentq-proof--all nil nil #'equal))

(gv-define-setter agentq-proof--known (value proposal)
  `(setf (alist-get (agentq-get Proposal ,proposal :proposalId) agentq-proof--all nil nil #'equal)
         ,value))

(defun agentq-proof--signature (proposal)
  "Return a value that is another one once PROPOSAL is decided or checked further."
  (list (agentq-get Proposal proposal :proposalId)
        (agentq-get Proposal proposal :check :state)
        (mapcar (agentq-getter Hunk :state) (agentq-get Proposal proposal :hunks))))

(defun agentq-proof--ticks (proposal)
  "Return an alist from the buffers of PROPOSAL to the ticks of their texts."
  (cl-loop for document across (vconcat (agentq-get Proposal proposal :documents))
           for path = (agentq-uri-to-path (agentq-get DocumentStamp document :uri))
           for buffer = (agentq-buffer-visiting path)
           when buffer collect (cons buffer (buffer-chars-modified-tick buffer))))

(defun agentq-proof--current (proposal)
  "Return what is known about PROPOSAL as it is now, or nil.
Every redisplay asks, so no buffer is looked for here."
  (let ((known (agentq-proof--known proposal)))
    (and (equal (plist-get known :signature) (agentq-proof--signature proposal))
         (cl-loop for (buffer . tick) in (plist-get known :ticks)
                  always (eql tick (buffer-chars-modified-tick buffer)))
         known)))

(defun agentq-proof--begin (proposal)
  "Forget what is known about PROPOSAL if that is about other texts."
  (let ((ticks (agentq-proof--ticks proposal)))
    (unless (and (agentq-proof--current proposal)
                 (equal ticks (plist-get (agentq-proof--known proposal) :ticks)))
      (setf (agentq-proof--known proposal)
            (list :signature (agentq-proof--signature proposal) :ticks ticks :without nil)))))

(defun agentq-proof--put (proposal key value)
  "Note VALUE under KEY in what is known about PROPOSAL."
  (setf (agentq-proof--known proposal) (plist-put (agentq-proof--known proposal) key value)))

(defun agentq-proof--question (proposal hunk)
  "Return (IDS . FUNCTION): what is still to be asked for HUNK of PROPOSAL.
IDS are the hunks that go in, FUNCTION notes the answer.  Return nil
when everything is known."
  (let* ((hunks (append (agentq-get Proposal proposal :hunks) nil))
         (of (lambda (states)
               (cl-loop for each in hunks
                        when (member (agentq-get Hunk each :state) states)
                        collect (agentq-get Hunk each :id))))
         (open (funcall of '("pending")))
         (known (agentq-proof--known proposal))
         (id (agentq-get Hunk hunk :id)))
    (cond ((and (funcall of '("accepted" "edited"))
                (not (plist-get known :so-far)))
           (cons nil (lambda (check) (agentq-proof--put proposal :so-far check))))
          ((not (plist-get known :rest))
           (cons open (lambda (check) (agentq-proof--put proposal :rest check))))
          ((not (assoc id (plist-get known :without)))
           (cons (remove id open)
                 (lambda (check)
                   (agentq-proof--put
                    proposal :without
                    (cons (cons id check)
                          (plist-get (agentq-proof--known proposal) :without)))))))))

(defun agentq-proof--ask (proposal hunk)
  "Ask what is still to be known about HUNK of PROPOSAL, then go on."
  (when-let* ((server (agentq-current-server))
              ((not (agentq-server-deaf server)))
              ((equal (agentq-get Proposal proposal :check :state) "done"))
              ((not (member "deciding" (mapcar (agentq-getter Hunk :state)
                                               (agentq-get Proposal proposal :hunks)))))
              (id (agentq-get Hunk hunk :id)))
    (agentq-proof--begin proposal)
    (unless (or (plist-get (agentq-proof--known proposal) :failed)
                (equal id (plist-get (agentq-proof--known proposal) :asking)))
      (pcase (agentq-proof--question proposal hunk)
        (`(,ids . ,note)
         (agentq-proof--put proposal :asking id)
         (agentq-proof--send server proposal hunk ids note))))
    (force-mode-line-update)))

(defun agentq-proof--send (server proposal hunk ids note)
  "Ask SERVER about PROPOSAL with the hunks IDS in it, for HUNK.
NOTE is called with the check."
  (let* ((buffer (current-buffer))
         (signature (plist-get (agentq-proof--known proposal) :signature))
         (id (agentq-get Hunk hunk :id))
         (answered
          (lambda (function)
            ;; Called with the check or nil, where the answer is still wanted.
            (when (buffer-live-p buffer)
              (with-current-buffer buffer
                (when (and (equal signature (plist-get (agentq-proof--known proposal) :signature))
                           (equal id (plist-get (agentq-proof--known proposal) :asking)))
                  (agentq-proof--put proposal :asking nil)
                  (funcall function)
                  (run-hook-with-args 'agentq-proof-functions proposal)
                  (force-mode-line-update)))))))
    (agentq-request
     server :agentq/checkSubset
     (agentq-make CheckSubsetParams
       :proposalId (agentq-get Proposal proposal :proposalId)
       :hunks (vconcat (mapcar (lambda (id) (agentq-make HunkDecision :id id :decision "accept"))
                               ids)))
     :then (lambda (check)
             (funcall answered
                      (lambda ()
                        (if (not (equal (agentq-get Check check :state) "done"))
                            (agentq-proof--put proposal :failed t)
                          (funcall note check)
                          (agentq-proof--ask proposal hunk)))))
     :else (lambda (_message &optional code)
             (when (equal code agentq-proof--method-not-found)
               (setf (agentq-server-deaf server) t))
             (funcall answered (lambda () (agentq-proof--put proposal :failed t)))))))

;;; Words

(defun agentq-proof-words (proposal hunk)
  "Return what is known about HUNK of PROPOSAL in a few words, or \"\".
Without HUNK, about the proposal alone."
  (let* ((known (agentq-proof--current proposal))
         (id (and hunk (agentq-get Hunk hunk :id)))
         (so-far (plist-get known :so-far))
         (rest (plist-get known :rest))
         (without (and id (cdr (assoc id (plist-get known :without))))))
    (concat
     (if so-far (concat ", " (agentq-proof--so-far so-far)) "")
     (cond ((and rest without) (agentq-proof--rejection rest without))
           ((and id (equal id (plist-get known :asking))) ", checking this hunk")
           (t "")))))

(defun agentq-proof-rest (proposal)
  "Return the check of PROPOSAL with all that waits in it."
  (or (plist-get (agentq-proof--current proposal) :rest)
      (agentq-get Proposal proposal :check)))

(defun agentq-proof--so-far (check)
  "Say what CHECK, of what was accepted so far, has found."
  (let ((count (length (agentq-get Check check :introduced))))
    (if (= count 0) "no error so far"
      (format (ngettext "%d error so far" "%d errors so far" count) count))))

(defun agentq-proof--rejection (with without)
  "Say what leaving out a hunk means, \"\" where that means nothing.
The compiler judged the texts WITH the hunk and WITHOUT it."
  (let* ((more (agentq-proof--only-in (agentq-get Check without :introduced)
                                      (agentq-get Check with :introduced)))
         (stay (agentq-proof--only-in (agentq-get Check with :resolved)
                                      (agentq-get Check without :resolved)))
         (less (+ (agentq-proof--only-in (agentq-get Check with :introduced)
                                         (agentq-get Check without :introduced))
                  (agentq-proof--only-in (agentq-get Check without :resolved)
                                         (agentq-get Check with :resolved))))
         (parts (delq nil
                      (list (and (> more 0) (format (ngettext "+%d error" "+%d errors" more) more))
                            (and (> stay 0)
                                 (format (ngettext "%d error stays" "%d errors stay" stay) stay))
                            (and (> less 0)
                                 (format (ngettext "%d error less" "%d errors less" less) less))))))
    ;; A screen of 80 columns has no room for more than what makes a difference.
    (if parts (concat ", " (string-join parts ", ") " if you reject this hunk") "")))

(defun agentq-proof--only-in (these those)
  "Count the DiagnosticLines of THESE that THOSE does not have as often."
  (let ((left (mapcar #'agentq-proof--key those))
        (count 0))
    (seq-doseq (line these)
      (let ((key (agentq-proof--key line)))
        (if (member key left)
            (setq left (cl-remove key left :test #'equal :count 1))
          (cl-incf count))))
    count))

(defun agentq-proof--key (line)
  "Return the key of the DiagnosticLine LINE, by which errors are the same."
  (list (agentq-get DiagnosticLine line :uri) (agentq-get DiagnosticLine line :code)
        (agentq-get DiagnosticLine line :message)))

(provide 'agentq-proof)

;;; agentq-proof.el ends here
