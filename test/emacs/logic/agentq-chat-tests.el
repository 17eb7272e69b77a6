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
    (agentq-writer-flush)
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
                   "\n> Why?\n\n+ Thought for 0.0 s\nBecause.\n-- done\n"))))

(ert-deftest agentq-chat-collects-streamed-text ()
  (agentq-chat-test-with-server server
    (with-current-buffer (agentq-chat-buffer server)
      (let ((changes 0))
        (add-hook 'after-change-functions (lambda (&rest _) (cl-incf changes)) nil t)
        (dotimes (_ 1000)
          (agentq-chat-test-event server :kind "text" :text "word "))
        (should (= changes 0))
        (should agentq-writer--timer)
        (while agentq-writer--timer
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
      (agentq-writer-flush)
      (should (= (point) (point-min)))
      (goto-char (point-max))
      (agentq-chat-test-event server :kind "text" :text " Really.")
      (agentq-writer-flush)
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
        (agentq-prompt "What is it?" (agentq-context)))
      (let ((sent (car (agentq-test-sent 'agentq/prompt))))
        (should (equal (plist-get sent :text) "What is it?"))
        (should (equal (plist-get (aref (plist-get sent :context) 0) :range)
                       (agentq-test-range 0 0 0 3))))
      (agentq-test-answer server '(:sessionId "s9" :turnId "t1"))
      (should (equal (agentq-server-session-id server) "s9")))))

(ert-deftest agentq-chat-follows-past-a-folded-result ()
  (agentq-chat-test-with-server server
    (with-current-buffer (agentq-chat-buffer server)
      (set-window-buffer (selected-window) (current-buffer))
      (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look"
                              :state "running")
      (should (= (window-point) (point-max)))
      (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                              :result '(:success t :content "first\nsecond"))
      (should (= (window-point) (point-max))))))

(ert-deftest agentq-chat-shows-what-waited-where-it-was-taken-up ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "text" :text "So far.")
    (agentq-chat-test-event server :kind "queuedPrompt" :text "And b.ts?")
    (should (equal (agentq-chat-test-text server) "So far.\n\n> And b.ts?\n\n"))))

(ert-deftest agentq-chat-tells-the-outcome-of-what-waited-for-a-person ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :state "waitingApproval"
                            :name "propose_file_edit")
    (should (equal (agentq-chat-test-text server) "  propose_file_edit  running\n"))
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :toolCallId "1" :title "A" :why ""
                      :state "pending" :check '(:state "unavailable") :hunks [])
    (should (string-prefix-p "  propose_file_edit  waits for you\n"
                             (agentq-chat-test-text server)))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :state "done"
                            :name "propose_file_edit")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "propose_file_edit"
                            :result '(:success t :content "APPLIED: all 2 of 2 hunks.\n- hunk 1"
                                      :metadata (:executionTimeMs 43977)))
    (should (string-prefix-p "+ propose_file_edit  APPLIED: all 2 of 2 hunks.\n"
                             (agentq-chat-test-text server)))))

(ert-deftest agentq-chat-shows-a-failure-in-the-colour-of-one ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "run" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "run"
                            :result '(:success :json-false :content "" :error "no"))
    (agentq-chat-test-event server :kind "turnEnded" :reason "error" :message "cut")
    (with-current-buffer (agentq-chat-buffer server)
      (dolist (words '("run" "-- error"))
        (goto-char (point-min))
        (search-forward words)
        (should (eq (get-text-property (1- (point)) 'face) 'agentq-chat-error))))))

(ert-deftest agentq-chat-puts-a-later-result-in-the-place-of-the-first ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "old\nlines"))
    (agentq-chat-test-event server :kind "text" :text "After it.")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "new"))
    (should (string-search "After it." (agentq-chat-test-text server)))
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "=> new" (buffer-string)))
      (should-not (string-search "old" (buffer-string))))))

