;;; agentq-evil-tests.el --- Keys under Evil  -*- lexical-binding: t; -*-

;;; Commentary:

;; Evil is no part of Emacs: these tests have a stand-in with the functions of Evil 1.14
;; that are called.

;;; Code:

(require 'agentq-test-support)

(defvar agentq-evil-test-motion nil "Modes that begin in motion state.")
(defvar agentq-evil-test-emacs nil "Modes that begin in Emacs state.")
(defvar agentq-evil-test-keys nil "What was bound in normal state.")

(defmacro agentq-evil-test-loaded (&rest body)
  "Run BODY once the stand-in for Evil is loaded, and Agent-Q has seen it."
  (declare (indent 0))
  `(let (agentq-evil-test-keys agentq-evil-test-emacs)
     (cl-letf (((symbol-function 'evil-state-property)
                (lambda (&rest _)
                  '((motion . agentq-evil-test-motion) (emacs . agentq-evil-test-emacs))))
               ((symbol-function 'evil-set-initial-state)
                (lambda (mode state)
                  (should (eq state 'emacs))
                  (push mode agentq-evil-test-emacs)))
               ((symbol-function 'evil-define-key*)
                (lambda (state _map key command)
                  (push (list state key command) agentq-evil-test-keys))))
       ;; With `provide' what other packages do for Evil would run.
       (push 'evil features)
       (unwind-protect
           (progn
             (agentq--load-along)
             ,@body)
         (setq features (seq-difference features '(evil agentq-evil)))))))

(ert-deftest agentq-evil-has-the-pages-with-single-keys-in-emacs-state ()
  (require 'agentq-manual)
  (agentq-evil-test-loaded
    (mapatoms
     (lambda (mode)
       (when (and (string-prefix-p "agentq-" (symbol-name mode))
                  (get mode 'derived-mode-parent)
                  (not (provided-mode-derived-p mode '(agentq-typing-mode))))
         (should (equal (list mode t)
                        (list mode (and (memq mode agentq-evil-test-emacs) t)))))))
    (should (member (list 'normal (kbd "RET") #'agentq-typing-return) agentq-evil-test-keys))))

(ert-deftest agentq-evil-leaves-a-state-that-somebody-chose ()
  (let ((agentq-evil-test-motion '(agentq-review-mode)))
    (agentq-evil-test-loaded
      (should (memq 'agentq-question-mode agentq-evil-test-emacs))
      (should-not (memq 'agentq-review-mode agentq-evil-test-emacs)))))

;;; agentq-evil-tests.el ends here
