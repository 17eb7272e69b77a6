;;; agentq-faces-tests.el --- The faces of the client  -*- lexical-binding: t; -*-

;;; Code:

(require 'ert)
(require 'agentq)
(require 'agentq-eglot)

(defun agentq-faces-tests--all ()
  "Return the faces of the client."
  (seq-filter (lambda (face) (string-prefix-p "agentq-" (symbol-name face))) (face-list)))

(ert-deftest agentq-faces-inherit-and-name-no-colour ()
  "Every face is what a theme makes of the standard face that it inherits."
  (should (length> (agentq-faces-tests--all) 10))
  (dolist (face (agentq-faces-tests--all))
    (let ((spec (face-default-spec face)))
      (ert-info ((format "%s: %S" face spec))
        (should (equal (mapcar #'car spec) '(t)))
        (let ((attributes (cdar spec)))
          (should (plist-get attributes :inherit))
          (dolist (parent (ensure-list (plist-get attributes :inherit)))
            (should (facep parent))
            (should-not (memq parent (agentq-faces-tests--all))))
          (dolist (colour '(:foreground :background :distant-foreground :underline :box))
            (should-not (stringp (plist-get attributes colour)))
            (should-not (and (memq colour '(:foreground :background)) (plist-member attributes colour)))))))))

(ert-deftest agentq-options-and-faces-are-in-the-group ()
  "`customize-group' shows each option and face, with its type and documentation."
  (let ((members (mapcar #'car (get 'agentq 'custom-group))))
    (dolist (face (agentq-faces-tests--all))
      (ert-info ((symbol-name face))
        (should (memq face members))
        (should (face-documentation face))))
    (mapatoms (lambda (symbol)
                (when (and (string-prefix-p "agentq-" (symbol-name symbol))
                           (custom-variable-p symbol)
                           (not (string-suffix-p "-hook" (symbol-name symbol))))
                  (ert-info ((symbol-name symbol))
                    (should (memq symbol members))
                    (should (get symbol 'custom-type))
                    (should (documentation-property symbol 'variable-documentation))
                    ;; What is set already is of its type.
                    (should (progn (require 'wid-edit)
                                   (widget-apply (widget-convert (get symbol 'custom-type))
                                                 :match (symbol-value symbol))))))))))

;;; agentq-faces-tests.el ends here
