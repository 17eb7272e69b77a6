;;; agentq-manual.el --- The manual, in Emacs and without a network  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows docs/emacs.md, which lies beside the client's folder in a checkout, in
;; the packed program and in what `package-vc-install' clones, and in the
;; client's folder itself in a package that was built from the recipe.

;;; Code:

(require 'button)
(require 'imenu)
(require 'outline)
(require 'agentq-links)
(require 'agentq-markdown)

(defconst agentq-manual--files
  (mapcar (lambda (name)
            (expand-file-name name (file-name-directory
                                    (or load-file-name buffer-file-name default-directory))))
          '("../docs/emacs.md" "emacs.md"))
  "Where the manual may be.")

(defconst agentq-manual--heading (rx bol (group (+ "#")) blank (group (+ nonl)))
  "What begins a section.")

(defvar-keymap agentq-manual-mode-map
  :doc "Keys of `agentq-manual-mode'."
  :parent special-mode-map
  "TAB" #'forward-button
  "<backtab>" #'backward-button
  "n" #'outline-next-visible-heading
  "p" #'outline-previous-visible-heading)

(define-derived-mode agentq-manual-mode special-mode "AgentQ-Manual"
  "The manual of Agent-Q.
\\{agentq-manual-mode-map}"
  (setq-local outline-regexp "#+ "
              imenu-generic-expression `((nil ,agentq-manual--heading 2))
              buffer-invisibility-spec '(agentq-markup))
  (setq agentq-links-follow-function #'agentq-manual--follow)
  (visual-line-mode))

;;;###autoload (autoload 'agentq-manual "agentq-manual" nil t)
(defun agentq-manual ()
  "Show the manual of Agent-Q, which needs no network and no server."
  (interactive)
  (let ((file (or (seq-find #'file-readable-p agentq-manual--files)
                  (user-error "The manual is not installed: it is docs/emacs.md of the project"))))
    (pop-to-buffer (get-buffer-create "*Agent-Q manual*"))
    (unless (derived-mode-p 'agentq-manual-mode)
      (agentq-manual-mode)
      (setq default-directory (file-name-directory file))
      (agentq-manual--insert file))))

(defun agentq-manual--insert (file)
  "Fill the current buffer with FILE, its links as buttons."
  (let ((inhibit-read-only t))
    (insert-file-contents file)
    (agentq-markdown-written (point-min) (point-max) t)
    (set-buffer-modified-p nil)
    (goto-char (point-min))))

(defun agentq-manual--follow (target)
  "Go to TARGET: a section of the manual, or another page beside it."
  (pcase-let ((`(,page ,section) (split-string target "#")))
    (cond ((equal page "") (agentq-manual--go section))
          ((file-readable-p (expand-file-name page)) (view-file-other-window (expand-file-name page)))
          (t (message "%s is a page of the project, which is not installed here" page)))))

(defun agentq-manual--go (section)
  "Go to the heading that links call SECTION."
  (push-mark nil t)
  (goto-char (point-min))
  (while (and (re-search-forward agentq-manual--heading nil t)
              (not (equal section (agentq-manual--anchor (match-string 2))))))
  (forward-line 0)
  (recenter 0))

(defun agentq-manual--anchor (heading)
  "Return how links call HEADING."
  (string-replace " " "-" (replace-regexp-in-string (rx (not (any alnum " -"))) ""
                                                     (downcase heading))))

(provide 'agentq-manual)

;;; agentq-manual.el ends here
