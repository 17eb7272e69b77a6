;;; agentq-beside-tests.el --- Outcomes and failures in the buffers of files  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defun agentq-beside-test-shown ()
  "Return what stands behind lines of the buffer, as conses of a line and a text."
  (sort (cl-loop for overlay in (overlays-in (point-min) (point-max))
                 when (overlay-get overlay 'after-string)
                 collect (cons (line-number-at-pos (overlay-end overlay))
                               (substring-no-properties (overlay-get overlay 'after-string))))
        :key #'car))

(defun agentq-beside-test-value (server value)
  "Let SERVER answer its oldest evaluation with VALUE."
  (agentq-test-answer server (list :evalId "1" :outcome "value" :preview value :stateKept t :notes [])))

(defmacro agentq-beside-test-in (server &rest body)
  "Run BODY in a buffer of a.ts in a project of SERVER."
  (declare (indent 1))
  `(agentq-test-in-folder '(("a.ts" "one\ntwo;\n\nthree\n"))
     (agentq-test-with-server ,server
       (with-current-buffer (find-file-noselect "a.ts")
         ,@body))))

(ert-deftest agentq-beside-shows-an-outcome-behind-the-last-line-until-that-changes ()
  (agentq-beside-test-in server
    (agentq-eval-region (point-min) 11)
    (should-not (agentq-beside-test-shown))
    (agentq-beside-test-value server "42\nmore")
    (should (equal (agentq-beside-test-shown) '((2 . " => 42"))))
    (should-not (buffer-modified-p))
    (goto-char (point-min))
    (insert "x")
    (should (equal (agentq-beside-test-shown) '((2 . " => 42"))))
    (goto-char (point-min))
    (forward-line)
    (end-of-line)
    (insert " ")
    (should-not (agentq-beside-test-shown))))

(ert-deftest agentq-beside-shows-one-outcome-a-line-and-none-of-a-line-that-changed ()
  (agentq-beside-test-in server
    (dolist (value '("1" "2"))
      (agentq-eval-region (point-min) 4)
      (agentq-beside-test-value server value))
    (should (equal (agentq-beside-test-shown) '((1 . " => 2"))))
    (agentq-eval-buffer)
    (goto-char (point-max))
    (search-backward "three")
    (insert "x")
    (agentq-beside-test-value server "3")
    (should-not (agentq-beside-test-shown))
    (let ((agentq-results-beside nil))
      (agentq-eval-region (point-min) 4)
      (agentq-beside-test-value server "4")
      (should-not (agentq-beside-test-shown)))))

(ert-deftest agentq-beside-says-of-a-file-that-could-not-be-loaded-that-the-form-did-not-run ()
  (agentq-beside-test-in server
    (agentq-eval-region (point-min) 4)
    (agentq-test-answer
     server '(:evalId "1" :outcome "error" :stateKept t :error (:name "Error" :message "boom" :frames [])
              :notes [(:severity "information" :code "notLoaded" :message "a.ts could not be loaded.")]))
    (should (equal (agentq-beside-test-shown) '((1 . " => a.ts could not be loaded."))))
    (should (string-search "a.ts could not be loaded.\nError: boom"
                           (with-current-buffer (agentq-log-buffer server) (buffer-string))))))

(ert-deftest agentq-beside-buffer-is-installed-in-its-module ()
  (agentq-beside-test-in server
    (agentq-eval-buffer)
    (let ((sent (car (agentq-test-sent 'agentq/evaluate))))
      (should (equal (plist-get sent :code) "one\ntwo;\n\nthree\n"))
      (should (equal (plist-get sent :module) (agentq-test-uri "a.ts")))
      (should (eq (plist-get sent :install) t)))))

(defun agentq-beside-test-ran (server &rest failures)
  "Let SERVER answer a test run with FAILURES."
  (agentq-test-answer
   server (list :success t :content "ran"
                :tests (list :state "done" :passed 1 :failed (length failures) :skipped 0
                             :failures (vconcat failures)))))

(defun agentq-beside-test-diagnosed ()
  "Return the diagnostics of Flymake in the buffer, as lists (LINE TEXT)."
  (mapcar (lambda (diagnostic)
            (list (line-number-at-pos (flymake-diagnostic-beg diagnostic))
                  (flymake-diagnostic-text diagnostic)))
          (flymake-diagnostics)))

(ert-deftest agentq-failures-are-listed-and-diagnosed-until-the-next-run ()
  (agentq-beside-test-in server
    (agentq-run-tests)
    (agentq-beside-test-ran server (list :name "adds" :message "1 is not 2\nat all" :uri (agentq-test-uri "a.ts")
                                         :range (agentq-test-range 1 0 1 3))
                            (list :name "goes" :message "No." :uri (agentq-test-uri "b.ts")))
    (should flymake-mode)
    ;; Flymake begins after the command, and here is none.
    (flymake-start)
    (should (equal (agentq-beside-test-diagnosed) '((2 "adds: 1 is not 2\nat all"))))
    (should-not (buffer-modified-p))
    (let ((list (agentq-tests-buffer server)))
      (with-current-buffer list
        (should (string-search "a.ts:2:1: adds: 1 is not 2\n" (buffer-string)))
        (should (string-search "b.ts:1:1: goes: No.\n" (buffer-string))))
      (save-window-excursion
        (next-error)
        (should (equal (list (buffer-name (window-buffer)) (line-number-at-pos (window-point)))
                       '("a.ts" 2))))
      (with-current-buffer list
        (call-interactively (key-binding "g"))))
    (insert "\n")
    (flymake-start)
    (should (equal (mapcar #'car (agentq-beside-test-diagnosed)) '(3)))
    (agentq-beside-test-ran server)
    (should-not (agentq-beside-test-diagnosed))))

(ert-deftest agentq-failures-wait-for-the-buffer-of-their-file ()
  (agentq-test-in-folder '(("a.ts" "one\ntwo;\n") ("b.ts" "x"))
    (agentq-test-with-server server
      (agentq-run-tests "a.ts")
      (should (equal (plist-get (car (agentq-test-sent 'agentq/callTool)) :arguments) '(:path "a.ts")))
      (agentq-beside-test-ran server (list :name "adds" :message "No." :uri (agentq-test-uri "a.ts")
                                           :range (agentq-test-range 0 0 0 3)))
      (with-current-buffer (find-file-noselect "b.ts")
        (should-not flymake-mode))
      (with-current-buffer (find-file-noselect "a.ts")
        (flymake-start)
        (should (equal (agentq-beside-test-diagnosed) '((1 "adds: No."))))))))

;;; agentq-beside-tests.el ends here
