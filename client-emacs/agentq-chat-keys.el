;;; agentq-chat-keys.el --- The keys of a conversation  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Single keys work in the transcript, where nothing can be typed; at the prompt
;; they are typed, and the same commands are behind C-c.

;;; Code:

(require 'agentq-typing)

(declare-function agentq-approve "agentq-approvals" ())
(declare-function agentq-chat-act "agentq-chat" ())
(declare-function agentq-chat-send "agentq-chat" ())
(declare-function agentq-chat-write "agentq-chat" ())
(declare-function agentq-queue "agentq-queue" ())
(declare-function agentq-transcript-toggle "agentq-tool-calls" ())
(declare-function agentq-cancel "agentq-ask" ())
(declare-function agentq-review "agentq-review" ())
(declare-function agentq-sessions "agentq-sessions" ())
(declare-function agentq-messages-next "agentq-messages" (&optional count))
(declare-function agentq-messages-previous "agentq-messages" (&optional count))
(declare-function agentq-messages-say-again "agentq-messages" ())
(declare-function agentq-messages-edit "agentq-messages" ())
(declare-function agentq-messages-branch "agentq-messages" ())
(declare-function agentq-messages-rewind "agentq-messages" ())
(declare-function agentq-blocks-copy "agentq-blocks" ())
(declare-function agentq-blocks-propose "agentq-blocks" ())

(defun agentq-chat-keys--above (command)
  "Return COMMAND where point is above the prompt, else nil: the key is typed."
  (and (agentq-typing-above-p) command))

(defun agentq-chat-keys--key (command)
  "Return a binding to COMMAND above the prompt alone."
  `(menu-item "" ,command :filter agentq-chat-keys--above))

(defun agentq-chat-keys--tab (toggle)
  "Return TOGGLE above the prompt, else the command that completes."
  (if (agentq-typing-above-p) toggle #'completion-at-point))

(defvar-keymap agentq-chat-mode-map
  :doc "Keys of `agentq-chat-mode'."
  :parent agentq-typing-mode-map
  "TAB" '(menu-item "" agentq-transcript-toggle :filter agentq-chat-keys--tab)
  "i" (agentq-chat-keys--key #'agentq-chat-write)
  "n" (agentq-chat-keys--key #'agentq-messages-next)
  "p" (agentq-chat-keys--key #'agentq-messages-previous)
  "y" (agentq-chat-keys--key #'agentq-blocks-copy)
  "w" (agentq-chat-keys--key #'agentq-blocks-copy)
  "P" (agentq-chat-keys--key #'agentq-blocks-propose)
  "r" (agentq-chat-keys--key #'agentq-messages-say-again)
  "e" (agentq-chat-keys--key #'agentq-messages-edit)
  "b" (agentq-chat-keys--key #'agentq-messages-branch)
  "u" (agentq-chat-keys--key #'agentq-messages-rewind)
  "v" (agentq-chat-keys--key #'agentq-review)
  "a" (agentq-chat-keys--key #'agentq-approve)
  "s" (agentq-chat-keys--key #'agentq-sessions)
  "Q" (agentq-chat-keys--key #'agentq-queue)
  "g" (agentq-chat-keys--key #'revert-buffer)
  "q" (agentq-chat-keys--key #'quit-window)
  "?" (agentq-chat-keys--key #'agentq-chat-keys)
  "SPC" (agentq-chat-keys--key #'scroll-up-command)
  "S-SPC" (agentq-chat-keys--key #'scroll-down-command)
  "DEL" (agentq-chat-keys--key #'scroll-down-command)
  "C-c C-c" #'agentq-chat-send
  "C-c C-k" #'agentq-cancel
  "C-c C-n" #'agentq-messages-next
  "C-c C-p" #'agentq-messages-previous
  "C-c C-w" #'agentq-blocks-copy
  "C-c C-d" #'agentq-blocks-propose
  "C-c C-r" #'agentq-messages-say-again
  "C-c C-e" #'agentq-messages-edit
  "C-c C-b" #'agentq-messages-branch
  "C-c C-t" #'agentq-messages-rewind
  "C-c C-v" #'agentq-review
  "C-c C-a" #'agentq-approve
  "C-c C-s" #'agentq-sessions
  "C-c C-q" #'agentq-queue
  "C-c ?" #'agentq-chat-keys)

(defvar-keymap agentq-chat-repeat-map
  :doc "Keys that go on from message to message in `repeat-mode'."
  :repeat t
  "n" #'agentq-messages-next
  "C-n" #'agentq-messages-next
  "p" #'agentq-messages-previous
  "C-p" #'agentq-messages-previous)

(defconst agentq-chat-keys--words
  '(("At the prompt" point-max
     (agentq-typing-return "send, or begin a new line while a bracket or a ``` is open")
     (agentq-typing-newline "begin a new line")
     (agentq-chat-send "send, whatever is open")
     ("TAB" "complete a /command, @file, #symbol or $value")
     (agentq-typing-previous "what you said before")
     (agentq-typing-next "what you said after that")
     (agentq-typing-search "search in what you said")
     (comint-kill-input "take away what is typed"))
    ("In the transcript, and by the second key at the prompt too" point-min
     (agentq-chat-write "go to the prompt")
     (agentq-cancel "stop the turn")
     (agentq-approve "answer what the agent asks")
     (agentq-review "review what is proposed")
     (agentq-transcript-toggle "fold or unfold the call or the thought at point")
     (agentq-messages-next "go to the next message of yours (imenu lists them)")
     (agentq-messages-previous "go to the previous message of yours")
     (agentq-messages-say-again "say the message again, in a copy that ends before it")
     (agentq-messages-edit "change the message, in a copy that ends before it")
     (agentq-messages-branch "go on in a copy that ends with this answer")
     (agentq-messages-rewind "propose the files as they were before the message")
     (agentq-blocks-copy "copy the block of code")
     (agentq-blocks-propose "ask for the block of code as a proposal")
     (agentq-queue "messages that wait")
     (agentq-sessions "other conversations")
     (revert-buffer "go to the end")
     (quit-window "leave")))
  "What the commands of a conversation do, in two groups.
A function behind the title of each goes to where the keys are in force.")

(defun agentq-chat-keys ()
  "Show the keys of the conversation.
RET in the transcript goes to the place that the line names, or unfolds
what is folded there, or goes to the prompt."
  (interactive nil agentq-chat-mode)
  (let ((text (mapconcat #'agentq-chat-keys--group agentq-chat-keys--words "\n")))
    (with-help-window (help-buffer)
      (princ text))))

(defun agentq-chat-keys--group (group)
  "Return GROUP of the commands with their keys, as lines."
  (pcase-let ((`(,title ,go . ,commands) group))
    (save-excursion
      (goto-char (funcall go))
      (concat title ":\n"
              (mapconcat (pcase-lambda (`(,command ,words))
                           (format "  %-12s %s\n" (agentq-chat-keys--of command) words))
                         commands "")))))

(defun agentq-chat-keys--of (command)
  "Return the keys of COMMAND in words: a single one, and one of two strokes.
COMMAND may be the keys themselves."
  (let* ((keys (seq-filter (lambda (key) (seq-every-p #'integerp key))
                           (where-is-internal command (list agentq-chat-mode-map))))
         (behind (seq-find (lambda (key) (length> key 1)) keys)))
    (if (stringp command) command
      (mapconcat #'key-description
                 (delq nil (list (seq-find (lambda (key) (length= key 1)) keys) behind))
                 ", "))))

(provide 'agentq-chat-keys)

;;; agentq-chat-keys.el ends here
