;;; agentq-apply-tests.el --- Applying approved edits  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defmacro agentq-test-refused (&rest body)
  "Check that BODY is refused."
  `(should-error (progn ,@body) :type 'agentq-apply-refused))

(ert-deftest agentq-apply-makes-several-edits-one-undo-step ()
  (agentq-test-in-folder '(("a.ts" "one\ntwo\nthree\n"))
    (with-current-buffer (find-file-noselect "a.ts")
      (agentq-apply-edit
       (agentq-test-edit
        (agentq-test-text-edit "a.ts" nil
                               (list (agentq-test-range 0 0 1 0) "ONE\n")
                               (list (agentq-test-range 2 0 2 0) "2.5\n")
                               (list (agentq-test-range 2 0 3 0) "THREE\n"))))
      (should (equal (buffer-string) "ONE\ntwo\n2.5\nTHREE\n"))
      (let ((last-command nil))
        (undo))
      (should (equal (buffer-string) "one\ntwo\nthree\n")))))

(ert-deftest agentq-apply-counts-characters-in-utf-16 ()
  (agentq-test-in-folder '(("a.ts" "const a = \"🙂é\" + b;\n"))
    (with-current-buffer (find-file-noselect "a.ts")
      (agentq-apply-edit
       (agentq-test-edit
        (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 18 0 19) "c"))))
      (should (equal (buffer-string) "const a = \"🙂é\" + c;\n")))))

(ert-deftest agentq-apply-refuses-a-version-that-is-over ()
  (agentq-test-in-folder '(("a.ts" "one\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (agentq-sync-start server)
        (insert "mine ")
        (agentq-test-refused
         (agentq-apply-edit
          (agentq-test-edit
           (agentq-test-text-edit "a.ts" 0 (list (agentq-test-range 0 0 1 0) "x\n")))))
        (should (equal (buffer-string) "mine one\n"))
        (agentq-sync-flush)
        (agentq-apply-edit
         (agentq-test-edit
          (agentq-test-text-edit "a.ts" 1 (list (agentq-test-range 0 5 1 0) "x\n"))))
        (should (equal (buffer-string) "mine x\n"))))))

(ert-deftest agentq-apply-never-overwrites-unsaved-text-without-a-version ()
  (agentq-test-in-folder '(("a.ts" "one\n"))
    (with-current-buffer (find-file-noselect "a.ts")
      (insert "mine ")
      (agentq-test-refused
       (agentq-apply-edit
        (agentq-test-edit
         (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 0 1 0) "x\n")))))
      (should (equal (buffer-string) "mine one\n")))))

(ert-deftest agentq-apply-changes-nothing-when-one-document-does-not-fit ()
  (agentq-test-in-folder '(("a.ts" "a\n") ("b.ts" "b\n"))
    (find-file-noselect "a.ts")
    (with-current-buffer (find-file-noselect "b.ts")
      (setq buffer-read-only t))
    (agentq-test-refused
     (agentq-apply-edit
      (apply #'agentq-test-edit
             (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 0 0 1) "x"))
             (agentq-test-text-edit "b.ts" nil (list (agentq-test-range 0 0 0 1) "x"))
             (agentq-test-creation "new.ts" "new\n"))))
    (should (equal (with-current-buffer "a.ts" (buffer-string)) "a\n"))
    (should-not (file-exists-p "new.ts"))))

(ert-deftest agentq-apply-refuses-a-file-that-is-gone-while-its-buffer-is-there ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (with-current-buffer (find-file-noselect "a.ts")
      (delete-file "a.ts")
      (let ((refused (agentq-test-refused
                      (agentq-apply-visit (agentq-path-to-uri buffer-file-name)))))
        (should (string-search "a.ts is gone from the disk" (cadr refused))))
      (should (equal (buffer-string) "a\n")))))

(ert-deftest agentq-apply-takes-everything-back-when-a-change-fails-half-way ()
  (agentq-test-in-folder '(("a.ts" "a\n") ("b.ts" "b\n"))
    (find-file-noselect "a.ts")
    (with-current-buffer (find-file-noselect "b.ts")
      (with-silent-modifications
        (put-text-property (point-min) (point-max) 'read-only t)))
    (should-error
     (agentq-apply-edit
      (apply #'agentq-test-edit
             (append
              (agentq-test-creation "new.ts" "new\n")
              (list
               (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 0 0 1) "x"))
               (agentq-test-text-edit "b.ts" nil
                                      (list (agentq-test-range 0 0 0 1) "x")))))))
    (should (equal (with-current-buffer "a.ts" (buffer-string)) "a\n"))
    (should-not (get-buffer "new.ts"))))

(ert-deftest agentq-apply-creates-a-file-in-a-new-folder ()
  (agentq-test-in-folder nil
    (let ((changes (agentq-apply-edit
                    (apply #'agentq-test-edit
                           (agentq-test-creation "deep/er/new.ts" "no newline")))))
      (should-not (agentq-apply-save changes))
      (should (equal (agentq-test-read "deep/er/new.ts") "no newline")))))

(ert-deftest agentq-apply-refuses-to-create-what-exists ()
  (agentq-test-in-folder '(("a.ts" "one\n"))
    (agentq-test-refused
     (agentq-apply-edit (apply #'agentq-test-edit (agentq-test-creation "a.ts" "x\n"))))
    (with-current-buffer (find-file-noselect "b.ts")
      (insert "not saved yet")
      (agentq-test-refused
       (agentq-apply-edit (apply #'agentq-test-edit (agentq-test-creation "b.ts" "x\n"))))
      (should (equal (buffer-string) "not saved yet")))))

(ert-deftest agentq-apply-writes-what-was-approved-whatever-modes-indent-pair-or-clean-up ()
  (agentq-test-in-folder '(("a.ts" "f() {\n}\n"))
    (let* ((before-save-hook (list #'delete-trailing-whitespace
                                   (lambda () (goto-char (point-max)) (insert "// saved\n"))))
           (require-final-newline t)
           (agentq-save-after-apply t))
      (with-current-buffer (find-file-noselect "a.ts")
        (electric-indent-local-mode 1)
        (electric-pair-local-mode 1)
        (electric-quote-local-mode 1))
      (agentq-apply-save
       (agentq-apply-edit
        (agentq-test-edit
         (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 1 0 2 0) "if (`a`) {  \n\"x\"}")))))
      (should (equal (agentq-test-read "a.ts") "f() {\nif (`a`) {  \n\"x\"}")))))

(ert-deftest agentq-apply-saves-only-what-had-no-unsaved-changes ()
  (agentq-test-in-folder '(("a.ts" "a\n") ("b.ts" "b\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "b.ts")
        (agentq-sync-start server)
        (goto-char (point-max))
        (insert "mine\n")
        (agentq-sync-flush))
      (let* ((before-save-hook (list (lambda () (insert "formatted"))))
             (changes
              (agentq-apply-edit
               (agentq-test-edit
                (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 0 0 1) "x"))
                (agentq-test-text-edit "b.ts" 1 (list (agentq-test-range 0 0 0 1) "y"))))))
        (should (equal (agentq-apply-save changes) '("b.ts"))))
      (should (equal (agentq-test-read "a.ts") "x\n"))
      (should (equal (agentq-test-read "b.ts") "b\n"))
      (with-current-buffer "b.ts"
        (should (equal (buffer-string) "y\nmine\n"))
        (should (buffer-modified-p))))))

(ert-deftest agentq-apply-saves-nothing-when-told-so ()
  (agentq-test-in-folder '(("a.ts" "a\n"))
    (let ((agentq-save-after-apply nil))
      (agentq-apply-save
       (agentq-apply-edit
        (agentq-test-edit
         (agentq-test-text-edit "a.ts" nil (list (agentq-test-range 0 0 0 1) "x"))))))
    (should (equal (agentq-test-read "a.ts") "a\n"))))

(ert-deftest agentq-apply-keeps-dos-line-ends ()
  (agentq-test-in-folder '(("a.ts" "one\r\ntwo\r\n"))
    (agentq-apply-save
     (agentq-apply-edit
      (agentq-test-edit
       (agentq-test-text-edit "a.ts" nil
                              (list (agentq-test-range 1 0 2 0) "2\r\n2.5\r\n")))))
    (should (equal (agentq-test-read "a.ts") "one\r\n2\r\n2.5\r\n"))))

(ert-deftest agentq-apply-reads-a-file-that-changed-on-disk ()
  (agentq-test-in-folder '(("a.ts" "old\n"))
    (let ((buffer (find-file-noselect "a.ts")))
      (agentq-test-write "a.ts" "new on disk\n")
      (set-file-times "a.ts" (time-add nil 10))
      (agentq-apply-visit (agentq-test-uri "a.ts"))
      (should (equal (with-current-buffer buffer (buffer-string)) "new on disk\n"))
      (with-current-buffer buffer
        (insert "mine "))
      (agentq-test-write "a.ts" "again\n")
      (set-file-times "a.ts" (time-add nil 20))
      (agentq-test-refused (agentq-apply-visit (agentq-test-uri "a.ts"))))))

;;; agentq-apply-tests.el ends here
