;;; agentq-inspect.el --- Look into values of the REPL  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A value is read page by page; RET opens a member, `]' and `[' turn pages.
;; Looking runs nothing: a getter is called only by its own key, as an
;; evaluation.

;;; Code:

(require 'agentq-client)
(require 'agentq-mouse)
(require 'agentq-places)
(require 'agentq-process)
(require 'agentq-eval)

(defvar-local agentq-inspect--place nil
  "What this buffer shows: a plist of :value, :module, :process, :path and :page.
One that was left has the :line of point.")
(defvar-local agentq-inspect--trail nil
  "The places shown before, latest first.")
(defvar-local agentq-inspect--pages 1
  "Number of pages of the value.")

(defvar-keymap agentq-inspect-mode-map
  :doc "Keys of `agentq-inspect-mode'."
  :parent special-mode-map
  "RET" #'agentq-inspect-open
  "]" #'agentq-inspect-next-page
  "n" #'next-line
  "[" #'agentq-inspect-previous-page
  "p" #'previous-line
  "l" #'agentq-inspect-back
  "-" #'agentq-inspect-back
  "x" #'agentq-inspect-call-getter)

(define-derived-mode agentq-inspect-mode special-mode "AgentQ-Inspect"
  "Look into a value of the REPL.
\\<agentq-inspect-mode-map>
\\[agentq-inspect-open] opens the member at point, \\[agentq-inspect-back] goes back to what held it.
\\[agentq-inspect-next-page] and \\[agentq-inspect-previous-page] turn pages.
\\[agentq-inspect-call-getter] calls the getter at point, which nothing else does.

\\{agentq-inspect-mode-map}"
  (setq header-line-format '(:eval (agentq-mouse-keys (agentq-inspect--header)))
        truncate-lines t)
  (setq-local revert-buffer-function #'agentq-inspect--revert)
  (buffer-disable-undo))

(defun agentq-inspect--header ()
  "Return the header line: the keys that do something here."
  (substitute-command-keys
   (concat "\\<agentq-inspect-mode-map> \\[agentq-inspect-open] open"
           (if agentq-inspect--trail "  \\[agentq-inspect-back] back" "")
           (if (> agentq-inspect--pages 1)
               "  \\[agentq-inspect-next-page]/\\[agentq-inspect-previous-page] pages" "")
           "  \\[agentq-inspect-call-getter] call getter  \\[revert-buffer] again  \\`?' keys  \\[quit-window] quit")))

;;;###autoload
(defun agentq-inspect (value &optional module process)
  "Look into VALUE: a handle like $7, a name, or an expression without effects.
It is read in the scope of MODULE, the URI of the current buffer's file;
with a prefix argument in none.  The default is the region, else the name at
point.  PROCESS is the id of the program that has the value, nil for the
REPL: that of a line of the log for what stands there, else the one where
forms go."
  (interactive (let* ((module (unless current-prefix-arg (agentq-eval--module)))
                      ;; Where nothing runs there is nothing to look into.
                      (server (agentq-running-server))
                      (default (agentq-inspect--default))
                      (value (agentq-repl-read "Inspect: " default module)))
                 (list value module
                       (if (and (equal value default) (agentq-inspect--of-line-p))
                           (agentq-process-at (point))
                         (agentq-process-of server)))))
  (agentq-inspect--visit (agentq-running-server)
                         ;; A handle has no module, loaded or not.
                         (list :value value
                               :module (unless (string-match-p "\\`\\$[0-9]" value) module)
                               :process process
                               :path [] :page 1)
                         nil (selected-window)))

(defun agentq-inspect--of-line-p ()
  "Return non-nil where lines have the process of their values with them."
  (or (derived-mode-p 'agentq-history-mode)
      (and (derived-mode-p 'agentq-repl-mode) (agentq-typing-above-p))))

(defun agentq-inspect--default ()
  "Return the text of the region, or the name at point, if any."
  (if (use-region-p)
      (string-trim (buffer-substring-no-properties (region-beginning) (region-end)))
    (thing-at-point 'symbol t)))

(defun agentq-inspect--visit (server place trail &optional from)
  "Show PLACE of SERVER, reached along TRAIL.
FROM is the window that the person looked from, if they shall go there.
The buffer keeps what it shows when the server refuses."
  (agentq-request
   server :agentq/inspectValue
   (agentq-make InspectValueParams
     :process (plist-get place :process)
     :value (plist-get place :value)
     :module (plist-get place :module)
     :path (plist-get place :path)
     :page (plist-get place :page))
   :then (lambda (page)
           (with-current-buffer (agentq-inspect--buffer server)
             (setq agentq-inspect--place place
                   agentq-inspect--trail trail
                   agentq-inspect--pages (agentq-get ValuePage page :pages))
             (agentq-inspect--draw page)
             (agentq-show (current-buffer) from)))))

(defun agentq-inspect--buffer (server)
  "Return the inspector of SERVER, made if needed."
  (agentq-buffer server "agentq-inspect" 'agentq-inspect-mode))

(defun agentq-inspect--draw (page)
  "Show the ValuePage PAGE in the current buffer."
  (let ((inhibit-read-only t))
    (erase-buffer)
    (insert (propertize (string-join (cons (agentq-get ValuePage page :value)
                                           (append (agentq-get ValuePage page :path) nil))
                                     " > ")
                        'face 'bold)
            " : " (agentq-get ValuePage page :type)
            (if-let* ((process (plist-get agentq-inspect--place :process)))
                (propertize (concat "  in " process) 'face 'agentq-note)
              "")
            "\n")
    (when-let* ((source (agentq-get ValuePage page :source)))
      (insert (agentq-inspect--source source)))
    (mapc (lambda (fact)
            (insert (propertize (format "  %s: %s\n" (agentq-get ValuePageFacts fact :name)
                                        (agentq-get ValuePageFacts fact :text))
                                'face 'shadow)))
          (agentq-get ValuePage page :facts))
    ;; Above the members: below them a small window would not show it.
    (when (> (agentq-get ValuePage page :pages) 1)
      (insert (propertize (format "  page %d of %d, %d %s (] and [ turn)\n" (agentq-get ValuePage page :page)
                                  (agentq-get ValuePage page :pages) (agentq-get ValuePage page :total)
                                  (pcase (agentq-get ValuePage page :kind)
                                    ("string" "characters")
                                    ("typedArray" "rows")
                                    (_ "members")))
                          'face 'shadow)))
    ;; A long string is to be read, members are to stand below each other.
    (setq truncate-lines (null (agentq-get ValuePage page :text)))
    (cond ((agentq-get ValuePage page :text) (insert (agentq-get ValuePage page :text) "\n"))
          ((and (seq-empty-p (agentq-get ValuePage page :items)) (seq-empty-p (agentq-get ValuePage page :extras)))
           (insert "  " (agentq-get ValuePage page :preview) "\n")))
    (mapc #'agentq-inspect--insert-member (agentq-get ValuePage page :items))
    (mapc #'agentq-inspect--insert-member (agentq-get ValuePage page :extras))
    (goto-char (point-min))
    (forward-line (1- (or (plist-get agentq-inspect--place :line) 1)))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window (point)))))

(defun agentq-inspect--source (source)
  "Return a line with the SOURCE of a function, which leads there."
  (let ((position (agentq-places-find (agentq-current-server) (agentq-get ValuePageSource source :uri)
                                      (agentq-get ValuePageSource source :line) (agentq-get ValuePageSource source :character)
                                      (plist-get agentq-inspect--place :process))))
    (propertize (format "  written at %s:%d\n" (agentq-describe-place (car position))
                        (1+ (nth 1 position)))
                'agentq-place (and (string-prefix-p "file:" (car position)) position))))

(defun agentq-inspect--insert-member (member)
  "Insert the line of the ValueMember MEMBER."
  (let ((marks (delq nil (list (and (agentq-get ValueMember member :from)
                                    (concat "of " (agentq-get ValueMember member :from)))
                               (and (eq t (agentq-get ValueMember member :hidden)) "hidden")))))
    (insert (propertize
             (concat (if (eq t (agentq-get ValueMember member :opens)) (agentq-mouse-line "+ ") "  ")
                     (agentq-mouse-line (agentq-get ValueMember member :name))
                     (if (equal (agentq-get ValueMember member :kind) "entry") " => " ": ")
                     (string-replace "\n" " " (agentq-get ValueMember member :preview))
                     (if marks (format "   (%s)" (string-join marks ", ")) ""))
             'agentq-member member)
            "\n")))

(defun agentq-inspect--here ()
  "Return the place that is shown, with the line of point."
  (plist-put (copy-sequence agentq-inspect--place) :line (line-number-at-pos)))

(defun agentq-inspect--member ()
  "Return the member of the line at point."
  (or (get-text-property (line-beginning-position) 'agentq-member)
      (user-error "No member on this line")))

(defun agentq-inspect--inside (member)
  "Return the path to MEMBER as a vector."
  (unless (agentq-get ValueMember member :step)
    (user-error "There is no way inside of %s" (agentq-get ValueMember member :name)))
  (vconcat (plist-get agentq-inspect--place :path) (list (agentq-get ValueMember member :step))))

(defun agentq-inspect-open ()
  "Look into the member on this line, or go to the source that it names."
  (interactive nil agentq-inspect-mode)
  (if-let* ((position (get-text-property (point) 'agentq-place)))
      (agentq-places-visit position)
    (agentq-inspect--open-member (agentq-inspect--member))))

(defun agentq-inspect--open-member (member)
  "Look into MEMBER."
  (when (equal (agentq-get ValueMember member :kind) "getter")
    (user-error "A getter; \\`x' calls it"))
  (agentq-inspect--visit
   (agentq-running-server)
   (list :value (plist-get agentq-inspect--place :value)
         :module (plist-get agentq-inspect--place :module)
         :process (plist-get agentq-inspect--place :process)
         :path (agentq-inspect--inside member) :page 1)
   (cons (agentq-inspect--here) agentq-inspect--trail)))

(defun agentq-inspect-back ()
  "Show again what was shown before."
  (interactive nil agentq-inspect-mode)
  (unless agentq-inspect--trail
    (user-error "This is where the inspector began"))
  (agentq-inspect--visit (agentq-running-server)
                         (car agentq-inspect--trail) (cdr agentq-inspect--trail)))

(defun agentq-inspect-next-page (&optional count)
  "Turn COUNT pages."
  (interactive "p" agentq-inspect-mode)
  (let ((page (+ (plist-get agentq-inspect--place :page) (or count 1))))
    (unless (<= 1 page agentq-inspect--pages)
      (user-error "No further page"))
    (agentq-inspect--visit (agentq-running-server)
                           (plist-put (plist-put (agentq-inspect--here) :page page) :line 1)
                           agentq-inspect--trail)))

(defun agentq-inspect-previous-page (&optional count)
  "Turn COUNT pages back."
  (interactive "p" agentq-inspect-mode)
  (agentq-inspect-next-page (- (or count 1))))

(defun agentq-inspect--revert (&rest _)
  "Look again at the same place."
  (agentq-inspect--visit (agentq-running-server) (agentq-inspect--here)
                         agentq-inspect--trail))

(defun agentq-inspect-call-getter ()
  "Call the getter on this line, as an evaluation, and look into its value."
  (interactive nil agentq-inspect-mode)
  (let* ((server (agentq-running-server))
         (member (agentq-inspect--member))
         (code (agentq-inspect--expression (plist-get agentq-inspect--place :value)
                                           (agentq-inspect--inside member)))
         (module (plist-get agentq-inspect--place :module))
         (process (plist-get agentq-inspect--place :process))
         (trail (cons (agentq-inspect--here) agentq-inspect--trail)))
    (agentq-request
     server :agentq/evaluate
     (agentq-make EvaluateParams :process process :code code :module module)
     :timeout nil
     :then (lambda (result)
             (if-let* ((handle (agentq-get EvalResult result :valueId)))
                 (agentq-inspect--visit server (list :value handle :process process :path [] :page 1)
                                       trail)
               (message "Agent-Q: %s" (agentq-describe result nil process)))))))

(defun agentq-inspect--expression (value path)
  "Return the code for what lies at PATH, a vector, inside of VALUE."
  (seq-reduce
   (lambda (code step)
     (when (string-match-p "\\`[<#]" step)
       (user-error "Only a getter on a path of plain properties can be called"))
     (let ((name (if (string-prefix-p "\"" step) (json-parse-string step) step)))
       (if (string-match-p "\\`[[:alpha:]_$][[:alnum:]_$]*\\'" name)
           (concat code "." name)
         (format "%s[%s]" code (json-serialize name)))))
   path value))

(provide 'agentq-inspect)

;;; agentq-inspect.el ends here
