;;; agentq-records.el --- What is kept about calls  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The tools, which calls are not asked about again, and how the calls of each
;; tool went.

;;; Code:

(require 'agentq-client)
(require 'agentq-read)
(require 'agentq-status)
(require 'agentq-visible)

;;; Remembered calls

;;;###autoload
(defun agentq-remembered ()
  "Choose a call that you approved for more than once, to be asked about it again."
  (interactive)
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/listRemembered nil
     :then (lambda (page)
             (let ((calls (append (plist-get page :items) nil)))
               (if (null calls)
                   (message "Agent-Q: no call is approved for more than once")
                 ;; An answer of the server cannot ask anything itself.
                 (agentq-read-soon #'agentq-records--choose server calls)))))))

(defun agentq-records--choose (server remembered)
  "Let the person choose one of REMEMBERED, which SERVER then forgets."
  (let* ((choices (cl-loop for call in remembered for number from 1
                           collect (cons (format "%d: %s" number (agentq-records--call-text call))
                                         call)))
         (chosen (completing-read "Ask again about which call? " choices nil t))
         (call (cdr (assoc chosen choices))))
    (when call
      (agentq-request
       server :agentq/forgetRemembered
       (agentq-make ForgetRememberedParams :id (agentq-get RememberedCall call :id))
       :then (lambda (_result)
               (message "Agent-Q asks again about this call of %s"
                        (agentq-get RememberedCall call :tool)))))))

(defun agentq-records--call-text (call)
  "Return CALL, a RememberedCall, in one line."
  (format "%s %s (%s, since %s)"
          (agentq-get RememberedCall call :tool)
          (agentq-visible (json-serialize (or (agentq-get RememberedCall call :arguments)
                                              (make-hash-table))))
          (if (equal (agentq-get RememberedCall call :scope) "workspace")
              "this project"
            "a conversation")
          (substring (agentq-get RememberedCall call :at) 0 10)))

;;; Tools

(defconst agentq-records--tool-row "%-22s %-10s %s\n"
  "One line of the list of tools.")

;;;###autoload
(defun agentq-list-tools ()
  "Show the tools of the agent, and which of them only programs call."
  (interactive)
  (agentq-request (agentq-running-server) :agentq/listTools nil
                  :then (lambda (page)
                          (agentq-status-display "*agentq-tools*"
                                                 (agentq-records--tools-text (plist-get page :items))))))

(defun agentq-records--tools-text (tools)
  "Return TOOLS, which are ToolInfos, as a table."
  (concat
   (format agentq-records--tool-row "tool" "safety" "categories")
   (mapconcat
    (lambda (tool)
      (format agentq-records--tool-row
              (agentq-get ToolInfo tool :name)
              (agentq-get ToolInfo tool :safety)
              (cond
               ((not (eq t (agentq-get ToolInfo tool :available)))
                (format "not here: %s" (agentq-get ToolInfo tool :unavailableReason)))
               ;; There only where it is false, which lsp-mode reads as nil.
               ((plist-member tool :isOffered)
                "for programs; models are not told of it")
               (t (string-join (append (agentq-get ToolInfo tool :categories) nil) ", ")))))
    tools "")))

;;; Metrics

;;;###autoload
(defun agentq-metrics ()
  "Show how often each tool was used since the server began, and how that went."
  (interactive)
  (agentq-request (agentq-running-server) :agentq/metrics nil
                  :then (lambda (report)
                          (agentq-status-display "*agentq-metrics*"
                                                 (agentq-records--metrics-text report)))))

(defconst agentq-records--row "%-24s %6s %6s %6s %8s %8s %9s\n"
  "One line of the table of tools.")

(defun agentq-records--metrics-text (report)
  "Return REPORT, which is Metrics, as a table."
  (concat
   (format agentq-records--row "tool" "calls" "failed" "denied" "median" "p95" "answer")
   (mapconcat
    (lambda (item)
      (let ((time (agentq-get ToolMetrics item :timeMs))
            (size (agentq-get ToolMetrics item :answerSize)))
        (format agentq-records--row
                (truncate-string-to-width (agentq-get ToolMetrics item :tool) 24)
                (agentq-get ToolMetrics item :calls)
                (agentq-get ToolMetrics item :failures)
                (agentq-get ToolMetrics item :denials)
                (agentq-records--duration (agentq-get Times time :median))
                (agentq-records--duration (agentq-get Times time :p95))
                (if size (format "%d ch" (agentq-get ToolMetricsAnswerSize size :median)) "-"))))
    (agentq-get Metrics report :items) "")))

(defun agentq-records--duration (ms)
  "Return MS, milliseconds or nil, to be read."
  (cond ((null ms) "-")
        ((< ms 1000) (format "%d ms" ms))
        ((format "%.1f s" (/ ms 1000.0)))))

(provide 'agentq-records)

;;; agentq-records.el ends here
