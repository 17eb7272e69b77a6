;;; agentq-draw-tests.el --- Proposals as diffs  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defconst agentq-draw-test-text "1\n2\n3\n4\n5\n6\n7\n8\n9\n")

(defun agentq-draw-test-lines (range old new)
  "Return the lines that a hunk from OLD to NEW at RANGE shows."
  (seq-take (agentq-draw-hunk--lines (agentq-test-hunk "h1" "a.ts" range old new) '("p1" . "h1")) 5))

(ert-deftest agentq-draw-shows-context-around-whole-lines ()
  (agentq-test-in-folder `(("a.ts" ,agentq-draw-test-text))
    (should (equal (agentq-draw-test-lines (agentq-test-range 4 0 5 0) "5\n" "five\n5b\n")
                   '(4 ("2" "3" "4") ("5") ("five" "5b") ("6" "7" "8"))))))

(ert-deftest agentq-draw-completes-a-range-inside-a-line ()
  (agentq-test-in-folder '(("a.ts" "const a = 1;\nb\n"))
    (should (equal (agentq-draw-test-lines (agentq-test-range 0 10 0 11) "1" "2")
                   '(0 nil ("const a = 1;") ("const a = 2;") ("b"))))))

(ert-deftest agentq-draw-shows-an-insertion-without-an-old-line ()
  (agentq-test-in-folder '(("a.ts" "1\n2\n"))
    (should (equal (agentq-draw-test-lines (agentq-test-range 1 0 1 0) "" "1.5\n")
                   '(1 ("1") nil ("1.5") ("2"))))
    (should (equal (agentq-draw-test-lines (agentq-test-range 2 0 2 0) "" "3\n")
                   '(2 ("1" "2") nil ("3") nil)))
    (should (equal (agentq-draw-test-lines (agentq-test-range 1 0 1 0) "" "x")
                   '(1 ("1") ("2") ("x2") nil)))))

(ert-deftest agentq-draw-shows-the-unsaved-text ()
  (agentq-test-in-folder '(("a.ts" "1\n2\n"))
    (with-current-buffer (find-file-noselect "a.ts")
      (goto-char (point-max))
      (insert "3 unsaved\n"))
    (should (equal (agentq-draw-test-lines (agentq-test-range 1 0 2 0) "2\n" "two\n")
                   '(1 ("1") ("2") ("two") ("3 unsaved"))))))

(ert-deftest agentq-draw-leaves-context-out-when-the-text-moved ()
  (agentq-test-in-folder '(("a.ts" "something else\n"))
    (should (equal (agentq-draw-test-lines (agentq-test-range 4 0 5 0) "5\n" "five\n")
                   '(4 nil ("5") ("five") nil)))))

(ert-deftest agentq-draw-reads-a-file-once-however-many-hunks-it-has ()
  "A file of another machine is far away.  For what is drawn already no file is read again."
  (agentq-test-in-folder `(("a.ts" ,agentq-draw-test-text) ("b.ts" ,agentq-draw-test-text))
    (let* ((hunk (lambda (id name line)
                   (agentq-test-hunk id name (agentq-test-range line 0 (1+ line) 0)
                                     (format "%d\n" (1+ line)) "new\n")))
           (proposal (agentq-test-proposal (funcall hunk "h1" "a.ts" 1) (funcall hunk "h2" "a.ts" 4)
                                           (funcall hunk "h3" "b.ts" 1) (funcall hunk "h4" "a.ts" 8)))
           (read nil)
           (note (lambda (name &rest _) (push (file-name-nondirectory name) read))))
      (advice-add 'insert-file-contents :before note)
      (unwind-protect
          (with-temp-buffer
            (let ((drawn (agentq-draw proposal agentq-test-folder)))
              (should (string-search " 8\n-9\n+new\n" drawn))
              (should (equal (sort read) '("a.ts" "b.ts")))
              (setq read nil)
              (should (equal drawn (agentq-draw proposal agentq-test-folder)))
              (should-not read)))
        (advice-remove 'insert-file-contents note)))))

(ert-deftest agentq-draw-reads-a-file-that-changed-since ()
  (agentq-test-in-folder `(("a.ts" "1\n2\n"))
    (with-temp-buffer
      (let ((proposal (agentq-test-proposal
                       (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n"))))
        (should (string-search " 1\n-2\n" (agentq-draw proposal agentq-test-folder)))
        (set-file-times (agentq-test-write "a.ts" "one\n2\n") 1)
        (should (string-search " one\n-2\n" (agentq-draw proposal agentq-test-folder)))))))

(ert-deftest agentq-draw-writes-a-diff-that-patch-would-take ()
  (agentq-test-in-folder `(("a.ts" ,agentq-draw-test-text))
    (with-temp-buffer
      (insert (agentq-draw
               (agentq-test-proposal
                (agentq-test-hunk "h1" "a.ts" (agentq-test-range 1 0 2 0) "2\n" "two\n")
                (agentq-test-hunk "h2" "a.ts" (agentq-test-range 8 0 9 0) "9\n" "")
                (agentq-test-hunk "h3" "new.ts" (agentq-test-range 0 0 0 0) "" "x\ny\n" "create"))
               agentq-test-folder))
      (should (equal (get-text-property (progn (goto-char (point-min))
                                               (search-forward "-9")
                                               (point))
                                        'agentq-hunk)
                     '("p1" . "h2")))
      (let ((patch (make-temp-file "agentq-patch" nil nil (buffer-string))))
        (should (eql 0 (call-process "patch" nil nil nil "-p1" "-s" "-i" patch)))
        (delete-file patch)))
    (should (equal (agentq-test-read "a.ts") "1\ntwo\n3\n4\n5\n6\n7\n8\n"))
    (should (equal (agentq-test-read "new.ts") "x\ny\n"))))

(defun agentq-draw-test-check (&rest check)
  "Return what a proposal with CHECK shows above its hunks."
  (agentq-test-in-folder nil
    (with-temp-buffer
      (agentq-draw (append (list :check check) (agentq-test-proposal)) agentq-test-folder))))

(ert-deftest agentq-draw-says-what-the-compiler-found ()
  (should (string-search "Compiler: checking..." (agentq-draw-test-check :state "running")))
  (should (string-search "Compiler: no new error\n"
                         (agentq-draw-test-check :state "done" :resolved [] :introduced [])))
  (should-not (string-search "Compiler" (agentq-draw-test-check :state "unavailable")))
  (should (string-search "Compiler: not checked: It took too long.\n"
                         (agentq-draw-test-check :state "unavailable" :reason "It took too long.")))
  (let ((line (list :severity "error" :message "No such\nname" :uri "file:///p/src/a.ts"
                    :range (agentq-test-range 2 0 2 1))))
    (should (string-match-p "Compiler: 1 new error: .*src/a.ts:3 No such name\n"
                            (agentq-draw-test-check :state "done" :resolved []
                                                    :introduced (vector line))))
    (should (string-match-p
             "Compiler: 2 new errors, 1 gone\n  .*src/a.ts:3 No such name\n  .*src/a.ts:3 No such name\n"
             (agentq-draw-test-check :state "done" :resolved (vector line)
                                     :introduced (vector line line))))))

(ert-deftest agentq-draw-shows-what-cannot-be-seen ()
  (agentq-test-in-folder nil
    (with-temp-buffer
      (insert
       (agentq-draw
       (agentq-test-proposal
        (agentq-test-hunk "h1" "new\n--- a/x" (agentq-test-range 0 0 0 0) ""
                          "if (a) {\u202e } \u2066//\n\u200b\ufeff\U000e0041\n" "create"))
       agentq-test-folder))
      (should (string-search " @@ new<U+000A>--- a/x\n" (buffer-string)))
      (should (string-search (concat "+if (a) {<U+202E> } <U+2066>//\n"
                                     "+<U+200B><U+FEFF><U+E0041>\n")
                             (buffer-string))))))

(ert-deftest agentq-draw-names-what-stands-round-a-hunk-as-far-as-there-is-room ()
  (agentq-test-in-folder '(("a.ts" "export class Money {\n  plus(other: Money): Money {\n    return 1;\n  }\n}\n"))
    (let ((draw (lambda (state)
                  (agentq-draw-hunk--text
                   (append (list :state state)
                           (agentq-test-hunk "h1" "a.ts" (agentq-test-range 2 0 3 0)
                                             "    return 1;\n" "    return 2;\n"))
                   (agentq-whole-lines (agentq-test-hunk "h1" "a.ts" (agentq-test-range 2 0 3 0)
                                                         "    return 1;\n" "    return 2;\n"))
                   nil (make-string 100 ?x)))))
      (should (string-match-p "\\`@@ .*  in plus(other: Money): Money\n" (funcall draw "pending")))
      (should (string-match-p "x\n" (funcall draw "rejected")))
      (dolist (line (split-string (funcall draw "pending") "\n"))
        (should (< (string-width line) 77))))))

;;; agentq-draw-tests.el ends here
