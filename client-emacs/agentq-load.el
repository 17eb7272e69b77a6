;;; agentq-load.el --- Have the client as a package from its own folder  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; An init file loads this file from a checkout or from the packed program.  Then the
;; commands are there as after `package-install': compiled, and nothing is loaded before
;; one of them is called.  The first time, and again after each update, another Emacs
;; compiles the client, which takes some seconds.

;;; Code:

(defun agentq-load--compile (folder autoloads)
  "Have another Emacs compile FOLDER and write AUTOLOADS; return non-nil if it did."
  (message "Agent-Q: compiling the client, once after each update...")
  (with-temp-buffer
    (let* ((form `(progn
                    (require 'loaddefs-gen)
                    ;; A compiler of native code that does not work is nobody's concern here.
                    (setq native-comp-enable-subr-trampolines nil)
                    (add-to-list 'load-path ,folder)
                    (byte-recompile-directory ,folder 0 t)
                    ;; What is written last is the sign that all is there.
                    (loaddefs-generate ,folder ,autoloads nil nil nil t)))
           (status (call-process (expand-file-name invocation-name invocation-directory) nil t nil
                                 "-Q" "--batch" "--eval" (prin1-to-string form))))
      (or (eql status 0)
          (ignore (display-warning 'agentq (format "The client was not compiled: %s"
                                                   (buffer-string))))))))

(defun agentq-load--compiled-p (folder autoloads)
  "Return non-nil if AUTOLOADS is newer than all other files of Lisp in FOLDER."
  (not (seq-some (lambda (file) (file-newer-than-file-p file autoloads))
                 (directory-files folder t "\\.el\\'"))))

(let* ((folder (file-name-directory (file-truename load-file-name)))
       (autoloads (expand-file-name "agentq-autoloads.el" folder)))
  (add-to-list 'load-path (directory-file-name folder))
  (if (or (agentq-load--compiled-p folder autoloads)
          (and (file-writable-p folder) (agentq-load--compile folder autoloads)))
      (load autoloads nil t)
    ;; Somebody else's folder has nothing written into.
    (require 'agentq)))

(provide 'agentq-load)

;;; agentq-load.el ends here
