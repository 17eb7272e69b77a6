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
    (concat (cl-loop for position from (point-min) below (agentq-typing-end)
                     unless (invisible-p position)
                     collect (char-after position)))))

(defmacro agentq-chat-test-with-server (server &rest body)
  "Run BODY with SERVER and an empty transcript."
  (declare (indent 1))
  `(agentq-test-in-folder nil
     (agentq-test-with-server ,server
       (let ((agentq-chat-test-seq 0))
         ,@body))))

(defmacro agentq-chat-test-at-prompt (server &rest body)
  "Run BODY at the prompt of SERVER, below a line of a conversation."
  (declare (indent 1))
  `(let (agentq-prompt-history)
     (agentq-chat-test-with-server ,server
       (with-current-buffer (agentq-chat-buffer ,server)
         (agentq-chat-notice ,server "A line.\n")
         (goto-char (point-max))
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

(ert-deftest agentq-chat-does-not-say-how-long-an-earlier-thought-took ()
  (agentq-chat-test-with-server server
    (agentq-replay-show server (mapcar (lambda (event) (list :turnId "t" :event event))
                                       '((:kind "turnStarted" :text "Why?")
                                         (:kind "thinking" :text "Hm.")
                                         (:kind "text" :text "Because.")
                                         (:kind "turnEnded" :reason "endTurn"))))
    (should (equal (agentq-chat-test-text server)
                   "\n> Why?\n\n+ Thought\nBecause.\n-- done\n"))))

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
        (should (= (agentq-typing-end) 5001))))))

(ert-deftest agentq-chat-and-review-have-no-line-numbers-unless-asked-and-then-such-as-do-not-leap ()
  (agentq-test-in-folder nil
    (agentq-test-with-server server
      (unwind-protect
          (progn
            (global-display-line-numbers-mode)
            (with-current-buffer (agentq-chat-buffer server)
              (should-not display-line-numbers)
              (global-display-line-numbers-mode)
              (should (memq display-line-numbers '(nil visual))))
            (with-temp-buffer
              (agentq-review-mode)
              (should-not display-line-numbers)
              (let ((agentq-review-mode-hook '(display-line-numbers-mode)))
                (agentq-review-mode)
                (should (eq display-line-numbers 'visual))))
            (with-temp-buffer
              (text-mode)
              (should display-line-numbers)))
        (global-display-line-numbers-mode -1)))))

(ert-deftest agentq-chat-folds-a-tool-call-into-one-line ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look"
                            :state "running" :arguments '(:symbol "allocate"))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "2" :name "run"
                            :state "preparing")
    (should (equal (agentq-chat-test-text server)
                   "  look allocate  running\n  run  preparing\n"))
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "first\nsecond"
                                      :metadata (:executionTimeMs 7)))
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "2" :name "run"
                            :result '(:success :json-false :content "" :error "no"))
    (should (equal (agentq-chat-test-text server)
                   "+ look allocate  7 ms => first\n+ run  failed: no\n"))
    (with-current-buffer (agentq-chat-buffer server)
      (goto-char (point-min))
      (agentq-transcript-toggle)
      (should (equal (agentq-chat-test-text server)
                     (concat "- look allocate  7 ms\n    symbol: allocate\n"
                             "    => first\n    second\n+ run  failed: no\n")))
      (agentq-transcript-toggle)
      (should (equal (agentq-chat-test-text server)
                     "+ look allocate  7 ms => first\n+ run  failed: no\n")))))

(ert-deftest agentq-chat-shows-what-a-call-is-about-and-its-arguments-below ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "edit" :state "running"
                            :arguments '(:edits [(:op "create" :all t :none :json-false)] :depth 2
                                         :nothing nil :files ["a.ts" "b.ts"] :words "a\nb"))
    (should (equal (agentq-chat-test-text server)
                   "  edit depth=2 a.ts, b.ts a  running\n"))
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "edit"
                            :result '(:success t :content "done"))
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "edits: [{\"op\":\"create\",\"all\":true,\"none\":false}]\n"
                             (buffer-string))))))

