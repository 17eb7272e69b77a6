;;; agentq-thoughts.el --- What the model thinks, in the transcript  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A thought is one line of the transcript, with its text folded below it once it
;; is complete.
;;
;; The functions work on the current buffer, which has a prompt (agentq-typing.el).

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'agentq-mouse)
(require 'agentq-writer)

(defface agentq-chat-thinking '((t :inherit font-lock-comment-face))
  "What the model thinks before it answers." :group 'agentq)

(defvar agentq-thoughts-timed t
  "Whether thoughts come as the model has them; nil while they are shown again.")

(defvar-local agentq-thoughts--open nil "The thought that still comes, or nil.")

(cl-defstruct (agentq-thought (:constructor agentq-thoughts--make))
  "A thought in the transcript."
  since                                 ; when it began, in seconds
  texts                                 ; its pieces, newest first
  line                                  ; marker at the start of its line
  words                                 ; what its line says
  body)                                 ; overlay over its text, or nil

(defun agentq-thoughts-add (text)
  "Add TEXT to the thought that comes, or begin one."
  (unless agentq-thoughts--open
    (agentq-writer-end-block)
    (agentq-writer-append "\n")
    (setq agentq-thoughts--open
          (agentq-thoughts--make :since (float-time) :words "Thinking ..."
                                 :line (copy-marker (1- (agentq-typing-end)) t)))
    (agentq-thoughts--draw agentq-thoughts--open))
  (push text (agentq-thought-texts agentq-thoughts--open)))

(defun agentq-thoughts-fold (words text)
  "Show WORDS in a line, with TEXT folded below it."
  (agentq-thoughts-end)
  (agentq-thoughts-add text)
  (agentq-thoughts-end words))

(defun agentq-thoughts-end (&optional words)
  "Fold the thought that is complete, if there is one, under WORDS or its time."
  (when-let* ((thought agentq-thoughts--open))
    (setq agentq-thoughts--open nil)
    (setf (agentq-thought-words thought)
          (cond (words)
                (agentq-thoughts-timed
                 (format "Thought for %.1f s" (- (float-time) (agentq-thought-since thought))))
                (t "Thought")))
    (agentq-writer-following
      (goto-char (agentq-thought-line thought))
      (forward-line)
      (let ((start (point)))
        (dolist (line (split-string (string-trim (apply #'concat (nreverse (agentq-thought-texts thought))))
                                    "\n"))
          (agentq-writer-insert (propertize (concat "    " line "\n")
                                            'face 'agentq-chat-thinking 'agentq-thought thought)))
        (setf (agentq-thought-body thought) (make-overlay start (point) nil t)
              (agentq-thought-texts thought) nil)))
    (agentq-thoughts--fold thought t)))

(defun agentq-thoughts-at-point ()
  "Return the complete thought at point, or nil."
  (when-let* ((thought (get-text-property (point) 'agentq-thought))
              ((agentq-thought-body thought)))
    thought))

(defun agentq-thoughts-toggle (thought)
  "Fold or unfold THOUGHT."
  (agentq-thoughts--fold thought (not (overlay-get (agentq-thought-body thought) 'invisible))))

(defun agentq-thoughts--fold (thought hide)
  "Hide the text of THOUGHT if HIDE is non-nil, else show it."
  (let ((body (agentq-thought-body thought)))
    (overlay-put body 'invisible (and hide 'agentq-fold))
    ;; A search opens what it ends in.
    (overlay-put body 'isearch-open-invisible
                 (lambda (_overlay)
                   (save-match-data (agentq-thoughts--fold thought nil)))))
  (agentq-thoughts--draw thought))

(defun agentq-thoughts--draw (thought)
  "Write the line of THOUGHT again."
  (agentq-typing-above
    (save-excursion
      (let ((body (agentq-thought-body thought))
            (start (goto-char (marker-position (agentq-thought-line thought)))))
        (delete-region start (pos-eol))
        (agentq-writer-insert
         (agentq-mouse-line
          (propertize (format "%s %s"
                              (cond ((not body) " ") ((overlay-get body 'invisible) "+") (t "-"))
                              (agentq-thought-words thought))
                      'face 'agentq-chat-thinking 'agentq-thought thought)))
        (set-marker (agentq-thought-line thought) start)))))

(provide 'agentq-thoughts)

;;; agentq-thoughts.el ends here
