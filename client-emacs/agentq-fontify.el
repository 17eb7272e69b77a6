;;; agentq-fontify.el --- Code in the colours of its language  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Code that stands in a buffer of ours has the faces that the major mode of its
;; language would give it.
;;
;; Invariants:
;; - The name of a language may come from a model.  It only chooses among the
;;   modes of `agentq-code-modes' and never becomes the name of a function.
;; - No hook of a mode runs: the code is in no file, and nothing is to be started
;;   for it.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'treesit)

(defcustom agentq-code-modes
  '((("ts" "typescript" "mts" "cts") typescript-ts-mode typescript-mode js-mode)
    (("tsx" "jsx") tsx-ts-mode typescript-mode js-mode)
    (("js" "javascript" "mjs" "cjs") js-mode)
    (("json" "jsonc") js-json-mode)
    (("sh" "bash" "shell" "console" "zsh") sh-mode)
    (("diff" "patch") diff-mode)
    (("html" "vue" "svelte") mhtml-mode)
    (("xml" "svg") nxml-mode)
    (("css" "scss") css-mode)
    (("yaml" "yml") yaml-mode yaml-ts-mode)
    (("toml") conf-toml-mode toml-ts-mode)
    (("python" "py") python-mode)
    (("sql") sql-mode)
    (("lua") lua-mode)
    (("elisp" "emacs-lisp") emacs-lisp-mode)
    (("c" "h") c-mode))
  "The major modes that colour code, by the names of their languages.
Each element is a list of names, as they stand behind the fence of a block,
followed by modes.  The first mode that is installed is used; one whose
name ends in -ts-mode counts as installed when its grammar is."
  :group 'agentq
  :type '(alist :key-type (repeat string) :value-type (repeat symbol)))

(defconst agentq-fontify--max-size 60000
  "Characters above which code is left without colours: they would take too long.")

(defun agentq-fontify-mode (language)
  "Return the major mode for code in LANGUAGE, or nil."
  (when language
    (seq-find #'agentq-fontify-installed-p
              (cdr (seq-find (lambda (entry) (member (downcase language) (car entry)))
                             agentq-code-modes)))))

(defun agentq-fontify-installed-p (mode)
  "Return non-nil if MODE can be used in this Emacs."
  (and (fboundp mode)
       (let ((name (symbol-name mode)))
         (or (not (string-suffix-p "-ts-mode" name))
             (treesit-ready-p (intern (string-remove-suffix "-ts-mode" name)) t)))))

(defun agentq-fontify-region (beg end language &optional face)
  "Give the code between BEG and END the faces of LANGUAGE, over FACE.
Without a mode for LANGUAGE the code has FACE alone."
  (let ((mode (agentq-fontify-mode language)))
    (when face
      (put-text-property beg end 'face face))
    (when (and mode (<= (- end beg) agentq-fontify--max-size))
      (agentq-fontify--copy (agentq-fontify--faces (buffer-substring-no-properties beg end) mode)
                            beg face))))

(defun agentq-fontify-string (text language)
  "Return a copy of TEXT with the faces of LANGUAGE."
  (with-temp-buffer
    (insert text)
    (agentq-fontify-region (point-min) (point-max) language)
    (buffer-string)))

(defun agentq-fontify--copy (faces beg over)
  "Put FACES, lists (START END FACE) from 0, on the text from BEG, above OVER."
  (pcase-dolist (`(,start ,end ,face) faces)
    (put-text-property (+ beg start) (+ beg end) 'face (if over (list face over) face))))

(defun agentq-fontify--faces (code mode)
  "Return which faces MODE gives to CODE, as lists (START END FACE) from 0."
  (with-current-buffer (agentq-fontify--buffer mode)
    (let ((inhibit-read-only t)
          (inhibit-message t))
      (erase-buffer)
      (insert code)
      ;; What a mode cannot read has no colours, and the code is there all the same.
      (ignore-errors (font-lock-ensure))
      (prog1 (agentq-fontify--runs)
        (erase-buffer)))))

(defun agentq-fontify--runs ()
  "Return the faces of the current buffer as lists (START END FACE) from 0."
  (let ((start (point-min))
        runs)
    (while (< start (point-max))
      (let ((face (get-text-property start 'face))
            (end (next-single-property-change start 'face nil (point-max))))
        (when face
          (push (list (1- start) (1- end) face) runs))
        (setq start end)))
    (nreverse runs)))

(defun agentq-fontify--buffer (mode)
  "Return the buffer in which MODE colours code, made if needed."
  (let ((name (format " *agentq-fontify: %s*" mode)))
    (or (get-buffer name)
        (with-current-buffer (get-buffer-create name t)
          (let ((inhibit-message t)
                (message-log-max nil))
            (ignore-errors (delay-mode-hooks (funcall mode))))
          (setq-local font-lock-support-mode nil)
          (buffer-disable-undo)
          (current-buffer)))))

(provide 'agentq-fontify)

;;; agentq-fontify.el ends here
