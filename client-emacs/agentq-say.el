;;; agentq-say.el --- Say how something ended  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a command leads to comes when the command is over.  By then M-x may show a
;; hint about keys, at the end of which it puts back what the echo area said before,
;; so an outcome that came meanwhile would be seen for a moment or not at all.

;;; Code:

(require 'agentq-tramp)

(defconst agentq-say--hint "\\`You can run the command "
  "How the hint of \\[execute-extended-command] begins.")

(defun agentq-say (text &optional begun)
  "Show TEXT, how something ended, in the echo area until another command.
BEGUN is what was shown there when it began, if anything was."
  (let ((hinted (string-match-p agentq-say--hint (or (current-message) "")))
        (seconds (if (numberp suggest-key-bindings) suggest-key-bindings 2)))
    (message "%s" text)
    (when hinted
      (agentq-say--again text begun num-nonmacro-input-events (+ (float-time) seconds 10)))))

(defun agentq-say--again (text begun input deadline)
  "Show TEXT again when, before DEADLINE, nothing or BEGUN is shown in its place.
INPUT counts the events until now: at another one the person has gone on."
  (when (and (= input num-nonmacro-input-events) (< (float-time) deadline))
    (let ((shown (current-message)))
      (cond ((equal shown text)
             (agentq-tramp-run-at-time 0.1 #'agentq-say--again text begun input deadline))
            ((member shown (list nil begun))
             (let (message-log-max)
               (message "%s" text)))))))

(provide 'agentq-say)

;;; agentq-say.el ends here
