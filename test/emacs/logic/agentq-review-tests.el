;;; agentq-review-tests.el --- Deciding about hunks  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defmacro agentq-review-test-with-proposal (server &rest body)
  "Run BODY in the review buffer of SERVER with two pending hunks of a.ts."
  (declare (indent 1))
  `(agentq-test-in-folder '(("a.ts" "1\n2\n3\n4\n5\n6\n7\n8\n9\n"))
     (agentq-test-with-server ,server
       (agentq-test-tell
        ,server 'agentq/proposal
        :proposalId "p1" :title "A change" :why "" :state "pending"
        :check '(:state "unavailable")
        :hunks (vector
                (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n")
                (agentq-test-hunk "h2" "a.ts" (agentq-test-range 7 0 8 0) "8\n" "eight\n")))
       (agentq-review)
       ,@body)))

(defun agentq-review-test-decisions ()
  "Return the decisions that were sent, as lists of hunk decisions."
  (mapcar (lambda (params) (append (plist-get params :hunks) nil))
          (agentq-test-sent 'agentq/decide)))

(defun agentq-review-test-pending (server)
  "Return the ids of the hunks of SERVER's proposal that are pending."
  (mapcar (lambda (hunk) (plist-get hunk :id))
          (agentq-review--pending (cdar (agentq-server-proposals server)))))

(ert-deftest agentq-review-applies-and-reports-an-accepted-hunk ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept)
    (should (equal (agentq-review-test-decisions) '(((:id "h1" :decision "accept")))))
    (should (equal (agentq-test-read "a.ts") "1\n2\n3\n4\n5\n6\n7\n8\n9\n"))
    (agentq-test-answer
     server (list :edit (agentq-test-edit
                         (agentq-test-text-edit
                          "a.ts" 0 (list (agentq-test-range 1 0 2 0) "two\n")))
                  :conflicts [] :remaining ["h2"]))
    (should (equal (agentq-test-read "a.ts") "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"))
    (let* ((report (car (agentq-test-sent 'agentq/didApply)))
           (document (aref (plist-get report :documents) 0)))
      (should (equal (plist-get document :version) 1))
      (should (equal (plist-get document :sha256)
                     (secure-hash 'sha256 "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n"))))
    (should (equal (agentq-review-test-pending server) '("h2")))))

(ert-deftest agentq-review-sends-the-reason-of-a-rejection ()
  (agentq-review-test-with-proposal server
    (goto-char (point-min))
    (agentq-review-next 2)
    (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) " too risky ")))
      (agentq-review-reject t))
    (should (equal (agentq-test-sent 'agentq/decide)
                   '((:proposalId "p1"
                      :hunks [(:id "h2" :decision "reject" :reason "too risky")]
                      :then "stop"))))
    (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h1"]))
    (should-not (agentq-test-sent 'agentq/didApply))
    (should (equal (agentq-review-test-pending server) '("h1")))))

(ert-deftest agentq-review-decides-nothing-when-a-question-is-quit ()
  (agentq-review-test-with-proposal server
    (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) (signal 'quit nil))))
      (should (eq 'quit (condition-case nil (agentq-review-reject) (quit 'quit))))
      (should (eq 'quit (condition-case nil (agentq-review-reject-all) (quit 'quit)))))
    (should-not (agentq-review-test-decisions))
    (should (equal (agentq-review-test-pending server) '("h1" "h2")))))

(ert-deftest agentq-review-decides-nothing-when-its-buffer-goes-away ()
  (agentq-review-test-with-proposal server
    (quit-window)
    (kill-buffer (agentq-review--buffer server))
    (should-not (agentq-review-test-decisions))
    (with-current-buffer (find-file-noselect
                          (expand-file-name "a.ts" agentq-test-folder))
      (agentq-review)
      (should (string-search "+two" (buffer-string))))
    (should (equal (agentq-waiting-count server) 1))))

(ert-deftest agentq-review-takes-decisions-one-after-the-other ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept)
    (agentq-review-accept)
    (should (equal (agentq-review-test-decisions) '(((:id "h1" :decision "accept")))))
    (should-error (agentq-review-accept) :type 'user-error)
    (agentq-test-answer
     server (list :edit (agentq-test-edit
                         (agentq-test-text-edit
                          "a.ts" 0 (list (agentq-test-range 1 0 2 0) "two\n")))
                  :conflicts [] :remaining ["h2"]))
    (agentq-test-answer server '(:verified t :mismatched []))
    (should (equal (cadr (agentq-review-test-decisions))
                   '((:id "h2" :decision "accept"))))))

(ert-deftest agentq-review-accepts-the-rest-while-a-decision-is-under-way ()
  (agentq-review-test-with-proposal server
    (let ((before (agentq-known-proposal server "p1")))
      (agentq-review-accept)
      ;; News that the server sent before it heard of the decision.
      (agentq-note-proposal server before)
      (agentq-review-accept-all)
      (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2"]))
      (should (equal (cadr (agentq-review-test-decisions)) '((:id "h2" :decision "accept"))))
      (agentq-test-answer server '(:edit nil :conflicts [] :remaining []))
      (should-not (agentq-review-test-pending server))
      (should-not agentq-decide--queue))))

(ert-deftest agentq-review-leaves-hunks-pending-when-the-request-fails ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept-all)
    (should-not (agentq-review-test-pending server))
    (let ((continuation (car (jsonrpc--continuations server))))
      (jsonrpc--remove server (car continuation))
      (funcall (nth 3 continuation) '(:code -33005 :message "busy")))
    (should (equal (agentq-review-test-pending server) '("h1" "h2")))
    (should-not agentq-decide--queue)))

(ert-deftest agentq-review-never-overwrites-what-was-typed-meanwhile ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept)
    (with-current-buffer "a.ts"
      (insert "mine "))
    (agentq-test-answer
     server (list :edit (agentq-test-edit
                         (agentq-test-text-edit
                          "a.ts" 0 (list (agentq-test-range 1 0 2 0) "two\n")))
                  :conflicts [] :remaining ["h2"]))
    (should (equal (with-current-buffer "a.ts" (buffer-string))
                   "mine 1\n2\n3\n4\n5\n6\n7\n8\n9\n"))
    (should (equal (plist-get (aref (plist-get (car (agentq-test-sent 'agentq/didApply))
                                               :documents)
                                    0)
                              :sha256)
                   (secure-hash 'sha256 "mine 1\n2\n3\n4\n5\n6\n7\n8\n9\n")))))

(ert-deftest agentq-review-names-the-file-that-something-changed-while-it-was-saved ()
  (agentq-review-test-with-proposal server
    (should (string-prefix-p
             "the text of a.ts is not what was approved, and the review shows what is"
             (agentq-decide--outcome
              server "p1" (list :verified :json-false :mismatched (vector (agentq-test-uri "a.ts")))
              nil nil)))))

(ert-deftest agentq-review-says-what-was-taken-back ()
  (agentq-review-test-with-proposal server
    (let ((verified '(:verified t :mismatched [])))
      (should (equal (agentq-decide--outcome server "p1" verified '("a.ts") nil) "applied, not saved: a.ts"))
      (push "p1" (agentq-server-ways-back server))
      (should (equal (agentq-decide--outcome server "p1" verified '("a.ts") nil)
                     "taken back, not saved: a.ts")))))

(ert-deftest agentq-review-refuses-before-anything-is-decided ()
  (agentq-review-test-with-proposal server
    (with-current-buffer (find-file-noselect "a.ts")
      (setq buffer-read-only t))
    (should-error (agentq-review-accept) :type 'user-error)
    (should-not (agentq-review-test-decisions))
    (should (equal (agentq-review-test-pending server) '("h1" "h2")))))

(ert-deftest agentq-review-sends-the-text-of-an-edited-hunk ()
  (agentq-review-test-with-proposal server
    (agentq-review-edit)
    (delete-region (point-min) (point-max))
    (insert "TWO\n")
    (agentq-review-edit-finish)
    (should (equal (agentq-review-test-decisions)
                   '(((:id "h1" :decision "edit" :newText "TWO\n" :currentText "2\n")))))))

(ert-deftest agentq-review-shows-what-the-server-says-later ()
  (agentq-review-test-with-proposal server
    (agentq-test-tell
     server 'agentq/proposalChanged
     :proposalId "p1" :title "A change" :why "" :state "withdrawn"
     :check '(:state "unavailable")
     :hunks (vector (append '(:state "conflict" :conflict "It is a link now.")
                            (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0)
                                              "2\n" "two\n"))))
    (should (string-search "a.ts [conflict] It is a link now.\n" (buffer-string)))
    (should (equal (agentq-waiting-count server) 0))
    (should-error (agentq-review-accept) :type 'user-error)))

;; A key that is pressed next decides about the hunk in which point is then.
(ert-deftest agentq-review-goes-on-from-between-two-hunks-when-it-is-drawn-anew ()
  (agentq-test-in-folder '(("a.ts" "1\n2\n3\n") ("b.ts" "1\n2\n3\n"))
    (agentq-test-with-server server
      (let ((tell (lambda (method)
                    (agentq-test-tell
                     server method
                     :proposalId "p1" :title "A change" :why "" :state "pending"
                     :check '(:state "unavailable")
                     :hunks (vector
                             (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n")
                             (agentq-test-hunk "h2" "b.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n"))))))
        (funcall tell 'agentq/proposal)
        (agentq-review)
        (goto-char (point-min))
        (search-forward "+++ b/b.ts")
        (should-not (get-text-property (point) 'agentq-hunk))
        (funcall tell 'agentq/proposalChanged)
        (should (equal (get-text-property (point) 'agentq-hunk) '("p1" . "h2")))))))

(ert-deftest agentq-review-stays-in-its-hunk-when-the-server-tells-of-it-anew ()
  (agentq-review-test-with-proposal server
    (goto-char (point-min))
    (search-forward "eight")
    (agentq-test-tell
     server 'agentq/proposalChanged
     :proposalId "p1" :title "A change" :why "" :state "pending"
     :check '(:state "unavailable" :reason "It takes long.")
     :hunks (vector
             (agentq-test-hunk (copy-sequence "h1") "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n")
             (agentq-test-hunk (copy-sequence "h2") "a.ts" (agentq-test-range 7 0 8 0) "8\n" "eight\n")))
    (should (looking-back "eight" (line-beginning-position)))))

(defun agentq-review-test-conflict (server current)
  "Tell of a conflict from SERVER: CURRENT stands at the place of h1."
  (agentq-test-tell
   server 'agentq/proposalChanged
   :proposalId "p1" :title "A change" :why "" :state "pending"
   :check '(:state "unavailable")
   :hunks (vector (append `(:state "conflict" :currentText ,current)
                          (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0)
                                            "2\n" "two\n")))))

