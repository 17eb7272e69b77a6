;;; agentq-key-tests.el --- The model's key from auth-source  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)
(require 'agentq-key)

(defconst agentq-key-test-secret "sk-test-only-8f2c" "A key that no server takes.")

(defmacro agentq-key-test-with-entry (&rest body)
  "Run BODY where auth-source has a key and the environment has none."
  `(agentq-test-in-folder (list (list "authinfo" (concat "machine api.example login apikey password "
                                                         agentq-key-test-secret "\n")))
     (let* ((auth-sources (list (expand-file-name "authinfo")))
            (auth-source-do-cache nil)
            (agentq-key-host "api.example")
            (process-environment (cons "ANTHROPIC_API_KEY" process-environment)))
       ,@body)))

(ert-deftest agentq-key-reaches-the-process-of-the-server-and-nothing-else ()
  (agentq-key-test-with-entry
   (let* ((server (make-instance
                   'agentq-server :name "keyed"
                   :process (lambda ()
                              (make-process :name "keyed" :connection-type 'pipe :noquery t
                                            :coding 'utf-8-emacs-unix
                                            :command '("sh" "-c" "printf %s \"$ANTHROPIC_API_KEY\" > told; exec sleep 100")))
                   :notification-dispatcher #'ignore :request-dispatcher #'ignore))
          (text (lambda () (if (file-exists-p "told")
                               (with-temp-buffer (insert-file-contents "told") (buffer-string))
                             ""))))
     (unwind-protect
         (progn
           (while (and (process-live-p (jsonrpc--process server)) (equal "" (funcall text)))
             (accept-process-output nil 0.01))
           (should (equal (funcall text) agentq-key-test-secret))
           (should-not (getenv "ANTHROPIC_API_KEY"))
           (dolist (buffer (buffer-list))
             (unless (equal (buffer-name buffer) " *auth-source*")
               (with-current-buffer buffer
                 (should-not (string-search agentq-key-test-secret (buffer-string)))))))
       (delete-process (jsonrpc--process server))))))

(ert-deftest agentq-key-of-the-environment-goes-before ()
  (agentq-key-test-with-entry
   (let ((process-environment (cons "ANTHROPIC_API_KEY=mine" process-environment)))
     (should-not (agentq-key-environment)))))

(ert-deftest agentq-key-goes-to-no-other-machine ()
  (agentq-key-test-with-entry
   (let ((default-directory "/ssh:box:/tmp/"))
     (should-not (agentq-key-environment)))))

;;; agentq-key-tests.el ends here
