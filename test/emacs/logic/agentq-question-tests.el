;;; agentq-question-tests.el --- Questions about dangerous calls  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defconst agentq-question-test-call
  '(:approvalId "q1" :toolCallId "c1" :tool "eval_form" :arguments (:form "const a = 1;\nawait b;")
    :why "It asks." :risk "It may write files.")
  "A question about a call.")

(defmacro agentq-question-test-asked (server approvals &rest body)
  "Run BODY in the buffer of the first of APPROVALS that SERVER asks."
  (declare (indent 2))
  `(agentq-test-in-folder nil
     (agentq-test-with-server ,server
       (dolist (approval ,approvals)
         (apply #'agentq-test-tell ,server 'agentq/approval approval))
       (save-window-excursion
         (agentq-approve)
         ,@body))))

(defun agentq-question-test-second ()
  "Return a question that comes after `agentq-question-test-call'."
  (plist-put (copy-sequence agentq-question-test-call) :approvalId "q2"))

(ert-deftest agentq-question-shows-what-cannot-be-seen ()
  (should (string-search "form: a<U+202E>b"
                         (agentq-question-text '(:tool "eval_form" :arguments (:form "a\u202eb")
                                                 :why "w" :risk "r")))))

(ert-deftest agentq-question-shows-a-list-of-names-in-words-and-any-other-as-json ()
  (let ((text (agentq-question-text '(:tool "run_command" :why "w" :risk "r"
                                      :arguments (:hosts ["a.example.com" "b-c.example.com:80"]
                                                  :keep ["a, b"] :none [] :numbers [1 2])))))
    (should (string-search "hosts: a.example.com, b-c.example.com:80\n" text))
    (should (string-search "\"a, b\"" text))
    (should (string-search "none: []\n" text))
    (should (string-search "| [\n" text))))

