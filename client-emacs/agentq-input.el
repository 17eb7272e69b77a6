;;; agentq-input.el --- Complete what is said to Agent-Q  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt is written in the minibuffer or below the transcript.  In both places
;; commands are completed behind /, files, folders and buffers behind @, symbols
;; behind #, and values of the REPL behind $, each as the server words it.

;;; Code:

(require 'agentq-client)
(require 'agentq-complete)

(defvar agentq-prompt-history nil "Prompts that were typed.")

(defvar-keymap agentq-input-map
  :doc "Keys while a prompt is read."
  :parent minibuffer-local-map
  "TAB" #'completion-at-point)

(defconst agentq-input--uri "agentq://message/minibuffer"
  "What the server knows the prompt as while it is asked what fits there.")

(defun agentq-input-complete (server)
  "Complete the mention or the command before point in what is typed.
SERVER is asked what there is."
  (let* ((point (agentq-complete-position))
         (items (agentq-input--items server point)))
    (when items
      (agentq-input--completion
       (agentq-complete-point (plist-get (plist-get (plist-get (car items) :textEdit) :range)
                                          :start))
       items))))

(defun agentq-input--items (server position)
  "Return what SERVER has to offer at POSITION of what is typed, CompletionItems.
The document is open while that is asked, and no longer."
  (let ((document (list :uri agentq-input--uri)))
    (agentq-connection-notify
     server :textDocument/didOpen
     (list :textDocument (list :uri agentq-input--uri :languageId "agentq-message"
                               :version 1 :text (agentq-complete-typed))))
    (unwind-protect
        (append (plist-get (agentq-connection-ask server :textDocument/completion
                                                  (list :textDocument document :position position)
                                                  10 'until-input)
                           :items)
                nil)
      (agentq-connection-notify server :textDocument/didClose (list :textDocument document)))))

;; The server finds a file by a part of its name, too.
(add-to-list 'completion-category-defaults '(agentq-mention (styles basic flex)))

(defun agentq-input--completion (from items)
  "Return what `completion-at-point' takes for ITEMS, which begin at FROM."
  (let ((labels (mapcar (lambda (item) (plist-get item :label)) items)))
    (list from (point)
          (lambda (text predicate action)
            (if (eq action 'metadata)
                '(metadata (category . agentq-mention) (display-sort-function . identity))
              (complete-with-action action labels text predicate)))
          :annotation-function
          (lambda (label)
            (when-let* ((detail (plist-get (seq-find (lambda (item)
                                                       (equal (plist-get item :label) label))
                                                     items)
                                           :detail)))
              (concat "  " detail))))))

(provide 'agentq-input)

;;; agentq-input.el ends here
