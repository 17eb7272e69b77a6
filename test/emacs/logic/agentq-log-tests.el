;;; agentq-log-tests.el --- Tests of the log of evaluations  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defun agentq-test--print (server id text)
  "Let the form ID of SERVER print TEXT."
  (agentq-test-tell server 'agentq/replOutput :evalId id :stream "stdout" :text text))

(ert-deftest agentq-log-output-after-another-outcome-names-its-form ()
  (agentq-test-in-folder '()
    (agentq-test-with-server server
      (agentq-eval "long()")
      (agentq-test--print server "1" "one\n")
      (agentq-eval "short()")
      (agentq-test--print server "2" "two\n")
      (let ((answer (car (jsonrpc--continuations server))))
        (jsonrpc--remove server (car answer))
        (funcall (nth 2 answer)
                 '( :evalId "2" :outcome "value" :valueId "$2" :preview "5" :stateKept t
                    :notes [])))
      (agentq-test--print server "1" "three\n")
      (agentq-test--print server "1" "four\n")
      (should (equal (with-current-buffer (agentq-log-buffer server)
                       (buffer-substring-no-properties (point-min) (point-max)))
                     (concat "> long()\none\n> short()\nform 2:\ntwo\n$2 = 5\n"
                             "form 1:\nthree\nfour\n> "))))))

(ert-deftest agentq-log-tells-why-a-tool-failed ()
  (agentq-test-in-folder '()
    (agentq-test-with-server server
      (agentq-run-tests)
      (with-current-buffer (agentq-log-buffer server)
        (should (string-search "a tool runs" (agentq-repl-state-header))))
      (agentq-test-answer server '(:success :json-false :content "" :error "It was cancelled."))
      (with-current-buffer (agentq-log-buffer server)
        (should-not (string-search "a tool runs" (agentq-repl-state-header)))
        (should (equal (buffer-substring-no-properties (point-min) (point-max))
                       "test\nIt was cancelled.\n> "))))))

(provide 'agentq-log-tests)

(ert-deftest agentq-repl-leaves-to-other-buffers-how-they-are-reverted ()
  (let ((before (default-value 'revert-buffer-function)))
    (dolist (mode '(agentq-history-mode agentq-inspect-mode))
      (with-temp-buffer
        (funcall mode)
        (should (local-variable-p 'revert-buffer-function))))
    (should (eq before (default-value 'revert-buffer-function)))))

(ert-deftest agentq-inspect-moves-by-lines-and-turns-pages-by-brackets ()
  (pcase-dolist (`(,key . ,command) '(("n" . next-line) ("p" . previous-line)
                                      ("]" . agentq-inspect-next-page)
                                      ("[" . agentq-inspect-previous-page)))
    (should (eq (keymap-lookup agentq-inspect-mode-map key) command))))

;;; agentq-log-tests.el ends here
