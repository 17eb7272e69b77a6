;;; agentq-mouse.el --- What the mouse does where keys act  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A click on a key that is named does what the key does, and a click on a line that
;; RET acts on does what RET does there.  No click decides what its key would not.

;;; Code:

(require 'seq)

(defvar agentq-mouse--maps (make-hash-table :test #'equal)
  "Keymaps of what can be clicked, by the keys that they stand for.")

(defconst agentq-mouse--faces '(help-key-binding agentq-question-key)
  "Faces of keys that are named.")

(defun agentq-mouse-button (text keys)
  "Return TEXT, a click on which does what KEYS do, a description of keys."
  (propertize text 'mouse-face 'highlight 'help-echo (concat "mouse-1: " keys)
              'keymap (agentq-mouse--map keys)))

(defun agentq-mouse-keys (line)
  "Return LINE, in which keys are named, with the keys as buttons."
  (let ((from 0)
        parts)
    (while (< from (length line))
      (let* ((to (next-single-property-change from 'face line (length line)))
             (part (substring line from to)))
        (push (if (seq-intersection agentq-mouse--faces
                                    (ensure-list (get-text-property 0 'face part)))
                  (agentq-mouse-button part (substring-no-properties part))
                part)
              parts)
        (setq from to)))
    (apply #'concat (nreverse parts))))

(defun agentq-mouse--map (keys)
  "Return a keymap in which a click does what KEYS do."
  (with-memoization (gethash keys agentq-mouse--maps)
    (let ((press (lambda (event)
                   (interactive "e")
                   (select-window (posn-window (event-start event)))
                   (agentq-mouse--press keys))))
      (define-keymap "<mouse-1>" press "<header-line> <mouse-1>" press))))

(defun agentq-mouse--press (keys)
  "Do what KEYS do in the current buffer; they may name a command."
  (call-interactively (if (string-prefix-p "M-x " keys)
                          (intern (string-remove-prefix "M-x " keys))
                        (or (key-binding (kbd keys) t)
                            (user-error "%s does nothing here" keys)))))

(defun agentq-mouse-return (event)
  "Do what RET does on the line of EVENT, a click."
  (interactive "e")
  (posn-set-point (event-end event))
  (agentq-mouse--press "RET"))

(defvar-keymap agentq-mouse-line-map
  :doc "Keys of a line on which a click does what RET does."
  "<mouse-2>" #'agentq-mouse-return)

(defun agentq-mouse-line (text)
  "Return TEXT, a line on which a click does what RET does."
  (propertize text 'mouse-face 'highlight 'follow-link t 'keymap agentq-mouse-line-map))

(provide 'agentq-mouse)

;;; agentq-mouse.el ends here
