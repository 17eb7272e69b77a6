;;; agentq-question-text.el --- A question of the agent in words  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A question as a text with faces: what is asked, why, what could happen, and every
;; argument with the colours of its language; and which keys answer it.

;;; Code:

(require 'cl-lib)
(require 'agentq-fontify)
(require 'agentq-visible)
(require 'agentq-wire)

(defface agentq-question '((t :inherit bold))
  "What is asked." :group 'agentq)
(defface agentq-question-risk '((t :inherit warning))
  "What could happen." :group 'agentq)

(defun agentq-question-text (approval)
  "Return APPROVAL as text with faces."
  (concat (propertize (agentq-visible (agentq-question--title approval)) 'face 'agentq-question)
          "\n\nWhy: " (agentq-visible (agentq-get Approval approval :why))
          "\nRisk: " (propertize (agentq-visible (agentq-get Approval approval :risk))
                                 'face 'agentq-question-risk)
          "\n\n"
          (cl-loop for (key value) on (agentq-get Approval approval :arguments) by #'cddr
                   for name = (agentq-visible-line (substring (symbol-name key) 1))
                   concat (agentq-question--argument
                           name (agentq-visible (agentq-question--words value))))))

(defun agentq-question--title (approval)
  "Return the question that APPROVAL asks."
  (or (agentq-get Approval approval :question)
      (format "%s asks whether it may run" (agentq-get Approval approval :tool))))

;; A comma inside of a name could make two of it, so that stays JSON.
(defun agentq-question--words (value)
  "Return VALUE, an argument, to be read: a list of names, such as hosts, as words."
  (if (and (vectorp value) (not (seq-empty-p value))
           (seq-every-p (lambda (each)
                          (and (stringp each) (string-match-p "\\`[a-zA-Z0-9._/:@*-]+\\'" each)))
                        value))
      (string-join value ", ")
    (agentq-question-value value)))

(defun agentq-question-value (value)
  "Return VALUE, an argument, for a person: as JSON, but a string as it is."
  (if (stringp value) value
    (with-temp-buffer
      (insert (json-serialize value :null-object nil :false-object :json-false))
      (json-pretty-print-buffer)
      (buffer-string))))

(defun agentq-question-language (name)
  "Return the language in which the argument called NAME is written, or nil."
  (pcase name
    ((or "form" "code") "ts")
    ("command" "sh")))

;; At the edge a line of a file, or of a form, could pass for the risk above it.
(defun agentq-question--argument (name value)
  "Return VALUE under its NAME, each of several lines indented and barred."
  (let ((code (agentq-fontify-string (string-trim-right value "\n+")
                                     (agentq-question-language name))))
    (if (not (string-search "\n" code))
        (propertize (concat name ": " code "\n") 'wrap-prefix "  ")
      (concat name ":\n"
              (mapconcat (lambda (line)
                           (propertize (concat "  | " line "\n") 'wrap-prefix "  |   "))
                         (split-string code "\n"))))))

(defun agentq-question-keys (approval)
  "Return the keys that answer APPROVAL, as lists (KEY SHORT LONG)."
  (let* ((answers (agentq-get Approval approval :answers))
         (yes (or (agentq-get ApprovalAnswers answers :approved) "yes"))
         (no (or (agentq-get ApprovalAnswers answers :denied) "no"))
         (always (agentq-get ApprovalAnswers answers :always))
         (call (agentq-get Approval approval :toolCallId)))
    (delq nil
          (list
           (list "1" yes (if call (concat yes ", this once") yes))
           (and call
                (list "2" "chat" (concat yes ", and exactly this call runs unasked in this conversation")))
           (cond (always (list "w" always always))
                 (call (list "w" "project"
                             (concat yes ", and exactly this call runs unasked in this project;\n"
                                     "    M-x agentq-remembered takes that back"))))
           (list "3" no no)
           (list "4" "because" (concat no ", with a reason that the model hears"))
           (and (agentq-question-changeable-p approval)
                (list "e" "edit" "change what it would run"))
           (list "q" "later" "decide nothing now")))))

(defun agentq-question-changeable-p (approval)
  "Return non-nil if the person can change what the call of APPROVAL would run."
  (and (agentq-get Approval approval :toolCallId)
       (agentq-get Approval approval :arguments)))

(provide 'agentq-question-text)

;;; agentq-question-text.el ends here
