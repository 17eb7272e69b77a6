;;; agentq-remote-tests.el --- Names of files on other machines  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)
(require 'tramp)

(defconst agentq-remote-test-host "/ssh:me@box#22|sudo:root@box:"
  "A host whose name has all characters that names of hosts have.")

(defun agentq-remote-test-uri (path)
  "Return the URI that PATH has inside of Emacs, without asking its machine."
  (cl-letf (((symbol-function 'file-truename) #'identity))
    (agentq-path-to-uri path)))

(ert-deftest agentq-remote-names-files-with-their-host-and-back ()
  "What a server says comes back to it as it was, and names the other machine here."
  (let* ((said '(:edit (:documentChanges
                        [(:textDocument (:uri "file:///home/me/a%20b.ts" :version nil)
                          :edits [(:newText "file:///not/a/name.ts")])
                         (:kind "rename" :oldUri "file:///x.ts" :newUri "file:///y.ts")])
                 :uris ["file:///x.ts"] :module "src/a.ts" :text "file:///said.ts"))
         (known (agentq-remote-incoming agentq-remote-test-host said))
         (changes (plist-get (plist-get known :edit) :documentChanges)))
    (should (equal (agentq-uri-to-path (plist-get (plist-get (aref changes 0) :textDocument) :uri))
                   (concat agentq-remote-test-host "/home/me/a b.ts")))
    (should (equal (plist-get (aref (plist-get (aref changes 0) :edits) 0) :newText)
                   "file:///not/a/name.ts"))
    (should (equal (plist-get (aref changes 1) :newUri)
                   (agentq-remote-test-uri (concat agentq-remote-test-host "/y.ts"))))
    (should (equal (agentq-remote-outgoing agentq-remote-test-host known) said))))

(ert-deftest agentq-remote-tells-no-file-of-another-machine-as-one-of-the-server ()
  (dolist (path '("/home/me/a.ts" "/ssh:other:/home/me/a.ts" "/ssh:boxes:/home/me/a.ts"))
    (should (string-prefix-p "elsewhere:"
                             (plist-get (agentq-remote-outgoing
                                         "/ssh:box:" (list :uri (agentq-remote-test-uri path)))
                                        :uri)))))

(ert-deftest agentq-remote-leaves-messages-of-this-machine-alone ()
  (let ((said '(:uri "file:///home/me/a.ts")))
    (should (eq said (agentq-remote-incoming nil said)))
    (should (eq said (agentq-remote-outgoing nil said)))))

(ert-deftest agentq-remote-places-in-words-are-of-the-machine-of-the-project ()
  "An absolute name in a text of the agent is one of the machine that it works on."
  (with-temp-buffer
    (setq agentq--root "/ssh:box:/home/me/")
    (insert "at /home/me/src/a.ts:3:5")
    (cl-letf (((symbol-function 'file-exists-p) (lambda (name) (string-prefix-p "/ssh:box:" name)))
              ((symbol-function 'file-truename) #'identity))
      (should (equal (agentq-places-on-line nil)
                     (list (agentq-remote-test-uri "/ssh:box:/home/me/src/a.ts") 2 4))))))

(ert-deftest agentq-remote-without-the-program-says-what-to-do ()
  (cl-letf (((symbol-function 'executable-find) #'ignore)
            ((symbol-function 'eglot) (lambda (&rest _) (ert-fail "A server was started"))))
    (let* ((default-directory "/ssh:nowhere.invalid:/tmp/")
           (refused (should-error (agentq-command) :type 'user-error)))
      (should (string-match-p "/ssh:nowhere\\.invalid: has no .agentq." (cadr refused)))
      (should (string-match-p "set .agentq-program. for that host" (cadr refused))))))

(ert-deftest agentq-remote-connection-is-held-by-eglot-beside-lsp-mode ()
  (let ((features (cons 'lsp-mode features))
        agentq-connection)
    (should (eq (let ((default-directory "/tmp/")) (agentq-connection-kind)) 'lsp-mode))
    (let ((default-directory "/ssh:box:/tmp/"))
      (should (eq (agentq-connection-kind) 'eglot))
      (let ((agentq-connection 'lsp-mode))
        (should-error (agentq-connection-kind) :type 'user-error)))))

(ert-deftest agentq-remote-program-may-be-another-for-a-host ()
  (connection-local-set-profile-variables
   'agentq-remote-test '((agentq-program . ("/opt/agentq" "--stdio"))))
  (connection-local-set-profiles '(:application tramp :machine "box") 'agentq-remote-test)
  (unwind-protect
      (cl-letf (((symbol-function 'executable-find) (lambda (program &optional remote) (and remote program))))
        (let ((default-directory "/ssh:box:/tmp/"))
          (should (equal (agentq-command) '("/opt/agentq" "--stdio"))))
        (let ((default-directory "/ssh:other:/tmp/"))
          (should (equal (agentq-command) '("agentq" "--stdio")))))
    (setq connection-local-criteria-alist nil
          connection-local-profile-alist nil)))

;;; agentq-remote-tests.el ends here
