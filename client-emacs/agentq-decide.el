;;; agentq-decide.el --- From a decision to the applied text  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One decision is: make sure its files can be edited, `agentq/decide', apply the
;; edit that comes back, save, `agentq/didApply' with what the documents are now.
;;
;; Invariants:
;; - Decisions go one after the other, each against the result of the one before.
;; - Whatever happens to an edit that the server returned, the server hears which
;;   text the buffers really have.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-apply)
(require 'agentq-store)

(agentq-define-state agentq-server-stopping
  "Return the ids of proposals of SERVER after whose decision the agent is to stop.")

(defvar agentq-decide--queue nil
  "Functions that each start a decision; the first one is under way.
Each sees to it that `agentq-decide--next' is called in the end.")

(defun agentq-decide (server id hunks decision &optional text stop over)
  "Send SERVER the DECISION on HUNKS of proposal ID.
DECISION is \"accept\", \"edit\" or \"reject\"; TEXT is the new text of an
edit or the reason of a rejection.  Of an acceptance it is nil, or an
alist from ids of hunks to the HunkDecisionLines that are taken of them.
OVER, for an edit, is what stood at the hunk's place when TEXT was
written.  With STOP the agent ends its turn once every hunk of the
proposal is decided.
Hunks that accepted ones require are accepted too, and the person is told.
Of several that are accepted, those that could not be applied wait on, and
the person is told why; where that is all of them, signal a `user-error'."
  (pcase-let* ((`(,takable . ,refusals)
                (if (equal decision "reject")
                    (list hunks)
                  (agentq-decide--takable server id hunks (and (equal decision "edit") text))))
               (required (unless (equal decision "reject")
                           (agentq-decide--required server id takable))))
    (unless takable
      (user-error "%s; nothing is decided" (string-join refusals "; ")))
    (when required
      (message "Agent-Q: accepted too, as it is needed: %s"
               (mapconcat (agentq-getter Hunk :title) required ", ")))
    (agentq-decide--start server id takable required (list decision text over) stop)
    (when refusals
      (agentq-decide-after
       (lambda ()
         (message "Agent-Q: %s; the rest is applied" (string-join refusals "; ")))))))

(defun agentq-decide--takable (server id hunks text)
  "Return which HUNKS of proposal ID of SERVER can be applied, and why not all.
That is a list of them, and behind it what each other one was refused with.
TEXT is that of an edit.  A hunk is applied with all that it requires."
  (let* (refusals
         (takable
          (seq-filter
           (lambda (hunk)
             (condition-case refused
                 (progn
                   (agentq-decide--prepare server hunk text)
                   (dolist (other (agentq-decide--required server id (list hunk)))
                     (agentq-decide--prepare server other nil))
                   t)
               (agentq-apply-refused
                (cl-pushnew (cadr refused) refusals :test #'equal)
                nil)))
           hunks)))
    (cons takable (nreverse refusals))))

(defun agentq-decide--required (server id hunks)
  "Return the undecided hunks of proposal ID of SERVER that HUNKS require.
What a required hunk requires is among them."
  (let* ((all (append (agentq-get Proposal (agentq-known-proposal server id) :hunks) nil))
         (chosen (mapcar (agentq-getter Hunk :id) hunks))
         (queue (copy-sequence hunks))
         required)
    (while queue
      (seq-doseq (wanted (agentq-get Hunk (pop queue) :requires))
        (when-let* (((not (member wanted chosen)))
                    (hunk (cl-find wanted all :test #'equal :key (agentq-getter Hunk :id)))
                    ((equal (agentq-get Hunk hunk :state) "pending")))
          (push wanted chosen)
          (push hunk required)
          (push hunk queue))))
    (nreverse required)))

(defun agentq-decide--start (server id hunks required decided stop)
  "Send SERVER what was DECIDED, (DECISION TEXT OVER), on HUNKS of proposal ID.
The hunks REQUIRED are accepted with them.  STOP is as in `agentq-decide'."
  (when stop
    (cl-pushnew id (agentq-server-stopping server) :test #'equal))
  (pcase-let* ((`(,decision ,text ,over) decided)
               (before (mapcar (lambda (hunk)
                                 (cons (agentq-get Hunk hunk :id) (agentq-get Hunk hunk :state)))
                               (append hunks required)))
               (own (mapcar (agentq-getter Hunk :id) hunks))
               (others (mapcar (agentq-getter Hunk :id) required))
               (ids (append own others))
               (stop (member id (agentq-server-stopping server))))
    (unless (equal decision "accept")
      (dolist (hunk own)
        (setf (alist-get (cons id hunk) (agentq-server-said server) nil nil #'equal)
              (unless (and (equal decision "reject") (equal text "")) text))))
    (agentq-decide--mark server id ids "deciding")
    (agentq-decide--enqueue
     (lambda ()
       ;; A decision that was under way may have taken some of them along.
       (let ((own (agentq-decide--unsettled server id own))
             (others (agentq-decide--unsettled server id others)))
         (if (null own)
             (agentq-decide--next)
           (agentq-request
            server :agentq/decide
            (agentq-make DecideParams
              :proposalId id
              :hunks (vconcat
                      (mapcar (lambda (id) (agentq-decide--to-wire id decision text over)) own)
                      (mapcar (lambda (id) (agentq-decide--to-wire id "accept" nil)) others))
              :then (if stop "stop" "continue"))
            :then (lambda (result)
                    (when others
                      (agentq-decide--mark server id others "accepted"))
                    (agentq-decide--note-result server id own decision result)
                    (unless (equal decision "reject")
                      (agentq-decide--look-again (append hunks required)))
                    (if-let* ((edit (agentq-get DecideResult result :edit)))
                        (agentq-decide--apply server id edit)
                      (agentq-decide--next)))
            :else (lambda (message &optional _code)
                    (dolist (deciding (agentq-decide--deciding server id))
                      (agentq-decide--mark server id (list deciding)
                                           (alist-get deciding before "pending" nil #'equal)))
                    (agentq-decide--failed message)))))))))

(defun agentq-decide--unsettled (server id hunks)
  "Return those of HUNKS, ids of proposal ID of SERVER, that are not settled."
  (let ((known (append (agentq-get Proposal (agentq-known-proposal server id) :hunks) nil)))
    (seq-remove (lambda (hunk)
                  (member (agentq-get Hunk (cl-find hunk known :test #'equal :key (agentq-getter Hunk :id))
                                      :state)
                          '("accepted" "edited" "rejected")))
                hunks)))

(defun agentq-decide--prepare (server hunk text)
  "Make sure that HUNK of SERVER can be applied once it is accepted.
TEXT, if not nil, is put there instead of the hunk's own.
Its file is visited and synced, so the server composes the edit for the
very text that the edit is going to meet."
  (let ((uri (agentq-get Hunk hunk :uri)))
    (pcase (if (and text (agentq-hunk-conflict-p hunk)) "edit" (agentq-get Hunk hunk :kind))
      ("create" (agentq-apply-check-absent uri))
      ("edit"
       (with-current-buffer (agentq-apply-visit uri)
         (agentq-apply-check-encodable (or text (agentq-get Hunk hunk :newText)))
         (agentq-sync-start server)))
      ;; A whole file may be no text, so it is not visited for this.
      (_
       (when-let* ((buffer (find-buffer-visiting (agentq-uri-to-path uri))))
         (with-current-buffer buffer
           (agentq-sync-start server)))))))

(defun agentq-decide--to-wire (id decision text &optional over)
  "Return the HunkDecision for the hunk ID: DECISION with TEXT, written OVER."
  (let ((edit (equal decision "edit")))
    (agentq-make HunkDecision
      :id id
      :decision decision
      :newText (and edit text)
      :currentText (and edit over)
      :lines (and (equal decision "accept") (alist-get id text nil nil #'equal))
      :reason (and (equal decision "reject") (not (equal text "")) text))))

(defun agentq-decide--enqueue (start)
  "Call START now, or after the decisions that are under way."
  (setq agentq-decide--queue (append agentq-decide--queue (list start)))
  (when (length= agentq-decide--queue 1)
    (funcall start)))

(defun agentq-decide-after (function)
  "Call FUNCTION when the decisions that are under way have come to their ends."
  (agentq-decide--enqueue (lambda ()
                            (unwind-protect (funcall function)
                              (agentq-decide--next)))))

(defun agentq-decide--next ()
  "Start the next decision."
  (pop agentq-decide--queue)
  (when agentq-decide--queue
    (funcall (car agentq-decide--queue))))

(defun agentq-decide--failed (message &optional _code)
  "Show MESSAGE, why a decision was not taken, and go on."
  (message "Agent-Q: %s" message)
  (agentq-decide--next))

(defun agentq-decide--look-again (hunks)
  "Read the files of HUNKS again that the server itself put in their places."
  (dolist (hunk hunks)
    (when-let* (((equal (agentq-get Hunk hunk :kind) "entry"))
                (path (agentq-uri-to-path (agentq-get Hunk hunk :uri)))
                (buffer (find-buffer-visiting path)))
      (with-current-buffer buffer
        (unless (or (buffer-modified-p) (verify-visited-file-modtime) (not (file-readable-p path)))
          (revert-buffer t t t))))))

(defun agentq-decide--note-result (server id ids decision result)
  "Note in SERVER that hunks IDS of proposal ID got DECISION with RESULT."
  (let ((conflicts (append (agentq-get DecideResult result :conflicts) nil)))
    (agentq-decide--mark server id (seq-difference ids conflicts)
                         (pcase decision
                           ("accept" "accepted") ("edit" "edited") (_ "rejected"))
                         (unless (or conflicts
                                     (< 0 (length (agentq-get DecideResult result :remaining))))
                           "decided"))
    (when conflicts
      (agentq-decide--mark server id conflicts "conflict")
      (message (ngettext "Agent-Q: %d hunk is in conflict and was not applied"
                         "Agent-Q: %d hunks are in conflict and were not applied"
                         (length conflicts))
               (length conflicts)))))

(defun agentq-decide--deciding (server id)
  "Return the ids of the hunks of proposal ID of SERVER that are being decided."
  (cl-loop for hunk in (append (agentq-get Proposal (agentq-known-proposal server id) :hunks) nil)
           when (equal (agentq-get Hunk hunk :state) "deciding")
           collect (agentq-get Hunk hunk :id)))

(defun agentq-decide--mark (server id ids state &optional proposal-state)
  "Give the hunks IDS of proposal ID of SERVER the STATE.
PROPOSAL-STATE, if given, becomes the state of the whole proposal.  What
the server says about it later counts more."
  (let* ((known (agentq-known-proposal server id))
         (hunks (mapcar (lambda (hunk)
                          (if (member (agentq-get Hunk hunk :id) ids)
                              (agentq-with Hunk hunk :state state)
                            hunk))
                        (agentq-get Proposal known :hunks)))
         (proposal (agentq-with Proposal known :hunks hunks)))
    (agentq-note-proposal
     server (if (and proposal-state (equal (agentq-get Proposal proposal :state) "pending"))
                (agentq-with Proposal proposal :state proposal-state)
              proposal))))

(defun agentq-decide--apply (server id edit)
  "Apply EDIT of proposal ID and tell SERVER what the documents are now."
  (let (unsaved problem)
    (condition-case refused
        (let ((operations (agentq-files-operations edit)))
          (setq unsaved (agentq-decide--write server (agentq-apply-edit edit)))
          (when operations
            (agentq-files-carry-out operations (agentq-server-root server))
            (setq unsaved (append unsaved (agentq-decide--write
                                           server (agentq-apply-edit edit t))))))
      (agentq-apply-refused (setq problem (cadr refused)))
      (error (setq problem (error-message-string refused))))
    (agentq-request
     server :agentq/didApply
     (agentq-make DidApplyParams
       :proposalId id
       :documents (vconcat (mapcar #'agentq-decide--stamp (agentq-apply-uris edit))))
     :then (lambda (result)
             (message "Agent-Q: %s" (agentq-decide--outcome server id result unsaved problem))
             (agentq-decide--next))
     :else (lambda (message &optional _code)
             (agentq-decide--failed (or problem message))))))

(defun agentq-decide--write (server applied)
  "Send SERVER the text of APPLIED and save it; return the buffers left unsaved."
  (dolist (change applied)
    (with-current-buffer (agentq-apply-change-buffer change)
      (agentq-sync-start server)
      (agentq-sync-flush)))
  (agentq-apply-save applied))

(defun agentq-decide--outcome (server id result unsaved problem)
  "Say how it went at SERVER with proposal ID.
RESULT is that of didApply, UNSAVED buffer names, PROBLEM a reason or nil."
  (cond (problem (format "not applied: %s" problem))
        ((not (eq t (agentq-get DidApplyResult result :verified)))
         (format "the text of %s is not what was approved, and the review shows what is; \
does `after-save-hook' change it?"
                 (mapconcat (lambda (uri)
                              (file-relative-name (agentq-uri-to-path uri)
                                                  (agentq-server-root server)))
                            (agentq-get DidApplyResult result :mismatched) ", ")))
        (t (concat (if (member id (agentq-server-ways-back server)) "taken back" "applied")
                   (if unsaved (concat ", not saved: " (string-join unsaved ", ")) "")))))

(defun agentq-decide--stamp (uri)
  "Return the stamp of the document URI for agentq/didApply."
  (if-let* ((buffer (find-buffer-visiting (agentq-uri-to-path uri))))
      (with-current-buffer buffer
        (agentq-sync-flush)
        (agentq-make DocumentStamp
          :uri uri :version (agentq-sync-version) :sha256 (agentq-sync-sha256)))
    (agentq-make DocumentStamp :uri uri)))

(provide 'agentq-decide)

;;; agentq-decide.el ends here
