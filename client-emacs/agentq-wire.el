;;; agentq-wire.el --- Wire data whose keys are checked  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What the server says arrives as property lists, in which a misspelt key is
;; silently nil.  These macros take the name of a shape of agentq-types.el and
;; refuse, while the code is compiled or loaded, a key that the shape lacks.
;; `plist-get' is left for lists of our own.

;;; Code:

(require 'agentq-types)

(eval-and-compile
  (defun agentq-wire--key (shape key)
    "Return the entry of KEY in SHAPE, or signal an error."
    (let ((keys (or (alist-get shape agentq-types)
                    (error "No shape of the wire is %s" shape))))
      (or (seq-find (lambda (entry) (eq key (car (ensure-list entry)))) keys)
          (error "%s of the wire has no key %s" shape key)))))

(defmacro agentq-get (shape object &rest keys)
  "Return what OBJECT, which is of SHAPE, has under the first of KEYS.
Each further key is one of the shape that the key before leads to.
The form is a place for `setf' as far as `plist-get' is."
  (declare (debug (symbolp form &rest keywordp)))
  (dolist (key keys object)
    (setq object `(plist-get ,object ,key)
          shape (cadr (ensure-list (agentq-wire--key shape key))))))

(defmacro agentq-getter (shape &rest keys)
  "Return a function that does `agentq-get' with SHAPE and KEYS."
  `(lambda (object) (agentq-get ,shape object ,@keys)))

(defmacro agentq-make (shape &rest members)
  "Return a new object of SHAPE with MEMBERS, which alternate keys and values.
A member whose value is nil is left out."
  (declare (indent 1) (debug (symbolp &rest form)))
  (cl-loop for (key) on members by #'cddr do (agentq-wire--key shape key))
  `(agentq-wire--without-nil (list ,@members)))

(defmacro agentq-with (shape object &rest members)
  "Return a copy of OBJECT, which is of SHAPE, with MEMBERS put in.
MEMBERS alternate keys and values."
  (declare (indent 2) (debug (symbolp form &rest form)))
  (setq object `(copy-sequence ,object))
  (cl-loop for (key value) on members by #'cddr
           do (agentq-wire--key shape key)
           (setq object `(plist-put ,object ,key ,value)))
  object)

(defun agentq-wire--without-nil (members)
  "Return MEMBERS, a property list, without those whose value is nil."
  (cl-loop for (key value) on members by #'cddr
           when value append (list key value)))

(provide 'agentq-wire)

;;; agentq-wire.el ends here
