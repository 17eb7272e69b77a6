;;; agentq-typing.el --- A prompt at the end of a buffer that grows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The prompt of the conversation and that of the REPL: what is typed behind it has
;; a history, completion and several lines, while the text above it grows.
;;
;; Invariants:
;; - What was typed is taken away only after it was sent.
;; - What is written above the prompt moves neither what is typed nor what can be
;;   undone of it, and nobody can change it.

;;; Code:

(require 'cl-lib)
(require 'comint)
(require 'subr-x)
(require 'agentq-buffers)
(require 'agentq-complete)
(require 'agentq-unsent)

(defvar savehist-minibuffer-history-variables)

(defvar-local agentq-typing-send-function #'ignore
  "Function that sends its argument, which is what was typed.")
(defvar-local agentq-typing-open-p-function #'ignore
  "Function that returns non-nil when what is typed goes on in another line.")
(defvar-local agentq-typing-indent-function (lambda () 0)
  "Function that returns by how many columns a new line is indented.")
(defvar-local agentq-typing-above-function #'ignore
  "Command for RET above the prompt.")
(defvar-local agentq-typing-gap nil
  "What stands between the text and the line of the prompt.")
(defvar-local agentq-typing--history nil
  "Symbol of the history, a list as the minibuffer has it.")
(defvar-local agentq-typing--end nil
  "Marker at the end of the text above the prompt.")
(defvar-local agentq-typing--prompt nil
  "Overlay over the prompt, which puts it on a line of its own.")

(defvar-keymap agentq-typing-mode-map
  :doc "Keys of `agentq-typing-mode'."
  ;; The keys of comint are for a process of its own.
  :parent (make-sparse-keymap)
  "RET" #'agentq-typing-return
  "C-j" #'agentq-typing-newline
  "M-RET" #'agentq-typing-newline
  "S-<return>" #'agentq-typing-newline
  "TAB" #'completion-at-point
  "M-p" #'agentq-typing-previous
  "M-n" #'agentq-typing-next
  "M-r" #'agentq-typing-search
  "C-c C-u" #'comint-kill-input)

(define-derived-mode agentq-typing-mode comint-mode "AgentQ"
  "Mode for text that grows above a prompt; other modes are made of this one."
  :interactive nil
  (agentq-without-line-numbers)
  (setq-local mode-line-process nil
              ;; The number of the line would count what is folded, and is counted anew from
              ;; the first line on whenever text comes.
              line-number-mode nil
              ;; Faces stand in the text.
              font-lock-defaults nil
              ;; The last line stands at the bottom and not in the middle of the window.
              scroll-conservatively 101
              ;; A window that comes back, from a review for one, shows the end if it did.
              window-point-insertion-type t))

(defun agentq-typing-setup (history)
  "Begin the prompt at the end of the current buffer.
HISTORY is the symbol of its history."
  (let ((process (make-pipe-process :name "agentq-typing" :buffer (current-buffer)
                                    :noquery t :filter #'ignore :sentinel #'ignore))
        (inhibit-read-only t)
        (start (point-max)))
    (goto-char start)
    (insert (propertize "> " 'face 'comint-highlight-prompt 'field 'output 'read-only t
                        'front-sticky '(read-only) 'rear-nonsticky '(face field read-only)))
    ;; The functions of comint for the history ask the process where the input begins.
    (set-marker (process-mark process) (point-max))
    (setq-local comint-input-ignoredups t
                agentq-typing--history history
                agentq-complete-start-function #'agentq-typing-start)
    (setq agentq-typing--end (copy-marker start t)
          agentq-typing--prompt (make-overlay start (point-max) nil t))
    (setq buffer-undo-list nil)
    (agentq-unsent-guard #'agentq-typing--unsent)
    (add-hook 'kill-buffer-hook #'agentq-typing--keep nil t)
    ;; Before `savehist' writes the histories.
    (add-hook 'kill-emacs-hook #'agentq-typing--keep-all -90)))

;;; The text above

(defun agentq-typing-end ()
  "Return where the text above the prompt ends, which is where the prompt begins."
  (marker-position agentq-typing--end))

(defmacro agentq-typing-above (&rest body)
  "Run BODY, which writes above the prompt of the current buffer."
  (declare (indent 0) (debug t))
  `(let ((before (marker-position (agentq-typing-start))))
     (let ((inhibit-read-only t)
           (buffer-undo-list t))
       ,@body
       (agentq-typing--settle))
     (agentq-typing--shift-undo (- (agentq-typing-start) before))))

(defun agentq-typing--settle ()
  "Put the prompt on a line of its own, below a line that comes in pieces too."
  (let ((end (agentq-typing-end)))
    (overlay-put agentq-typing--prompt 'before-string
                 (concat (unless (memq (char-before end) '(nil ?\n)) "\n")
                         (unless (or (= end (point-min))
                                     (equal "\n\n" (buffer-substring-no-properties
                                                    (max (point-min) (- end 2)) end)))
                           agentq-typing-gap)))))

(defun agentq-typing--shift-undo (count)
  "Move what can be undone by COUNT characters.
All of it is behind the prompt, and moved as a whole."
  (unless (or (zerop count) (eq buffer-undo-list t))
    (cl-flet ((shift (position)
                (if (< position 0) (- position count) (+ position count))))
      ;; The conses stay the same ones: a series of undos goes on with them.
      (cl-loop for cell on buffer-undo-list
               do (pcase (car cell)
                    ((and (pred integerp) position) (setcar cell (shift position)))
                    ((and `(,(pred integerp) . ,(pred integerp)) range)
                     (setcar range (shift (car range)))
                     (setcdr range (shift (cdr range))))
                    ((and `(,(pred stringp) . ,position) removal)
                     (setcdr removal (shift position)))
                    ((and `(nil ,_ ,_ . (,_ . ,_)) properties)
                     (let ((range (nthcdr 3 properties)))
                       (setcar range (shift (car range)))
                       (setcdr range (shift (cdr range)))))
                    ((and `(apply ,(pred integerp) ,_ ,_ . ,_) call)
                     (cl-callf shift (nth 2 call))
                     (cl-callf shift (nth 3 call))))))))

;;; What is typed

(defun agentq-typing-start ()
  "Return where what is typed in the current buffer begins, a marker."
  (process-mark (get-buffer-process (current-buffer))))

(defun agentq-typing-above-p (&optional position)
  "Return non-nil when POSITION, by default point, is above what is typed."
  (< (or position (point)) (agentq-typing-start)))

(defun agentq-typing-text ()
  "Return what is typed."
  (buffer-substring-no-properties (agentq-typing-start) (point-max)))

(defun agentq-typing-return ()
  "Send what is typed, or begin a new line where something is open in it.
Above the prompt do what the line there is for."
  (interactive nil agentq-typing-mode)
  (cond ((agentq-typing-above-p) (call-interactively agentq-typing-above-function))
        ((string-blank-p (agentq-typing-text)))
        ((funcall agentq-typing-open-p-function) (agentq-typing-newline))
        (t (agentq-typing-send))))

(defun agentq-typing-send ()
  "Send what is typed, whatever is open in it."
  (interactive nil agentq-typing-mode)
  (let ((text (string-trim (agentq-typing-text))))
    (when (string-empty-p text)
      (user-error "Nothing is typed"))
    (funcall agentq-typing-send-function text)
    (agentq-typing--remember text)
    (agentq-typing-clear)
    (goto-char (point-max))))

(defun agentq-typing-clear ()
  "Take away what is typed; undo has it."
  (setq comint-input-ring-index nil
        comint-stored-incomplete-input nil)
  (delete-region (agentq-typing-start) (point-max)))

(defun agentq-typing-newline ()
  "Begin a new line in what is typed, indented by what is open."
  (interactive nil agentq-typing-mode)
  (let ((columns (funcall agentq-typing-indent-function)))
    (insert "\n" (make-string columns ?\s))))

(defun agentq-typing-blank-end-p ()
  "Return non-nil when what is typed ends with an empty line."
  (save-excursion
    (goto-char (point-max))
    (string-blank-p (buffer-substring (max (pos-bol) (agentq-typing-start)) (point)))))

;;; The history

(defun agentq-typing--remember (text)
  "Add TEXT to the history, which is kept over a restart where others are."
  (add-to-history agentq-typing--history text)
  (when (bound-and-true-p savehist-mode)
    (add-to-list 'savehist-minibuffer-history-variables agentq-typing--history)))

(defun agentq-typing--unsent ()
  "Say that something is typed in the current buffer, or return nil."
  (unless (string-blank-p (agentq-typing-text))
    (format "What is typed in %s was not sent" (buffer-name))))

(defun agentq-typing--keep ()
  "Put what is typed in the history, before the buffer is gone."
  (when (agentq-typing--unsent)
    (agentq-typing--remember (string-trim (agentq-typing-text)))))

(defun agentq-typing--keep-all ()
  "Put what is typed at every prompt in its history, before Emacs ends."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (derived-mode-p 'agentq-typing-mode)
        (agentq-typing--keep)))))

(defun agentq-typing--read-history ()
  "Take over what was said in other places since, and go where the prompt is."
  (when (agentq-typing-above-p)
    (goto-char (point-max)))
  (unless comint-input-ring-index
    (setq comint-input-ring (make-ring (max 1 (length (symbol-value agentq-typing--history)))))
    (dolist (text (reverse (symbol-value agentq-typing--history)))
      (ring-insert comint-input-ring text))))

(defun agentq-typing-previous (count)
  "Bring what was said before back, or what is COUNT further back."
  (interactive "p" agentq-typing-mode)
  (agentq-typing--read-history)
  (comint-previous-input count))

(defun agentq-typing-next (count)
  "Bring what was said after what is shown back, or what is COUNT further on."
  (interactive "p" agentq-typing-mode)
  (agentq-typing--read-history)
  (comint-next-input count))

(defun agentq-typing-search ()
  "Search backwards in what was said before."
  (interactive nil agentq-typing-mode)
  (agentq-typing--read-history)
  (comint-history-isearch-backward-regexp))

(provide 'agentq-typing)

;;; agentq-typing.el ends here
