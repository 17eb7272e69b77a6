;;; agentq-apply.el --- Applying approved edits to buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server composes a WorkspaceEdit out of the accepted hunks, and this file
;; puts the edit into buffers.  Eglot's own function would do for text edits
;; alone: it creates no files, and with several files it may stop half-way.
;;
;; Invariants:
;; - All or nothing: everything is checked before the first change, and an error
;;   during the changes takes all of them back.
;; - A document that is not at the version the edit was made for is left alone.
;; - One decision is one undo step in every buffer it touches.
;; - Only buffers that had no unsaved changes are saved, without prompts and
;;   without `before-save-hook': the file gets the text that was approved.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-files)
(require 'agentq-sync)
(require 'agentq-wire)

(defvar agentq-save-after-apply)        ; agentq.el

(define-error 'agentq-apply-refused "The edit does not fit")

(cl-defstruct (agentq-apply-change (:constructor agentq-apply--change))
  "What is to happen to one document, or has happened."
  uri                                   ; as the server spells it
  buffer                                ; nil before a file is created
  create-p
  edits                                 ; LSP TextEdits
  save-p)                               ; the buffer had no unsaved changes

(defun agentq-apply-visit (uri)
  "Return a buffer that visits the existing file URI and can be edited.
Refuse what could not be applied later: a read-only buffer, or unsaved
changes on top of a file that has changed on disk."
  (let* ((path (agentq-apply--path uri))
         (buffer (or (find-buffer-visiting path)
                     (if (file-exists-p path)
                         (find-file-noselect path t)
                       (agentq-apply-refuse "%s does not exist" path)))))
    (with-current-buffer buffer
      (unless (verify-visited-file-modtime buffer)
        (cond ((buffer-modified-p)
               (agentq-apply-refuse "%s changed on disk and has unsaved changes" (buffer-name)))
              ((file-exists-p path)
               (revert-buffer t t t))
              (t
               (agentq-apply-refuse "%s is gone from the disk; save its buffer to have it again"
                                    (buffer-name)))))
      (when buffer-read-only
        (agentq-apply-refuse "%s is read-only" (buffer-name))))
    buffer))

(defun agentq-apply--path (uri)
  "Return the file name of URI; refuse one that editors take for another."
  (when (string-match-p "%0[ad]" (downcase uri))
    (agentq-apply-refuse "A file whose name has a line break cannot be edited here"))
  (agentq-uri-to-path uri))

(defun agentq-apply-check-encodable (text)
  "Refuse TEXT if the file of the current buffer cannot hold it as it is written.
Saving would write the whole file in another encoding."
  (let ((coding buffer-file-coding-system))
    (when-let* (((not (memq (coding-system-type coding) '(undecided raw-text))))
                (position (unencodable-char-position 0 (length text) coding nil text)))
      (agentq-apply-refuse "%s is written in %s, which has no %c"
                           (buffer-name) (coding-system-base coding) (aref text position)))))

(defun agentq-apply-check-absent (uri)
  "Refuse the creation of URI if it exists, on disk or in a buffer."
  (let* ((path (agentq-apply--path uri))
         (buffer (find-buffer-visiting path)))
    (when (or (file-exists-p path)
              (and buffer (< 0 (buffer-size buffer))))
      (agentq-apply-refuse "%s exists already" path))))

(defun agentq-apply-edit (edit &optional late)
  "Apply the texts of the LSP WorkspaceEdit EDIT.
Return a list of `agentq-apply-change'.  New files at places that other
files leave are made only if LATE is non-nil, after `agentq-files-carry-out'.
Signal `agentq-apply-refused', with nothing changed, when EDIT does not fit."
  (let ((changes (agentq-apply--changes edit late))
        (inhibit-interaction t)
        ;; A lock prompts when another Emacs has the file; saving follows at once.
        (create-lockfiles nil)
        created group done)
    (unless late (agentq-files-plan edit))
    (mapc #'agentq-apply--check changes)
    (unwind-protect
        (progn
          (dolist (change changes)
            (when (agentq-apply-change-create-p change)
              (unless (agentq-apply-change-buffer change)
                (push (setf (agentq-apply-change-buffer change)
                            (agentq-apply--new-buffer
                             (agentq-uri-to-path (agentq-apply-change-uri change))))
                      created))))
          (dolist (change changes)
            (with-current-buffer (agentq-apply-change-buffer change)
              (undo-boundary)
              (setq group (nconc (prepare-change-group) group))))
          (activate-change-group group)
          (dolist (change changes)
            (with-current-buffer (agentq-apply-change-buffer change)
              (agentq-apply--replace-texts (agentq-apply-change-edits change))))
          (undo-amalgamate-change-group group)
          (accept-change-group group)
          (setq done t))
      (unless done
        (when group (cancel-change-group group))
        (dolist (buffer created)
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (kill-buffer buffer))))
    (dolist (change changes)
      (with-current-buffer (agentq-apply-change-buffer change)
        (undo-boundary)))
    changes))

(defun agentq-apply-save (applied)
  "Save the buffers of APPLIED; return the names of those left unsaved."
  (cl-loop for change in applied
           unless (and agentq-save-after-apply
                       (agentq-apply-change-save-p change)
                       (agentq-apply--save-buffer (agentq-apply-change-buffer change)))
           collect (buffer-name (agentq-apply-change-buffer change))))

