;;; agentq-diagnostics.el --- The diagnostics that a buffer shows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What Flymake or Flycheck shows in a buffer, as diagnostics of the Language Server
;; Protocol.  What a server said of one stands in its own words.

;;; Code:

(require 'agentq-connection)
(require 'agentq-positions)
(require 'flymake)

(declare-function flycheck-error-checker "ext:flycheck" (error))
(declare-function flycheck-error-id "ext:flycheck" (error))
(declare-function flycheck-error-level "ext:flycheck" (error))
(declare-function flycheck-error-level-compilation-level "ext:flycheck" (level))
(declare-function flycheck-error-message "ext:flycheck" (error))
(declare-function flycheck-overlays-in "ext:flycheck" (beg end))

(defun agentq-diagnostics-in (beg end)
  "Return the diagnostics of the current buffer from BEG to END, for LSP."
  (append (when (bound-and-true-p flymake-mode)
            (mapcar #'agentq-diagnostics--of-flymake (flymake-diagnostics beg end)))
          (when (bound-and-true-p flycheck-mode)
            (mapcar #'agentq-diagnostics--of-flycheck (flycheck-overlays-in beg end)))))

(defun agentq-diagnostics--range (beg end)
  "Return the LSP range from BEG to END.
Another server may count characters in another way."
  (list :start (agentq-position-of beg) :end (agentq-position-of end)))

(defun agentq-diagnostics--of-flymake (diagnostic)
  "Return the DIAGNOSTIC of Flymake for LSP."
  (let ((told (run-hook-with-args-until-success
               'agentq-connection-diagnostic-functions diagnostic))
        (type (flymake-diagnostic-type diagnostic)))
    (append
     (list :range (agentq-diagnostics--range (flymake-diagnostic-beg diagnostic)
                                             (flymake-diagnostic-end diagnostic))
           :message (or (plist-get told :message) (flymake-diagnostic-text diagnostic))
           :severity (or (plist-get told :severity)
                         (pcase (or (get type 'flymake-category) type)
                           ((or :error 'flymake-error) 1)
                           ((or :warning 'flymake-warning) 2)
                           (_ 3))))
     (when-let* ((code (plist-get told :code))) (list :code code))
     (when-let* ((source (plist-get told :source))) (list :source source)))))

(defun agentq-diagnostics--of-flycheck (overlay)
  "Return the diagnostic of Flycheck that OVERLAY has, for LSP.
OVERLAY moves with the text, and the line of its error does not."
  (let ((diagnostic (overlay-get overlay 'flycheck-error)))
    (append
     (list :range (agentq-diagnostics--range (overlay-start overlay) (overlay-end overlay))
           :message (flycheck-error-message diagnostic)
           ;; Checkers have levels of their own, each of which counts as one of compilation-mode's.
           :severity (pcase (flycheck-error-level-compilation-level (flycheck-error-level diagnostic))
                       (2 1)
                       (1 2)
                       (_ 3))
           :source (symbol-name (flycheck-error-checker diagnostic)))
     (when-let* ((id (flycheck-error-id diagnostic))) (list :code id)))))

(provide 'agentq-diagnostics)

;;; agentq-diagnostics.el ends here