(defun agentq-chat-test-look (server id argument &optional result)
  "Let SERVER call the tool ID called look with ARGUMENT, and tell RESULT if non-nil."
  (agentq-chat-test-event server :kind "toolCall" :toolCallId id :name "look" :state "running"
                          :arguments (list :symbol argument))
  (when result
    (agentq-chat-test-see server id result)))

(defun agentq-chat-test-see (server id content)
  "Let SERVER answer the call ID with CONTENT, after 5 ms."
  (agentq-chat-test-event server :kind "toolResult" :toolCallId id :name "look"
                          :result (list :success t :content content
                                        :metadata '(:executionTimeMs 5 :safetyLevel "safe"))))

(ert-deftest agentq-chat-shows-neighbours-that-only-looked-on-one-line ()
  (agentq-chat-test-with-server server
    (dolist (id '("1" "2" "3"))
      (agentq-chat-test-look server id (concat "name" id)))
    (agentq-chat-test-see server "3" "third")
    (agentq-chat-test-see server "1" "first")
    (should (equal (agentq-chat-test-text server)
                   (concat "+ look name1  5 ms => first\n  look name2  running\n"
                           "+ look name3  5 ms => third\n")))
    (agentq-chat-test-see server "2" "second")
    (should (equal (agentq-chat-test-text server)
                   "+ 3 calls  15 ms  look name1, look name2, look name3\n"))
    (agentq-chat-test-see server "2" "later")
    (with-current-buffer (agentq-chat-buffer server)
      (goto-char (point-min))
      (agentq-transcript-toggle)
      (should (equal (agentq-chat-test-text server)
                     (concat "- 3 calls  15 ms  look name1, look name2, look name3\n"
                             "  look name1  5 ms\n    symbol: name1\n    => first\n"
                             "  look name2  5 ms\n    symbol: name2\n    => later\n"
                             "  look name3  5 ms\n    symbol: name3\n    => third\n"))))
    (agentq-chat-test-event server :kind "text" :text "So.")
    (agentq-chat-test-look server "4" "name4" "fourth")
    (should (string-suffix-p "So.\n+ look name4  5 ms => fourth\n" (agentq-chat-test-text server)))))

(ert-deftest agentq-chat-shows-a-call-that-failed-or-asked-on-a-line-of-its-own ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-look server "1" "a" "first")
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "2" :name "look" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "2" :name "look"
                            :result '(:success :json-false :content "" :error "no"
                                      :metadata (:safetyLevel "safe")))
    (agentq-chat-test-look server "3" "b" "third")
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "4" :name "look" :state "running")
    (agentq-test-tell server 'agentq/approval :approvalId "q1" :tool "look" :toolCallId "4"
                      :arguments nil :why "w" :risk "r")
    (agentq-chat-test-see server "4" "allowed")
    (should (equal (agentq-chat-test-text server)
                   (concat "+ look a  5 ms => first\n+ look  failed: no\n"
                           "+ look b  5 ms => third\n+ look  allowed\n")))))

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
      (should (string-search "tokens: 20 in, 6 out" (agentq-heading))))))

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
    (should (equal (agentq-chat-test-text server) "  propose_file_edit A (0 hunks)  waits for you\n"))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :state "done"
                            :name "propose_file_edit")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "propose_file_edit"
                            :result '(:success t :content "APPLIED: all 2 of 2 hunks.\n- hunk 1"
                                      :metadata (:executionTimeMs 43977)))
    (should (equal (agentq-chat-test-text server)
                   "+ propose_file_edit A (0 hunks)  APPLIED: all 2 of 2 hunks.\n"))))

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
    (should (string-search "Not sent: Set ANTHROPIC_API_KEY." (agentq-chat-test-text server)))
    (with-current-buffer (agentq-chat-buffer server)
      (should (string-search "No model" (agentq-heading)))
      (should (equal (agentq-typing-text) "Why is it so?")))
    (cl-letf (((symbol-function 'read-from-minibuffer)
               (lambda (_prompt &optional initial &rest _) initial)))
      (call-interactively #'agentq-prompt))
    (should (equal (plist-get (cadr (agentq-test-sent 'agentq/prompt)) :text)
                   "Why is it so?"))
    (should-not (agentq-compose-draft server))))

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
      (agentq-chat-notice server "A line.\n")
      (goto-char (point-max))
      (should (string-search "1 question, C-c C-a answers" (agentq-heading)))
      (should (eq (key-binding "a") 'self-insert-command))
      (goto-char (point-min))
      (should (string-search "1 question, a answers" (agentq-heading)))
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
        (agentq-chat-test-event server :kind "turnStarted" :text "What is it?"
                                :attached ["src/a.ts:2"] :place "src/a.ts:2 · lines 1-3")
        (agentq-chat-test-event server :kind "queuedPrompt" :text "And that?"
                                :attached ["src/a.ts:20"] :place "src/a.ts:2 · 1 error")
        (agentq-chat-test-event server :kind "queuedPrompt" :text "Here?" :place "src/a.ts:2"))
      (should (equal (agentq-chat-test-text server)
                     (concat "\n> What is it?\n  (with src/a.ts:2; in view: lines 1-3)\n\n"
                             "\n> And that?\n  (with src/a.ts:20; in view: src/a.ts:2, 1 error)\n\n"
                             "\n> Here?\n  (in view: src/a.ts:2)\n\n"))))))

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
                                 :range (agentq-test-range 1 0 1 0)
                                 :visible (agentq-test-range 0 0 3 0))))
            (let ((agentq-prompt-place nil))
              (should-not (agentq-context-active (file-truename agentq--root))))
            (should-not (agentq-context-active "/elsewhere/"))))))))