(defun agentq-apply-uris (edit)
  "Return the URIs that the WorkspaceEdit EDIT touches."
  (delete-dups
   (mapcar (lambda (operation)
             (or (agentq-get RenameFile operation :newUri)
                 (agentq-get CreateFile operation :uri)
                 (agentq-get TextDocumentEdit operation :textDocument :uri)))
           (agentq-get WorkspaceEdit edit :documentChanges))))

(defun agentq-apply-refuse (format &rest arguments)
  "Signal `agentq-apply-refused' with FORMAT and ARGUMENTS as the reason."
  (signal 'agentq-apply-refused (list (apply #'format format arguments))))

(defun agentq-apply--changes (edit late)
  "Return the `agentq-apply-change' list of the WorkspaceEdit EDIT.
With LATE only that of new files at places that other files have left,
else of all other documents."
  (let ((left (agentq-files-left (agentq-files-operations edit)))
        (operated nil)
        changes)
    (seq-doseq (operation (agentq-get WorkspaceEdit edit :documentChanges))
      (let ((kind (agentq-get CreateFile operation :kind))
            (uri (or (agentq-get CreateFile operation :uri)
                     (agentq-get TextDocumentEdit operation :textDocument :uri))))
        (cond
         ((member kind '("rename" "delete")) (setq operated t))
         ((and kind (not (equal kind "create")))
          (agentq-apply-refuse "Unknown file operation `%s'" kind))
         ((xor late (and operated (member (agentq-uri-to-path uri) left))))
         (kind
          (push (agentq-apply--change :uri uri :create-p t :save-p t
                                      :buffer (find-buffer-visiting (agentq-uri-to-path uri)))
                changes))
         (t
          (setq changes (agentq-apply--with-edits operation changes))))))
    (nreverse changes)))

(defun agentq-apply--with-edits (operation known)
  "Return KNOWN with the TextDocumentEdit OPERATION."
  (let* ((document (agentq-get TextDocumentEdit operation :textDocument))
         (uri (agentq-get OptionalVersionedTextDocumentIdentifier document :uri))
         (change (cl-find uri known :key #'agentq-apply-change-uri :test #'equal)))
    (unless change
      (setq change (agentq-apply--change
                    :uri uri
                    :buffer (agentq-apply--at-version
                             uri (agentq-get OptionalVersionedTextDocumentIdentifier document :version))))
      (setf (agentq-apply-change-save-p change)
            (not (buffer-modified-p (agentq-apply-change-buffer change))))
      (push change known))
    (setf (agentq-apply-change-edits change)
          (append (agentq-apply-change-edits change)
                  (agentq-get TextDocumentEdit operation :edits) nil))
    known))

(defun agentq-apply--at-version (uri version)
  "Return the buffer visiting URI if its text is the one of VERSION.
Without a version the edit was made for the file, so the buffer must
show the file unchanged."
  (let ((buffer (agentq-apply-visit uri)))
    (with-current-buffer buffer
      (if version
          (unless (equal version (agentq-sync-version))
            (agentq-apply-refuse "%s changed in the meantime" (buffer-name)))
        (when (buffer-modified-p)
          (agentq-apply-refuse "%s has unsaved changes" (buffer-name)))))
    buffer))

(defun agentq-apply--check (change)
  "Refuse CHANGE if it is the creation of a file that exists."
  (when (agentq-apply-change-create-p change)
    (agentq-apply-check-absent (agentq-apply-change-uri change))))

(defun agentq-apply--new-buffer (path)
  "Return an empty buffer that visits the missing file PATH."
  (make-directory (file-name-directory path) t)
  ;; `find-file-hook' may insert a template: the text is decided already.
  (let* ((find-file-hook nil)
         (find-file-not-found-functions nil)
         (buffer (find-file-noselect path t)))
    (with-current-buffer buffer
      (erase-buffer)
      (setq buffer-file-coding-system 'utf-8-unix))
    buffer))

(defun agentq-apply--replace-texts (edits)
  "Make the LSP text EDITS in the current buffer.
All ranges refer to the text before the first edit, so they become
markers first, and the last edit is made first."
  (save-excursion
    (save-restriction
      (widen)
      (let* ((dos (agentq-sync-dos-p))
             (targets (mapcar (lambda (edit)
                                (cons (agentq-region-of (agentq-get TextEdit edit :range) t)
                                      (agentq-get TextEdit edit :newText)))
                              edits)))
        (pcase-dolist (`((,beg . ,end) . ,text) (reverse targets))
          (let ((text (if dos (string-replace "\r\n" "\n" text) text)))
            (if (= beg end)
                (progn (goto-char beg) (insert text))
              (replace-region-contents beg end (lambda () text) 0.2)))
          (set-marker beg nil)
          (set-marker end nil))))))

(defun agentq-apply--save-buffer (buffer)
  "Save BUFFER as it is and return non-nil, or return nil if that needs a person."
  (with-current-buffer buffer
    (let ((inhibit-interaction t)
          (create-lockfiles nil)
          (before-save-hook nil)
          (require-final-newline nil)
          (save-silently t))
      (condition-case problem
          (and (verify-visited-file-modtime buffer)
               (progn (basic-save-buffer) t))
        (error (message "Agent-Q: could not save %s: %s" (buffer-name)
                        (error-message-string problem))
               nil)))))

(provide 'agentq-apply)

;;; agentq-apply.el ends here
