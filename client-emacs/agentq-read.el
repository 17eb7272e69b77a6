;;; agentq-read.el --- Read code for the live image  -*- lexical-binding: t; -*-

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
  (let* ((start (minibuffer-prompt-end))
         (code (buffer-substring-no-properties start (point-max)))
         (answer (jsonrpc-request
                  server :agentq/completeInRepl
                  (append (list :code code :position (agentq-repl--position start))
                          (and agentq-repl--completion-module
                               (list :module agentq-repl--completion-module)))
                  :timeout 2 :cancel-on-input t :cancel-on-input-retval nil))
         (from (plist-get (plist-get answer :replace) :start)))
    (when (and answer (not (seq-empty-p (plist-get answer :items))))
      (list (save-excursion
              (goto-char start)
              ;; The prompt stands on the first line.
              (unless (zerop (plist-get from :line))
                (forward-line (plist-get from :line)))
              (+ (point) (plist-get from :character)))
            (point)
            (mapcar (lambda (item) (plist-get item :label))
                    ;; What needs brackets takes the place of the dot too.
                    (seq-remove (lambda (item) (plist-get item :insertText))
                                (plist-get answer :items)))
            :exclusive 'no))))

(defun agentq-repl--position (start)
  "Return the LSP position of point in the text that begins at START."
  (let ((line (1- (count-lines start (point)))))
    (list :line (if (bolp) (1+ line) (max 0 line))
          :character (length (buffer-substring-no-properties
                              (max start (line-beginning-position)) (point))))))

(provide 'agentq-read)

;;; agentq-read.el ends here
