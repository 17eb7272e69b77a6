;;; agentq-complete.el --- Read code for the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The minibuffer, and the prompt of the log, complete code with the names and
;; members that the REPL has.

;;; Code:

(require 'agentq-client)
(require 'agentq-process)
(require 'agentq-read)

(defvar agentq-repl-history nil
  "Code that was read for the REPL.")

(defvar-local agentq-complete-start-function #'minibuffer-prompt-end
  "Function that returns where what is typed into the current buffer begins.")

(defvar agentq-complete--module nil
  "URI of the module in whose scope the code of the minibuffer will run.")

(defvar-keymap agentq-repl-read-map
  :doc "Keys while code for the REPL is read."
  :parent minibuffer-local-map
  "TAB" #'completion-at-point)

(defun agentq-repl-read (prompt &optional default module)
  "Read code with PROMPT; TAB completes it from the REPL.
DEFAULT is taken for an empty answer.  MODULE is the URI of the module in
whose scope the code will run."
  (let ((server (agentq-ensure-server))
        (agentq-complete--module module))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'completion-at-point-functions
                    (lambda () (agentq-repl-complete server)) nil t))
      (let ((code (agentq-read
                   (if default
                       (format-prompt (string-trim-right prompt "[: ]+") default)
                     prompt)
                   'agentq-repl-history nil agentq-repl-read-map default)))
        (if (string-empty-p code) (or default code) code)))))

(defun agentq-repl-complete (server)
  "Complete the code that is typed before point from the REPL of SERVER.
Nothing of the person's runs for it."
  (let* ((answer (agentq-connection-ask server :agentq/completeInRepl
                                        (agentq-complete--code server) 10 t))
         (items (append (agentq-get CompletionAnswer answer :items) nil))
         (reason (agentq-get CompletionAnswer answer :reason)))
    (if items
        (agentq-complete--completion
         (agentq-complete-point (agentq-get CompletionAnswer answer :replace :start)) items)
      ;; What completes by itself while the person types says nothing.
      (when (and reason (eq this-command 'completion-at-point))
        (minibuffer-message "%s" reason))
      nil)))

(defun agentq-complete--completion (from items)
  "Return what `completion-at-point' takes for ITEMS, which begin at FROM.
They stay in the order of the server: what is the value's own comes first."
  (let* ((labels (mapcar (agentq-getter ReplCompletion :label) items))
         (item (lambda (label)
                 (seq-find (lambda (each) (equal (agentq-get ReplCompletion each :label) label)) items))))
    (list from (point)
          (lambda (text predicate action)
            (if (eq action 'metadata)
                '(metadata (display-sort-function . identity))
              (complete-with-action action labels text predicate)))
          :annotation-function
          (lambda (label) (concat "  " (agentq-get ReplCompletion (funcall item label) :detail)))
          :exit-function
          (lambda (label status)
            (when (memq status '(finished sole))
              (agentq-complete--put-brackets (funcall item label))))
          :exclusive 'no)))

(defun agentq-complete--put-brackets (item)
  "Write ITEM, which stands before point as a name, in brackets if it needs them."
  (when-let* ((brackets (agentq-get ReplCompletion item :insertText)))
    (seq-doseq (edit (agentq-get ReplCompletion item :additionalTextEdits))
      (delete-region (agentq-complete-point (agentq-get TextEdit edit :range :start)) (point))
      (insert (agentq-get TextEdit edit :newText) brackets))))

(defun agentq-complete--code (server)
  "Return the CompleteInReplParams of SERVER for the code that is typed."
  (agentq-make CompleteInReplParams
    :process (agentq-process-of server)
    :code (agentq-complete-typed)
    :position (agentq-complete-position)
    :module agentq-complete--module))

(defun agentq-complete-typed ()
  "Return what is typed into the current buffer."
  (buffer-substring-no-properties (funcall agentq-complete-start-function) (point-max)))

(defun agentq-complete-position ()
  "Return the LSP position of point in what is typed."
  (save-restriction
    (narrow-to-region (funcall agentq-complete-start-function) (point-max))
    (agentq-make Position
      :line (1- (line-number-at-pos))
      :character (agentq-column))))

(defun agentq-complete-point (position)
  "Return where the LSP POSITION of the code that is typed is in the buffer."
  (save-excursion
    (save-restriction
      (narrow-to-region (funcall agentq-complete-start-function) (point-max))
      (agentq-point-of position))))

(provide 'agentq-complete)

;;; agentq-complete.el ends here
