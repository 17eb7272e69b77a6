;;; agentq-failures.el --- Failed tests where their assertions stand  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The failures of the last test run of yours are diagnostics of Flymake in the
;; buffers of their files, beside those of other backends.  A failure moves with the
;; text around it, until the tests run again.

;;; Code:

(require 'flymake)
(require 'agentq-client)
(require 'agentq-visible)

(agentq-define-state agentq-server-failures
  "Return the FailedTests of the last test run of the person at SERVER.")

(defvar-local agentq-failures--here nil
  "The failures in the current buffer, as lists (BEGINNING END TEXT) with markers.")

(defun agentq-failures-show (server failures)
  "Show FAILURES, a list of FailedTests, in place of those that SERVER had before."
  (setf (agentq-server-failures server) failures)
  (add-hook 'find-file-hook #'agentq-failures--find)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (or agentq-failures--here
                (and buffer-file-name (agentq-failures--of-file server)))
        (agentq-failures--put server)))))

(defun agentq-failures--find ()
  "Show the failures of the file that is visited now."
  (when-let* ((server (agentq-current-server)))
    (when (agentq-failures--of-file server)
      (agentq-failures--put server))))

(defun agentq-failures--of-file (server)
  "Return the failures of SERVER that have a place in the current buffer's file."
  (when-let* ((failures (agentq-server-failures server))
              (uri (agentq-path-to-uri buffer-file-name)))
    (seq-filter (lambda (failure)
                  (and (equal (agentq-get FailedTest failure :uri) uri)
                       (agentq-get FailedTest failure :range)))
                failures)))

(defun agentq-failures--put (server)
  "Make the failures of SERVER in the current buffer diagnostics of Flymake."
  (setq agentq-failures--here
        (save-restriction
          (widen)
          (mapcar (lambda (failure)
                    (pcase-let ((`(,beg . ,end)
                                 (agentq-region-of (agentq-get FailedTest failure :range))))
                      (list (copy-marker beg t)
                            (copy-marker (if (< beg end) end
                                           (save-excursion (goto-char beg) (pos-eol))))
                            (agentq-failures--text failure))))
                  (agentq-failures--of-file server))))
  (add-hook 'flymake-diagnostic-functions #'agentq-failures--report nil t)
  (if flymake-mode
      (flymake-start)
    (when agentq-failures--here
      (flymake-mode))))

(defun agentq-failures--text (failure)
  "Return the name and the message of FAILURE.
Where one line is shown the line says why, not only that a test failed."
  (agentq-visible (replace-regexp-in-string
                   ":?\n+" (lambda (end) (if (string-prefix-p ":" end) ": " "\n"))
                   (concat (agentq-get FailedTest failure :name) ":\n"
                           (agentq-get FailedTest failure :message)))))

(defun agentq-failures--report (report &rest _)
  "Call REPORT, a function of Flymake, with the failures of the buffer."
  (funcall report
           (mapcar (pcase-lambda (`(,beg ,end ,text))
                     (flymake-make-diagnostic (current-buffer) (marker-position beg)
                                              (marker-position end) :error text))
                   agentq-failures--here)))

(provide 'agentq-failures)

;;; agentq-failures.el ends here
