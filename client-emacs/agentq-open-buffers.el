;;; agentq-open-buffers.el --- The editor's buffers for the agent  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The names and texts of buffers, also of those that text sync does not
;; carry: *Messages*, *compilation*, shells, help, scratch buffers.  The server
;; decides which of them may be read.
;;
;; Invariants:
;; - A buffer whose name begins with a space is internal and never told: the
;;   minibuffer, where passwords are typed, is one of them.
;; - The file of a buffer is told whatever stands between the two: a buffer
;;   that shares the text of another (an indirect one) has the file of that one.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-sync)
(require 'agentq-wire)

(defconst agentq-open-buffers--line-length 5000
  "Longer lines are cut: the output of a program may be one line without an end.")

(defun agentq-open-buffers--list ()
  "Return the buffers that may be told, the one used last first."
  (seq-remove (lambda (buffer)
                (or (string-prefix-p " " (buffer-name buffer))
                    (buffer-local-value 'agentq--root buffer)
                    (string-prefix-p "*agentq" (buffer-name buffer))))
              (buffer-list)))

(defun agentq-open-buffers--uri (buffer host)
  "Return the URI of the file of BUFFER for a server on HOST, or nil.
That of a file on another machine has a scheme which the server refuses."
  (when-let* ((file (buffer-file-name (or (buffer-base-buffer buffer) buffer))))
    (if (equal host (file-remote-p file))
        (agentq-path-to-uri file)
      (concat "elsewhere:" file))))

(defun agentq-open-buffers--describe (buffer host &optional here)
  "Return BUFFER as an EditorBuffer for a server on HOST.
HERE is the buffer that the person is in."
  (with-current-buffer buffer
    (let ((lines (save-restriction
                   (widen)
                   (count-lines (point-min) (point-max)))))
      (append
       (agentq-make EditorBuffer
         :id (buffer-name)
         :name (agentq-open-buffers--clean (buffer-name))
         :kind (string-remove-suffix "-mode" (symbol-name major-mode))
         :uri (agentq-open-buffers--uri buffer host)
         :lines lines)
       (agentq-open-buffers--flag :modified (and buffer-file-name (buffer-modified-p)))
       (agentq-open-buffers--flag :isCurrent (eq buffer here))
       (agentq-open-buffers--flag :isVisible (get-buffer-window buffer 'visible))))))

(defun agentq-open-buffers--flag (key value)
  "Return the member KEY of a JSON object, true if VALUE is non-nil."
  (list key (if value t :json-false)))

(defun agentq-open-buffers--clean (text)
  "Return TEXT without what JSON cannot carry: raw bytes and half characters."
  (replace-regexp-in-string (rx (any (#xd800 . #xdfff) (#x3fff80 . #x3fffff))) "\ufffd"
                            (string-to-multibyte text) t t))

(defun agentq-open-buffers--lines (start end)
  "Return the lines of the current buffer from START to END, counted from 0.
END is exclusive."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let (lines)
        (when (zerop (forward-line start))
          (while (and (< start end) (not (eobp)))
            (push (agentq-open-buffers--line) lines)
            (forward-line 1)
            (cl-incf start)))
        (vconcat (nreverse lines))))))

(defun agentq-open-buffers--line ()
  "Return the line at point, which is its beginning."
  (let* ((end (line-end-position))
         (cut (min end (+ (point) agentq-open-buffers--line-length))))
    (concat (agentq-open-buffers--clean (buffer-substring-no-properties (point) cut))
            (and (< cut end) "…"))))

(agentq-define-request agentq/listBuffers (server _params)
  "Answer with the buffers of this Emacs."
  (let* ((buffers (agentq-open-buffers--list))
         (host (agentq-connection-host server))
         (window (if (minibufferp (window-buffer))
                     (or (minibuffer-selected-window) (selected-window))
                   (selected-window)))
         (here (car (if (memq (window-buffer window) buffers)
                        (list (window-buffer window))
                      buffers))))
    (agentq-make EditorBuffers
      :buffers (vconcat (mapcar (lambda (buffer)
                                  (agentq-open-buffers--describe buffer host here))
                                buffers)))))

(agentq-define-request agentq/readBuffer (server params)
  "Answer with some lines of a buffer."
  (let* ((name (agentq-get ReadBufferParams params :id))
         (buffer (and name (get-buffer name))))
    (unless (memq buffer (agentq-open-buffers--list))
      (signal 'agentq-connection-refused '("there is no such buffer")))
    (with-current-buffer buffer
      (agentq-make BufferText
        :buffer (agentq-open-buffers--describe buffer (agentq-connection-host server))
        :version (buffer-chars-modified-tick)
        :lines (agentq-open-buffers--lines (agentq-get ReadBufferParams params :start)
                                           (agentq-get ReadBufferParams params :end))))))

(defun agentq-open-buffers-follow (uris)
  "Revert the unmodified buffers of the files that URIS name.
Otherwise the next form would run with the old text.  Return an alist:
`gone', the files that only a buffer has, and `edited', those whose buffers
have unsaved changes."
  (let (gone edited)
    (seq-doseq (uri uris)
      (let ((file (agentq-uri-to-path uri)))
        (when-let* ((buffer (find-buffer-visiting file)))
          (with-current-buffer buffer
            (cond ((not (file-exists-p file)) (push file gone))
                  ((buffer-modified-p) (push file edited))
                  ((not (verify-visited-file-modtime buffer))
                   (revert-buffer t t t)))))))
    (list (cons 'gone (nreverse gone)) (cons 'edited (nreverse edited)))))

(agentq-define-request agentq/reloadBuffers (server params)
  "Revert the buffers without edits that show what the disk does not hold."
  (agentq-open-buffers-follow (agentq-get ReloadBuffersParams params :uris))
  (agentq-sync-flush-all server)
  (agentq-make ReloadBuffersResult :reloaded t))

(provide 'agentq-open-buffers)

;;; agentq-open-buffers.el ends here
