;;; agentq-context.el --- What goes along with a prompt  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt takes the region of a file along, or the place of point in the file;
;; never the whole file.  From another buffer, such as the transcript, the model
;; hears which file of the project the person looks at.

;;; Code:

(require 'agentq-client)

(defvar agentq-prompt-place)            ; agentq.el

(defun agentq-context ()
  "Return the ContextRefs for a prompt from the current buffer."
  (when-let* ((file buffer-file-name)
              (uri (agentq-path-to-uri file)))
    (cond
     ((use-region-p)
      (let ((beg (region-beginning))
            (end (region-end)))
        (list (agentq-make ContextRef
                :kind "selection"
                :uri uri
                :range (agentq-context--range beg end)
                :label (format "%s, selected" (agentq-context--lines file beg end))
                :text (buffer-substring-no-properties beg end)))))
     ;; The line itself is read by the server, which keeps secrets to itself.
     (agentq-prompt-place
      (list (agentq-make ContextRef
              :kind "file"
              :uri uri
              :range (agentq-context--range (point) (point))
              :label (format "%s, where point is"
                             (agentq-context--lines file (point) (point)))))))))

(defun agentq-context-active (root)
  "Return the place where the person is in the project at ROOT, a true name.
That is a PromptParamsActive: the file that was selected last among those
on the screen, with its region or point.  It is nil if there is none, and
if `agentq-prompt-place' is."
  (when-let* ((agentq-prompt-place)
              (buffer (seq-find (lambda (buffer) (agentq-context--shown-p buffer root))
                                (cons (current-buffer) (buffer-list (selected-frame))))))
    (with-current-buffer buffer
      (save-excursion
        (when-let* ((window (get-buffer-window buffer t)))
          (goto-char (window-point window)))
        (agentq-make PromptParamsActive
          :uri (agentq-path-to-uri buffer-file-name)
          :range (if (use-region-p)
                     (agentq-context--range (region-beginning) (region-end))
                   (agentq-context--range (point) (point))))))))

(defun agentq-context--shown-p (buffer root)
  "Return non-nil if BUFFER is on the screen and visits a file below ROOT.
The current buffer needs no window."
  (and-let* ((file (buffer-local-value 'buffer-file-truename buffer)))
    (and (or (eq buffer (current-buffer)) (get-buffer-window buffer))
         (string-prefix-p root (expand-file-name file)))))

(defun agentq-context--lines (file beg end)
  "Return the name of FILE in its project with the lines from BEG to END."
  (let ((name (file-relative-name (file-truename file)
                                  (agentq--true-root (agentq--project))))
        (first (line-number-at-pos beg t))
        ;; A region that ends at the beginning of a line does not touch that line.
        (last (line-number-at-pos (if (< beg end) (1- end) end) t)))
    (if (= first last)
        (format "%s:%d" name first)
      (format "%s:%d-%d" name first last))))

(defun agentq-context-labels (context)
  "Return what CONTEXT, a list of ContextRefs, is called."
  (mapconcat (agentq-getter ContextRef :label) context ", "))

(defun agentq-context--range (beg end)
  "Return the LSP range from BEG to END."
  (agentq-make Range
    :start (agentq-position-of beg)
    :end (agentq-position-of end)))

(provide 'agentq-context)

;;; agentq-context.el ends here
