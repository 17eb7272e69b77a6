;;; agentq-wire-tests.el --- Keys of the wire  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(ert-deftest agentq-wire-refuses-a-misspelt-key-while-code-is-compiled ()
  (dolist (form '((agentq-get EvalResult result :stateKeept)
                  (agentq-get EvalResult result :error :mesage)
                  (agentq-get EvalResults result :error)
                  (agentq-getter Hunk :oldtext)
                  (agentq-make PromptParams :test "x")
                  (agentq-with Hunk hunk :status "pending")))
    (should (string-search "of the wire" (cadr (should-error (macroexpand-all form)))))))

(ert-deftest agentq-wire-reads-along-a-path-and-leaves-out-what-is-nil ()
  (let ((result '(:evalId "7" :error (:message "no"))))
    (should (equal (agentq-get EvalResult result :error :message) "no"))
    (should (equal (mapcar (agentq-getter EvalResult :evalId) (list result)) '("7")))
    (should (equal (agentq-make PromptParams :text "x" :sessionId nil) '(:text "x")))
    (should (equal (agentq-with EvalResult result :evalId "8") '(:evalId "8" :error (:message "no"))))
    (should (equal (plist-get result :evalId) "7"))))

;;; agentq-wire-tests.el ends here
