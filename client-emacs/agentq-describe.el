;;; agentq-describe.el --- The outcome of an evaluation as text  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; An EvalResult of the server as text with faces.  Nothing here touches a buffer.

;;; Code:

(require 'subr-x)
(require 'agentq-client)
(require 'agentq-wire)

(defface agentq-value '((t :inherit font-lock-string-face))
  "A value of the REPL."
  :group 'agentq)

(defface agentq-note '((t :inherit shadow))
  "What is said beside an outcome of the REPL."
  :group 'agentq)

(defconst agentq-replay-hint
  "The next evaluation starts a new one; C-u M-x agentq-restart-repl runs again what built its state."
  "What can be done about a process that is gone.")

(defun agentq-describe (result &optional tool process)
  "Return the EvalResult RESULT as text, without the output of the code.
With TOOL the code is a tool's own words, whose value says nothing.
PROCESS is the id of the program in which it ran, nil for the REPL."
  (string-join
   (delq nil
         (append
          (list (unless (and tool (equal (agentq-get EvalResult result :outcome) "value"))
                  (agentq-describe-outcome result))
                (unless (eq t (agentq-get EvalResult result :stateKept))
                  (concat (propertize "Definitions and values are gone with it." 'face 'warning)
                          ;; A program is started anew by the person.
                          (unless process
                            (concat "\n" (propertize agentq-replay-hint 'face 'agentq-note))))))
          (mapcar (lambda (note) (agentq-describe-note note result))
                  (agentq-get EvalResult result :notes))))
   "\n"))

(defun agentq-describe-outcome (result)
  "Return the first part of RESULT: its value or its error."
  (let ((outcome (agentq-get EvalResult result :outcome))
        (failure (agentq-get EvalResult result :error)))
    (cond ((agentq-get EvalResult result :installed)
           (propertize (agentq-get EvalResult result :installed) 'face 'agentq-value))
          ((equal outcome "value") (agentq-describe--value result))
          (failure (concat (agentq-describe--not-loaded result)
                           (agentq-describe-error
                            failure (if (equal outcome "interrupted") 'warning 'error))))
          (t (propertize (format "%s after %d ms" outcome (agentq-get EvalResult result :durationMs))
                         'face 'error)))))

(defun agentq-describe--not-loaded (result)
  "Return as lines which module could not be loaded, of RESULT.
They stand above the error, which would pass for one of the form."
  (mapconcat (lambda (note)
               (if (equal (agentq-get DiagnosticLine note :code) "notLoaded")
                   (propertize (concat (agentq-get DiagnosticLine note :message) "\n") 'face 'error)
                 ""))
             (agentq-get EvalResult result :notes) ""))

(defun agentq-describe--value (result)
  "Return the value of RESULT with its handle and its type."
  (let ((preview (or (agentq-get EvalResult result :preview) "undefined"))
        (type (agentq-get EvalResult result :type))
        (id (agentq-get EvalResult result :valueId)))
    (apply #'propertize
           (concat (if id (concat id " = ") "")
                   preview
                   (if (or (null type) (equal type preview)) "" (concat " : " type)))
           'face 'agentq-value
           ;; In the log the value is at hand wherever point is on it.
           (and id (list 'agentq-handle id 'mouse-face 'highlight
                         'help-echo (format "mouse-2, RET: look into %s" id))))))

(defun agentq-describe-note (note result)
  "Return the NOTE of RESULT, or nil for what is told elsewhere."
  (let ((message (concat (agentq-describe--note-place note)
                         (string-replace "\n" " " (agentq-get DiagnosticLine note :message))))
        (severity (agentq-get DiagnosticLine note :severity)))
    ;; What changed was told by an agentq/evaluationChanges.
    (unless (or (equal (agentq-get DiagnosticLine note :code) "notLoaded")
                (equal (agentq-get DiagnosticLine note :message) (agentq-get EvalResult result :error :message))
                (and (not (seq-empty-p (agentq-get EvalResult result :changes)))
                     (equal (agentq-get DiagnosticLine note :code) "filesChanged")))
      (pcase severity
        ("error" (propertize (concat "error: " message) 'face 'error))
        ("warning" (propertize (concat "warning: " message) 'face 'warning))
        (_ (propertize
            (if (equal (agentq-get DiagnosticLine note :code) "leftOpen")
                (format "%s (C-u M-x agentq-interrupt)" message)
              message)
            'face 'agentq-note))))))

(defun agentq-describe--note-place (note)
  "Return where in its form NOTE is, or \"\" for the beginning and for elsewhere."
  (let* ((start (agentq-get DiagnosticLine note :range :start))
         (line (or (agentq-get Position start :line) 0))
         (column (or (agentq-get Position start :character) 0)))
    (if (and (string-prefix-p "repl:" (or (agentq-get DiagnosticLine note :uri) ""))
             (not (and (zerop line) (zerop column))))
        (format "%d:%d " (1+ line) (1+ column))
      "")))

(defun agentq-describe-error (info &optional face)
  "Return the ErrorInfo INFO as text with its frames, its first line in FACE."
  (concat (propertize (concat (agentq-get ErrorInfo info :name) ": " (agentq-get ErrorInfo info :message))
                      'face (or face 'error))
          (if-let* ((details (agentq-get ErrorInfo info :details)))
              (concat "\n  " (string-replace "\n" "\n  " details))
            "")
          (mapconcat #'agentq-describe--frame (agentq-get ErrorInfo info :frames) "")
          (if-let* ((cause (agentq-get ErrorInfo info :cause)))
              (concat "\ncaused by " (agentq-describe-error cause face))
            "")
          (mapconcat (lambda (part) (concat "\npart " (agentq-describe-error part face)))
                     (agentq-get ErrorInfo info :errors) "")
          (if-let* ((more (agentq-get ErrorInfo info :moreErrors)))
              (format "\n... %d more" more)
            "")))

(defun agentq-describe--frame (frame)
  "Return the FRAME of an error as a line, with its code on a line below.
A frame in a file is a button that goes there."
  (let* ((uri (agentq-get ErrorFrame frame :uri))
         (line (1+ (agentq-get ErrorFrame frame :line)))
         (column (agentq-get ErrorFrame frame :character))
         (name (agentq-get ErrorFrame frame :function))
         (place (format "%s:%d:%d" (agentq-describe-place uri) line (1+ column)))
         (code (agentq-get ErrorFrame frame :code)))
    (concat "\n  at "
            (if (member name '(nil "")) "" (concat name " "))
            (if (string-prefix-p "file:" uri)
                (propertize place 'face 'link 'agentq-place
                            (list uri (1- line) column))
              place)
            (if (member code '(nil "")) ""
              (concat "\n     " (string-trim code))))))

(defun agentq-describe-place (uri)
  "Return URI for a reader: a file relative to the project, or as it is."
  (if (string-prefix-p "file:" uri)
      (file-relative-name (agentq-uri-to-path uri))
    uri))

(defun agentq-describe-short (code &optional width)
  "Return CODE on one line of at most WIDTH columns, by default 60."
  (truncate-string-to-width (replace-regexp-in-string "[ \t]*\n[ \t]*" " " (string-trim code))
                            (or width 60) nil nil t))

(provide 'agentq-describe)

;;; agentq-describe.el ends here
