;;; agentq-tramp.el --- When another machine may be asked  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; TRAMP asks another machine over one line, and waits for the answer in a way that
;; lets timers run (that of Emacs 30.2 does).  A timer that asks that machine
;; meanwhile gets its own answer, and the answer that TRAMP waits for is lost: Emacs
;; hangs until somebody quits.  jsonrpc hands out messages in timers, too.
;;
;; Invariants:
;; - What a server on another machine sends is handled when no file operation there
;;   is under way, in the order in which it came.
;; - All timers of this client are made here, but for those that only draw
;;   (test/emacs/connection.test.ts).

;;; Code:

(defconst agentq-tramp--pause 0.05 "Seconds after which TRAMP is looked at again.")

(defvar agentq-tramp--waiting nil
  "Functions to call once TRAMP is free, the oldest first.")

(defvar agentq-tramp--timer nil "The timer after which what waits is tried again.")

(defun agentq-tramp-when-free (host function)
  "Call FUNCTION, which may ask for files on HOST; return nil.
HOST is what `file-remote-p' returns, nil for this machine.  Where TRAMP is
waiting, FUNCTION is called soon after that, behind all that wait already."
  (if (not host)
      (funcall function)
    (setq agentq-tramp--waiting (append agentq-tramp--waiting (list function)))
    (agentq-tramp--go-on))
  nil)

(defun agentq-tramp--go-on ()
  "Call what waits for TRAMP, if TRAMP is free, else try again soon."
  (while (and agentq-tramp--waiting (not (agentq-tramp--busy-p)))
    ;; What is called may wait itself, and this function be called meanwhile.
    (with-demoted-errors "Agent-Q: %S"
      (funcall (pop agentq-tramp--waiting))))
  (when (and agentq-tramp--waiting
             (not (memq agentq-tramp--timer (default-toplevel-value 'timer-list))))
    (agentq-tramp-keep-timers
     (lambda ()
       (setq agentq-tramp--timer (run-at-time agentq-tramp--pause nil #'agentq-tramp--go-on))))))

(defun agentq-tramp-keep-timers (function &rest arguments)
  "Call FUNCTION, which waits for nothing, with ARGUMENTS.
TRAMP binds `timer-list' while it waits, and would forget the timers that
FUNCTION makes meanwhile."
  (let ((timer-list (default-toplevel-value 'timer-list)))
    (unwind-protect (apply function arguments)
      (set-default-toplevel-value 'timer-list timer-list))))

(defun agentq-tramp--busy-p ()
  "Return non-nil when this is called while TRAMP waits for an answer."
  (catch 'busy
    (mapbacktrace (lambda (_evaluated function _arguments _flags)
                    (when (eq function 'tramp-file-name-handler)
                      (throw 'busy t))))))

;;; Timers

(defun agentq-tramp-run-at-time (seconds function &rest arguments)
  "Call FUNCTION with ARGUMENTS in SECONDS, or when TRAMP is free after that.
Return the timer."
  (agentq-tramp--guard (run-at-time seconds nil #'ignore) function arguments))

(defun agentq-tramp-run-when-idle (seconds function &rest arguments)
  "Call FUNCTION with ARGUMENTS once Emacs is idle for SECONDS and TRAMP free.
Return the timer."
  (agentq-tramp--guard (run-with-idle-timer seconds nil #'ignore) function arguments))

(defun agentq-tramp--guard (timer function arguments)
  "Have TIMER call FUNCTION with ARGUMENTS when TRAMP is free; return TIMER.
The timer that waits for TRAMP is TIMER still, so it can be cancelled."
  (timer-set-function
   timer
   (lambda ()
     (if (not (agentq-tramp--busy-p))
         (apply function arguments)
       (timer-set-time timer (time-add nil agentq-tramp--pause))
       (agentq-tramp-keep-timers #'timer-activate timer))))
  timer)

(provide 'agentq-tramp)

;;; agentq-tramp.el ends here
