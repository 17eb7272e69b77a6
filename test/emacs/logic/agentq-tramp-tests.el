;;; agentq-tramp-tests.el --- When another machine may be asked  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)
(require 'tramp-sh)

(defmacro agentq-tramp-test-while-waiting (&rest body)
  "Run BODY where TRAMP waits for an answer."
  (declare (indent 0) (debug t))
  `(let ((handler (symbol-function 'tramp-file-name-handler)))
     (cl-letf (((symbol-function 'tramp-file-name-handler)
                (lambda (operation &rest arguments)
                  (if (eq operation 'file-attributes)
                      (progn ,@body)
                    (apply handler operation arguments)))))
       (file-attributes "/ssh:box:/tmp"))))

(defmacro agentq-tramp-test-until (condition)
  "Let timers run until CONDITION is non-nil, and fail where that never comes."
  (declare (debug t))
  `(with-timeout (10 (ert-fail "Waited in vain"))
     (while (not ,condition)
       (accept-process-output nil 0.01))))

(ert-deftest agentq-tramp-handles-what-comes-while-tramp-waits-afterwards-in-its-order ()
  (let (handled)
    (cl-flet ((handle (host name)
                (agentq-tramp-when-free host (lambda () (push name handled)))))
      (agentq-tramp-test-while-waiting
        (handle "/ssh:box:" 1)
        (handle nil 'here)
        (should (equal handled '(here))))
      (handle "/ssh:box:" 2)
      (should (equal handled '(2 1 here))))))

(ert-deftest agentq-tramp-handles-what-came-while-tramp-waited-without-another-message ()
  (let (handled)
    (agentq-tramp-test-while-waiting
      ;; TRAMP does so while it waits.
      (let (timer-list)
        (agentq-tramp-when-free "/ssh:box:" (lambda () (setq handled t)))))
    (should-not handled)
    (agentq-tramp-test-until handled)))

(ert-deftest agentq-tramp-timer-that-is-due-while-tramp-waits-runs-afterwards ()
  (dolist (make (list #'agentq-tramp-run-at-time #'agentq-tramp-run-when-idle))
    (let (ran)
      (agentq-tramp-test-while-waiting
        (timer-event-handler (funcall make 0 (lambda (argument) (setq ran argument)) 'argument))
        (should-not ran))
      (agentq-tramp-test-until (eq ran 'argument)))))

(ert-deftest agentq-tramp-timer-that-waits-can-be-cancelled ()
  (let (ran timer)
    (agentq-tramp-test-while-waiting
      (setq timer (agentq-tramp-run-at-time 0 (lambda () (setq ran t))))
      (timer-event-handler timer))
    (should (memq timer timer-list))
    (cancel-timer timer)
    ;; A later timer: the cancelled one would have come before.
    (let (later)
      (run-at-time 0.2 nil (lambda () (setq later t)))
      (agentq-tramp-test-until later))
    (should-not ran)))

(ert-deftest agentq-tramp-timer-runs-in-its-time-where-nothing-is-asked ()
  (let (ran)
    (agentq-tramp-run-at-time 0 (lambda (argument) (setq ran argument)) 'argument)
    (agentq-tramp-test-until (eq ran 'argument))))

(ert-deftest agentq-tramp-what-eglot-does-at-a-message-waits-too ()
  "Eglot looks for the buffer of a file that has diagnostics, which asks the other machine."
  (agentq-test-with-server server
    (setf (eglot--project server) '(agentq transient . "/ssh:box:/tmp/"))
    (let (told)
      (cl-letf (((symbol-function 'agentq-connection-receive) #'ignore)
                ((symbol-function 'eglot--message) (lambda (&rest _) (setq told t))))
        (agentq-tramp-test-while-waiting
          (agentq-test-tell server 'window/showMessage :type 3 :message "Hello.")
          (should-not told))
        (agentq-tramp-test-until told)))))

(defmacro agentq-tramp-test-unasked (&rest body)
  "Run BODY in the buffer of a.ts on another machine, which is not to be asked."
  (declare (indent 0) (debug t))
  `(with-temp-buffer
     (rename-buffer "a.ts" t)
     (insert "1\n2\n")
     (set-buffer-modified-p nil)
     (setq buffer-file-name "/ssh:box:/link/a.ts"
           buffer-file-truename "/ssh:box:/tmp/a.ts")
     (unwind-protect
         (cl-letf (((symbol-function 'tramp-maybe-open-connection)
                    (lambda (&rest _) (ert-fail "The other machine was asked"))))
           ,@body)
       (setq buffer-file-name nil))))

(ert-deftest agentq-tramp-buffers-are-told-without-a-question-to-their-machine ()
  "The server waits for the answer, which therefore cannot wait for TRAMP."
  (agentq-test-with-server server
    (setf (eglot--project server) '(agentq transient . "/ssh:box:/tmp/"))
    (agentq-tramp-test-unasked
      (should (seq-find (lambda (buffer)
                          (equal (plist-get buffer :uri) "file:///tmp/a.ts"))
                        (plist-get (eglot-handle-request server 'agentq/listBuffers) :buffers)))
      (should (plist-get (eglot-handle-request server 'agentq/readBuffer
                                               :id (buffer-name) :start 0 :end 9)
                         :lines)))))

(ert-deftest agentq-tramp-buffer-of-a-file-is-found-without-a-question-to-its-machine ()
  (agentq-tramp-test-unasked
    (should (eq (agentq-buffer-visiting "/ssh:box:/tmp/a.ts") (current-buffer)))
    (should-not (agentq-buffer-visiting "/ssh:box:/tmp/b.ts"))
    (should-not (agentq-buffer-visiting "/ssh:other:/tmp/a.ts"))))

(ert-deftest agentq-tramp-review-is-drawn-and-proved-without-a-question-about-open-files ()
  (agentq-tramp-test-unasked
    (let ((proposal (append (list :documents (vector (list :uri "file:///ssh%3Abox%3A/tmp/a.ts")))
                            (agentq-test-proposal
                             (list :id "h1" :uri "file:///ssh%3Abox%3A/tmp/a.ts" :kind "edit"
                                   :title "two" :state "pending"
                                   :range (agentq-test-range 1 0 2 0)
                                   :oldText "2\n" :newText "two\n")))))
      (should (equal (agentq-proof--ticks proposal)
                     (list (cons (current-buffer) (buffer-chars-modified-tick)))))
      (should (string-search " 1\n-2\n+two\n" (agentq-draw proposal "/ssh:box:/tmp/"))))))

;;; agentq-tramp-tests.el ends here
