;;; agentq-tools.el --- Trace functions and run tests  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Tools of the agent that a person can call.  The log shows their answers.

;;; Code:

(require 'agentq-client)
(require 'agentq-eval)
(require 'agentq-failures)
(require 'agentq-process)
(require 'agentq-say)
(require 'agentq-tests)

(defun agentq-tools--call (tool arguments heading &optional then)
  "Call TOOL with the plist ARGUMENTS; its answer stands below HEADING in the log.
Call THEN with the server and the ToolResult."
  (let* ((server (agentq-running-server))
         (log (agentq-log-buffer server))
         (begun (format "Agent-Q: %s ..." heading))
         (start (progn (agentq-log-note server heading)
                       (with-current-buffer log
                         (cl-incf agentq-log--own-calls))
                       (agentq-log-end server)))
         (answered (lambda ()
                     (when (buffer-live-p log)
                       (with-current-buffer log
                         (cl-decf agentq-log--own-calls))))))
    (message "%s" begun)
    (agentq-request
     server :agentq/callTool (agentq-make CallToolParams
                               :name tool :arguments (or arguments agentq-connection-empty-object))
     :timeout nil
     :else (lambda (text &optional _code)
             (funcall answered)
             (agentq--report text))
     :then (lambda (result)
             (funcall answered)
             ;; Beside an error the content is empty.
             (let ((text (or (agentq-get ToolResult result :error) (agentq-get ToolResult result :content))))
               ;; A tool that evaluates has written its answer into the log already.
               (unless (with-current-buffer log
                         (save-excursion
                           (goto-char start)
                           (search-forward (string-trim text) nil t)))
                 (agentq-log-note server text))
               (agentq-say (truncate-string-to-width text 2000 nil nil "...") begun)
               (when then
                 (funcall then server result)))))))

;;;###autoload
(defun agentq-trace (function)
  "Print every call of FUNCTION in the output of what is evaluated.
FUNCTION is an address such as total, Cart.add or src/cart.ts#total.  A program
that the person has chosen keeps its own calls: with a prefix argument they are
shown, with all that is traced."
  (interactive (list (if current-prefix-arg ""
                       (read-string (format-prompt "Trace" (thing-at-point 'symbol t))
                                    nil nil (thing-at-point 'symbol t)))))
  (agentq-tools--call "trace_function"
                      (append (unless (string-empty-p function)
                                (append (list :symbol function)
                                        (and (not (string-search "#" function))
                                             (agentq-tools--path))))
                              (agentq-tools--process))
                      (string-trim (concat "trace " function))))

;;;###autoload
(defun agentq-untrace (&optional function)
  "Do not trace FUNCTION any more; without one, nothing."
  (interactive (list (read-string (format-prompt "Untrace" "all"))))
  (agentq-tools--call "untrace_function"
                      (append (and (not (member function '(nil ""))) (list :symbol function))
                              (agentq-tools--process))
                      (string-trim (concat "untrace " function))))

;;;###autoload
(defun agentq-run-tests (&optional file)
  "Run the test suite, or FILE of it: with a prefix argument the current one."
  (interactive (list (and current-prefix-arg (plist-get (agentq-tools--path) :path))))
  (agentq-tools--call "run_tests" (and file (list :path file))
                      (string-trim (concat "test " file))
                      (apply-partially #'agentq-tools--tested file)))

(defun agentq-tools--tested (file server result)
  "Show the failures of FILE, or of all files, in RESULT of SERVER.
They stand in a list, and as diagnostics where their assertions are."
  (when-let* ((verdict (agentq-get ToolResult result :tests)))
    (let ((failures (append (agentq-get TestVerdict verdict :failures) nil))
          (default-directory (agentq-server-root server)))
      (agentq-failures-show server failures)
      (when (or failures (get-buffer-window (agentq-tests-buffer server)))
        (agentq-tests-list server (list (cons (or file "all") verdict))
                           (lambda () (agentq-run-tests file)))))))

(defun agentq-tools--process ()
  "Return the program where the person's forms go as arguments of a tool."
  (when-let* ((process (agentq-process-of (agentq-running-server))))
    (list :process process)))

(defun agentq-tools--path ()
  "Return the file of the current buffer as arguments of a tool."
  (when (agentq-eval--module)
    (list :path (file-relative-name buffer-file-truename
                                    (agentq-server-root (agentq-running-server))))))

(provide 'agentq-tools)

;;; agentq-tools.el ends here
