;;; agentq-positions-tests.el --- URIs of files and positions in buffers  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(ert-deftest agentq-positions-count-utf-16-units-as-eglot-does ()
  (with-temp-buffer
    (insert "aé🙂b🙂🙂c\nlast")
    (dolist (line '(0 1 2 9))
      (dotimes (column 14)
        ;; Within a character Eglot goes behind it.
        (unless (and (zerop line) (memq column '(3 6 8)))
          (let ((position (list :line line :character column))
                (eglot-move-to-linepos-function #'eglot-move-to-utf-16-linepos))
            (should (equal (list position (agentq-point-of position))
                           (list position (eglot--lsp-position-to-point position))))))))
    (cl-loop for point from (point-min) to (point-max)
             do (goto-char point)
             (should (= (agentq-column) (eglot-utf-16-linepos)))
             (should (= point (agentq-point-of (agentq-position-of point)))))))

(ert-deftest agentq-positions-spell-uris-as-eglot-does ()
  (dolist (path '("/nowhere/a b.ts" "/nowhere/größe#1?.ts" "/nowhere/100%/[id]:x;y.ts" "/nowhere/🙂/"))
    (should (equal (agentq-path-to-uri path) (eglot-path-to-uri path)))
    (should (equal (agentq-uri-to-path (agentq-path-to-uri path)) (directory-file-name path))))
  (should (equal (agentq-uri-to-path "file:///nowhere/größe%20🙂.ts") "/nowhere/größe 🙂.ts"))
  (should (equal (agentq-uri-to-path "zip:///a.zip") "zip:///a.zip")))

;;; agentq-positions-tests.el ends here
