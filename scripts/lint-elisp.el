;;; lint-elisp.el --- lint the Emacs client  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run in batch with the client's folder as the argument.  Byte-compiles every
;; file, checks the documentation with checkdoc and, where it is installed, the
;; package with package-lint.  Prints each warning on its own line and exits 1
;; when there is any.  Nothing is written into the folder.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'package)

;; No version control is asked about each file: most of the time would go there.
(setq vc-handled-backends nil)

(defvar lint-elisp-count 0 "The number of warnings so far.")

(defun lint-elisp-report (file line text)
  "Print warning TEXT about LINE of FILE and count it."
  (setq lint-elisp-count (1+ lint-elisp-count))
  (princ (format "%s:%s: %s\n" (file-relative-name file) line
                 (replace-regexp-in-string "\n[ \t]*" " " text))))

(defun lint-elisp-compile (file)
  "Byte-compile FILE into a temporary place and report its warnings.
Packages that it does not require are not there, as for most people."
  (let* ((load-path (seq-remove (lambda (folder) (string-search "/elpa" folder)) load-path))
         (target (make-temp-file "lint-elisp" nil ".elc"))
         (byte-compile-dest-file-function (lambda (_) target))
         (byte-compile-log-warning-function
          (lambda (text &optional position _fill level)
            (unless (eq level :information)
              (lint-elisp-report file (lint-elisp-line file position) text)))))
    (unwind-protect
        (let ((inhibit-message t)
              (before (with-current-buffer (messages-buffer) (point-max))))
          (byte-compile-file file)
          ;; What goes wrong while a call is expanded is only said.
          (with-current-buffer (messages-buffer)
            (goto-char before)
            (while (re-search-forward "^Warning: \\(Optimization failure.*\\)" nil t)
              (lint-elisp-report file 1 (match-string 1)))))
      (delete-file target))))

(defun lint-elisp-line (file position)
  "Return the line of POSITION in FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (line-number-at-pos (min (if (number-or-marker-p position) position 1) (point-max)))))

(defun lint-elisp-checkdoc (file)
  "Report what checkdoc says about FILE."
  (with-current-buffer (find-file-noselect file)
    (let ((checkdoc-create-error-function
           (lambda (text start _end &optional _unfixable)
             (lint-elisp-report file (if start (line-number-at-pos start) 1) text)
             nil))
          (inhibit-message t))
      (checkdoc-current-buffer t))))

(defun lint-elisp-package (file main)
  "Report what package-lint says about FILE of the package whose main file is MAIN."
  (with-current-buffer (find-file-noselect file)
    (setq-local package-lint-main-file main)
    (pcase-dolist (`(,line ,_column ,_type ,text) (package-lint-buffer))
      ;; The project has no public address to name yet.
      (unless (string-match-p "Homepage or URL" text)
        (lint-elisp-report file line text)))))

(defun lint-elisp-folder (folder)
  "Lint every file of FOLDER and exit."
  (let* ((files (seq-remove (lambda (file) (string-suffix-p "-autoloads.el" file))
                            (directory-files folder t "\\`agentq.*\\.el\\'")))
         (main (expand-file-name "agentq.el" folder))
         (has-package-lint (require 'package-lint nil t)))
    (add-to-list 'load-path folder)
    (dolist (file files)
      (lint-elisp-compile file)
      (lint-elisp-checkdoc file)
      (when has-package-lint (lint-elisp-package file main)))
    (princ (format "%d files, %d warnings%s\n" (length files) lint-elisp-count
                   (if has-package-lint "" " (package-lint is not installed)")))
    (kill-emacs (if (or (null files) (> lint-elisp-count 0)) 1 0))))

(lint-elisp-folder (expand-file-name (car command-line-args-left)))

;;; lint-elisp.el ends here
