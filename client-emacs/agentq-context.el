;;; agentq-context.el --- What goes along with a prompt  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A prompt takes the region of a file along, or the place of point in the file;
;; never the whole file.  The model also hears which file of the project the person
;; looks at, from the transcript too, which lines are on the screen, and what the
;; editor shows there as wrong.

;;; Code:

(require 'agentq-client)
(require 'agentq-diagnostics)

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

(defconst agentq-context--most-diagnostics 20
  "So many errors and warnings of a file go along at most.")

(defun agentq-context-active (root)
  "Return the place where the person is in the project at ROOT, a true name.
That is a PromptParamsActive: the file that was selected last among those
on the screen, with its region or point, the lines on the screen, and its
errors and warnings.  It is nil if there is none, and if
`agentq-prompt-place' is."
  (when-let* ((agentq-prompt-place)
              (buffer (seq-find (lambda (buffer) (agentq-context--shown-p buffer root))
                                (cons (current-buffer) (buffer-list (selected-frame))))))
    (with-current-buffer buffer
      (save-excursion
        (let ((window (get-buffer-window buffer t)))
          (when window
            (goto-char (window-point window)))
          (agentq-make PromptParamsActive
            :uri (agentq-path-to-uri buffer-file-name)
            :range (if (use-region-p)
                       (agentq-context--range (region-beginning) (region-end))
                     (agentq-context--range (point) (point)))
            :visible (and window (agentq-context--visible window))
            :diagnostics (agentq-context--diagnostics)))))))

(defun agentq-context--visible (window)
  "Return the range of the whole lines of its buffer that are seen in WINDOW."
  (save-excursion
    (let ((beg (progn (goto-char (window-start window)) (pos-bol)))
          (end (goto-char (window-end window t))))
      (unless (bolp)
        (forward-line)
        (setq end (point)))
      (agentq-context--range beg end))))

(defun agentq-context--diagnostics ()
  "Return the errors and warnings of the current buffer for the model, or nil.
The errors come first, and of those what is nearest to point."
  (save-restriction
    (widen)
    (let ((line (plist-get (agentq-position-of (point)) :line)))
      (cl-flet ((order (diagnostic)
                  (list (plist-get diagnostic :severity)
                        (abs (- line (plist-get (plist-get (plist-get diagnostic :range) :start)
                                                :line))))))
        (when-let* ((found (seq-filter (lambda (diagnostic) (<= (plist-get diagnostic :severity) 2))
                                       (agentq-diagnostics-in (point-min) (point-max)))))
          (vconcat
           (mapcar (lambda (diagnostic)
                     (agentq-make PromptParamsActiveDiagnostics
                       :range (plist-get diagnostic :range)
                       :severity (plist-get diagnostic :severity)
                       :message (plist-get diagnostic :message)
                       :source (plist-get diagnostic :source)))
                   (seq-take (sort found :key #'order)
                             agentq-context--most-diagnostics))))))))

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
    (format (if (< first last) "%s:%d-%d" "%s:%d") name first last)))

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
