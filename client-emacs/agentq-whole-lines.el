;;; agentq-whole-lines.el --- A hunk as whole lines with context  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A hunk on the wire is a range and two texts, which may begin and end inside of
;; lines; a person reads whole lines with some context.  Both come from the document
;; if the hunk's old text still stands there.

;;; Code:

(require 'cl-lib)
(require 'agentq-client)
(require 'agentq-enclosing)
(require 'agentq-positions)
(require 'agentq-store)
(require 'agentq-wire)

(defconst agentq-whole-lines--context 3 "Lines of context around a hunk.")

(defvar agentq-whole-lines--texts nil
  "Hash table from URIs to texts that were read, nil for a missing document.
The variable is nil outside of `agentq-whole-lines-reading-once'.")

(defmacro agentq-whole-lines-reading-once (&rest body)
  "Run BODY, for which each document is read once however many hunks it has.
BODY must change no document."
  (declare (indent 0) (debug t))
  `(let ((agentq-whole-lines--texts (make-hash-table :test #'equal)))
     ,@body))

(defun agentq-whole-lines (hunk &optional context)
  "Return (LINE BEFORE OLD NEW AFTER ROUND WAS) for HUNK.
LINE is the 0-based number of the first old line, or of the place of an
insertion.  BEFORE, OLD, NEW and AFTER are lists of lines; BEFORE and AFTER
have up to CONTEXT, 3 by default.  ROUND is the line that begins what
stands round HUNK, or nil.  Of a hunk in conflict OLD is what stands there
and WAS, a list of lines, what HUNK was proposed for.  Return nil when the
document does not have the old text of HUNK at its place."
  (with-temp-buffer
    (when (agentq-whole-lines--insert-document (agentq-get Hunk hunk :uri))
      (pcase-let* ((`(,beg . ,end) (agentq-region-of (agentq-get Hunk hunk :range)))
                   (context (or context agentq-whole-lines--context))
                   (old (string-replace "\r\n" "\n" (agentq-whole-lines--standing hunk)))
                   (was (string-replace "\r\n" "\n" (agentq-get Hunk hunk :oldText)))
                   (new (string-replace "\r\n" "\n" (agentq-get Hunk hunk :newText))))
        (when (and (<= beg end) (equal old (buffer-substring beg end)))
          (let* ((bol (progn (goto-char beg) (pos-bol)))
                 (eol (agentq-whole-lines--end bol end new))
                 (head (buffer-substring bol beg))
                 (tail (buffer-substring end eol)))
            (let ((old (agentq-whole-lines-split (concat head old tail)))
                  (new (agentq-whole-lines-split (concat head new tail))))
              (list (1- (line-number-at-pos bol))
                    (agentq-whole-lines--beside bol (- context))
                    old
                    new
                    (agentq-whole-lines--beside eol context)
                    (agentq-enclosing bol (append old new))
                    (and (agentq-hunk-conflict-p hunk)
                         (agentq-whole-lines-split (concat head was tail)))))))))))

(defun agentq-whole-lines-around (hunk)
  "Return (BEFORE . AFTER), what stands round the range of HUNK in its document.
Return nil when the document does not have the old text of HUNK."
  (with-temp-buffer
    (when (agentq-whole-lines--insert-document (agentq-get Hunk hunk :uri))
      (pcase-let ((`(,beg . ,end) (agentq-region-of (agentq-get Hunk hunk :range)))
                  (old (string-replace "\r\n" "\n" (agentq-whole-lines--standing hunk))))
        (when (and (<= beg end) (equal old (buffer-substring beg end)))
          (cons (buffer-substring (point-min) beg)
                (buffer-substring end (point-max))))))))

(defun agentq-whole-lines-alone (hunk)
  "Return what `agentq-whole-lines' does for HUNK, without its document."
  (list (agentq-get Hunk hunk :range :start :line)
        nil
        (agentq-whole-lines-split (agentq-whole-lines--standing hunk))
        (agentq-whole-lines-split (agentq-get Hunk hunk :newText))
        nil
        nil
        (and (agentq-hunk-conflict-p hunk)
             (agentq-whole-lines-split (agentq-get Hunk hunk :oldText)))))

(defun agentq-whole-lines-split (text)
  "Return the lines of TEXT; a newline at its end begins no further line."
  (unless (string-empty-p text)
    (split-string (string-remove-suffix "\n" text) "\r?\n")))

(defun agentq-whole-lines--standing (hunk)
  "Return the text at the place of HUNK as the server knows it."
  (if (agentq-hunk-conflict-p hunk)
      (or (agentq-get Hunk hunk :currentText) "")
    (agentq-get Hunk hunk :oldText)))

(defun agentq-whole-lines-stamp (uri)
  "Return a value that is another one once the text of URI has changed.
Another machine is not asked for it: its server tells of such changes."
  (let* ((path (agentq-uri-to-path uri))
         (visiting (agentq-buffer-visiting path)))
    (cond (visiting (cons visiting (buffer-chars-modified-tick visiting)))
          ((file-remote-p path) 'remote)
          (t (file-attribute-modification-time (file-attributes path))))))

(defun agentq-whole-lines--insert-document (uri)
  "Insert the present text of URI; return nil if there is none."
  (when-let* ((text (agentq-whole-lines--text uri)))
    (insert text)
    t))

(defun agentq-whole-lines--text (uri)
  "Return the present text of URI, or nil if there is none."
  (if (not agentq-whole-lines--texts)
      (agentq-whole-lines--read uri)
    (let ((known (gethash uri agentq-whole-lines--texts 'unread)))
      (if (eq known 'unread)
          (puthash uri (agentq-whole-lines--read uri) agentq-whole-lines--texts)
        known))))

(defun agentq-whole-lines--read (uri)
  "Return the text of URI from its buffer, else from its file, or nil."
  (let* ((path (agentq-uri-to-path uri))
         (visiting (agentq-buffer-visiting path)))
    (cond (visiting
           (with-current-buffer visiting
             (save-restriction
               (widen)
               (buffer-substring-no-properties (point-min) (point-max)))))
          ((file-readable-p path)
           (with-temp-buffer
             (insert-file-contents path)
             (buffer-string))))))

(defun agentq-whole-lines--end (bol end new)
  "Return the end of the whole lines from BOL to END, replaced by NEW.
A change that ends between two lines takes the second one along only if
NEW does not end its own last line."
  (goto-char end)
  (if (and (bolp) (or (< bol end) (string-suffix-p "\n" new)))
      end
    (min (point-max) (1+ (pos-eol)))))

(defun agentq-whole-lines--beside (position count)
  "Return up to COUNT lines after POSITION, before it if COUNT is negative."
  (goto-char position)
  (agentq-whole-lines-split
   (buffer-substring position (progn (forward-line count) (point)))))

(provide 'agentq-whole-lines)

;;; agentq-whole-lines.el ends here
