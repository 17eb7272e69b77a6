;;; agentq-compose.el --- Write to the agent below the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The prompt of a conversation, at the end of its transcript (agentq-typing.el).
;; What stands there is the one draft of the project: the minibuffer begins with it,
;; and what could not be sent comes back to it.

;;; Code:

(require 'agentq-input)
(require 'agentq-typing)

(declare-function agentq-chat-buffer "agentq-chat" (server))
(declare-function agentq-chat-act "agentq-chat" ())
(declare-function agentq-prompt "agentq-ask" (text &optional context))

(defvar agentq-compose--syntax
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\" "." table)
    (modify-syntax-entry ?{ "(}" table)
    (modify-syntax-entry ?} "){" table)
    table)
  "Syntax of sentences, in which an apostrophe begins nothing.")

(defun agentq-compose-setup ()
  "Begin the prompt of the current buffer, a transcript."
  (agentq-typing-setup 'agentq-prompt-history)
  (setq agentq-typing-send-function #'agentq-prompt
        agentq-typing-open-p-function #'agentq-compose--open-p
        agentq-typing-above-function #'agentq-chat-act
        agentq-typing-gap "\n")
  ;; What is copied from the transcript is no part of the transcript where it is put.
  (setq-local filter-buffer-substring-function (lambda (beg end delete)
                                                 (prog1 (buffer-substring-no-properties beg end)
                                                   (when delete (delete-region beg end))))
              completion-at-point-functions (list #'agentq-compose--complete)))

(defun agentq-compose--complete ()
  "Complete the command, the mention or the value that is typed."
  (when-let* (((not (agentq-typing-above-p)))
              (server (agentq-current-server)))
    (agentq-input-complete server)))

(defun agentq-compose--open-p ()
  "Return non-nil if a fence or a bracket is open in what is typed.
An empty line at the end closes a bracket, which may be one of a smiley."
  (pcase-let ((`(,fence . ,sentences) (agentq-compose--parts (agentq-typing-text))))
    (or fence
        (and (not (agentq-typing-blank-end-p))
             (with-temp-buffer
               (set-syntax-table agentq-compose--syntax)
               (insert sentences)
               (> (car (parse-partial-sexp (point-min) (point-max))) 0))))))

(defun agentq-compose--parts (text)
  "Return the fence that is open in TEXT, or nil, and TEXT without code, as a cons."
  (let (fence sentences)
    (dolist (line (split-string text "\n"))
      (cond (fence
             (when (string-match-p (rx-to-string `(seq bos (* blank) ,fence (* (any "`~")) (* blank) eos))
                                   line)
               (setq fence nil)))
            ((string-match (rx bos (* blank) (or (seq (group (>= 3 "`")) (* (not "`")) eos)
                                                 (group (>= 3 "~"))))
                           line)
             (setq fence (or (match-string 1 line) (match-string 2 line))))
            (t (push (replace-regexp-in-string (rx "`" (+ (not "`")) "`") "" line t t) sentences))))
    (cons fence (string-join (nreverse sentences) "\n"))))

;;; The draft

(defun agentq-compose-draft (server)
  "Return what is typed at the prompt of SERVER and not sent, nil for nothing."
  (with-current-buffer (agentq-chat-buffer server)
    (let ((text (agentq-typing-text)))
      (unless (string-blank-p text) text))))

(defun agentq-compose-take (server text)
  "Take TEXT away from the prompt of SERVER, if nothing else stands there."
  (with-current-buffer (agentq-chat-buffer server)
    (when (equal text (agentq-typing-text))
      (agentq-typing-clear))))

(defun agentq-compose-put-back (server text)
  "Put TEXT, which was not sent, at the prompt of SERVER.
It comes below what is typed there."
  (with-current-buffer (agentq-chat-buffer server)
    (let ((windows (seq-filter (lambda (window) (= (window-point window) (point-max)))
                               (get-buffer-window-list nil nil t)))
          (at-end (= (point) (point-max))))
      (save-excursion
        (if (string-blank-p (agentq-typing-text))
            (delete-region (agentq-typing-start) (point-max))
          (goto-char (point-max))
          (insert "\n\n"))
        (goto-char (point-max))
        (insert text))
      (when at-end
        (goto-char (point-max)))
      (dolist (window windows)
        (set-window-point window (point-max))))))

(defun agentq-compose-go (buffer)
  "Go to the end of what is typed in BUFFER, in all of its windows."
  (with-current-buffer buffer
    (goto-char (point-max))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window (point-max)))))

(provide 'agentq-compose)

;;; agentq-compose.el ends here
