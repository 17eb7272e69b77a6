;;; agentq-lsp-mode-data.el --- Objects as lsp-mode has them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What lsp-mode sends and receives is made of hash tables, or of property lists where
;; lsp-mode was compiled for them; this package has property lists.

;;; Code:

(require 'cl-lib)

(defvar lsp-use-plists)

(defun agentq-lsp-mode--received (value)
  "Return VALUE, as `lsp-mode' received it, with property lists for objects."
  (cond ((hash-table-p value)
         (let (members)
           (maphash (lambda (key member)
                      (push (intern (concat ":" key)) members)
                      (push (agentq-lsp-mode--received member) members))
                    value)
           (nreverse members)))
        ((vectorp value) (vconcat (mapcar #'agentq-lsp-mode--received value)))
        (t value)))

(defun agentq-lsp-mode--native (value)
  "Return VALUE with such objects as this `lsp-mode' was compiled for."
  (cond (lsp-use-plists value)
        ((vectorp value) (vconcat (mapcar #'agentq-lsp-mode--native value)))
        ((keywordp (car-safe value))
         (let ((table (make-hash-table :test #'equal)))
           (cl-loop for (key member) on value by #'cddr
                    do (puthash (substring (symbol-name key) 1)
                                (agentq-lsp-mode--native member) table))
           table))
        (t value)))

(defun agentq-lsp-mode--method (method)
  "Return the keyword METHOD as `lsp-mode' wants it."
  (substring (symbol-name method) 1))

(provide 'agentq-lsp-mode-data)

;;; agentq-lsp-mode-data.el ends here
