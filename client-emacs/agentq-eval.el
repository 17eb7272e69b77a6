;;; agentq-eval.el --- Evaluate TypeScript in the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The person's own evaluations go to the same Node process that the agent uses, or
;; to the running program that the person has chosen (agentq-process.el).
;; Results are shown in the echo area, behind the code where it stands in a file,
;; and in the log.

;;; Code:

(require 'agentq-approvals)
(require 'agentq-beside)
(require 'agentq-client)
(require 'agentq-describe)
(require 'agentq-fontify)
(require 'agentq-log)
(require 'agentq-places)
(require 'agentq-process)
(require 'agentq-say)
(require 'agentq-complete)
(require 'pulse)

(defvar agentq-eval-timeout)            ; agentq.el
(declare-function agentq-changes "agentq-changes")

(defun agentq-eval (code &optional module install origin beside)
  "Evaluate the TypeScript CODE in the REPL and show its value.
MODULE, the URI of the module in whose scope to evaluate, is by default
the file of the current buffer; with a prefix argument there is none.
With INSTALL the code is declarations that take the place of the
module's own while it runs.  ORIGIN tells where the code was taken from, as
`agentq-places-origin' does, and BESIDE shows the outcome there, as a
function that `agentq-beside-place' returned."
  (interactive (let ((module (unless current-prefix-arg (agentq-eval--module))))
                 (list (agentq-repl-read "Evaluate: " nil module) module)))
  (when (string-blank-p code)
    (user-error "There is nothing to evaluate"))
  (let* ((server (agentq-ensure-server))
         (log (agentq-log-buffer server))
         (process (agentq-process-of server))
         (form (list code process))
         (begun (progn (agentq-eval--prompt server form module)
                       (buffer-local-value 'agentq-log--written log))))
    (with-current-buffer log
      (push form agentq-log--running))
    (agentq-request server :agentq/evaluate
                    (agentq-make EvaluateParams
                      :process process
                      :code code
                      :module module
                      :install (and install t)
                      :timeoutMs (round (* 1000 agentq-eval-timeout)))
                    :timeout nil
                    :then (lambda (result)
                            (agentq-eval--over log form)
                            (when origin
                              (agentq-places-remember
                               server
                               (agentq-process-key process (agentq-get EvalResult result :evalId))
                               origin))
                            (when beside
                              (funcall beside (agentq-describe-outcome result)))
                            (agentq-eval--show server result form begun))
                    :else (lambda (text &optional _code)
                            (agentq-eval--over log form)
                            (when beside
                              (funcall beside nil))
                            (let ((told (if (agentq-connection-running-p server)
                                            text
                                          (format "%s: the server ended before it answered"
                                                  (agentq-describe-short code)))))
                              (agentq-log-note server (propertize told 'face 'error) nil process)
                              (message "Agent-Q: %s" told))))))

(defun agentq-eval--prompt (server form &optional module)
  "Write FORM, a list (CODE PROCESS), into the log of SERVER: it is evaluated now.
MODULE is the URI of the module in whose scope it runs."
  (pcase-let* ((`(,code ,process) form)
               (scope (and module (file-relative-name (file-truename (agentq-uri-to-path module))
                                                      (agentq-server-root server))))
               (heading (string-join (delq nil (list process scope "> ")) " ")))
    (agentq-log--end-line server)
    (agentq-log--insert server
                        (propertize
                         (concat (propertize heading 'face 'font-lock-keyword-face)
                                 (string-replace "\n" "\n  "
                                                 (agentq-fontify-string (string-trim code) "ts"))
                                 "\n")
                         'line-prefix "")
                        process))
  (with-current-buffer (agentq-log-buffer server)
    (setq agentq-log--subject nil)
    (cl-incf agentq-log--written)))

(defun agentq-eval--over (log form)
  "Forget FORM, which has its answer, in the buffer LOG."
  (when (buffer-live-p log)
    (with-current-buffer log
      (setq agentq-log--running (delq form agentq-log--running))))
  (force-mode-line-update t))

(defun agentq-eval-region (beg end &optional module)
  "Evaluate the region from BEG to END in the REPL.
MODULE as in `agentq-eval'."
  (interactive (list (region-beginning) (region-end)
                     (unless current-prefix-arg (agentq-eval--module))))
  (pulse-momentary-highlight-region beg end)
  (agentq-eval (buffer-substring-no-properties beg end) module nil (agentq-places-origin beg)
               (agentq-beside-place beg end)))

(defun agentq-eval-buffer ()
  "Evaluate the whole buffer in the scope of its file's module.
Its definitions take the place of those that run: importers see them."
  (interactive)
  (let ((module (or (agentq-eval--module)
                    (user-error "This buffer visits no module"))))
    (save-restriction
      (widen)
      (agentq-eval (buffer-substring-no-properties (point-min) (point-max)) module t
                   (agentq-places-origin (point-min))
                   (agentq-beside-place (point-min) (point-max))))))

(defun agentq-eval-form ()
  "Evaluate the top-level form at point in the scope of the file's module.
A definition takes the place of the one that runs: importers see it."
  (interactive)
  (let ((server (agentq-ensure-server))
        (module (or (agentq-eval--module)
                    (user-error "This buffer visits no module")))
        (buffer (current-buffer)))
    (agentq-request
     server :agentq/formAt
     (agentq-make FormAtParams
       :uri module
       :position (agentq-position-of (point)))
     :then (lambda (result)
             (with-current-buffer buffer
               (if-let* ((range (agentq-get FormAtResult result :range)))
                   (save-restriction
                     (widen)
                     (pcase-let ((`(,beg . ,end) (agentq-region-of range)))
                       (pulse-momentary-highlight-region beg end)
                       (agentq-eval (buffer-substring-no-properties beg end) module
                                    (eq t (agentq-get FormAtResult result :declares))
                                    (agentq-places-origin beg)
                                    (agentq-beside-place beg end))))
                 (agentq-say "Agent-Q: the file does not parse, or has nothing to evaluate")))))))

(defun agentq-eval--module ()
  "Return the URI of the current buffer's file if that is a module."
  (and buffer-file-name
       (string-match-p "\\.[cm]?[jt]sx?\\'" buffer-file-name)
       (agentq-path-to-uri buffer-file-name)))

(defun agentq-eval--show (server result form begun)
  "Show the EvalResult RESULT of SERVER for FORM, a list (CODE PROCESS).
What was written since BEGUN is told apart by the form's name."
  (pcase-let* ((`(,code ,process) form)
               (id (agentq-get EvalResult result :evalId))
               (key (agentq-process-key process id))
               (alone (with-current-buffer (agentq-log-buffer server)
                        (or (= begun agentq-log--written)
                            (equal key agentq-log--subject))))
               (shown (let ((default-directory (agentq-server-root server)))
                        (agentq-places-put server (agentq-get EvalResult result :error) process)
                        (agentq-describe result nil process))))
    (agentq-log--end-line server)
    (agentq-log--insert
     server
     (concat (unless alone
               (propertize (format "form %s > %s\n" id (agentq-describe-short code))
                           'face 'agentq-note))
             shown "\n")
     process)
    (with-current-buffer (agentq-log-buffer server)
      ;; A colour that the form did not take back ends with it.
      (setq agentq-log--subject key
            ansi-color-context nil)
      (cl-incf agentq-log--written))
    ;; A question that is being answered, or code that is being typed, stays in sight.
    (unless (active-minibuffer-window)
      (agentq-say (concat (and process (concat process " | "))
                          (truncate-string-to-width shown 2000 nil nil "...")
                          (if (seq-empty-p (agentq-get EvalResult result :changes))
                              ""
                            (substitute-command-keys
                             "\nFiles changed while it ran: \\[agentq-changes] decides")))))))

(defun agentq-eval--question (server approval)
  "Show in the log of SERVER an APPROVAL that evaluations wait for."
  (when-let* ((question (agentq-get Approval approval :question)))
    (agentq-log-note server (concat question "\n  " (agentq-get Approval approval :why)
                                    "\n  " (agentq-get Approval approval :risk)
                                    "\n  M-x agentq-approve answers."))))

(add-hook 'agentq-approval-functions #'agentq-eval--question)

(provide 'agentq-eval)

;;; agentq-eval.el ends here