(ert-deftest agentq-chat-search-unfolds-what-it-finds ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "needle"))
    (with-current-buffer (agentq-chat-buffer server)
      (let ((fold (seq-find (lambda (overlay) (overlay-get overlay 'invisible))
                            (overlays-in (point-min) (point-max)))))
        (funcall (overlay-get fold 'isearch-open-invisible) fold)
        (should (string-search "- look" (agentq-chat-test-text server)))
        (should (string-search "needle" (agentq-chat-test-text server)))))))

(ert-deftest agentq-chat-keeps-a-prompt-that-was-not-taken ()
  (agentq-chat-test-with-server server
    (agentq-prompt "Why is it so?")
    (let ((continuation (car (jsonrpc--continuations server))))
      (jsonrpc--remove server (car continuation))
      (funcall (nth 3 continuation) '(:code -33007 :message "Set ANTHROPIC_API_KEY.")))
    (should (string-search "> Why is it so?\n\nNot sent: Set ANTHROPIC_API_KEY."
                           (agentq-chat-test-text server)))
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "No model" (agentq-chat--header))))
    (cl-letf (((symbol-function 'read-from-minibuffer)
               (lambda (_prompt &optional initial &rest _) initial)))
      (call-interactively #'agentq-prompt))
    (should (equal (plist-get (cadr (agentq-test-sent 'agentq/prompt)) :text)
                   "Why is it so?"))))

(ert-deftest agentq-chat-leads-from-a-proposal-to-its-review ()
  (agentq-chat-test-with-server server
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :title "A change" :why ""
                      :state "pending" :check '(:state "unavailable") :hunks [])
    (with-current-buffer (agentq-chat-buffer server)
      (goto-char (point-min))
      (should (looking-at "Proposal: A change (0 hunks)$"))
      (save-window-excursion
        (set-window-buffer nil (current-buffer))
        (set-window-point nil (point-min))
        (call-interactively (key-binding (kbd "RET")))
        (should (eq major-mode 'agentq-review-mode))))))

(ert-deftest agentq-chat-mentions-an-open-question ()
  (agentq-chat-test-with-server server
    (agentq-test-tell server 'agentq/approval :approvalId "q1" :tool "eval_form"
                      :arguments nil :why "w" :risk "r")
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "1 question, a answers" (agentq-chat--header)))
      (should (eq (key-binding "a") 'agentq-approve)))))

(ert-deftest agentq-chat-says-that-the-server-ended ()
  (agentq-chat-test-with-server server
    (setf (agentq-server--connected server) t
          (agentq-server-session-id server) "s1")
    (agentq-chat-test-event server :kind "text" :text "in the mid")
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "propose_file_edit"
                            :state "waitingApproval")
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :title "A" :why "" :state "pending"
                      :check '(:state "unavailable") :hunks [])
    (delete-process (jsonrpc--process server))
    (with-timeout (5 (error "Nobody noticed"))
      (while (agentq-server--connected server) (accept-process-output nil 0.01)))
    (let ((shown (agentq-chat-test-text server)))
      (should (string-search "in the mid\n" shown))
      (should (string-search "propose_file_edit  ended with the server" shown))
      (should (string-search "The server ended.  The next prompt starts another one" shown)))
    (should-not (agentq-pending-proposals server))
    (should-not (agentq-server-turn-id server))))

(ert-deftest agentq-chat-is-not-killed-without-a-question ()
  (agentq-chat-test-with-server server
    (setf (agentq-server-session-id server) "s1")
    (let ((buffer (agentq-chat-buffer server)))
      (cl-letf (((symbol-function 'yes-or-no-p) #'ignore))
        (kill-buffer buffer))
      (should (buffer-live-p buffer))
      (setf (agentq-server-session-id server) nil)
      (kill-buffer buffer)
      (should-not (buffer-live-p buffer)))))

(ert-deftest agentq-chat-tells-the-place-and-not-the-whole-file ()
  (agentq-test-in-folder '(("src/a.ts" "one\ntwo\nthree\n") ("package.json" "{}"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "src/a.ts")
        (forward-line)
        (let ((context (agentq-context)))
          (agentq-prompt "What is it?" context)
          (should (equal context
                         (list (list :kind "file" :uri (agentq-test-uri "src/a.ts")
                                     :range (agentq-test-range 1 0 1 0)
                                     :label "src/a.ts:2, where point is")))))
        (let ((agentq-prompt-place nil))
          (should-not (agentq-context))))
      (let ((agentq-chat-test-seq 0))
        (agentq-chat-test-event server :kind "turnStarted" :text "What is it?"))
      (should (equal (agentq-chat-test-text server)
                     "\n> What is it?\n  (with src/a.ts:2, where point is)\n\n")))))

(ert-deftest agentq-chat-tells-which-file-of-the-project-is-on-the-screen ()
  (agentq-test-in-folder '(("src/a.ts" "one\ntwo\nthree\n") ("package.json" "{}"))
    (agentq-test-with-server server
      (save-window-excursion
        (let ((agentq--root default-directory))
          (delete-other-windows)
          (switch-to-buffer (find-file-noselect "src/a.ts"))
          (forward-line)
          (set-window-point (selected-window) (point))
          (with-current-buffer (agentq-chat-buffer server)
            (agentq-prompt "What is it?")
            (should (equal (plist-get (car (agentq-test-sent 'agentq/prompt)) :active)
                           (list :uri (agentq-test-uri "src/a.ts")
                                 :range (agentq-test-range 1 0 1 0))))
            (let ((agentq-prompt-place nil))
              (should-not (agentq-context-active (file-truename agentq--root))))
            (should-not (agentq-context-active "/elsewhere/"))))))))

;;; agentq-chat-tests.el ends here
