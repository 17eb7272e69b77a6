;;; agentq-process-tests.el --- Forms in a running program  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defun agentq-process-test--program (id pid &rest more)
  "Return the RunningProcess ID with PID and MORE members."
  `( :id ,id :pid ,pid :command "src/server.ts" :folder "/p" :nodeVersion "v24.0.0"
     :startedAt "2026-01-01T00:00:00.000Z" :level "modules" ,@more))

(defun agentq-process-test--answer-later (server which value)
  "Let SERVER answer its newest request soon: WHICH is `result' or `error', VALUE it."
  (run-at-time 0.01 nil
               (lambda ()
                 (let ((continuation (car (jsonrpc--continuations server))))
                   (jsonrpc--remove server (car continuation))
                   (funcall (nth (if (eq which 'result) 2 3) continuation) value)))))

(defun agentq-process-test--choose (server id &rest programs)
  "Choose ID while PROGRAMS run beside SERVER."
  (when id
    (agentq-process-test--changed server)
    (agentq-process-test--answer-later server 'result (list :processes (vconcat programs))))
  (agentq-process id))

(defun agentq-process-test--changed (server &rest programs)
  "Let SERVER tell that PROGRAMS run now."
  (agentq-test-tell server 'agentq/processesChanged :processes (vconcat programs)))

(defun agentq-process-test--log (server)
  "Return the log of SERVER as it is seen, with what stands before its lines."
  (with-current-buffer (agentq-log-buffer server)
    (mapconcat (lambda (line)
                 (concat (and (not (string-empty-p line))
                              (get-text-property 0 'line-prefix line))
                         (substring-no-properties line)))
               (split-string (buffer-substring (point-min) (agentq-typing-end)) "\n" t)
               "\n")))

(defmacro agentq-process-test-in-api (server &rest body)
  "Run BODY while forms of SERVER go to the program api."
  (declare (indent 1) (debug t))
  `(agentq-test-in-folder '(("src/a.ts" "export const a = 1;\n"))
     (agentq-test-with-server ,server
       (agentq-process-test--choose ,server "api" (agentq-process-test--program "api" 4711))
       ;; What is shown becomes the current buffer, and `default-directory' is bound in this one.
       (save-window-excursion
         ,@body))))

(defconst agentq-process-test--value
  '(:evalId "1" :outcome "value" :valueId "$1" :preview "{ a: 2 }" :stateKept t :notes [])
  "An EvalResult.")

(ert-deftest agentq-process-has-every-request-about-the-repl-go-to-the-program ()
  (agentq-process-test-in-api server
    (with-current-buffer (find-file-noselect "src/a.ts")
      (agentq-eval "a")
      (agentq-eval-region (point-min) (point-max))
      (agentq-eval-buffer)
      (agentq-inspect "a" nil (agentq-process-of server))
      (call-interactively #'agentq-history)
      (agentq-interrupt)
      (agentq-interrupt "3"))
    (with-temp-buffer
      (setq default-directory agentq-test-folder
            agentq-complete-start-function #'point-min)
      (insert "a.")
      (agentq-process-test--answer-later
       server 'result (list :items [] :total 0 :replace (agentq-test-range 0 2 0 2)))
      (ignore-errors (agentq-repl-complete server)))
    (dolist (method '(agentq/evaluate agentq/inspectValue agentq/replHistory agentq/interrupt
                                      agentq/completeInRepl))
      (let ((sent (agentq-test-sent method)))
        (should sent)
        (dolist (params sent)
          (should (equal (list method "api") (list method (plist-get params :process)))))))
    (should (= 3 (length (agentq-test-sent 'agentq/evaluate))))))

(ert-deftest agentq-process-goes-back-to-the-repl ()
  (agentq-process-test-in-api server
    (agentq-process-test--choose server nil)
    (agentq-eval "1")
    (should-not (plist-member (car (agentq-test-sent 'agentq/evaluate)) :process))
    (should (equal (agentq-process-test--log server)
                   (concat "forms go to api (process 4711) from now on\n"
                           "forms go to the REPL from now on\n> 1")))))

(ert-deftest agentq-process-marks-each-line-of-a-program ()
  (agentq-process-test-in-api server
    (agentq-eval "f(\n1)")
    (agentq-test-tell server 'agentq/replOutput :evalId "1" :stream "stdout" :text "one\ntwo" :process "api")
    ;; The REPL's form 1 is another one.
    (agentq-test-tell server 'agentq/replOutput :evalId "1" :stream "stdout" :text "late\n" :late t)
    (agentq-test-answer server agentq-process-test--value)
    (agentq-test-tell server 'agentq/agentEvaluation :evalId "2" :code "g()" :process "api"
                      :module (expand-file-name "src/a.ts" agentq-test-folder))
    (agentq-test-tell server 'agentq/agentEvaluation :evalId "2" :code "g()"
                      :module (expand-file-name "src/a.ts" agentq-test-folder) :process "api"
                      :result (plist-put (copy-sequence agentq-process-test--value) :evalId "2"))
    (should (equal (agentq-process-test--log server)
                   (concat "forms go to api (process 4711) from now on\n"
                           "api > f(\n  1)\napi | one\napi | two\n"
                           "form 1, later:\nlate\n"
                           "api | $1 = { a: 2 }\n"
                           "agent in api src/a.ts > g()\napi | $1 = { a: 2 }")))))

(ert-deftest agentq-process-looks-into-a-value-where-that-came-to-be ()
  (agentq-process-test-in-api server
    (agentq-eval "a")
    (agentq-test-answer server agentq-process-test--value)
    (agentq-process-test--choose server nil)
    (agentq-eval "b")
    (agentq-test-answer server (plist-put (copy-sequence agentq-process-test--value) :valueId "$2"))
    (agentq-process-test--choose server "web" (agentq-process-test--program "web" 5))
    (with-current-buffer (agentq-log-buffer server)
      (dolist (text '("$1 =" "$2 ="))
        (goto-char (point-min))
        (search-forward text)
        (agentq-repl-go)))
    (should (equal (mapcar (lambda (params) (list (plist-get params :value) (plist-get params :process)))
                           (agentq-test-sent 'agentq/inspectValue))
                   '(("$1" "api") ("$2" nil))))
    ;; What is inside is asked of the same process.
    (let ((continuation (nth 1 (jsonrpc--continuations server))))
      (jsonrpc--remove server (car continuation))
      (funcall (nth 2 continuation)
               '( :value "$1" :path [] :type "Map" :preview "" :kind "map" :facts []
                  :items [(:name "a" :kind "property" :preview "2" :type "number" :step "a" :opens t)]
                  :extras [] :total 1 :page 1 :pages 1)))
    (with-current-buffer (agentq-inspect--buffer server)
      (should (string-prefix-p "$1 : Map  in api\n" (buffer-string)))
      (goto-char (point-min))
      (forward-line)
      (agentq-inspect-open))
    (should (equal "api" (plist-get (car (last (agentq-test-sent 'agentq/inspectValue))) :process)))))

(ert-deftest agentq-process-lists-a-program-s-forms-whose-values-are-the-program-s ()
  (agentq-process-test-in-api server
    (call-interactively #'agentq-history)
    (agentq-process-test--choose server nil)
    (agentq-test-answer server '(:items [( :evalId "1" :by "person" :code "a" :outcome "value"
                                           :valueId "$1" :type "number" :preview "1" :stateKept t)]))
    (with-current-buffer (agentq-buffer server "agentq-history" 'agentq-history-mode)
      (should (equal header-line-format " Forms in api"))
      (goto-char (point-min))
      (agentq-history-inspect)
      (should (equal "api" (plist-get (car (agentq-test-sent 'agentq/inspectValue)) :process)))
      (should-error (agentq-history-replay '("1")) :type 'user-error)
      (should-not (agentq-test-sent 'agentq/restartRepl)))))

(ert-deftest agentq-process-leads-from-a-frame-to-the-form-of-the-same-process ()
  (agentq-process-test-in-api server
    (agentq-places-remember server (agentq-process-key nil "1") '("file:///repl.ts" 4 0))
    (agentq-places-remember server (agentq-process-key "api" "1") '("file:///api.ts" 7 0))
    (agentq-log-note server "at repl:1:2:1 by the REPL")
    (agentq-log-note server "at repl:1:2:1 by the program" nil "api")
    (with-current-buffer (agentq-log-buffer server)
      (should (equal (mapcar (lambda (text)
                               (goto-char (point-min))
                               (search-forward text)
                               (agentq-places-on-line server))
                             '("by the REPL" "by the program"))
                     '(("file:///repl.ts" 5 0) ("file:///api.ts" 8 0)))))))

(ert-deftest agentq-process-tells-that-the-program-ends-and-runs-again-and-stays-chosen ()
  (agentq-process-test-in-api server
    (with-current-buffer (agentq-log-buffer server)
      (should (equal (agentq-repl-state-header) " api (process 4711)")))
    (should (string-search "\n            Your forms go to api (process 4711)\n"
                           (agentq-status--text '(:pendingProposals 0) (agentq-process-place server))))
    (agentq-process-test--changed server (agentq-process-test--program "web" 5))
    (with-current-buffer (agentq-log-buffer server)
      (should (equal (agentq-repl-state-header) " api (not running)")))
    (should (string-suffix-p " REPL:api, not running"
                             (substring-no-properties (agentq-status--mode-line))))
    (agentq-eval "1")
    (should (equal "api" (plist-get (car (agentq-test-sent 'agentq/evaluate)) :process)))
    (agentq-process-test--changed server (agentq-process-test--program "web" 5)
                                  (agentq-process-test--program "api" 4712))
    ;; Nothing is new.
    (agentq-process-test--changed server (agentq-process-test--program "api" 4712))
    (agentq-process-test--changed server (agentq-process-test--program "api" 4713))
    (should (equal (agentq-process-test--log server)
                   (concat "forms go to api (process 4711) from now on\n"
                           "api has ended, or was detached: what was defined in it is gone.\n"
                           "api > 1\n"
                           "api runs again (process 4712).\n"
                           "api has ended, or was detached: what was defined in it is gone.\n"
                           "api runs again (process 4713).")))))

(ert-deftest agentq-process-says-why-a-program-shows-no-module ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (agentq-process-test--choose
       server "api"
       (append (agentq-process-test--program "api" 1) '(:why "Bun loads the modules")))
      (should (equal (agentq-process-test--log server)
                     (concat "forms go to api (process 1) from now on; "
                             "Bun loads the modules"))))))

(ert-deftest agentq-process-offers-the-repl-first-and-tells-of-each-program ()
  (agentq-process-test-in-api server
    (let (offered)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt table &rest _)
                   (let ((annotate (alist-get 'annotation-function (cdr (funcall table "" nil 'metadata)))))
                     (setq offered (mapcar (lambda (each) (concat each (funcall annotate each)))
                                           (all-completions "" table))))
                   "web")))
        (agentq-process-test--answer-later
         server 'result (list :processes (vector (agentq-process-test--program "web" 5))))
        (should (equal "web" (agentq-programs--read server))))
      (should (equal offered '("the REPL" "web  process 5  node src/server.ts" "api  not running"))))))

(ert-deftest agentq-process-says-that-nothing-runs-or-that-the-server-is-old ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (dolist (case '((result (:processes []) "agentq run -- COMMAND")
                      (error (:code -32601 :message "Unhandled method agentq/listProcesses")
                             "knows no running programs")))
        (pcase-let ((`(,which ,value ,words) case))
          (agentq-process-test--answer-later server which value)
          (should (string-search words (cadr (should-error (agentq-programs--read server)
                                                           :type 'user-error)))))))))

(ert-deftest agentq-process-takes-what-is-told-beside-an-answer-for-newer ()
  (agentq-process-test-in-api server
    (run-at-time 0.01 nil
                 (lambda ()
                   (agentq-process-test--changed server)))
    (run-at-time 0.02 nil
                 (lambda ()
                   (let ((continuation (car (jsonrpc--continuations server))))
                     (jsonrpc--remove server (car continuation))
                     (funcall (nth 2 continuation)
                              (list :processes (vector (agentq-process-test--program "api" 4711)))))))
    (should-not (agentq-programs--ask server))
    (should (equal (agentq-process-place server) "api (not running)"))))

(ert-deftest agentq-process-is-kept-for-the-next-server-of-the-project ()
  (agentq-process-test-in-api first
    (ignore first)
    (agentq-test-with-server server
      (run-hook-with-args 'agentq-connect-functions server)
      (agentq-test-answer server '(:processes []))
      (agentq-eval "1")
      (should (equal "api" (plist-get (car (agentq-test-sent 'agentq/evaluate)) :process)))
      (should (string-search "api has ended" (agentq-process-test--log server))))))

(ert-deftest agentq-process-has-tests-stopped-that-run-beside-the-program ()
  (agentq-process-test-in-api server
    (agentq-run-tests)
    (agentq-interrupt)
    (jsonrpc--remove server (caar (last (jsonrpc--continuations server))))
    (agentq-test-answer server '(:items []))
    (agentq-test-answer server '(:items []))
    ;; It is asked of no program: without members.
    (should (equal (mapcar #'hash-table-p (agentq-test-sent 'agentq/interrupt)) '(t)))))

;;; agentq-process-tests.el ends here
