;;; agentq-complete.el --- Read code for the live image  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The minibuffer completes code from what the running image has.

;;; Code:

(require 'agentq-client)

(defvar agentq-repl-history nil
  "Code that was read for the live image.")

(defvar agentq-repl--completion-module nil
  "URI of the module in whose scope the code of the minibuffer will run.")

(defvar-keymap agentq-repl-read-map
  :doc "Keys while code for the live image is read."
  :parent minibuffer-local-map
  "TAB" #'completion-at-point)

(defun agentq-repl-read (prompt &optional default module)
  "Read code with PROMPT; TAB completes it from the live image.
DEFAULT is taken for an empty answer.  MODULE is the URI of the module in
whose scope the code will run."
  (let ((server (agentq-ensure-server))
        (agentq-repl--completion-module module))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'completion-at-point-functions
                    (lambda () (agentq-repl-complete server)) nil t))
      (let ((code (read-from-minibuffer
                   (if default
                       (format-prompt (string-trim-right prompt "[: ]+") default)
                     prompt)
                   nil agentq-repl-read-map nil 'agentq-repl-history default)))
        (if (string-empty-p code) (or default code) code)))))

(defun agentq-repl-complete (server)
  "Complete the code before point in the minibuffer from the image of SERVER.
Nothing of the user's runs for it."
  (let* ((answer (jsonrpc-request
                  server :agentq/completeInRepl
                  (append (agentq-complete--code)
                          (and agentq-repl--completion-module
                               (list :module agentq-repl--completion-module)))
                  :timeout 2 :cancel-on-input t :cancel-on-input-retval nil))
         (items (append (plist-get answer :items) nil))
         (reason (plist-get answer :reason)))
    (if items
        (agentq-complete--completion
         (agentq-complete--point (plist-get (plist-get answer :replace) :start)) items)
      ;; What completes by itself while the user types says nothing.
      (when (and reason (eq this-command 'completion-at-point))
        (minibuffer-message "%s" reason))
      nil)))

(defun agentq-complete--completion (from items)
  "Return what `completion-at-point' takes for ITEMS, which begin at FROM.
They stay in the order of the server: what is the value's own comes first."
  (let* ((labels (mapcar (lambda (item) (plist-get item :label)) items))
         (item (lambda (label)
                 (seq-find (lambda (each) (equal (plist-get each :label) label)) items))))
    (list from (point)
          (lambda (text predicate action)
            (if (eq action 'metadata)
                '(metadata (display-sort-function . identity))
              (complete-with-action action labels text predicate)))
          :annotation-function
          (lambda (label) (concat "  " (plist-get (funcall item label) :detail)))
          :exit-function
          (lambda (label status)
            (when (memq status '(finished sole))
              (agentq-complete--put-brackets (funcall item label))))
          :exclusive 'no)))

(defun agentq-complete--put-brackets (item)
  "Write ITEM, which stands before point as a name, in brackets if it needs them."
  (when-let* ((brackets (plist-get item :insertText)))
    (seq-doseq (edit (plist-get item :additionalTextEdits))
      (delete-region (agentq-complete--point (plist-get (plist-get edit :range) :start)) (point))
      (insert (plist-get edit :newText) brackets))))

(defun agentq-complete--code ()
  "Return the code in the minibuffer and the LSP position of point in it."
  (save-restriction
    (narrow-to-region (minibuffer-prompt-end) (point-max))
    (list :code (buffer-substring-no-properties (point-min) (point-max))
          :position (list :line (1- (line-number-at-pos))
                          :character (eglot-utf-16-linepos)))))

(defun agentq-complete--point (position)
  "Return where the LSP POSITION of the code is in the minibuffer."
  (save-excursion
    (save-restriction
      (narrow-to-region (minibuffer-prompt-end) (point-max))
      (goto-char (point-min))
      (forward-line (plist-get position :line))
      (eglot-move-to-utf-16-linepos (plist-get position :character))
      (point))))

(provide 'agentq-complete)

;;; agentq-complete.el ends here
