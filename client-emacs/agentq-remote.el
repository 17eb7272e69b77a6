;;; agentq-remote.el --- Names of files on other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The server of a remote project (TRAMP) runs on the machine that has the files,
;; and names them as that machine does: file:///home/me/cart.ts.  Inside of Emacs
;; the URI of such a file has the host in it, as its file name has:
;; file:///ssh%3Abox%3A/home/me/cart.ts.  The host is put in and taken out where
;; messages come and go (agentq-connection.el), so the rest of the client opens
;; the right file without knowing of hosts.
;;
;; Invariants:
;; - No URI passes from or to the server of a remote project as it is.
;; - A file that is not on the machine of the server gets another scheme, which
;;   the server refuses: it can never be taken for the file of the same name there.

;;; Code:

(require 'cl-lib)
(require 'agentq-positions)

(defconst agentq-remote-keys '(:uri :oldUri :newUri :uris :files :module :done)
  "The members of messages that are URIs of files, or may be.
test/wire/wire.test.ts compares them with the schema of the protocol.")

(defun agentq-remote-incoming (host data)
  "Return DATA, which a server on HOST sent, with HOST in its URIs.
HOST is what `file-remote-p' returns, nil for this machine."
  (if (not host) data
    (let ((prefix (agentq-remote--prefix host)))
      (agentq-remote--map (lambda (uri) (concat prefix (string-remove-prefix "file://" uri)))
                          data))))

(defun agentq-remote-outgoing (host data)
  "Return DATA, which is for a server on HOST, without HOST in its URIs.
HOST is as in `agentq-remote-incoming'."
  (if (not host) data
    (let ((prefix (agentq-remote--prefix host)))
      (agentq-remote--map (lambda (uri)
                            (if (string-prefix-p (concat prefix "/") uri)
                                (concat "file://" (string-remove-prefix prefix uri))
                              (concat "elsewhere:" uri)))
                          data))))

(defun agentq-remote--prefix (host)
  "Return how the URIs of files on HOST begin here."
  (concat "file://" (agentq-positions-encode host)))

(defun agentq-remote--map (function data &optional key)
  "Return DATA with FUNCTION called on each URI of a file in it.
KEY is that of the member whose value DATA is."
  (cond ((stringp data)
         (if (and (memq key agentq-remote-keys) (string-prefix-p "file://" data))
             (funcall function data)
           data))
        ((vectorp data)
         (cl-map 'vector (lambda (each) (agentq-remote--map function each key)) data))
        ((keywordp (car-safe data))
         (cl-loop for (inner value) on data by #'cddr
                  append (list inner (agentq-remote--map function value inner))))
        (t data)))

;;; The start of a program on another machine

(defconst agentq-remote--sign "agentq-starts" "What a program prints before it runs.")

(defvar agentq-remote--signed nil
  "Non-nil once `agentq-remote-with-sign' has had a program print the sign.")

(defun agentq-remote-with-sign (start)
  "Call START, which may start a program on another machine by `make-process'.
Return non-nil if it did: `agentq-remote-await' can wait for that program.
The command line is changed on its way to TRAMP, since Eglot makes it."
  (let ((agentq-remote--signed nil)
        (file-name-handler-alist (cons (cons (rx bos "/") #'agentq-remote--make-process)
                                       file-name-handler-alist)))
    (funcall start)
    agentq-remote--signed))

(put 'agentq-remote--make-process 'operations '(make-process))

(defun agentq-remote--make-process (operation &rest arguments)
  "Do OPERATION, which is `make-process', with ARGUMENTS as TRAMP does it.
Have the first program print the sign before it runs, and not the one for
its error output, which TRAMP starts."
  (unless agentq-remote--signed
    (setq agentq-remote--signed t)
    (cl-callf agentq-remote--command (plist-get arguments :command)))
  (let ((inhibit-file-name-handlers
         (cons #'agentq-remote--make-process
               (and (eq inhibit-file-name-operation operation) inhibit-file-name-handlers)))
        (inhibit-file-name-operation operation))
    (apply operation arguments)))

(defun agentq-remote--command (command)
  "Return COMMAND behind a shell that prints the sign first."
  (append (list "sh" "-c" (format "echo %s; exec \"$@\"" agentq-remote--sign) "sh") command))

(defun agentq-remote-await (process seconds)
  "Wait for the program of PROCESS, which prints the sign, for SECONDS at most.
The shell that starts the program reads the same input, and keeps what it
reads beyond its own line: a message sent too early would never be answered."
  (with-current-buffer (process-buffer process)
    (let ((until (time-add nil seconds))
          (sign (rx (literal agentq-remote--sign) (? "\r") "\n"))
          (inhibit-read-only t)
          started)
      (unwind-protect
          (progn
            (while (and (process-live-p process)
                        (time-less-p nil until)
                        (not (string-match-p sign (buffer-string))))
              (accept-process-output process 0.1))
            (erase-buffer)
            (setq started t))
        (unless started (delete-process process))))))

(provide 'agentq-remote)

;;; agentq-remote.el ends here
