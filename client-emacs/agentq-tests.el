;;; agentq-tests.el --- The tests of proposed text, and failures  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Runs the tests that a proposal may break before anybody accepts it: with all
;; of its hunks, and with those that are accepted so far or without one.  The
;; header of the review says how they ended; failures, also those of other test
;; runs, stand in a buffer whose lines lead to their places.

;;; Code:

(require 'compile)
(require 'agentq-client)
(require 'agentq-store)
(require 'agentq-visible)

(agentq-define-state agentq-server-tested
  "Return the alist from proposal ids to (HUNKS . ENDED) of SERVER.
HUNKS are the ids that were pending then.  Each of ENDED is a cons of a label
and a TestVerdict.")

(agentq-define-state agentq-server-testing
  "Return the alist from proposal ids to the newest test run of SERVER.")

(defvar-local agentq-tests--again nil "Function that makes this list anew by another run.")

(define-compilation-mode agentq-tests-mode "AgentQ-Tests"
  "A list of failures; every line leads to its place, and `g' makes it anew."
  (setq-local compilation-error-regexp-alist
              '(("^\\([^ :\n][^:\n]*\\):\\([0-9]+\\):\\([0-9]+\\): " 1 2 3))))

(keymap-set agentq-tests-mode-map "g" #'agentq-tests-again)

(defun agentq-tests-again ()
  "Make this list anew by another run."
  (interactive nil agentq-tests-mode)
  (if agentq-tests--again
      (funcall agentq-tests--again)
    (user-error "`t' in the review runs these tests again")))

(defun agentq-tests--pending (proposal)
  "Return the ids of the hunks of PROPOSAL that are undecided."
  (mapcar (agentq-getter Hunk :id)
          (seq-filter (lambda (hunk) (equal (agentq-get Hunk hunk :state) "pending"))
                      (agentq-get Proposal proposal :hunks))))

(defun agentq-tests--words (verdict)
  "Return VERDICT in a few words: \"16 of 16 pass\"."
  (pcase (agentq-get TestVerdict verdict :state)
    ("running" "running")
    ("done"
     (let* ((failed (agentq-get TestVerdict verdict :failed))
            (total (+ failed (agentq-get TestVerdict verdict :passed)))
            (reason (agentq-get TestVerdict verdict :reason)))
       (concat (if (= failed 0) (format "%d of %d pass" total total)
                 (format (ngettext "%d of %d fails" "%d of %d fail" failed) failed total))
               (if reason (format " (%s)" (string-remove-suffix "." reason)) ""))))
    (_ (concat "none was run: "
               (or (agentq-get TestVerdict verdict :reason) "nobody knows why")))))

(defun agentq-tests--sentence (ended)
  "Return ENDED, conses of a label and a TestVerdict, in a sentence."
  (mapconcat (pcase-lambda (`(,label . ,verdict))
               (concat label ": " (agentq-tests--words verdict)))
             ended "; "))

(defun agentq-tests-told (server proposal)
  "Return a few words on the verdict about all of PROPOSAL of SERVER, or nil.
What was found while other hunks were pending is old."
  (let* ((known (cdr (assoc (agentq-get Proposal proposal :proposalId)
                            (agentq-server-tested server))))
         (verdict (if (and known (equal (car known) (agentq-tests--pending proposal)))
                      (cdadr known)
                    (agentq-get Proposal proposal :tests))))
    (when verdict
      (pcase (agentq-get TestVerdict verdict :state)
        ("running" "tests running")
        ("done" (let* ((failed (agentq-get TestVerdict verdict :failed))
                       (total (+ failed (agentq-get TestVerdict verdict :passed))))
                  (if (= failed 0) (format "%d tests pass" total)
                    (format (ngettext "%d of %d tests fails" "%d of %d tests fail" failed)
                            failed total))))
        (_ "not tested")))))

(defun agentq-tests-run (server id plans)
  "Test the proposal ID of SERVER by PLANS, one after the other.
Each plan is a cons of a label and the ids of the hunks to accept.  A
newer run about the same proposal ends this one."
  (let ((run (make-symbol "run"))
        (pending (agentq-tests--pending (agentq-known-proposal server id))))
    (setf (alist-get id (agentq-server-testing server) nil nil #'equal) run)
    (message "Agent-Q: testing the proposal ...")
    (agentq-tests--next server id run pending plans nil)))

(defun agentq-tests--next (server id run pending plans done)
  "Carry RUN about proposal ID of SERVER on with the first of PLANS.
PENDING are the hunks that were undecided, DONE the parts that ended."
  (pcase plans
    ('nil (agentq-tests--finish server id pending (reverse done)))
    (`((,label . ,ids) . ,rest)
     (agentq-request
      server :agentq/testSubset
      (agentq-make TestSubsetParams
        :proposalId id
        :hunks (vconcat (mapcar (lambda (hunk) (agentq-make HunkDecision :id hunk :decision "accept"))
                                ids)))
      :timeout nil
      :then (lambda (verdict)
              (when (eq run (alist-get id (agentq-server-testing server) nil nil #'equal))
                (agentq-tests--next server id run pending rest (cons (cons label verdict) done))))
      :else (lambda (text &optional _code)
              (when (eq run (alist-get id (agentq-server-testing server) nil nil #'equal))
                (agentq--report text)))))))

(defun agentq-tests--finish (server id pending ended)
  "Show ENDED, verdicts about the proposal ID of SERVER.
PENDING are the hunks that were undecided when the tests began."
  (setf (alist-get id (agentq-server-tested server) nil nil #'equal) (cons pending ended))
  (force-mode-line-update t)
  (when (seq-some (pcase-lambda (`(,_ . ,verdict))
                    (> (agentq-get TestVerdict verdict :failed) 0))
                  ended)
    (agentq-tests-list server ended))
  (message "Agent-Q: tests, %s" (agentq-tests--sentence ended)))

(defun agentq-tests-buffer (server)
  "Return the buffer for the failures of SERVER, made if needed."
  (agentq-buffer server "agentq-tests" 'agentq-tests-mode))

(defun agentq-tests-list (server ended &optional again)
  "Show the failures in ENDED of SERVER in a buffer of their own.
AGAIN, if any, is a function that makes the list anew."
  (with-current-buffer (agentq-tests-buffer server)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (setq default-directory (agentq-server-root server)
            agentq-tests--again again
            next-error-last-buffer (current-buffer))
      (compilation-forget-errors)
      (pcase-dolist (`(,label . ,verdict) ended)
        (insert "Tests, " label ": " (agentq-tests--words verdict) "\n")
        (seq-doseq (failure (agentq-get TestVerdict verdict :failures))
          (insert (agentq-tests--lines failure))))
      (goto-char (point-min)))
    (display-buffer (current-buffer) '(display-buffer-at-bottom (inhibit-same-window . t)
                                                                (window-height . 8)))))

(defconst agentq-tests--most-lines 30 "Lines of a failure above which the rest is left out.")

(defun agentq-tests--lines (failure)
  "Return FAILURE with its place, as compilers write errors, and why below that."
  (pcase-let* ((start (or (agentq-get FailedTest failure :range :start) '(:line 0 :character 0)))
               (`(,first . ,rest) (split-string (agentq-get FailedTest failure :message) "\n" t
                                                "[ \t\r]+$"))
               (shown (seq-take rest agentq-tests--most-lines)))
    (concat
     (format "%s:%d:%d: %s: %s\n"
             (file-relative-name (agentq-uri-to-path (agentq-get FailedTest failure :uri)))
             (1+ (plist-get start :line)) (1+ (plist-get start :character))
             (agentq-visible-line (agentq-get FailedTest failure :name))
             (agentq-visible-line (or first "")))
     (mapconcat (lambda (line) (concat "    " (agentq-visible line) "\n")) shown)
     (if (length> rest (length shown)) "    ...\n" ""))))

(provide 'agentq-tests)

;;; agentq-tests.el ends here
