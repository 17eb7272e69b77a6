;;; agentq-project.el --- The project under which Agent-Q is registered  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The project of a server is that of the buffer from which it is started.  Where
;; servers are found by their projects, Agent-Q is registered under `(agentq . REAL)':
;; it has the root of the real project, and is not equal to it.

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

(cl-defmethod project-external-roots ((project (head agentq)))
  "Return the external roots of the real PROJECT."
  (project-external-roots (cdr project)))

(defvar agentq-project-contexts nil
  "Variables that tell the functions of `project-find-functions' what asks.
They are t while the project of a server is looked for.")

(defun agentq--project ()
  "Return the project that the current buffer belongs to.
Without version control the nearest tsconfig.json or package.json names it."
  (cl-progv agentq-project-contexts (make-list (length agentq-project-contexts) t)
    (or (project-current)
        (cons 'transient (or (agentq--marked-folder) default-directory)))))

(defun agentq--marked-folder ()
  "Return the nearest folder with a file of a TypeScript project, or nil."
  (or (locate-dominating-file default-directory "tsconfig.json")
      (locate-dominating-file default-directory "package.json")))

(defun agentq--true-root (project)
  "Return the root of PROJECT, an absolute true name."
  (file-truename (file-name-as-directory (project-root project))))

(provide 'agentq-project)

;;; agentq-project.el ends here
