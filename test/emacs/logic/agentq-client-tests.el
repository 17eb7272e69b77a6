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

(defun agentq-client-test-root (folder)
  "Return the root of the project of a file in FOLDER of the test, relative to that of the test."
  (let ((default-directory (expand-file-name folder agentq-test-folder)))
    (file-relative-name (agentq--true-root (agentq--project)) agentq-test-folder)))

(ert-deftest agentq-takes-the-repository-of-a-package-for-its-project ()
  (agentq-test-in-folder '(("package.json" "{}") ("packages/money/package.json" "{}")
                           ("packages/money/src/a.ts" ""))
    (make-directory ".git")
    (should (equal (agentq-client-test-root "packages/money/src/") "./"))))

(ert-deftest agentq-takes-a-package-for-a-project-where-the-person-says-so ()
  (agentq-test-in-folder '(("package.json" "{}") ("packages/money/package.json" "{}")
                           ("packages/money/src/a.ts" ""))
    (make-directory ".git")
    (let ((project-vc-extra-root-markers '("tsconfig.json" "package.json")))
      (should (equal (agentq-client-test-root "packages/money/src/") "packages/money/"))
      (should (equal (agentq-client-test-root "packages/") "./")))))

(ert-deftest agentq-takes-the-nearest-package-for-a-project-without-version-control ()
  (agentq-test-in-folder '(("package.json" "{}") ("packages/money/package.json" "{}")
                           ("packages/money/src/a.ts" ""))
    (should (equal (agentq-client-test-root "packages/money/src/") "packages/money/"))
    (should (equal (agentq-client-test-root "packages/") "./"))))

(ert-deftest agentq-says-what-a-program-said-last-and-not-emacs ()
  (with-temp-buffer
    (insert "agentq needs Node 22.15 or newer\n\nProcess agentq stderr finished\n"
            "Process agentq exited abnormally with code 1\n")
    (should (equal (agentq-connection-last-line (current-buffer)) "agentq needs Node 22.15 or newer"))
    (erase-buffer)
    (should-not (agentq-connection-last-line (current-buffer)))))

(ert-deftest agentq-takes-the-workspace-of-a-package-for-its-project-without-version-control ()
  (dolist (sign '(("pnpm-workspace.yaml" "") ("package.json" "{ \"workspaces\" : [\"packages/*\"] }")
                  ("deno.json" "{\"workspace\": []}") ("yarn.lock" "")))
    (agentq-test-in-folder (list sign '("packages/money/package.json" "{}")
                                 '("packages/money/tsconfig.json" "{}") '("packages/money/src/a.ts" "")
                                 '("packages/money/node_modules/dep/package.json" "{}"))
      (ert-info ((car sign))
        (should (equal (agentq-client-test-root "packages/money/src/") "./"))
        (should (equal (agentq-client-test-root "packages/money/node_modules/dep/") "./"))
        (should (equal (agentq-client-test-root "./") "./"))))))

(ert-deftest agentq-takes-no-load-path-for-a-part-of-the-project ()
  (agentq-test-in-folder '(("tsconfig.json" "{}"))
    (with-temp-buffer
      (lisp-interaction-mode)
      (let ((project-vc-external-roots-function (lambda () (list temporary-file-directory))))
        (should-not (project-external-roots
                     (cons 'agentq (list 'vc 'Git agentq-test-folder))))))))

(ert-deftest agentq-takes-no-home-for-a-project ()
  (agentq-test-in-folder '(("package-lock.json" "{}") ("work/a/tsconfig.json" "{}"))
    (let ((process-environment (cons (concat "HOME=" agentq-test-folder) process-environment)))
      (should (equal (agentq-client-test-root "work/a/") "work/a/"))
      ;; Some people have their home in version control.
      (make-directory ".git")
      (should (equal (agentq-client-test-root "work/a/") "work/a/")))))

(ert-deftest agentq-doctor-misses-a-mode-whose-grammar-is-not-there ()
  (agentq-client-test-without-server
   (cl-letf (((symbol-function 'agentq-command) (lambda () (user-error "None")))
             ((symbol-function 'typescript-mode) nil)
             ((symbol-function 'treesit-ready-p) #'ignore))
     (let ((check (seq-find (lambda (check) (equal (nth 1 check) "a major mode for TypeScript"))
                            (agentq-health--checks))))
       (should check)
       (should-not (car check))))))

(ert-deftest agentq-announces-what-it-can-do ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (should (equal (plist-get (plist-get (eglot-client-capabilities server) :experimental) :agentq)
                     '(:version 1 :proposals t :approvals t :buffers t))))))

;;; agentq-client-tests.el ends here
