;;; agentq-chat-tests.el --- The transcript  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defvar agentq-chat-test-seq 0)

(defun agentq-chat-test-event (server &rest event)
  "Let SERVER send EVENT as the next one."
  (agentq-test-tell server 'agentq/event :sessionId "s" :turnId "t"
                    :seq (cl-incf agentq-chat-test-seq) :event event))

(defun agentq-chat-test-text (server)
  "Return what the transcript of SERVER shows."
  (with-current-buffer (agentq-chat-buffer server)
    (agentq-transcript-flush)
    (cl-loop for position from (point-min) below (point-max)
             unless (invisible-p position)
             concat (string (char-after position)))))

(defmacro agentq-chat-test-with-server (server &rest body)
  "Run BODY with SERVER and an empty transcript."
  (declare (indent 1))
  `(agentq-test-in-folder nil
     (agentq-test-with-server ,server
       (let ((agentq-chat-test-seq 0))
         ,@body))))

(ert-deftest agentq-chat-shows-a-turn ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (should (equal (agentq-server-turn-id server) "t"))
    (agentq-chat-test-event server :kind "thinking" :text "Hm.")
    (agentq-chat-test-event server :kind "text" :text "Be")
    (agentq-chat-test-event server :kind "text" :text "cause.")
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (should-not (agentq-server-turn-id server))
    (should (equal (agentq-chat-test-text server)
                   "\n> Why?\n\nHm.\nBecause.\n-- done\n"))))

(ert-deftest agentq-chat-collects-streamed-text ()
  (agentq-chat-test-with-server server
    (with-current-buffer (agentq-chat-buffer server)
      (let ((changes 0))
        (add-hook 'after-change-functions (lambda (&rest _) (cl-incf changes)) nil t)
        (dotimes (_ 1000)
          (agentq-chat-test-event server :kind "text" :text "word "))
        (should (= changes 0))
        (should agentq-transcript--timer)
        (while agentq-transcript--timer
          (accept-process-output nil 0.01))
        (should (= changes 1))
        (should (= (buffer-size) 5000))))))

(ert-deftest agentq-chat-folds-a-tool-call-into-one-line ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look"
                            :state "running" :arguments '(:symbol "allocate"))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "2" :name "run"
                            :state "preparing")
    (should (equal (agentq-chat-test-text server)
                   "  look symbol=allocate  running\n  run  preparing\n"))
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "first\nsecond"
                                      :metadata (:executionTimeMs 7)))
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "2" :name "run"
                            :result '(:success :json-false :content "" :error "no"))
    (should (equal (agentq-chat-test-text server)
                   "+ look symbol=allocate  7 ms\n+ run  failed: no\n"))
    (with-current-buffer (agentq-chat-buffer server)
      (goto-char (point-min))
      (agentq-transcript-toggle)
      (should (equal (agentq-chat-test-text server)
                     (concat "- look symbol=allocate  7 ms\n    symbol: allocate\n"
                             "    => first\n    second\n+ run  failed: no\n")))
      (agentq-transcript-toggle)
      (should (equal (agentq-chat-test-text server)
                     "+ look symbol=allocate  7 ms\n+ run  failed: no\n")))))

(ert-deftest agentq-chat-says-when-events-are-missing ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "text" :text "a")
    (cl-incf agentq-chat-test-seq 2)
    (agentq-chat-test-event server :kind "text" :text "b")
    (should (string-search "2 events are missing" (agentq-chat-test-text server)))))

(ert-deftest agentq-chat-leaves-point-of-a-reader-alone ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (with-current-buffer (agentq-chat-buffer server)
      (goto-char (point-min))
      (agentq-chat-test-event server :kind "text" :text "Because.")
      (agentq-transcript-flush)
      (should (= (point) (point-min)))
      (goto-char (point-max))
      (agentq-chat-test-event server :kind "text" :text " Really.")
      (agentq-transcript-flush)
      (should (= (point) (point-max))))))

(ert-deftest agentq-chat-sums-tokens ()
  (agentq-chat-test-with-server server
    (dotimes (_ 2)
      (agentq-chat-test-event server :kind "usage" :inputTokens 10 :outputTokens 3
                              :cacheReadTokens 0 :cacheWriteTokens 0))
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "tokens: 20 in, 6 out" (agentq-chat--header))))))

(ert-deftest agentq-chat-sends-the-region-with-a-prompt ()
  (agentq-test-in-folder '(("a.ts" "one\ntwo\n"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "a.ts")
        (transient-mark-mode)
        (set-mark (point-min))
        (goto-char 4)
        (activate-mark)
        (agentq-prompt "What is it?" (agentq-chat--context)))
      (let ((sent (car (agentq-test-sent 'agentq/prompt))))
        (should (equal (plist-get sent :text) "What is it?"))
        (should (equal (plist-get (aref (plist-get sent :context) 0) :range)
                       (agentq-test-range 0 0 0 3))))
      (agentq-test-answer server '(:sessionId "s9" :turnId "t1"))
      (should (equal (agentq-server-session-id server) "s9")))))

;;; agentq-chat-tests.el ends here
