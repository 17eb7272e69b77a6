;;; agentq-found.el --- Callers, references, types and implementations  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the agent's tools find about a symbol, for the person: an xref buffer.
;; The symbol at point goes to the server as FILE:LINE:COLUMN#NAME, and the
;; compiler says what the name means there.

;;; Code:

(require 'xref)
(require 'agentq-client)
(require 'agentq-positions)
(require 'agentq-tools)
(require 'agentq-visible)

(cl-defstruct (agentq-found-location (:constructor agentq-found--make-location))
  "A place in a file.
POSITION is a Position of LSP; the file need not be open."
  path position)

(cl-defmethod xref-location-marker ((location agentq-found-location))
  "Return a marker at LOCATION, whose file is visited."
  (with-current-buffer (find-file-noselect (agentq-found-location-path location))
    (save-restriction
      (widen)
      (copy-marker (agentq-point-of (agentq-found-location-position location))))))

(cl-defmethod xref-location-group ((location agentq-found-location))
  "Return the name of the file of LOCATION."
  (agentq-found-location-path location))

(cl-defmethod xref-location-line ((location agentq-found-location))
  "Return the number of the line of LOCATION, from 1."
  (1+ (agentq-get Position (agentq-found-location-position location) :line)))

(defun agentq-found--item (place)
  "Return the FoundPlace PLACE as an item of xref."
  (xref-make (agentq-visible-line (agentq-get FoundPlace place :text))
             (agentq-found--make-location
              :path (agentq-uri-to-path (agentq-get FoundPlace place :uri))
              :position (agentq-get FoundPlace place :range :start))))

(defun agentq-found--at-point ()
  "Return the address of what the symbol at point stands for, or nil."
  (when-let* ((bounds (bounds-of-thing-at-point 'symbol))
              (name (buffer-substring-no-properties (car bounds) (cdr bounds))))
    (if-let* ((path (plist-get (agentq-tools--path) :path)))
        (save-excursion
          (goto-char (car bounds))
          (format "%s:%d:%d#%s" path (line-number-at-pos nil t) (1+ (agentq-column)) name))
      name)))

(defun agentq-found--read (what)
  "Return a list of the address at point.
With a prefix argument, or without a symbol there, read one.  WHAT names
what is looked for."
  (agentq-ensure-server)
  (let ((found (unless current-prefix-arg (agentq-found--at-point))))
    (list (or found
              (let ((text (read-string (format "%s of the symbol: " what))))
                (if (string-blank-p text) (user-error "Name a symbol, such as Cart.add or src/cart.ts#Cart.add")
                  text))))))

(defun agentq-found--list (tool symbol)
  "Ask TOOL about the address SYMBOL and show its places as xrefs."
  (agentq-request
   (agentq-ensure-server) :agentq/callTool
   (agentq-make CallToolParams :name tool :arguments (list :symbol symbol))
   :timeout nil
   :then (lambda (result)
           (let ((places (agentq-get ToolResult result :places)))
             (if (seq-empty-p places)
                 (agentq--report (or (agentq-get ToolResult result :error) (agentq-get ToolResult result :content)))
               (let ((items (seq-map #'agentq-found--item places)))
                 (xref-show-xrefs (lambda () items) nil)))))))

;;;###autoload
(defun agentq-callers (symbol)
  "Show the callers of SYMBOL in all projects of the workspace.
SYMBOL is an address such as total, Cart.add or src/cart.ts#Cart.add;
interactively what the name at point stands for, with a prefix argument
one that you type."
  (interactive (agentq-found--read "Callers"))
  (agentq-found--list "who_calls" symbol))

;;;###autoload
(defun agentq-references (symbol)
  "Show every mention of SYMBOL, with its kind: read, write, call, type.
SYMBOL as in `agentq-callers'."
  (interactive (agentq-found--read "References"))
  (agentq-found--list "who_references" symbol))

;;;###autoload
(defun agentq-hierarchy (symbol)
  "Show the types above and below the class or interface SYMBOL.
SYMBOL as in `agentq-callers'."
  (interactive (agentq-found--read "Hierarchy"))
  (agentq-found--list "class_hierarchy" symbol))

;;;###autoload
(defun agentq-implementations (symbol)
  "Show what implements or overrides the type or member SYMBOL.
SYMBOL as in `agentq-callers'."
  (interactive (agentq-found--read "Implementations"))
  (agentq-found--list "find_implementations" symbol))

(provide 'agentq-found)

;;; agentq-found.el ends here
