;;; agentq-repl-input-tests.el --- The prompt at the end of the log  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defmacro agentq-repl-input-test-in (server &rest body)
  "Run BODY in the log of SERVER, point at its prompt."
  (declare (indent 1))
  `(agentq-test-in-folder nil
     (agentq-test-with-server ,server
       (let (agentq-repl-history)
         (with-current-buffer (agentq-log-buffer ,server)
           (goto-char (point-max))
           ,@body)))))

(defun agentq-repl-input-test-type (&rest texts)
  "Type each of TEXTS, with RET behind it."
  (dolist (text texts)
    (insert text)
    (call-interactively (key-binding (kbd "RET")))))

(defun agentq-repl-input-test-codes ()
  "Return the codes that were sent."
  (mapcar (lambda (params) (plist-get params :code)) (agentq-test-sent 'agentq/evaluate)))

(defun agentq-repl-input-test-typed ()
  "Return what is typed."
  (agentq-typing-text))

(ert-deftest agentq-repl-input-evaluates-what-is-complete ()
  (agentq-repl-input-test-in _server
    (agentq-repl-input-test-type "1 + 1" "f(" "2" ")" "`a" "b`" "// no (" "")
    (should (equal (agentq-repl-input-test-codes) '("1 + 1" "f(\n  2\n  )" "`a\nb`" "// no (")))
    (should (equal (agentq-repl-input-test-typed) ""))
    (should (string-prefix-p "> 1 + 1\n> f(\n" (buffer-string)))))

(ert-deftest agentq-repl-input-evaluates-what-looks-open-after-an-empty-line ()
  (agentq-repl-input-test-in _server
    (agentq-repl-input-test-type "/[(]/")
    (should-not (agentq-repl-input-test-codes))
    (delete-region (pos-bol) (point))
    (agentq-repl-input-test-type "")
    (should (equal (agentq-repl-input-test-codes) '("/[(]/")))))

(ert-deftest agentq-repl-input-has-a-history ()
  (agentq-repl-input-test-in _server
    (agentq-repl-input-test-type "first()" "second(" ")")
    (call-interactively (key-binding (kbd "M-p")))
    (should (equal (agentq-repl-input-test-typed) "second(\n  )"))
    (call-interactively (key-binding (kbd "M-p")))
    (should (equal (agentq-repl-input-test-typed) "first()"))
    (should (equal agentq-repl-history '("second(\n  )" "first()")))))

(ert-deftest agentq-repl-input-stays-while-the-log-grows ()
  (agentq-repl-input-test-in server
    (insert "typing")
    (backward-char 3)
    (agentq-test-tell server 'agentq/replOutput :stream "stdout" :text "a piece")
    (should (equal (agentq-repl-input-test-typed) "typing"))
    (should (looking-at "ing"))
    (should (equal (overlay-get agentq-typing--prompt 'before-string) "\n"))
    (agentq-test-tell server 'agentq/replOutput :stream "stdout" :text " of text\n")
    (should (equal (overlay-get agentq-typing--prompt 'before-string) ""))
    (should (equal (buffer-substring-no-properties (point-min) (point-max))
                   "a piece of text\n> typing"))
    (should (looking-at "ing"))))

(ert-deftest agentq-repl-input-is-all-that-can-be-changed ()
  (agentq-repl-input-test-in server
    (agentq-log-note server "a note")
    (dolist (position (list (point-min) (+ 3 (point-min)) (agentq-typing-end)))
      (goto-char position)
      (should-error (insert "x") :type 'text-read-only))
    (should-error (delete-region (point-min) (point-max)) :type 'text-read-only)
    (goto-char (agentq-typing-start))
    (should (eq (key-binding "i") 'self-insert-command))
    (goto-char (point-min))
    (should (eq (key-binding "i") 'agentq-inspect))))

(ert-deftest agentq-repl-input-is-kept-when-nothing-could-be-sent ()
  (agentq-repl-input-test-in _server
    (cl-letf (((symbol-function 'agentq-eval) (lambda (&rest _) (user-error "No server"))))
      (should-error (agentq-repl-input-test-type "1 + 1") :type 'user-error))
    (should (equal (agentq-repl-input-test-typed) "1 + 1"))))

(ert-deftest agentq-log-forgets-its-beginning-and-never-the-prompt ()
  (agentq-repl-input-test-in server
    (insert "typing")
    (let ((agentq-log--max-size 1000))
      (dotimes (number 200)
        (agentq-log-note server (format "line %d of many" number))))
    (should (< (buffer-size) 1100))
    (should (string-suffix-p "line 199 of many\n> typing" (buffer-string)))))

;;; agentq-repl-input-tests.el ends here
