;;; agentq-repl.el --- Evaluate TypeScript in the live image  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The user's own evaluations go to the same Node process that the agent uses.
;; Results are shown in the echo area and kept in a log buffer.

;;; Code:

(require 'agentq-client)
(require 'agentq-describe)
(require 'ansi-color)
(require 'pulse)

(declare-function agentq-inspect "agentq-inspect")
(declare-function agentq-interrupt "agentq-interrupt")

(defvar agentq-eval-timeout)            ; agentq.el

(defvar-keymap agentq-repl-mode-map
  :doc "Keys of `agentq-repl-mode'."
  :parent special-mode-map
  "e" #'agentq-eval
  "RET" #'agentq-repl-go
  "i" #'agentq-inspect
  "C-c C-c" #'agentq-interrupt
  "C-c C-k" #'agentq-interrupt)

(defconst agentq-repl--max-size 1000000
  "Characters that the log may have before its older half is forgotten.")
(defvar-local agentq-repl--written 0
  "Counts what was written for forms: one that is not the latest has company.")
(defvar-local agentq-repl--subject nil
  "Id of the evaluation that the end of the log is of, where that is known.")
(defvar-local agentq-repl--running nil
  "Codes of the evaluations that have not answered, latest first.")

(define-derived-mode agentq-repl-mode special-mode "AgentQ-REPL"
  "Log of evaluations in the live image.
\\{agentq-repl-mode-map}"
  (setq header-line-format '(:eval (agentq-repl--header)))
  (buffer-disable-undo))

;;;###autoload
(defun agentq-repl ()
  "Show the log of evaluations in another window, at its end."
  (interactive)
  (let ((window (display-buffer (agentq-repl-buffer (agentq-ensure-server)))))
    (set-window-point window (with-current-buffer (window-buffer window) (point-max)))))

(defun agentq-eval (code &optional module install)
  "Evaluate the TypeScript CODE in the live image and show its value.
MODULE, the URI of the module in whose scope to evaluate, is by default
the file of the current buffer; with a prefix argument there is none.
With INSTALL the code is declarations that take the place of the
module's own while it runs."
  (interactive (let ((module (unless current-prefix-arg (agentq-repl--module))))
                 (list (agentq-repl-read "Evaluate: " nil module) module)))
  (when (string-blank-p code)
    (user-error "There is nothing to evaluate"))
  (let* ((server (agentq-ensure-server))
         (log (agentq-repl-buffer server))
         (form (list code))
         (begun (progn (agentq-repl--prompt server code)
                       (buffer-local-value 'agentq-repl--written log))))
    (with-current-buffer log
      (push form agentq-repl--running))
    (agentq-request server :agentq/evaluate
                    (append (list :code code) (and module (list :module module))
                            (and install (list :install t))
                            (list :timeoutMs (round (* 1000 agentq-eval-timeout))))
                    :timeout nil
                    :then (lambda (result)
                            (agentq-repl--over log form)
                            (agentq-repl--show server result code begun))
                    :else (lambda (text &optional _code)
                            (agentq-repl--over log form)
                            (agentq-repl-note server text)
                            (message "Agent-Q: %s" text)))))

(defun agentq-repl--prompt (server code)
  "Write CODE into the log of SERVER as what is evaluated now."
  (agentq-repl--insert server (propertize (concat "> " (string-replace "\n" "\n  " (string-trim code))
                                                  "\n")
                                          'face 'font-lock-keyword-face))
  (with-current-buffer (agentq-repl-buffer server)
    (setq agentq-repl--subject nil)
    (cl-incf agentq-repl--written)))

(defun agentq-repl--over (log form)
  "Forget FORM, which has its answer, in the buffer LOG."
  (when (buffer-live-p log)
    (with-current-buffer log
      (setq agentq-repl--running (delq form agentq-repl--running))))
  (force-mode-line-update t))

(defun agentq-eval-region (beg end &optional module)
  "Evaluate the region from BEG to END in the live image.
MODULE as in `agentq-eval'."
  (interactive (list (region-beginning) (region-end)
                     (unless current-prefix-arg (agentq-repl--module))))
  (pulse-momentary-highlight-region beg end)
  (agentq-eval (buffer-substring-no-properties beg end) module))

(defun agentq-eval-form ()
  "Evaluate the top-level form at point in the scope of the file's module.
A definition takes the place of the one that runs: importers see it."
  (interactive)
  (let ((server (agentq-ensure-server))
        (module (or (agentq-repl--module)
                    (user-error "This buffer visits no module")))
        (buffer (current-buffer)))
    (agentq-request
     server :agentq/formAt
     (list :uri module :position (save-restriction (widen) (agentq-repl--lsp-position)))
     :then (lambda (result)
             (with-current-buffer buffer
               (if-let* ((range (plist-get result :range)))
                   (save-restriction
                     (widen)
                     (pcase-let ((`(,beg . ,end) (agentq-repl--region range)))
                       (pulse-momentary-highlight-region beg end)
                       (agentq-eval (buffer-substring-no-properties beg end) module
                                    (eq t (plist-get result :declares)))))
                 (message "Agent-Q: the file does not parse, or has nothing to evaluate")))))))

(defun agentq-repl--lsp-position ()
  "Return the LSP position of point, in UTF-16 units."
  (list :line (1- (line-number-at-pos nil t))
        :character (eglot-utf-16-linepos)))

(defun agentq-repl--region (range)
  "Return (BEG . END) of the LSP RANGE in the current buffer."
  (let ((at (lambda (position)
              (save-excursion
                (goto-char (point-min))
                (forward-line (plist-get position :line))
                (eglot-move-to-utf-16-linepos (plist-get position :character))
                (point)))))
    (cons (funcall at (plist-get range :start)) (funcall at (plist-get range :end)))))

(defvar agentq-repl-history nil
  "Code that was read for the live image.")

(defvar agentq-repl--completion-module nil
  "URI of the module in whose scope the code of the minibuffer will run.")

(defvar-keymap agentq-repl-read-map
  :doc "Keys while code for the live image is read."
  :parent minibuffer-local-map
  "TAB" #'completion-at-point)

(defun agentq-repl-read (prompt &optional default module)
  "Read code with PROMPT; TAB completes it from the live image.
DEFAULT is taken for an empty answer.  MODULE is the URI of the module in
whose scope the code will run."
  (let ((server (agentq-ensure-server))
        (agentq-repl--completion-module module))
    (minibuffer-with-setup-hook
        (lambda ()
          (add-hook 'completion-at-point-functions
                    (lambda () (agentq-repl-complete server)) nil t))
      (let ((code (read-from-minibuffer
                   (if default
                       (format-prompt (string-trim-right prompt "[: ]+") default)
                     prompt)
                   nil agentq-repl-read-map nil 'agentq-repl-history default)))
        (if (string-empty-p code) (or default code) code)))))

(defun agentq-repl-complete (server)
  "Complete the code before point in the minibuffer from the image of SERVER.
Nothing of the user's runs for it."
  (let* ((start (minibuffer-prompt-end))
         (code (buffer-substring-no-properties start (point-max)))
         (answer (jsonrpc-request
                  server :agentq/completeInRepl
                  (append (list :code code :position (agentq-repl--position start))
                          (and agentq-repl--completion-module
                               (list :module agentq-repl--completion-module)))
                  :timeout 2 :cancel-on-input t :cancel-on-input-retval nil))
         (from (plist-get (plist-get answer :replace) :start)))
    (when (and answer (not (seq-empty-p (plist-get answer :items))))
      (list (save-excursion
              (goto-char start)
              ;; The prompt stands on the first line.
              (unless (zerop (plist-get from :line))
                (forward-line (plist-get from :line)))
              (+ (point) (plist-get from :character)))
            (point)
            (mapcar (lambda (item) (plist-get item :label))
                    ;; What needs brackets takes the place of the dot too.
                    (seq-remove (lambda (item) (plist-get item :insertText))
                                (plist-get answer :items)))
            :exclusive 'no))))

(defun agentq-repl--position (start)
  "Return the LSP position of point in the text that begins at START."
  (let ((line (1- (count-lines start (point)))))
    (list :line (if (bolp) (1+ line) (max 0 line))
          :character (length (buffer-substring-no-properties
                              (max start (line-beginning-position)) (point))))))

(defun agentq-repl--module ()
  "Return the URI of the current buffer's file if that is a module."
  (and buffer-file-name
       (string-match-p "\\.[cm]?[jt]sx?\\'" buffer-file-name)
       (eglot-path-to-uri buffer-file-name)))

(defun agentq-repl-buffer (server)
  "Return the evaluation log of SERVER, made if needed."
  (let ((buffer (get-buffer-create
                 (format "*agentq-repl: %s*" (eglot-project-nickname server)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agentq-repl-mode)
        (agentq-repl-mode))
      (setq agentq--root (agentq-server-root server)
            default-directory agentq--root))
    buffer))

(defun agentq-repl--insert (server text)
  "Add TEXT to the log of SERVER.
Its windows follow, but for the selected one when point is not at the end."
  (with-current-buffer (agentq-repl-buffer server)
    (let ((inhibit-read-only t)
          (end (point-max)))
      (save-excursion
        (goto-char end)
        (insert text)
        ;; A flood must not make Emacs slow for the rest of the day.
        (when (> (buffer-size) agentq-repl--max-size)
          (goto-char (- (point-max) (/ agentq-repl--max-size 2)))
          (delete-region (point-min) (pos-bol))))
      (dolist (window (get-buffer-window-list nil nil t))
        (when (or (not (eq window (selected-window))) (= (window-point window) end))
          (set-window-point window (point-max)))))))

(defun agentq-repl-note (server text &optional id)
  "Write the lines of TEXT, which is no output, into the log of SERVER.
ID is that of the evaluation it is about."
  (agentq-repl--end-line server)
  (agentq-repl--insert server (concat text "\n"))
  (with-current-buffer (agentq-repl-buffer server)
    (setq agentq-repl--subject id)
    (cl-incf agentq-repl--written)))

(defun agentq-repl--end-line (server)
  "End an output line of SERVER that came without a newline."
  (with-current-buffer (agentq-repl-buffer server)
    (unless (or (= (point-max) (point-min)) (eq (char-before (point-max)) ?\n))
      (agentq-repl--insert server "\n"))))

(defun agentq-repl--show (server result code begun)
  "Show the EvalResult RESULT of SERVER for CODE.
What was written since BEGUN is told apart by the form's name."
  (let ((shown (let ((default-directory (agentq-server-root server)))
                 (agentq-describe result)))
        (id (plist-get result :evalId))
        (alone (with-current-buffer (agentq-repl-buffer server)
                 (or (= begun agentq-repl--written)
                     (equal (plist-get result :evalId) agentq-repl--subject)))))
    (agentq-repl--end-line server)
    (agentq-repl--insert
     server
     (concat (unless alone
               (propertize (format "form %s > %s\n" id (agentq-describe-short code))
                           'face 'agentq-note))
             shown "\n"))
    (with-current-buffer (agentq-repl-buffer server)
      ;; A colour that the form did not take back ends with it.
      (setq agentq-repl--subject id
            ansi-color-context nil)
      (cl-incf agentq-repl--written))
    ;; A question that is being answered, or code that is being typed, stays in sight.
    (unless (active-minibuffer-window)
      (message "%s" (truncate-string-to-width shown 2000 nil nil "...")))))

(defun agentq-repl--output (server params)
  "Show the agentq/replOutput PARAMS of SERVER in its colours."
  (let ((id (plist-get params :evalId))
        (late (eq t (plist-get params :late)))
        (text (plist-get params :text)))
    (with-current-buffer (agentq-repl-buffer server)
      ;; What comes when its form is over, or beside others, says which one it is of.
      (when (and id (not (equal id agentq-repl--subject))
                 (or late (not (length= agentq-repl--running 1))))
        (agentq-repl--end-line server)
        (agentq-repl--insert server (propertize (format "form %s%s:\n" id (if late ", later" ""))
                                                'face 'agentq-note))
        (setq agentq-repl--subject id))
      (let ((shown (ansi-color-apply (string-replace "\r\n" "\n" text))))
        (when (equal (plist-get params :stream) "stderr")
          (add-face-text-property 0 (length shown) 'warning t shown))
        (agentq-repl--insert server shown))
      (agentq-repl--begin-lines-again))))

(defun agentq-repl--begin-lines-again ()
  "Take away what a carriage return on the last line overwrites."
  (let ((inhibit-read-only t))
    (save-excursion
      (goto-char (point-max))
      (while (search-backward "\r" (pos-bol) t)
        (if (eq (1+ (point)) (point-max))
            (goto-char (pos-bol))
          (delete-region (pos-bol) (1+ (point))))))))

(defun agentq-repl-go ()
  "Go to the place at point that a stack frame names, else evaluate."
  (interactive nil agentq-repl-mode)
  (pcase (get-text-property (point) 'agentq-place)
    (`(,file ,line ,column)
     (find-file-other-window file)
     (goto-char (point-min))
     (forward-line (1- line))
     (eglot-move-to-utf-16-linepos column))
    (_ (call-interactively #'agentq-eval))))

;;; The state of the image

(defun agentq-repl--header ()
  "Return the line above the log: the state of the image and its confinement."
  (let* ((server (agentq-current-server))
         (state (and server (agentq-server-repl server)))
         (running (length agentq-repl--running)))
    (string-replace
     "%" "%%"
     (string-join
      (delq nil
            (list (concat " image " (agentq-repl--state-word state))
                  (plist-get state :confinement)
                  (pcase (plist-get state :consent)
                    ("asked" "waits for M-x agentq-approve")
                    ("refused" "not allowed to run open; M-x agentq-restart-repl asks again"))
                  (when-let* ((reason (plist-get state :reason)))
                    (car (split-string reason "\n")))
                  (pcase running
                    (0 nil)
                    (1 "evaluating")
                    (_ (format "evaluating %d forms" running)))))
      " · "))))

(defun agentq-repl--state-word (state)
  "Return the word for the ReplStatus STATE, which may be nil."
  (pcase (plist-get state :state)
    ((or 'nil "notStarted") "not started")
    (word word)))

(defun agentq-repl-short (server)
  "Return what of the image of SERVER is worth a word in the mode line, or nil."
  (let* ((state (agentq-server-repl server))
         (word (plist-get state :state))
         (open (and (equal (plist-get state :confinement) "open") (plist-get state :pid))))
    (cond ((member word '(nil "notStarted")) nil)
          ((equal word "idle") (and open "open"))
          (open (concat word ", open"))
          (t word))))

(defun agentq-repl--note-state (server state)
  "Remember the ReplStatus STATE of SERVER, and say when its process died."
  (let ((before (plist-get (agentq-server-repl server) :state)))
    (setf (agentq-server-repl server) state)
    ;; One that dies while a form of ours runs is told with the outcome of that form.
    (when (and (equal (plist-get state :state) "dead")
               before (not (equal before "dead"))
               (null (buffer-local-value 'agentq-repl--running (agentq-repl-buffer server))))
      (let ((reason (or (plist-get state :reason) "The image's process is gone.")))
        (agentq-repl-note server (concat (propertize reason 'face 'error) "\n"
                                         (propertize agentq-replay-hint 'face 'agentq-note)))
        (message "Agent-Q: %s" reason)))
    (force-mode-line-update t)))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/replState)) &rest state)
  "Remember the STATE of the image of SERVER."
  (agentq--quietly #'agentq-repl--note-state server state))

(cl-defmethod eglot-handle-notification
  ((server agentq-server) (_method (eql agentq/statusChanged)) &rest status)
  "Remember the state of the image of SERVER, a part of STATUS."
  (agentq--quietly #'agentq-repl--note-state server (plist-get status :repl)))

(defun agentq-repl--question (server approval)
  "Show in the log of SERVER an APPROVAL that evaluations wait for."
  (when-let* ((question (plist-get approval :question)))
    (agentq-repl-note server (concat question "\n  " (plist-get approval :why)
                                        "\n  M-x agentq-approve answers."))))

(add-hook 'agentq-repl-functions #'agentq-repl--output)
(add-hook 'agentq-approval-functions #'agentq-repl--question)

(provide 'agentq-repl)

;;; agentq-repl.el ends here
