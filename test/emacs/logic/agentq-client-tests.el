;;; agentq-client-tests.el --- Starting and finding servers  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defmacro agentq-client-test-without-server (&rest body)
  "Run BODY where no server runs and none can be started."
  `(agentq-test-in-folder '(("package.json" "{}"))
     (let ((agentq--servers nil))
       (cl-letf (((symbol-function 'eglot) (lambda (&rest _) (ert-fail "A server was started"))))
         ,@body))))

(ert-deftest agentq-commands-that-ask-nothing-start-no-server ()
  (agentq-client-test-without-server
   (dolist (command '( agentq-cancel agentq-review agentq-approve agentq-status agentq-history
                       agentq-repl agentq-interrupt agentq-run-tests agentq-lock-repl
                       agentq-restart-repl agentq-shutdown))
     (let ((refused (should-error (call-interactively command) :type 'user-error)))
       (should (string-search "M-x agentq" (cadr refused)))))))

(ert-deftest agentq-asks-before-it-starts-outside-of-a-project ()
  (agentq-client-test-without-server
   (delete-file "package.json")
   (let (asked)
     (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (setq asked question) nil)))
       (should-error (agentq-ensure-server) :type 'user-error))
     (should (string-search (abbreviate-file-name agentq-test-folder) asked)))))

(ert-deftest agentq-refuses-remote-files ()
  (agentq-client-test-without-server
   (let* ((default-directory "/ssh:nowhere.invalid:/tmp/")
          (refused (should-error (agentq-ensure-server) :type 'user-error)))
     (should (string-search "another machine" (cadr refused))))))

(ert-deftest agentq-announces-itself-but-not-for-remote-files ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (should (equal (plist-get (plist-get (eglot-client-capabilities server) :experimental) :agentq)
                     '(:version 1 :proposals t :approvals t :buffers t)))
      (setf (eglot--project server) '(transient . "/ssh:nowhere.invalid:/tmp/"))
      (should-not (plist-get (plist-get (eglot-client-capabilities server) :experimental) :agentq))
      (let ((agentq--servers nil))
        (agentq--connected server)
        (should-not agentq--servers)))))

;;; agentq-client-tests.el ends here