(ert-deftest agentq-question-shows-all-of-the-code-in-its-colours ()
  (agentq-question-test-asked _server (list agentq-question-test-call)
    (should (string-search "form:\n  | const a = 1;\n  | await b;\n" (buffer-string)))
    (should (string-search "Risk: It may write files.\n" (buffer-string)))
    (goto-char (point-min))
    (search-forward "const")
    (should (eq (get-text-property (1- (point)) 'face) 'font-lock-keyword-face))))

(ert-deftest agentq-question-keys-answer-as-they-say ()
  (pcase-dolist (`(,key . ,answer) '(("1" :decision "approved" :then "continue")
                                     ("2" :decision "approved" :then "continue" :remember "session")
                                     ("w" :decision "approved" :then "continue" :remember "workspace")
                                     ("3" :decision "denied" :then "continue")))
    (agentq-question-test-asked server (list agentq-question-test-call)
      (should (equal (agentq-waiting-count server) 1))
      (should-not (agentq-test-sent 'agentq/answerApproval))
      (call-interactively (key-binding key))
      (should (equal (agentq-test-sent 'agentq/answerApproval)
                     (list (append '(:approvalId "q1") answer))))
      (should-error (call-interactively (key-binding key)) :type 'user-error)
      (agentq-test-answer server '(:accepted t))
      (should (equal (agentq-waiting-count server) 0)))))

(ert-deftest agentq-question-takes-a-reason-along ()
  (agentq-question-test-asked server (list agentq-question-test-call)
    (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "not now")))
      (call-interactively (key-binding "4")))
    (should (equal (agentq-test-sent 'agentq/answerApproval)
                   '((:approvalId "q1" :decision "denied" :then "continue" :message "not now"))))))

(ert-deftest agentq-question-is-left-open-by-all-but-its-keys ()
  (agentq-question-test-asked server (list agentq-question-test-call)
    (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) (signal 'quit nil))))
      (condition-case nil (call-interactively (key-binding "4")) (quit nil)))
    (call-interactively (key-binding "q"))
    (kill-buffer (agentq-question--buffer server))
    (should-not (agentq-test-sent 'agentq/answerApproval))
    (should (equal (agentq-waiting-count server) 1))
    (agentq-approve)
    (should (string-search "eval_form asks" (buffer-string)))))

(ert-deftest agentq-question-that-comes-by-itself-takes-no-key-of-the-one-before ()
  (agentq-question-test-asked server (list agentq-question-test-call (agentq-question-test-second))
    (should (string-search "[1 of 2]" (agentq-question--header)))
    (let ((agentq-question--pause 100))
      (call-interactively (key-binding "1"))
      (agentq-test-answer server '(:accepted t))
      (should (equal agentq-question--id "q2"))
      (should-error (call-interactively (key-binding "1")) :type 'user-error)
      (should (length= (agentq-test-sent 'agentq/answerApproval) 1)))
    (agentq-approve)
    (call-interactively (key-binding "3"))
    (should (equal (plist-get (cadr (agentq-test-sent 'agentq/answerApproval)) :approvalId) "q2"))))

(ert-deftest agentq-question-goes-when-the-server-takes-it-back ()
  (agentq-question-test-asked server (list agentq-question-test-call)
    (let ((buffer (current-buffer)))
      (agentq-test-tell server 'agentq/approvalChanged :approvalId "q1" :state "withdrawn")
      (should-not (buffer-live-p buffer)))
    (should-not (agentq-test-sent 'agentq/answerApproval))))

(ert-deftest agentq-question-never-goes-to-a-window-by-itself ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (let ((windows (current-window-configuration)))
        (apply #'agentq-test-tell server 'agentq/approval agentq-question-test-call)
        (should (compare-window-configurations windows (current-window-configuration)))))))

(ert-deftest agentq-question-about-no-call-has-the-answers-of-the-server ()
  (agentq-question-test-asked server
      '((:approvalId "q1" :tool "open-repl" :question "Run it open?" :arguments nil :why "w" :risk "r"
         :answers (:approved "Run open" :denied "No")))
    (should (string-search "1 Run open" (agentq-question--header)))
    (dolist (key '("2" "w" "e"))
      (should-error (call-interactively (key-binding key)) :type 'user-error))
    (should-not (agentq-test-sent 'agentq/answerApproval))
    (call-interactively (key-binding "1"))
    (should (length= (agentq-test-sent 'agentq/answerApproval) 1))))

(ert-deftest agentq-question-runs-what-the-person-wrote ()
  (agentq-question-test-asked server (list agentq-question-test-call)
    (call-interactively (key-binding "e"))
    (should (equal (buffer-string) "const a = 1;\nawait b;"))
    (erase-buffer)
    (insert "1 + 1")
    (let ((buffer (current-buffer)))
      (call-interactively (key-binding (kbd "C-c C-c")))
      (should (equal (agentq-test-sent 'agentq/answerApproval)
                     '((:approvalId "q1" :decision "modified" :arguments (:form "1 + 1")
                        :then "continue"))))
      (should (buffer-live-p buffer))
      (agentq-test-answer server '(:accepted t))
      (should-not (buffer-live-p buffer)))
    (should (equal (agentq-waiting-count server) 0))))

(ert-deftest agentq-question-keeps-what-the-person-wrote-until-it-is-taken ()
  (agentq-question-test-asked server (list agentq-question-test-call)
    (call-interactively (key-binding "e"))
    (insert "// mine\n")
    (let ((buffer (current-buffer)))
      (call-interactively (key-binding (kbd "C-c C-c")))
      (agentq-test-answer server '(:accepted :json-false))
      (should (buffer-live-p buffer))
      (with-current-buffer buffer
        (should (string-prefix-p "// mine\n" (buffer-string)))
        (should-error (call-interactively (key-binding (kbd "C-c C-c"))) :type 'user-error)))))

(ert-deftest agentq-question-refuses-an-argument-of-another-kind ()
  (agentq-question-test-asked server
      '((:approvalId "q1" :toolCallId "c" :tool "wait" :arguments (:seconds 3) :why "w" :risk "r"))
    (call-interactively (key-binding "e"))
    (dolist (text '("soon" "\"soon\"" "[1]" "{\"a\": 1}"))
      (erase-buffer)
      (insert text)
      (should-error (agentq-arguments-run) :type 'user-error))
    (should-not (agentq-test-sent 'agentq/answerApproval))
    (erase-buffer)
    (insert "5")
    (agentq-arguments-run)
    (should (equal (plist-get (car (agentq-test-sent 'agentq/answerApproval)) :arguments)
                   '(:seconds 5)))))

(ert-deftest agentq-question-about-no-call-stands-in-the-transcript ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (agentq-test-tell server 'agentq/approval :approvalId "q1" :tool "trust"
                        :question "Follow AGENTS.md?" :arguments nil :why "w" :risk "r")
      (agentq-test-tell server 'agentq/approvalChanged :approvalId "q1" :state "answered")
      (with-current-buffer (agentq-chat-buffer server)
        (should (equal (buffer-substring-no-properties (point-min) (point-max))
                       "Asks: Follow AGENTS.md?  C-c C-a answers\n> "))))))

(ert-deftest agentq-question-is-counted-in-the-mode-line-of-every-buffer ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (let ((here (agentq-chat-buffer server)))
        (with-temp-buffer
          (setq default-directory "/")
          (should-not (agentq-status--mode-line))
          (apply #'agentq-test-tell server 'agentq/approval agentq-question-test-call)
          (should (equal (substring-no-properties (agentq-status--mode-line)) " AgentQ(+1)"))
          (save-window-excursion
            (agentq-approve)
            (should (eq major-mode 'agentq-question-mode))))
        (with-current-buffer here
          (should (equal (substring-no-properties (agentq-status--mode-line)) " AgentQ[1]")))))))

(ert-deftest agentq-question-is-counted-before-the-modes-or-in-a-mode-line-of-another-package ()
  (let ((mode-line-modes '("modes")) (mode-line-misc-info '("info")))
    (agentq-status--show-mode-line nil)
    ;; A symbol in the first place would be a condition of all the rest.
    (should (equal mode-line-modes (list agentq-status--before-modes "modes")))
    (cl-letf (((default-value 'mode-line-format) '("of a package" mode-line-misc-info)))
      (agentq-status--show-mode-line nil)
      (should (equal mode-line-misc-info '("info" agentq-mode-line))))))

;;; agentq-question-tests.el ends here