(ert-deftest agentq-chat-tells-the-errors-and-warnings-that-are-shown ()
  (agentq-test-in-folder '(("src/a.ts" "one\ntwo\nthree\nfour\n") ("package.json" "{}"))
    (agentq-test-with-server server
      (with-current-buffer (find-file-noselect "src/a.ts")
        (add-hook 'flymake-diagnostic-functions
                  (lambda (report &rest _)
                    (funcall report
                             (cl-loop for (beg type text) in '((1 :warning "far") (9 :warning "near")
                                                               (1 :error "wrong") (5 :note "a note"))
                                      collect (flymake-make-diagnostic
                                               (current-buffer) beg (+ beg 3) type text))))
                  nil t)
        (flymake-mode)
        (flymake-start)
        (goto-char 9)
        (agentq-prompt "Why?" (agentq-context))
        (let ((active (plist-get (car (agentq-test-sent 'agentq/prompt)) :active)))
          (should (equal (mapcar (lambda (each) (list (plist-get each :severity)
                                                      (plist-get each :message)))
                                 (plist-get active :diagnostics))
                         '((1 "wrong") (2 "near") (2 "far"))))
          (should (equal (plist-get (aref (plist-get active :diagnostics) 1) :range)
                         (agentq-test-range 2 0 2 3))))
        (let ((agentq-prompt-place nil))
          (agentq-prompt "And?" (agentq-context))
          (should-not (plist-get (cadr (agentq-test-sent 'agentq/prompt)) :active)))))))

;;; What nobody should send

(ert-deftest agentq-chat-survives-hostile-text ()
  (agentq-chat-test-at-prompt server
    (insert "my draft")
    (dolist (text (list "\e[31mred\e[0m\e]0;title\a\r\n" "\0\b\u202e\u200b\n" (make-string 200000 ?x)
                        "\n```\n~~~\n> \n```ts\n" "**`[](<\n" "> my draft"))
      (agentq-chat-test-event server :kind "text" :text text)
      (agentq-writer-flush))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "two\nlines\u202e"
                            :state "running" :arguments '(:a "b\nc" :d (:e [1 nil]) :f :null))
    (agentq-chat-test-see server "1" "\e[2Jgone\r\n\nend")
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :title "A\nB\u202e" :why ""
                      :state "pending" :check '(:state "unavailable") :hunks [])
    (let ((shown (agentq-chat-test-text server)))
      (should (string-search "\n+ two<U+000A>lines<U+202E> " shown))
      (should (string-search "\nProposal: A<U+000A>B<U+202E> (0 hunks)\n" shown)))
    (goto-char (1- (agentq-typing-end)))
    (forward-line -1)
    (agentq-transcript-toggle)
    (should (string-search "\n    => \e[2Jgone" (agentq-chat-test-text server)))
    (should (equal (agentq-typing-text) "my draft"))
    (should-not (text-property-any (point-min) (agentq-typing-start) 'read-only nil))))

(ert-deftest agentq-chat-survives-events-in-a-wrong-order ()
  (agentq-chat-test-at-prompt server
    (insert "my draft")
    (agentq-chat-test-see server "unknown" "before its call")
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (agentq-chat-test-event server :kind "turnEnded" :reason "a new reason")
    (agentq-chat-test-event server :kind "a new kind" :text "what")
    (agentq-chat-test-event server :kind "text" :text "half")
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (agentq-chat-test-event server :kind "turnStarted" :text "Why again?")
    (agentq-chat-test-look server "1" "a" "first")
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (agentq-test-tell server 'agentq/approvalChanged :approvalId "none")
    (agentq-test-tell server 'agentq/delegated :sessionId "other" :turnId "t"
                      :parent '(:sessionId "s" :toolCallId "none")
                      :event '(:kind "text" :text "x"))
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (should (string-suffix-p
             (concat "-- done\n-- a new reason\nhalf\n\n> Why?\n\n\n> Why again?\n\n"
                     "+ look a  5 ms => first\n-- done\n")
             (agentq-chat-test-text server)))
    (should (equal (agentq-typing-text) "my draft"))))

(ert-deftest agentq-chat-leaves-another-project-alone-when-its-server-is-killed ()
  (agentq-chat-test-with-server one
    (agentq-test-in-folder nil
      (agentq-test-with-server two
        (push one agentq--servers)
        (dolist (server (list one two))
          (setf (agentq-server--connected server) t)
          (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
          (agentq-chat-test-event server :kind "text" :text "in the mid")
          (agentq-compose-put-back server (if (eq server one) "draft one" "draft two")))
        (delete-process (jsonrpc--process one))
        (with-timeout (5 (error "Nobody noticed"))
          (while (agentq-server--connected one) (accept-process-output nil 0.01)))
        (agentq-chat-test-event two :kind "text" :text "dle")
        (should (equal (agentq-chat-test-text two) "\n> Why?\n\nin the middle"))
        (should (string-search "in the mid\n\nThe server ended." (agentq-chat-test-text one)))
        (should (agentq-server-turn-id two))
        (should-not (agentq-server-turn-id one))
        (should (equal (mapcar #'agentq-compose-draft (list one two))
                       '("draft one" "draft two")))))))

(ert-deftest agentq-chat-goes-on-in-a-new-buffer-when-its-own-is-killed ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (agentq-chat-test-look server "1" "a")
    (agentq-chat-test-event server :kind "text" :text "half")
    (with-current-buffer (agentq-chat-buffer server)
      (let (kill-buffer-query-functions)
        (kill-buffer)))
    (agentq-chat-test-see server "1" "first")
    (agentq-chat-test-event server :kind "text" :text " a word")
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (should (equal (agentq-chat-test-text server) " a word\n-- done\n"))
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :title "A" :why "" :toolCallId "1"
                      :state "pending" :check '(:state "unavailable") :hunks [])
    (should (string-search "Proposal: A" (agentq-chat-test-text server)))))

;;; The prompt

(defun agentq-chat-test-type (&rest texts)
  "Type each of TEXTS, with RET behind it."
  (dolist (text texts)
    (insert text)
    (undo-boundary)
    (call-interactively (key-binding (kbd "RET")))))

(defun agentq-chat-test-said ()
  "Return the prompts that were sent."
  (mapcar (lambda (params) (plist-get params :text)) (agentq-test-sent 'agentq/prompt)))

(ert-deftest agentq-compose-says-what-is-complete ()
  (agentq-chat-test-at-prompt _server
    (agentq-chat-test-type "Don't (worry: 1) yes, `f(`" "Is it f(" "x)?" ":( a smile" ""
                           "Look:" "```ts\nf(" "" "2" "```")
    (should (equal (agentq-chat-test-said)
                   '("Don't (worry: 1) yes, `f(`" "Is it f(\nx)?" ":( a smile" "Look:"
                     "```ts\nf(\n\n2\n```")))
    (should (equal (agentq-typing-text) ""))))

(ert-deftest agentq-compose-sends-what-is-open-by-a-key-of-its-own ()
  (agentq-chat-test-at-prompt _server
    (agentq-chat-test-type "```")
    (should-not (agentq-chat-test-said))
    (call-interactively (key-binding (kbd "C-c C-c")))
    (should (equal (agentq-chat-test-said) '("```")))
    (should-error (call-interactively (key-binding (kbd "C-c C-c"))) :type 'user-error)))

(ert-deftest agentq-compose-shares-the-history-of-the-minibuffer ()
  (agentq-chat-test-at-prompt _server
    (agentq-chat-test-type "one")
    (should (equal agentq-prompt-history '("one")))
    ;; What the minibuffer read.
    (push "two" agentq-prompt-history)
    (insert "half")
    (dolist (wanted '("two" "one"))
      (call-interactively (key-binding (kbd "M-p")))
      (should (equal (agentq-typing-text) wanted)))
    (dotimes (_ 2) (call-interactively (key-binding (kbd "M-n"))))
    (should (equal (agentq-typing-text) "half"))))

(ert-deftest agentq-compose-keeps-its-history-where-others-are-kept ()
  (agentq-chat-test-at-prompt _server
    (require 'savehist)
    (let ((savehist-mode t)
          (savehist-minibuffer-history-variables nil))
      (agentq-chat-test-type "one")
      (should (equal savehist-minibuffer-history-variables '(agentq-prompt-history))))))

(ert-deftest agentq-compose-leaves-what-is-typed-alone-while-text-comes ()
  (agentq-chat-test-at-prompt server
    (set-window-buffer (selected-window) (current-buffer))
    (buffer-enable-undo)
    (insert "one")
    (undo-boundary)
    (insert " two")
    (undo-boundary)
    (delete-region (- (point) 4) (point))
    (undo-boundary)
    (insert " three")
    (backward-char 2)
    (undo-boundary)
    (agentq-chat-test-event server :kind "text" :text "> no prompt (\n```ts\n> neither")
    (agentq-writer-flush)
    (should (looking-at "ee\\'"))
    (should (equal (agentq-typing-text) "one three"))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "first\nsecond"))
    (let ((last-command nil))
      (undo)
      (should (equal (agentq-typing-text) "one"))
      (agentq-chat-test-event server :kind "text" :text "More of it.")
      (agentq-writer-flush)
      (setq last-command 'undo)
      (undo)
      (should (equal (agentq-typing-text) "one two")))
    (should (string-search "> neither\n+ look" (agentq-chat-test-text server)))))

(ert-deftest agentq-compose-is-all-that-can-be-changed ()
  (agentq-chat-test-at-prompt server
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (agentq-chat-test-event server :kind "toolResult" :toolCallId "1" :name "look"
                            :result '(:success t :content "first"))
    (agentq-chat-test-event server :kind "thinking" :text "Hm.")
    (agentq-chat-test-event server :kind "text" :text "Text.")
    (agentq-writer-flush)
    (cl-loop for position from (point-min) below (agentq-typing-start)
             do (goto-char position)
             (should-error (insert "x") :type 'text-read-only))
    (should-error (delete-region (point-min) (point-max)) :type 'text-read-only)
    (goto-char (point-max))
    (should (eq (key-binding (kbd "TAB")) 'completion-at-point))
    (should (eq (key-binding (kbd "n")) 'self-insert-command))
    (should (eq (key-binding (kbd "C-c C-n")) 'agentq-messages-next))
    (insert-and-inherit "typed")
    (should-not (text-properties-at (1- (point))))))

(ert-deftest agentq-compose-takes-no-part-of-the-transcript-over-by-a-yank ()
  (agentq-chat-test-at-prompt server
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (copy-region-as-kill (point-min) (agentq-typing-end))
    (yank)
    (should (string-search "> Why?" (agentq-typing-text)))
    (should (= 1 (length (agentq-messages--all))))
    (should-not (text-property-not-all (agentq-typing-start) (point-max) 'read-only nil))))

(ert-deftest agentq-compose-stays-when-the-transcript-shows-another-conversation ()
  (agentq-chat-test-at-prompt server
    (insert "half a thought")
    (agentq-new)
    (should (equal (agentq-typing-text) "half a thought"))
    (should (equal (agentq-chat-test-text server) "A new conversation starts here.\n"))
    (agentq-chat-test-type "")
    (should (equal (agentq-chat-test-said) '("half a thought")))))

(ert-deftest agentq-compose-has-the-draft-of-the-minibuffer ()
  (agentq-chat-test-at-prompt server
    (insert "Why")
    (with-temp-buffer
      (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) (signal 'quit nil))))
        (should (eq 'left (condition-case nil (call-interactively #'agentq-prompt) (quit 'left)))))
      (should (equal (agentq-compose-draft server) "Why"))
      (cl-letf (((symbol-function 'read-from-minibuffer)
                 (lambda (_prompt &optional initial &rest _) (concat initial " not?"))))
        (call-interactively #'agentq-prompt))
      (should-not (agentq-compose-draft server)))
    (should (equal (agentq-chat-test-said) '("Why not?")))
    (agentq-compose-put-back server "first")
    (agentq-compose-put-back server "second")
    (should (equal (agentq-typing-text) "first\n\nsecond"))))

(ert-deftest agentq-compose-is-not-killed-with-a-draft-without-a-question ()
  (agentq-chat-test-at-prompt server
    (insert "half")
    (cl-letf (((symbol-function 'yes-or-no-p) #'ignore))
      (kill-buffer))
    (should (buffer-live-p (current-buffer)))
    (agentq-typing-clear)
    (let ((buffer (current-buffer)))
      (kill-buffer)
      (should-not (buffer-live-p buffer)))))

;; What Emacs asks before it ends.

(defun agentq-chat-test-leaving ()
  "Return what Emacs asks before it ends, nil for nothing."
  (let (asked)
    (cl-letf (((symbol-function 'yes-or-no-p) (lambda (question) (setq asked question) nil)))
      (list (run-hook-with-args-until-failure 'kill-emacs-query-functions) asked))))

(ert-deftest agentq-asks-before-emacs-ends-with-what-was-typed-or-in-a-turn ()
  (agentq-chat-test-at-prompt server
    (should (equal (agentq-chat-test-leaving) '(t nil)))
    (insert "Why?")
    (should (equal (agentq-chat-test-leaving)
                   (list nil (format "What is typed in %s was not sent; leave Emacs all the same? "
                                     (buffer-name)))))
    (agentq-typing-clear)
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (should (equal (agentq-chat-test-leaving)
                   '(nil "The turn in test is not over; leave Emacs all the same? ")))
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (should (equal (agentq-chat-test-leaving) '(t nil)))))

(ert-deftest agentq-compose-has-what-was-not-sent-in-its-history-when-emacs-ends ()
  (require 'savehist)
  (agentq-chat-test-at-prompt server
    (let ((savehist-mode t)
          savehist-minibuffer-history-variables)
      (insert "Why? ")
      (should (eq (car kill-emacs-hook) #'agentq-typing--keep-all))
      (agentq-typing--keep-all)
      (should (equal agentq-prompt-history '("Why?")))
      (should (memq 'agentq-prompt-history savehist-minibuffer-history-variables)))))

(ert-deftest agentq-keys-behind-a-prefix-are-those-of-the-menu ()
  (should (keymapp 'agentq-command-map))
  (require 'agentq-menu)
  (map-keymap (lambda (event command)
                (ert-info ((symbol-name command))
                  (should (commandp command))
                  (should (eq command (plist-get (car (last (transient-get-suffix
                                                             'agentq-menu (key-description (vector event)))))
                                                 :command)))))
              agentq-command-map))

;; The mouse.

(defun agentq-chat-test-click (keymap &rest event)
  "Do what KEYMAP has for EVENT, a click in the selected window."
  (let ((command (lookup-key keymap (vconcat event))))
    (should (commandp command))
    (funcall command (list (car (last event)) (list (selected-window) (point) '(0 . 0) 0)))))

(ert-deftest agentq-mouse-does-what-the-key-does-that-is-named ()
  (agentq-chat-test-at-prompt server
    (agentq-test-tell server 'agentq/approval :approvalId "q1" :tool "eval_form" :arguments '(:form "1")
                      :toolCallId "c" :why "w" :risk "r")
    (save-window-excursion
      (set-window-buffer nil (current-buffer))
      (goto-char (point-max))
      (let* ((line (agentq-mouse-keys (agentq-heading)))
             (at (string-search "C-c C-a" line)))
        (should (equal (substring-no-properties line) (substring-no-properties (agentq-heading))))
        (should-not (get-text-property 0 'keymap line))
        (agentq-chat-test-click (get-text-property at 'keymap line) 'header-line 'mouse-1)
        (should (derived-mode-p 'agentq-question-mode))
        (goto-char (point-min))
        (search-forward "3  no")
        (agentq-chat-test-click (get-text-property (1- (point)) 'keymap) 'mouse-1)
        (should (equal (plist-get (car (agentq-test-sent 'agentq/answerApproval)) :decision) "denied"))))))

(ert-deftest agentq-mouse-unfolds-the-call-that-is-clicked ()
  (agentq-chat-test-with-server server
    (agentq-chat-test-look server "1" "a" "first\nsecond")
    (with-current-buffer (agentq-chat-buffer server)
      (save-window-excursion
        (set-window-buffer nil (current-buffer))
        (goto-char (point-min))
        (should (get-text-property (point) 'follow-link))
        (agentq-chat-test-click (get-text-property (point) 'keymap) 'mouse-2)
        (should (string-search "second" (agentq-chat-test-text server)))))))

(ert-deftest agentq-heading-tells-what-runs-and-for-how-long ()
  (agentq-chat-test-at-prompt server
    (agentq-chat-test-event server :kind "turnStarted" :text "Why?")
    (should (string-prefix-p " Working, C-c C-k stops" (agentq-heading)))
    (setf (agentq-server-turn-began server) (- (float-time) 75))
    (should (string-prefix-p " Working 1:15, C-c C-k stops" (agentq-heading)))
    (agentq-chat-test-event server :kind "toolCall" :toolCallId "1" :name "look" :state "running")
    (should (string-prefix-p " look 1:15, C-c C-k stops" (agentq-heading)))
    (should agentq-heading--clock)
    (agentq-test-tell server 'agentq/proposal :proposalId "p1" :toolCallId "1" :title "A" :why ""
                      :state "pending" :check '(:state "unavailable") :hunks [])
    (should (string-prefix-p
             " Waiting for you  |  1 proposal, C-c C-v reviews  |  C-c C-k stops" (agentq-heading)))
    ;; A narrow window leaves out whole parts, the way to what waits last of all.
    (should (equal " Waiting for you  |  1 proposal, C-c C-v reviews" (agentq-heading 51)))
    (should (equal (agentq-heading) (agentq-heading 200)))
    (agentq-test-tell server 'agentq/proposalChanged :proposalId "p1" :title "A" :why ""
                      :state "applied" :check '(:state "unavailable") :hunks [])
    (agentq-chat-test-event server :kind "turnEnded" :reason "endTurn")
    (should (equal (agentq-heading) " Ready, C-c ? lists the keys"))
    (should-not agentq-heading--clock)))

;;; agentq-chat-tests.el ends here
