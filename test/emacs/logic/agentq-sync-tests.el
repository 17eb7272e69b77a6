;;; agentq-sync-tests.el --- Text sync beside other servers  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(ert-deftest agentq-sync-sends-the-text-that-it-hashes ()
  (agentq-test-in-folder '(("a.ts" "é🙂\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (insert "x")
        (should-not (agentq-sync-version))
        (agentq-sync-flush)
        (should (equal (agentq-sync-version) 1))
        (let ((change (car (agentq-test-sent 'textDocument/didChange))))
          (should (equal (plist-get (aref (plist-get change :contentChanges) 0) :text)
                         "xé🙂\n"))
          (should (equal (plist-get (plist-get change :textDocument) :version) 1)))
        (should (equal (agentq-sync-sha256)
                       (secure-hash 'sha256 (encode-coding-string "xé🙂\n" 'utf-8))))))))

(ert-deftest agentq-sync-opens-a-document-once ()
  (agentq-test-in-folder '(("a.tsx" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.tsx")
        (agentq-sync-start server)
        (agentq-sync-start server)
        (pcase-let ((`(,opened . ,more) (agentq-test-sent 'textDocument/didOpen)))
          (should-not more)
          (should (equal (plist-get (plist-get opened :textDocument) :languageId)
                         "typescriptreact")))))))

(ert-deftest agentq-sync-leaves-nothing-in-a-buffer-whose-server-has-ended ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq--connected server)
        (should agentq-sync-mode)
        (agentq--disconnected server)
        (should-not agentq-sync-mode)
        (should-not (memq 'agentq-sync--changed after-change-functions))))))

(ert-deftest agentq-sync-survives-a-revert ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (agentq-test-write "a.ts" "b\n")
        (revert-buffer t t)
        (should agentq-sync-mode)
        (agentq-sync-flush)
        (should (equal (plist-get (aref (plist-get (car (last (agentq-test-sent
                                                               'textDocument/didChange)))
                                                   :contentChanges)
                                        0)
                                  :text)
                       "b\n"))
        (should-not (agentq-test-sent 'textDocument/didClose))))))

(ert-deftest agentq-sync-follows-a-new-file-name ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (set-visited-file-name (expand-file-name "b.ts"))
        (agentq-sync-flush)
        (should (length= (agentq-test-sent 'textDocument/didClose) 1))
        (should (equal (plist-get (plist-get (cadr (agentq-test-sent
                                                    'textDocument/didOpen))
                                             :textDocument)
                                  :uri)
                       (agentq-test-uri "b.ts")))))))

(ert-deftest agentq-sync-closes-a-killed-buffer ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server))
      (kill-buffer "a.ts")
      (should (length= (agentq-test-sent 'textDocument/didClose) 1)))))

(ert-deftest agentq-sync-flushes-before-every-request ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (insert "x"))
      (agentq-request server :agentq/status nil)
      (should (equal (mapcar (lambda (message) (plist-get message :method))
                             (seq-take agentq-test-sent 2))
                     '("agentq/status" "textDocument/didChange"))))))

(ert-deftest agentq-sync-sends-the-line-ends-of-the-file ()
  (agentq-test-in-folder '(("a.ts" "one\r\ntwo\r\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (should (equal (plist-get (plist-get (car (agentq-test-sent 'textDocument/didOpen))
                                             :textDocument)
                                  :text)
                       "one\r\ntwo\r\n"))
        (should (equal (agentq-sync-sha256) (secure-hash 'sha256 "one\r\ntwo\r\n")))))))

(ert-deftest agentq-sync-tells-a-server-about-its-own-project-only ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (agentq-test-with-server server
      (let ((ours (find-file-noselect "a.ts"))
            (other (find-file-noselect (make-temp-file "agentq-other" nil ".ts"))))
        (with-current-buffer ours
          (should (eq (agentq-current-server) server)))
        (with-current-buffer other
          (should-not (agentq-current-server)))
        (agentq--connected server)
        (should (equal (mapcar (lambda (params)
                                 (plist-get (plist-get params :textDocument) :uri))
                               (agentq-test-sent 'textDocument/didOpen))
                       (list (agentq-test-uri "a.ts"))))
        (delete-file (buffer-file-name other))))))

;;; agentq-sync-tests.el ends here
