;;; agentq-project.el --- The project under which Agent-Q is registered  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The project of a server is that of the buffer from which it is started.  Where
;; servers are found by their projects, Agent-Q is registered under `(agentq . REAL)':
;; it has the root of the real project, and is not equal to it.  It has none of the
;; external roots: those of a buffer of Emacs Lisp are the whole `load-path', and the
;; model would be told of each as a folder that the person works in.

;;; Code:

(require 'cl-lib)
(require 'project)
(require 'agentq-buffers)

(cl-defmethod project-root ((project (head agentq)))
  "Return the root of the real PROJECT."
  (project-root (cdr project)))

(cl-defmethod project-name ((project (head agentq)))
  "Return the name of the real PROJECT, told apart from others of that name.
The buffers of a connection are found by it."
  (agentq-project-name (agentq--true-root project) (project-name (cdr project))))

(cl-defmethod project-files ((project (head agentq)) &optional dirs)
  "Return the files of the real PROJECT in DIRS."
  (project-files (cdr project) dirs))

(cl-defmethod project-ignores ((project (head agentq)) dir)
  "Return the ignored files of the real PROJECT in DIR."
  (project-ignores (cdr project) dir))

(defvar agentq-project-contexts nil
  "Variables that tell the functions of `project-find-functions' what asks.
They are t while the project of a server is looked for.")

(defun agentq--project ()
  "Return the project that the current buffer belongs to.
Without version control the files of package managers and compilers name it."
  (cl-progv agentq-project-contexts (make-list (length agentq-project-contexts) t)
    (or (agentq--marked-project)
        (cons 'transient default-directory))))

(defun agentq--marked-project ()
  "Return the project of the current buffer, or nil where there is no sign of one."
  (let ((project (project-current)))
    (if (and project (not (agentq-project--closed-p (project-root project))))
        project
      (when-let* ((folder (agentq--marked-folder)))
        (cons 'transient folder)))))

(defconst agentq-project--signs
  '((("pnpm-workspace.yaml") ("package.json" . "\"workspaces\"[ \t\n]*:")
     ("deno.json" . "\"workspace\"[ \t\n]*:") ("deno.jsonc" . "\"workspace\"[ \t\n]*:"))
    (("package-lock.json") ("npm-shrinkwrap.json") ("pnpm-lock.yaml") ("yarn.lock") ("bun.lock")
     ("bun.lockb") ("deno.lock"))
    (("tsconfig.json") ("jsconfig.json") ("deno.json") ("deno.jsonc") ("package.json")))
  "What makes a folder the root of a project, the strongest signs first.
A sign is the name of a file and what has to stand in the file.  A package
of a workspace is a part of that, as the other packages use what it exports.")

(defun agentq--marked-folder ()
  "Return the folder that is the root of the project by its files, or nil.
A dependency is a part of the project that installed it."
  (let ((from (car (split-string (expand-file-name default-directory) "/node_modules/"))))
    (seq-some (lambda (signs)
                (locate-dominating-file
                 from (lambda (folder)
                        (and (seq-some (lambda (sign) (agentq-project--has-p folder sign)) signs)
                             (not (agentq-project--closed-p folder))))))
              agentq-project--signs)))

(defun agentq-project--has-p (folder sign)
  "Return non-nil if FOLDER has the SIGN of a project."
  (pcase-let* ((`(,name . ,pattern) sign)
               (file (expand-file-name name folder)))
    (and (file-readable-p file)
         (or (null pattern)
             (with-temp-buffer
               (insert-file-contents file)
               (re-search-forward pattern nil t))))))

(defun agentq-project--closed-p (folder)
  "Return non-nil if FOLDER is the root of a disk or the home of the person.
The server refuses to work on all of those."
  (let ((local (file-local-name (expand-file-name folder))))
    (or (equal local (file-name-directory (directory-file-name local)))
        (file-equal-p folder (concat (file-remote-p folder) "~")))))

(defun agentq--true-root (project)
  "Return the root of PROJECT, an absolute true name."
  (file-truename (file-name-as-directory (project-root project))))

(provide 'agentq-project)

;;; agentq-project.el ends here