(defun agentq-review-test-other (server &optional state)
  "Tell of another proposal of SERVER, in STATE."
  (agentq-test-tell
   server (if state 'agentq/proposalChanged 'agentq/proposal)
   :proposalId "p2" :title "Another one" :why "" :state (or state "pending") :toolCallId "c2"
   :check '(:state "unavailable")
   :hunks (vector (append (and state '(:state "accepted"))
                          (agentq-test-hunk "h1" "a.ts" (agentq-test-range 3 0 4 0) "4\n" "four\n")))))

(ert-deftest agentq-review-adds-a-proposal-that-comes-below-and-leaves-point-where-it-is ()
  (agentq-review-test-with-proposal server
    (search-forward "two")
    (agentq-review-test-other server)
    (should (looking-back "two" (line-beginning-position)))
    (should (string-match-p "\\`Proposal: A change\n[^z-a]*\nProposal: Another one\n" (buffer-string)))
    (should (string-prefix-p " 1 of 3, 3 left" (substring-no-properties (agentq-review--header))))
    (should-not (agentq-review-test-decisions))))

(ert-deftest agentq-review-decides-about-proposals-in-any-order ()
  (agentq-review-test-with-proposal server
    (agentq-review-test-other server)
    (goto-char (point-max))
    (agentq-review-previous)
    (should (equal (get-text-property (point) 'agentq-hunk) '("p2" . "h1")))
    (agentq-review-accept-all)
    (should (equal (mapcar (lambda (params) (plist-get params :proposalId))
                           (agentq-test-sent 'agentq/decide))
                   '("p2")))
    (should (equal (agentq-review-test-pending server) '("h1" "h2")))))

(ert-deftest agentq-review-keeps-what-was-decided-until-the-turn-is-over-and-another-one-proposes ()
  (agentq-review-test-with-proposal server
    (agentq-test-tell
     server 'agentq/proposalChanged
     :proposalId "p1" :title "A change" :why "" :state "rejected" :toolCallId "c1"
     :check '(:state "unavailable")
     :hunks (vector (append '(:state "rejected")
                            (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n"))))
    (agentq-review-test-other server)
    (should (string-search "Proposal: A change (Decided: nothing applied)\n" (buffer-string)))
    (should (string-prefix-p " 2 of 2, 1 left" (substring-no-properties (agentq-review--header))))
    (agentq-review-test-other server "applied")
    (agentq-test-tell server 'agentq/event :seq 1 :event '(:kind "turnEnded" :reason "done"))
    (should (string-search "Proposal: A change" (buffer-string)))
    (agentq-test-tell
     server 'agentq/proposal
     :proposalId "p3" :title "Of the next turn" :why "" :state "pending" :toolCallId "c3"
     :check '(:state "unavailable")
     :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 3 0 4 0) "4\n" "four\n")))
    (should (string-prefix-p "Proposal: Of the next turn\n" (buffer-string)))))

(ert-deftest agentq-review-folds-what-is-decided-until-it-is-opened ()
  (agentq-review-test-with-proposal server
    (let ((hidden (lambda (text) (save-excursion (goto-char (point-min))
                                                 (search-forward text)
                                                 (invisible-p (1- (point)))))))
      (should-not (funcall hidden "+two"))
      (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "no\n+way")))
        (agentq-review-reject))
      (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2"]))
      (should (string-search "a.ts [rejected] no<U+000A>+way\n" (buffer-string)))
      (should (funcall hidden "+two"))
      (should-not (funcall hidden "a.ts [rejected]"))
      (agentq-review-previous)
      (agentq-review-toggle)
      (should-not (funcall hidden "+two"))
      (agentq-review)
      (should-not (funcall hidden "+two"))
      (agentq-review-previous)
      (agentq-review-toggle)
      (should (funcall hidden "+two")))))

(ert-deftest agentq-review-colours-code-over-the-colours-of-the-diff-and-obeys-no-text ()
  (agentq-test-in-folder '(("a.ts" "/*\nconst a = 1;\n*/\nconst b = 2;\n"))
    (agentq-test-with-server server
      (agentq-test-tell
       server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
       :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 3 0 4 0) "const b = 2;\n"
                                        "// -*- mode: emacs-lisp -*-\nlet b = 3;\n")))
      (agentq-review)
      (font-lock-ensure)
      (let ((faces (lambda (text) (goto-char (point-min))
                     (search-forward text)
                     (let ((face (get-text-property (1- (point)) 'face)))
                       (if (listp face) face (list face))))))
        (should (memq 'font-lock-keyword-face (funcall faces "+let")))
        (should (memq 'diff-added (funcall faces "+let")))
        (should (memq 'font-lock-comment-face (funcall faces "+// -*- mode")))
        (should (memq 'font-lock-keyword-face (funcall faces "-const")))
        ;; The beginning of a comment is context, and belongs to both texts.
        (should (memq 'font-lock-comment-face (funcall faces " const")))))))

(ert-deftest agentq-review-decides-about-a-file-on-its-line ()
  (agentq-test-in-folder '(("a.ts" "1\n2\n3\n4\n") ("b.ts" "1\n2\n"))
    (agentq-test-with-server server
      (agentq-test-tell
       server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
       :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 0 0 1 0) "1\n" "one\n")
                      (agentq-test-hunk "h2" "a.ts" (agentq-test-range 2 0 3 0) "3\n" "three\n")
                      (agentq-test-hunk "h3" "b.ts" (agentq-test-range 0 0 1 0) "1\n" "one\n")))
      (agentq-review)
      (goto-char (point-min))
      (search-forward "  b.ts")
      (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "no")))
        (agentq-review-reject))
      (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h1" "h2"]))
      (goto-char (point-min))
      (search-forward "+++ b/a.ts")
      (agentq-review-accept)
      (should (equal (agentq-review-test-decisions)
                     '(((:id "h3" :decision "reject" :reason "no"))
                       ((:id "h1" :decision "accept") (:id "h2" :decision "accept"))))))))

(ert-deftest agentq-review-needs-one-buffer-however-many-proposals-come ()
  (agentq-review-test-with-proposal server
    (let ((buffers (buffer-list)))
      (dotimes (number 20)
        (agentq-test-tell
         server 'agentq/proposal
         :proposalId (format "q%d" number) :title "More" :why "" :state "pending" :toolCallId "c"
         :check '(:state "unavailable")
         :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 3 0 4 0) "4\n" "four\n"))))
      (should (equal (agentq-review--proposals) (agentq-pending-proposals server)))
      (should-not (seq-difference (buffer-list) buffers)))))

(ert-deftest agentq-review-decides-nothing-of-what-just-came-by-a-key-for-the-hunk-before ()
  (agentq-review-test-with-proposal server
    (let ((agentq-review--pause 100)
          (decided (lambda () (length (agentq-review-test-decisions)))))
      (agentq-review-accept-all)
      (agentq-test-answer server '(:edit nil :conflicts [] :remaining []))
      (agentq-review-test-other server)
      (should (equal (get-text-property (point) 'agentq-hunk) '("p2" . "h1")))
      (dolist (key '("a" "A" "r" "R" "e"))
        (should-error (call-interactively (key-binding (kbd key))) :type 'user-error))
      (should (= 1 (funcall decided)))
      ;; Who asks to see the proposal sees the proposal.
      (agentq-review)
      (agentq-review-accept)
      (should (= 2 (funcall decided))))))

(ert-deftest agentq-review-goes-to-a-hunk-from-the-end-of-what-was-shown-before ()
  (agentq-review-test-with-proposal server
    (goto-char (point-max))
    (agentq-review)
    (should (equal (get-text-property (point) 'agentq-hunk) '("p1" . "h1")))
    (agentq-review-accept)
    (should (equal (agentq-review-test-decisions) '(((:id "h1" :decision "accept")))))))

(ert-deftest agentq-review-says-where-the-keys-are-in-a-narrow-window ()
  (agentq-review-test-with-proposal server
    ;; By default three dots where the locale has no other sign.
    (cl-letf (((symbol-function 'window-width) (lambda (&rest _) 20))
              (truncate-string-ellipsis "…"))
      (should (equal " 1 of 2, 2 …  ? keys" (substring-no-properties (agentq-review--header))))
      (should (<= (string-width (agentq-review--header)) 20)))))

(ert-deftest agentq-review-shows-the-three-texts-of-a-conflict ()
  (agentq-review-test-with-proposal server
    (agentq-review-test-conflict server "mine\n")
    (should (string-search "a.ts [conflict] these lines changed since\n" (buffer-string)))
    (should (string-search "# it is now:\n mine\n# it was:\n-2\n# proposed:\n+two\n" (buffer-string)))
    (should (string-search "1 of 1, 1 left, 1 in conflict" (agentq-review--header)))
    (goto-char (car (agentq-review--beginnings)))
    (agentq-review-accept)
    (should (equal (agentq-review-test-decisions) '(((:id "h1" :decision "accept")))))))

(ert-deftest agentq-review-merges-a-conflict-from-either-text ()
  (agentq-review-test-with-proposal server
    (agentq-review-test-conflict server "mine\n")
    (goto-char (car (agentq-review--beginnings)))
    (agentq-review-edit)
    (should (equal (buffer-string) "mine\n"))
    (should (string-search "proposed text" (agentq-review--edit-header)))
    (agentq-review-edit-other)
    (should (equal (buffer-string) "two\n"))
    (insert "mine and ")
    (agentq-review-edit-finish)
    (should (equal (agentq-review-test-decisions)
                   '(((:id "h1" :decision "edit" :newText "mine and two\n"
                       :currentText "mine\n")))))))

(ert-deftest agentq-review-keeps-a-merge-that-the-server-did-not-take ()
  (agentq-review-test-with-proposal server
    (agentq-review-test-conflict server "mine\n")
    (goto-char (car (agentq-review--beginnings)))
    (agentq-review-edit)
    (delete-region (point-min) (point-max))
    (insert "merged\n")
    (agentq-review-edit-finish)
    (agentq-review-test-conflict server "mine again\n")
    (agentq-test-answer server '(:edit nil :conflicts ["h1"] :remaining ["h1"]))
    (should (string-prefix-p "*agentq-edit: " (buffer-name (window-buffer))))
    (with-current-buffer (window-buffer)
      (should (equal (buffer-string) "merged\n"))
      (agentq-review-edit-other)
      (should (equal (buffer-string) "mine again\n"))
      (agentq-review-edit-finish))
    (should (equal (car (last (agentq-review-test-decisions)))
                   '((:id "h1" :decision "edit" :newText "mine again\n"
                      :currentText "mine again\n"))))))

(defun agentq-review-test-typed (name mode document place old keys)
  "Return what KEYS make of OLD, the text of a hunk at the lines PLACE of DOCUMENT.
PLACE is (FIRST . END); the file NAME is visited in MODE."
  (agentq-test-in-folder (list (list name document))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect (expand-file-name name agentq-test-folder))
        (funcall mode))
      (agentq-test-tell
       server 'agentq/proposal
       :proposalId "p1" :title "A change" :why "" :state "pending" :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk
                       "h1" name (agentq-test-range (car place) 0 (cdr place) 0) old old)))
      (agentq-review)
      (goto-char (car (agentq-review--beginnings)))
      (agentq-review-edit)
      (let ((electric-indent-mode t))
        (add-hook 'post-self-insert-hook #'electric-indent-post-self-insert-function 60)
        (unwind-protect
            (execute-kbd-macro (kbd keys))
          (remove-hook 'post-self-insert-hook #'electric-indent-post-self-insert-function)))
      (agentq-edit-context-text))))

(ert-deftest agentq-review-indents-a-text-as-at-its-place ()
  (let ((js "class Cart {\n    drop(at) {\n        if (at > 0) {\n            this.go(at);\n        }\n    }\n}\n")
        (css "@media print {\n    .a {\n        color: red;\n    }\n}\n")
        (json "{\n    \"a\": {\n        \"b\": 1\n    }\n}\n")
        (text "- a\n    - b\n    - c\n"))
    (pcase-dolist
        (`(,name ,mode ,document ,place ,old ,keys ,wanted)
         `(("a.js" js-mode ,js (3 . 4) "            this.go(at);\n" "C-e SPC // SPC m ( ) ; { } , < /"
            "            this.go(at); // m();{},</\n")
           ("a.js" js-mode ,js (3 . 4) "            this.go(at);\n" "TAB C-e RET x ; RET }"
            "            this.go(at);\n            x;\n        }\n")
           ("a.js" js-mode ,js (3 . 4) "            this.go(at);\n" "C-e RET { RET y ; RET }"
            "            this.go(at);\n            {\n                y;\n            }\n")
           ("a.js" js-mode ,js (3 . 4) "            this.go(at);\n" "M-> TAB z"
            "            this.go(at);\n            z")
           ;; Whoever formatted this line chose another indentation than the mode would.
           ("a.js" js-mode "if (a) {\n      go(a);\n}\n" (1 . 2) "      go(a);\n" "C-e ; RET x"
            "      go(a);;\n    x\n")
           ("a.css" css-mode ,css (2 . 3) "        color: red;\n" "C-e RET top: SPC 0 ; RET }"
            "        color: red;\n        top: 0;\n    }\n")
           ("a.json" js-json-mode ,json (2 . 3) "        \"b\": 1\n" "C-e , RET \"c\": SPC [ RET 1 RET ]"
            "        \"b\": 1,\n        \"c\": [\n            1\n        ]\n")
           ("a.md" text-mode ,text (1 . 2) "    - b\n" "C-e RET - SPC d C-a RET TAB"
            "    - b\n\n    - d\n")
           ;; Colours come from another mode, which would guess.
           ("a.ts" fundamental-mode ,js (3 . 4) "            this.go(at);\n" "C-e ( ) ; } RET x ( ) ; RET } TAB"
            "            this.go(at);();}\n            x();\n            }\n")))
      (should (equal (list name keys wanted)
                     (list name keys
                           (agentq-review-test-typed name mode document place old keys)))))))

(ert-deftest agentq-review-edits-nothing-but-the-text-of-a-hunk ()
  (agentq-review-test-with-proposal server
    (agentq-review-edit)
    (should (equal (buffer-string) "two\n"))
    (should-error (undo-only) :type 'user-error)
    (widen)
    (should (equal (buffer-string) "1\ntwo\n\n3\n4\n5\n6\n7\n8\n9\n"))
    (goto-char (point-min))
    (should-error (insert "0") :type 'text-read-only)
    (search-forward "two")
    (insert " and a half")
    (agentq-review-edit-finish)
    (should (equal (agentq-review-test-decisions)
                   '(((:id "h1" :decision "edit" :newText "two and a half\n"
                       :currentText "2\n")))))))

(ert-deftest agentq-review-keys-are-not-those-of-diff-mode ()
  (agentq-review-test-with-proposal server
    (pcase-dolist (`(,key . ,command) '(("a" . agentq-review-accept)
                                        ("r" . agentq-review-reject)
                                        ("A" . agentq-review-accept-all)
                                        ("R" . agentq-review-reject-all)
                                        ("q" . quit-window)))
      (should (eq (key-binding (kbd key)) command)))))

(ert-deftest agentq-review-ends-the-line-of-a-text-of-the-user ()
  (agentq-review-test-with-proposal server
    (agentq-review-edit)
    (goto-char (point-max))
    (insert "// extra")
    (agentq-review-edit-finish)
    (should (equal (agentq-review-test-decisions)
                   '(((:id "h1" :decision "edit" :newText "two\n// extra\n" :currentText "2\n")))))))

(ert-deftest agentq-review-ends-a-line-that-is-typed-for-a-deletion ()
  (agentq-test-in-folder '(("a.ts" "1\r\n2\r\n3\r\n"))
    (agentq-test-with-server server
      (agentq-test-tell
       server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
       :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\r\n" "")))
      (agentq-review)
      (agentq-review-edit)
      (insert "kept\nand more")
      (agentq-review-edit-finish)
      (should (equal (agentq-review-test-decisions)
                     '(((:id "h1" :decision "edit" :newText "kept\r\nand more\r\n" :currentText "2\r\n"))))))))

(ert-deftest agentq-review-edits-in-colour ()
  (agentq-review-test-with-proposal server
    (let ((auto-mode-alist '(("\\.ts\\'" . emacs-lisp-mode)))
          (noninteractive nil))
      (agentq-review-edit)
      (should font-lock-mode)
      (should-error (call-interactively (key-binding (kbd "C-x C-s"))) :type 'user-error)
      (should-not (agentq-review-test-decisions)))))

(ert-deftest agentq-review-remembers-that-the-agent-is-to-stop ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept t)
    (should (string-search "then the agent stops" (agentq-review--header)))
    (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2"]))
    (agentq-review-accept)
    (should (equal (mapcar (lambda (params) (plist-get params :then))
                           (agentq-test-sent 'agentq/decide))
                   '("stop" "stop")))))

(ert-deftest agentq-review-decides-only-about-the-hunk-at-point ()
  (agentq-review-test-with-proposal server
    (goto-char (point-min))
    (should-error (agentq-review-accept) :type 'user-error)
    (goto-char (point-max))
    (should-error (agentq-review-accept) :type 'user-error)
    (should-not (agentq-review-test-decisions))))

(ert-deftest agentq-review-binds-no-key-of-diff-mode ()
  (agentq-review-test-with-proposal server
    (dolist (key '("C-c C-a" "C-c RET a" "C-c C-r" "M-k" "M-K" "C-c C-s" "C-c C-k" "<menu-bar> <diff>"))
      (should-not (string-prefix-p "diff-" (format "%s" (key-binding (kbd key))))))))

(ert-deftest agentq-review-draws-again-what-was-taken-away ()
  (agentq-review-test-with-proposal server
    (let ((shown (buffer-string))
          (inhibit-read-only t))
      (goto-char (point-max))
      (delete-region (pos-bol -3) (point-max))
      (agentq-review)
      (should (equal-including-properties (buffer-string) shown)))))

(ert-deftest agentq-review-keeps-the-context-of-a-decided-hunk ()
  (agentq-review-test-with-proposal server
    (agentq-review-accept)
    (agentq-test-answer
     server (list :edit (agentq-test-edit
                         (agentq-test-text-edit
                          "a.ts" 0 (list (agentq-test-range 1 0 2 0) "two\n")))
                  :conflicts [] :remaining ["h2"]))
    (should (string-search " 1\n-2\n+two\n 3\n 4\n 5\n" (buffer-string)))))

(ert-deftest agentq-review-says-in-words-what-became-of-a-proposal ()
  (agentq-review-test-with-proposal server
    (pcase-dolist (`(,state ,words) '(("partiallyApplied" "1 of 2 hunks applied")
                                      ("withdrawn" "Withdrawn: 1 of 2 hunks applied")))
      (agentq-test-tell
       server 'agentq/proposalChanged
       :proposalId "p1" :title "A change" :why "" :state state
       :check '(:state "unavailable")
       :hunks (vector (append '(:state "accepted")
                              (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n"))
                      (append '(:state "rejected")
                              (agentq-test-hunk "h2" "a.ts" (agentq-test-range 7 0 8 0) "8\n" "8\n"))))
      (should (string-search words (agentq-review--header)))
      (should (string-search "q goes back to the conversation" (agentq-review--header))))))

(ert-deftest agentq-review-refuses-a-name-with-a-line-break ()
  (agentq-test-in-folder '(("a b.ts" "1\n"))
    (agentq-test-with-server server
      (agentq-test-tell
       server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
       :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk "h1" "a\nb.ts" (agentq-test-range 0 0 1 0) "1\n" "2\n")))
      (agentq-review)
      (let ((refused (should-error (agentq-review-accept) :type 'user-error)))
        (should (string-search "line break" (cadr refused))))
      (should-not (agentq-review-test-decisions)))))

(ert-deftest agentq-review-refuses-what-the-file-cannot-hold ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (let ((coding-system-for-write 'iso-latin-1-unix))
        (write-region "caf\u00e9\n2\n" nil "a.ts" nil 'silent))
      (agentq-test-tell
       server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
       :check '(:state "unavailable")
       :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "2 \u20ac\n")))
      (agentq-review)
      (let ((refused (should-error (agentq-review-accept) :type 'user-error)))
        (should (string-search "iso-latin-1" (cadr refused)))
        (should (string-search "nothing is decided" (cadr refused))))
      (should-not (agentq-review-test-decisions))
      (should (= (file-attribute-size (file-attributes "a.ts")) 7)))))

(ert-deftest agentq-review-accepts-all-but-what-stands-in-a-read-only-file ()
  (agentq-test-in-folder '(("a.ts" "1\n") ("b.ts" "1\n") ("c.ts" "1\n") ("d.ts" "1\n"))
    (agentq-test-with-server server
      (let ((range (agentq-test-range 0 0 1 0)))
        (agentq-test-tell
         server 'agentq/proposal :proposalId "p1" :title "" :why "" :state "pending"
         :check '(:state "unavailable")
         :hunks (vector (agentq-test-hunk "h1" "a.ts" range "1\n" "2\n")
                        (agentq-test-hunk "h2" "b.ts" range "1\n" "2\n")
                        (append '(:requires ["h2"]) (agentq-test-hunk "h3" "c.ts" range "1\n" "2\n"))
                        (agentq-test-hunk "h4" "d.ts" range "1\n" "2\n"))))
      (with-current-buffer (find-file-noselect "b.ts")
        (read-only-mode 1))
      (agentq-review)
      (let (said)
        (cl-letf (((symbol-function 'message)
                   (lambda (text &rest values) (setq said (apply #'format text values)))))
          (agentq-review-accept-all)
          (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2" "h3"])))
        (should (equal (mapcar (lambda (hunk) (plist-get hunk :id))
                               (car (agentq-review-test-decisions)))
                       '("h1" "h4")))
        (should (equal said "Agent-Q: b.ts is read-only; the rest is applied"))))))

;;; Questions

(ert-deftest agentq-handlers-can-not-ask ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (let* (problem
             (agentq-event-functions
              (list (lambda (&rest _)
                      (condition-case caught
                          (y-or-n-p "Really? ")
                        (error (setq problem (car caught))))))))
        (agentq-test-tell server 'agentq/event :seq 1 :event '(:kind "text" :text ""))
        (should (eq problem 'inhibited-interaction))))))

(ert-deftest agentq-asks-before-the-text-of-a-hunk-is-lost ()
  (agentq-review-test-with-proposal server
    (agentq-review-edit)
    (let ((edit (current-buffer))
          asked)
      (cl-letf (((symbol-function 'yes-or-no-p) (lambda (question) (push question asked) nil)))
        (should (run-hook-with-args-until-failure 'kill-emacs-query-functions))
        (insert "my ")
        (should-not (run-hook-with-args-until-failure 'kill-emacs-query-functions))
        (should-not (kill-buffer edit))
        (should (equal (length asked) 2))
        (agentq-review-edit-finish)
        (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2"]))
        (should-not (buffer-live-p edit))
        (should (equal (length asked) 2))
        ;; What is in the file now can be read, not what was proposed.
        (should (string-search "-2\n+my two\n" (with-current-buffer (agentq-review--buffer server)
                                                 (buffer-string))))))))

(defun agentq-review-test-reject-and-reopen (server id)
  "Reject the hunk at point, and let it wait again as the proposal ID of SERVER."
  (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "no")))
    (agentq-review-reject))
  (agentq-test-answer server '(:edit nil :conflicts [] :remaining ["h2"]))
  (goto-char (point-min))
  (search-forward "[rejected] no")
  (agentq-review-undo)
  (agentq-test-tell server 'agentq/proposal :proposalId id :title "A change" :why "" :state "pending"
                    :check '(:state "unavailable")
                    :hunks (vector (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n")))
  (agentq-test-answer server (list :proposalId id :left [])))

(ert-deftest agentq-review-lets-a-rejected-hunk-wait-again-in-its-place ()
  (agentq-review-test-with-proposal server
    (dolist (id '("p2" "p3"))
      (agentq-review-test-reject-and-reopen server id)
      (should (equal (get-text-property (point) 'agentq-hunk) (cons id "h1")))
      (should-not (string-search "[rejected]" (buffer-string)))
      (should (equal (mapcar (lambda (beginning) (get-text-property beginning 'agentq-hunk))
                             (agentq-review--beginnings))
                     (list (cons id "h1") '("p1" . "h2"))))
      (should (equal 1 (how-many "^Proposal: " (point-min) (point-max))))
      (goto-char (agentq-review--beginning-of (cons id "h1"))))
    (agentq-review-accept)
    (should (equal (plist-get (car (last (agentq-test-sent 'agentq/decide))) :proposalId) "p3"))
    (should (equal (get-text-property (point) 'agentq-hunk) '("p1" . "h2")))))

;;; agentq-review-tests.el ends here
