;;; agentq-files.el --- Moving and deleting whole files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The operations of a WorkspaceEdit on whole files.  The buffers of files that
;; move keep their text, undo and point; the buffers of deleted files are killed.
;;
;; Invariants:
;; - Everything is checked before the first operation.
;; - No unsaved text is lost: a file with unsaved changes is not deleted.

;;; Code:

(require 'cl-lib)
(require 'vc-hooks)
(require 'agentq-client)
(require 'agentq-wire)

(declare-function agentq-apply-refuse "agentq-apply" (format &rest arguments))

(cl-defstruct (agentq-files-operation (:constructor agentq-files--operation))
  "What is to happen to one file."
  from                                  ; file name
  to)                                   ; nil for a deletion

(defun agentq-files-operations (edit)
  "Return the `agentq-files-operation' list of the WorkspaceEdit EDIT."
  (let (operations)
    (seq-doseq (change (agentq-get WorkspaceEdit edit :documentChanges))
      (pcase (agentq-get CreateFile change :kind)
        ("rename" (push (agentq-files--operation
                         :from (agentq-uri-to-path (agentq-get RenameFile change :oldUri))
                         :to (agentq-uri-to-path (agentq-get RenameFile change :newUri)))
                        operations))
        ("delete" (push (agentq-files--operation
                         :from (agentq-uri-to-path (agentq-get DeleteFile change :uri)))
                        operations))))
    (nreverse operations)))

(defun agentq-files-plan (edit)
  "Return `agentq-files-operations' of EDIT.
Signal `agentq-apply-refused' when one of them cannot be done."
  (let ((operations (agentq-files-operations edit)))
    (cl-loop for (operation . _) on operations
             for left = nil then (cons (agentq-files-operation-from before) left)
             for before = operation
             do (agentq-files--check operation left))
    operations))

(defun agentq-files-left (operations)
  "Return the names that OPERATIONS leave."
  (mapcar #'agentq-files-operation-from operations))

(defun agentq-files--check (operation left)
  "Refuse OPERATION when it cannot be done; names in LEFT become free before."
  (let* ((from (agentq-files-operation-from operation))
         (to (agentq-files-operation-to operation))
         (buffer (find-buffer-visiting from)))
    ;; Before the file: a new one that was never saved is in its buffer alone.
    (when (and (not to) buffer (buffer-modified-p buffer))
      (agentq-apply-refuse "%s has unsaved changes" (buffer-name buffer)))
    (unless (and (file-regular-p from) (not (file-symlink-p from)))
      (agentq-apply-refuse "%s is no file any more" from))
    (cond
     ((or (not to) (member to left)))
     ((and (or (file-exists-p to) (file-symlink-p to)) (not (file-equal-p from to)))
      (agentq-apply-refuse "%s exists already" to))
     ((when-let* ((other (find-buffer-visiting to)))
        (and (not (eq other buffer)) (< 0 (buffer-size other))))
      (agentq-apply-refuse "%s has text in an open buffer" to))
     ((not (file-directory-p (agentq-files--nearest-folder to)))
      (agentq-apply-refuse "%s cannot be there: a part of its name is a file" to)))))

(defun agentq-files--nearest-folder (file)
  "Return the innermost parent of FILE that exists."
  (let ((folder (file-name-directory file)))
    (while (not (file-exists-p (directory-file-name folder)))
      (setq folder (file-name-directory (directory-file-name folder))))
    (directory-file-name folder)))

(defun agentq-files-carry-out (operations root)
  "Do OPERATIONS; folders below ROOT that become empty go as well.
Signal an error at the first operation that fails."
  (let ((inhibit-interaction t)
        (create-lockfiles nil))
    (dolist (operation operations)
      (let ((from (agentq-files-operation-from operation))
            (to (agentq-files-operation-to operation)))
        (if to
            (agentq-files--rename from to)
          (agentq-files--delete from))
        (agentq-files--remove-empty-folders from root)))))

(defun agentq-files--rename (from to)
  "Move the file FROM to the name TO, and its buffer along."
  (make-directory (file-name-directory to) t)
  (let* ((buffer (find-buffer-visiting from))
         (other (find-buffer-visiting to))
         (case-only (and (file-exists-p to) (file-equal-p from to))))
    (when (and other (not (eq other buffer)))
      (kill-buffer other))
    (rename-file from to case-only)
    (vc-file-clearprops from)
    (when buffer
      (with-current-buffer buffer
        (run-hooks 'agentq-connection-before-rename-hook)
        (set-visited-file-name to t t)
        (vc-refresh-state)
        (run-hooks 'agentq-connection-after-rename-hook)))))

(defun agentq-files--delete (file)
  "Delete FILE, into the trash of whoever has one, and kill its buffer."
  (let ((buffer (find-buffer-visiting file)))
    (delete-file file t)
    (vc-file-clearprops file)
    (when buffer
      (with-current-buffer buffer
        (set-buffer-modified-p nil))
      (kill-buffer buffer))))

(defun agentq-files--remove-empty-folders (file root)
  "Delete the folders of FILE, which is gone, that are empty and below ROOT."
  (let ((folder (file-name-directory file)))
    (while (and folder root
                (file-in-directory-p folder root)
                (not (file-equal-p folder root))
                (file-directory-p folder)
                (directory-empty-p folder))
      (delete-directory folder)
      (setq folder (file-name-directory (directory-file-name folder))))))

(provide 'agentq-files)

;;; agentq-files.el ends here
