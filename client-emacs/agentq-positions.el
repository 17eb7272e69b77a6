;;; agentq-positions.el --- Names and positions of LSP  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; URIs of files, and positions in buffers.  A column counts UTF-16 units: a
;; character beyond U+FFFF has two.  The buffer may be managed by another server
;; that counts in another way, so nothing of that server's is used here.

;;; Code:

(require 'url-parse)
(require 'url-util)
(require 'agentq-wire)

;; Spelled as Eglot spells them: where it manages a buffer, it has opened the
;; document under this URI.
(defconst agentq-positions--allowed
  (let ((allowed (copy-sequence url-path-allowed-chars)))
    (aset allowed ?: nil)
    allowed)
  "Which characters stand in the path of a URI as they are.")

(defun agentq-path-to-uri (path)
  "Return the URI of the file PATH, under its true name.
That of a file on another machine has the host in it (agentq-remote.el)."
  (concat (if (and (eq system-type 'windows-nt) (not (file-remote-p path))) "file:///" "file://")
          (agentq-positions-encode (directory-file-name (agentq-positions--true-name path)))))

(defun agentq-positions-encode (path)
  "Return PATH as it is written in a URI."
  (url-hexify-string path agentq-positions--allowed))

(defun agentq-positions--true-name (path)
  "Return the true name of PATH.
A file on another machine that is visited has it already; to ask that
machine takes long, and it may be out of reach."
  (if-let* (((file-remote-p path))
            (buffer (get-file-buffer path))
            (name (buffer-local-value 'buffer-file-truename buffer)))
      (expand-file-name name)
    (file-truename path)))

(defun agentq-buffer-visiting (path)
  "Return the buffer that visits the file PATH, a true name, or nil.
Another machine is not asked: a file there is known by its true name alone.
Who is about to change the file looks with `find-buffer-visiting'."
  (if (not (file-remote-p path))
      (find-buffer-visiting path)
    (or (get-file-buffer path)
        (seq-find (lambda (buffer)
                    (when-let* ((name (buffer-local-value 'buffer-file-truename buffer)))
                      (equal (expand-file-name name) path)))
                  (buffer-list)))))

(defun agentq-uri-to-path (uri)
  "Return the file name of URI; what is no URI of a file is returned as it is."
  (if (not (string-prefix-p "file://" uri))
      uri
    (let* ((encoded (encode-coding-string (url-filename (url-generic-parse-url uri)) 'utf-8))
           (path (decode-coding-string (url-unhex-string encoded t) 'utf-8)))
      ;; Before the letter of a drive stands a slash.
      (if (and (eq system-type 'windows-nt) (not (file-remote-p path))) (substring path 1) path))))

(defconst agentq-positions--wide "[\U00010000-\U0010FFFF]"
  "What has two UTF-16 units.")

(defun agentq-column ()
  "Return the column of point in UTF-16 units."
  (let ((end (point)))
    (save-excursion
      (goto-char (pos-bol))
      (+ (- end (point))
         (cl-loop while (re-search-forward agentq-positions--wide end t) count t)))))

(defun agentq-move-to-column (column)
  "Go to COLUMN, in UTF-16 units, of the current line.
A column beyond the end is the end; one within a character is before it."
  (let ((goal (+ (pos-bol) column))
        (eol (pos-eol)))
    (goto-char (pos-bol))
    (while (and (< (point) (min goal eol))
                (re-search-forward agentq-positions--wide (min goal eol) t))
      (cl-decf goal))
    (goto-char (min goal eol))))

(defun agentq-point-of (position)
  "Return where the LSP POSITION is in the accessible part of the buffer.
One behind the last line is the end of the buffer."
  (save-excursion
    (goto-char (point-min))
    (forward-line (min most-positive-fixnum (agentq-get Position position :line)))
    (unless (eobp)
      (agentq-move-to-column (agentq-get Position position :character)))
    (point)))

(defun agentq-position-of (point)
  "Return the LSP position of POINT in the whole buffer."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char point)
      (agentq-make Position
        :line (1- (line-number-at-pos nil t))
        :character (agentq-column)))))

(defun agentq-region-of (range &optional markers)
  "Return (BEG . END) of the LSP RANGE in the accessible part of the buffer.
With MARKERS the two are markers."
  (let ((beg (agentq-point-of (agentq-get Range range :start)))
        (end (agentq-point-of (agentq-get Range range :end))))
    (if markers (cons (copy-marker beg) (copy-marker end)) (cons beg end))))

(provide 'agentq-positions)

;;; agentq-positions.el ends here
