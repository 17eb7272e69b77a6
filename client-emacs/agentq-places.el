;;; agentq-places.el --- Places of files in the log  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A form from a file runs under a name of its own, such as repl:7.  This file
;; remembers the form's place in the file as long as the server lives, so that a
;; frame of a later error leads to that place too.  A position is a list of a URI,
;; a line and a column in UTF-16 units, from 0.

;;; Code:

(require 'agentq-client)
(require 'agentq-process)
(require 'button)

(agentq-define-state agentq-server-origins
  "Return the alist from keys of forms to where in a file SERVER got them from.
A key is as `agentq-process-key' returns it.")

(defconst agentq-places--pattern
  (rx (or (seq (or "repl:" "form ") (group-n 1 (+ digit)))
          (group-n 2 (* (not (any " \t\n():\"'`<>"))) "." (+ alnum)))
      ":" (group-n 3 (+ digit)) (opt ":" (group-n 4 (+ digit))))
  "What names a place in words: a form or a file, a line and a column, from 1.
The column may be missing.")

(defun agentq-places-origin (beg)
  "Return the position of BEG in the current file, or nil without a file."
  (when buffer-file-name
    (save-excursion
      (save-restriction
        (widen)
        (goto-char beg)
        (list (agentq-path-to-uri buffer-file-name)
              (1- (line-number-at-pos nil t)) (agentq-column))))))

(defun agentq-places-remember (server key origin)
  "Remember that the form KEY of SERVER was taken from ORIGIN."
  (push (cons key origin) (agentq-server-origins server)))

(defun agentq-places-find (server uri line column &optional process)
  "Return the position of LINE and COLUMN of URI.
Of a form that SERVER got from a file it is in that file.  The form is one
of PROCESS, the id of a program, nil for the REPL."
  (pcase (and server (string-prefix-p "repl:" uri)
              (assoc (agentq-process-key process (string-remove-prefix "repl:" uri))
                     (agentq-server-origins server)))
    (`(,_ ,file ,down ,right)
     (list file (+ down line) (if (zerop line) (+ right column) column)))
    (_ (list uri line column))))

(defun agentq-places-put (server info &optional process)
  "Make places of files of the frames of the ErrorInfo INFO of SERVER.
PROCESS is as in `agentq-places-find'."
  (seq-doseq (frame (agentq-get ErrorInfo info :frames))
    (pcase-let ((`(,uri ,line ,column)
                 (agentq-places-find server (agentq-get ErrorFrame frame :uri) (agentq-get ErrorFrame frame :line)
                                     (agentq-get ErrorFrame frame :character) process)))
      (setf (agentq-get ErrorFrame frame :uri) uri
            (agentq-get ErrorFrame frame :line) line
            (agentq-get ErrorFrame frame :character) column)))
  (when-let* ((cause (agentq-get ErrorInfo info :cause)))
    (agentq-places-put server cause process))
  (seq-doseq (part (agentq-get ErrorInfo info :errors))
    (agentq-places-put server part process)))

;;; Going there

(defun agentq-places-on-line (server)
  "Return the position in a file that the current line names, or nil.
Of several the one at point is meant, else the first.  SERVER knows the
forms; it may be nil."
  (or (get-text-property (point) 'agentq-place)
      (when-let* ((link (text-property-not-all (pos-bol) (pos-eol) 'agentq-place nil)))
        (get-text-property link 'agentq-place))
      (let ((places (agentq-places--named server)))
        (nth 2 (or (seq-find (pcase-lambda (`(,beg ,end ,_)) (<= beg (point) end)) places)
                   (car places))))))

(defun agentq-places--named (server)
  "Return lists (BEG END POSITION) of what the words of the current line name.
SERVER as in `agentq-places-on-line'."
  (save-excursion
    (goto-char (pos-bol))
    (cl-loop while (re-search-forward agentq-places--pattern (pos-eol) t)
             for beg = (match-beginning 0)
             for end = (match-end 0)
             for position = (agentq-places--named-by server (match-string 1) (match-string 2)
                                                     (1- (string-to-number (match-string 3)))
                                                     (1- (string-to-number (or (match-string 4) "1"))))
             when position collect (list beg end position))))

(defun agentq-places--named-by (server id file line column)
  "Return the position of LINE and COLUMN of SERVER's form ID, else of FILE.
Return nil where no file is meant.  The form is one of the program that
the text at point is of."
  (if id
      (let ((position (agentq-places-find server (concat "repl:" id) line column
                                          (agentq-process-at (pos-bol)))))
        (and (string-prefix-p "file:" (car position)) position))
    (let ((path (expand-file-name
                 (if (file-name-absolute-p file)
                     (concat (and agentq--root (file-remote-p agentq--root)) file)
                   file)
                 agentq--root)))
      (and (or (file-exists-p path) (find-buffer-visiting path))
           (list (agentq-path-to-uri path) line column)))))

(defconst agentq-places--max-buttons 300
  "Of a text so many places become buttons: for each the disk is asked.")

(defun agentq-places-make-buttons (beg end)
  "Make buttons of the places that the text from BEG to END names."
  (let ((count 0))
    (save-excursion
      (goto-char beg)
      (while (and (< (point) end)
                  (< count agentq-places--max-buttons)
                  ;; A long line without such a number is looked at once, and not from each of its words on.
                  (re-search-forward ":[0-9]" end t))
        (goto-char (pos-bol))
        (pcase-dolist (`(,from ,to ,position) (agentq-places--named (agentq-current-server)))
          (cl-incf count)
          ;; A face of the text itself would hide that of the type.
          (make-text-button from to 'type 'agentq-place 'face 'link 'agentq-place position))
        (forward-line)))))

(define-button-type 'agentq-place
  'follow-link t
  'help-echo "Go there"
  'action (lambda (button) (agentq-places-visit (button-get button 'agentq-place))))

(defun agentq-places-visit (position)
  "Show POSITION in another window and go there."
  (pcase-let ((`(,uri ,line ,column) position))
    (find-file-other-window (agentq-uri-to-path uri))
    (push-mark nil t)
    (widen)
    (goto-char (point-min))
    (forward-line line)
    (agentq-move-to-column column)))

(provide 'agentq-places)

;;; agentq-places.el ends here
