;;; agentq-arguments.el --- Other arguments for a call that waits  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The person changes an argument of a call that asks whether it may run, in a
;; buffer with the major mode of the argument's language, and the call runs with
;; what they wrote.
;;
;; Invariants:
;; - Leaving or killing the buffer leaves the question open.
;; - What the person wrote is kept until the server has taken it.

;;; Code:

(require 'agentq-mouse)
(require 'agentq-question)
(require 'agentq-unsent)

(defvar-local agentq-arguments--subject nil
  "What is changed, a list (SERVER APPROVAL KEY).")

(defvar-keymap agentq-arguments-mode-map
  :doc "Keys of `agentq-arguments-mode'."
  "C-c C-c" #'agentq-arguments-run
  "C-c C-k" #'agentq-arguments-abort
  "<remap> <save-buffer>" #'agentq-arguments-save)

(define-minor-mode agentq-arguments-mode
  "Change an argument of a call before it runs.
\\{agentq-arguments-mode-map}"
  :interactive nil
  (agentq-unsent-guard (lambda ()
                         (when (buffer-modified-p)
                           (format "The text in %s was not run" (buffer-name)))))
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-arguments--header)))))

(defun agentq-arguments--header ()
  "Return the header line."
  (pcase-let ((`(,server ,approval ,key) agentq-arguments--subject))
    (substitute-command-keys
     (concat "\\<agentq-arguments-mode-map>"
             (format " %s of %s  "
                     (substring (symbol-name key) 1)
                     (string-replace "%" "%%" (agentq-get Approval approval :tool)))
             (if (agentq-approvals-find server (agentq-get Approval approval :approvalId))
                 "\\[agentq-arguments-run] runs it so  \\[agentq-arguments-abort] leaves the question open"
               "waits no more  \\[agentq-arguments-abort] closes this")))))

(defun agentq-arguments-edit (server approval)
  "Open an argument of the call that APPROVAL of SERVER is about.
Of several the person chooses one.  The text takes the place of the question."
  (let* ((arguments (agentq-get Approval approval :arguments))
         (keys (cl-loop for (key) on arguments by #'cddr collect key))
         (key (agentq-arguments--choose keys))
         (name (substring (symbol-name key) 1))
         (mode (agentq-fontify-mode (or (agentq-question-language name)
                                        (unless (stringp (plist-get arguments key)) "json")))))
    (set-buffer (generate-new-buffer (format "*agentq-argument: %s*" name)))
    (insert (agentq-question-value (plist-get arguments key)))
    (goto-char (point-min))
    (when mode
      (ignore-errors (delay-mode-hooks (funcall mode))))
    (font-lock-mode)
    (glyphless-display-mode)
    (agentq-arguments-mode)
    (set-buffer-modified-p nil)
    (setq agentq-arguments--subject (list server approval key))
    (let ((buffer (current-buffer)))
      (agentq-question-leave server)
      (agentq-question-pop-to buffer))))

(defun agentq-arguments--choose (keys)
  "Return one of KEYS, the names of arguments; ask where there are several."
  (if (cdr keys)
      (intern (concat ":" (completing-read "Change which argument? "
                                           (mapcar (lambda (key) (substring (symbol-name key) 1)) keys)
                                           nil t)))
    (car keys)))

(defun agentq-arguments-run ()
  "Let the call run with the text of the buffer."
  (interactive nil agentq-arguments-mode)
  (pcase-let* ((`(,server ,approval ,key) agentq-arguments--subject)
               (arguments (agentq-get Approval approval :arguments))
               (value (agentq-arguments--read (plist-get arguments key)
                                              (buffer-substring-no-properties (point-min) (point-max))))
               (buffer (current-buffer)))
    (unless (agentq-approvals-find server (agentq-get Approval approval :approvalId))
      (user-error "That call waits no more; your text is kept here"))
    (agentq-approvals-answer
     server approval "modified"
     :arguments (plist-put (copy-sequence arguments) key value)
     :then (lambda (accepted)
             (when (and accepted (buffer-live-p buffer))
               (agentq-question-close buffer))
             (agentq-question-look-again server)))))

(defun agentq-arguments--read (before text)
  "Return TEXT, what a person wrote, as a value of the kind that BEFORE is."
  (if (stringp before) text
    (let ((value (condition-case nil
                     (json-parse-string text :object-type 'plist
                                        :null-object nil :false-object :json-false)
                   (error (user-error "This is no JSON; nothing was run")))))
      (unless (eq (agentq-arguments--kind value) (agentq-arguments--kind before))
        (user-error "This has to be %s, as before; nothing was run"
                    (agentq-arguments--kind before)))
      value)))

(defun agentq-arguments--kind (value)
  "Return which kind of JSON VALUE is, as a symbol for messages."
  (cond ((stringp value) 'text)
        ((numberp value) 'number)
        ((vectorp value) 'array)
        ((memq value '(t :json-false)) 'boolean)
        (t 'object)))

(defun agentq-arguments-save ()
  "Tell which key takes the text, as it is in no file."
  (interactive nil agentq-arguments-mode)
  (user-error "%s" (substitute-command-keys "\\[agentq-arguments-run] runs the call with this text")))

(defun agentq-arguments-abort ()
  "Go back to the question, which is open; ask about a text that was changed."
  (interactive nil agentq-arguments-mode)
  (when (or (not (buffer-modified-p))
            (y-or-n-p "Leave the question open and throw your text away? "))
    (pcase-let ((`(,server ,approval ,_) agentq-arguments--subject))
      (agentq-question-close (current-buffer))
      (when (agentq-approvals-find server (agentq-get Approval approval :approvalId))
        (agentq-question-show server approval)))))

(provide 'agentq-arguments)

;;; agentq-arguments.el ends here
