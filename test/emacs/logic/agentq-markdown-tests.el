;;; agentq-markdown-tests.el --- Answers in the transcript  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)

(defvar agentq-markdown-test-seq 0)

(defun agentq-markdown-test-stream (server &rest pieces)
  "Let SERVER stream PIECES of an answer, each shown before the next comes."
  (dolist (piece pieces)
    (agentq-test-tell server 'agentq/event :sessionId "s" :turnId "t"
                      :seq (cl-incf agentq-markdown-test-seq) :event (list :kind "text" :text piece))
    (with-current-buffer (agentq-chat-buffer server)
      (agentq-writer-flush))))

(defun agentq-markdown-test-ask (server turn text)
  "Let SERVER begin TURN with the prompt TEXT."
  (agentq-test-tell server 'agentq/event :sessionId "s" :turnId turn
                    :seq (cl-incf agentq-markdown-test-seq)
                    :event (list :kind "turnStarted" :text text)))

(defun agentq-markdown-test-end (server turn)
  "Let SERVER end TURN."
  (agentq-test-tell server 'agentq/event :sessionId "s" :turnId turn
                    :seq (cl-incf agentq-markdown-test-seq)
                    :event '(:kind "turnEnded" :reason "endTurn")))

(defmacro agentq-markdown-test-in (server &rest body)
  "Run BODY in the empty transcript of SERVER, in a folder with src/a.ts."
  (declare (indent 1))
  `(agentq-test-in-folder '(("src/a.ts" "one\ntwo\nthree\n"))
     (agentq-test-with-server ,server
       (let ((agentq-markdown-test-seq 0))
         (with-current-buffer (agentq-chat-buffer ,server)
           ,@body)))))

(defun agentq-markdown-test-face (words)
  "Return the face at the end of the first WORDS in the buffer."
  (save-excursion
    (goto-char (point-min))
    (search-forward words)
    (get-text-property (1- (point)) 'face)))

(ert-deftest agentq-markdown-gives-a-line-its-faces-when-it-is-complete ()
  (agentq-markdown-test-in server
    (agentq-markdown-test-stream server "## He" "ad\nIt is **bo")
    (should (eq (agentq-markdown-test-face "Head") 'agentq-markdown-heading))
    (should-not (agentq-markdown-test-face "bo"))
    (agentq-markdown-test-stream server "ld** and `co" "de` and *soft*, 2 * 3 * 4.\n- item\n> said\n")
    (should (eq (agentq-markdown-test-face "**bold") 'bold))
    (should (eq (agentq-markdown-test-face "`code") 'agentq-markdown-code))
    (should (eq (agentq-markdown-test-face "*soft") 'italic))
    (should-not (agentq-markdown-test-face "2 * 3"))
    (should (eq (agentq-markdown-test-face "\n-") 'agentq-markdown-marker))
    (should (eq (agentq-markdown-test-face "> said") 'agentq-markdown-quote))))

(defun agentq-markdown-test-shown ()
  "Return the text above the prompt as it is seen."
  (let ((position (point-min))
        parts)
    (while (< position (agentq-typing-end))
      (let* ((display (get-text-property position 'display))
             (next (min (next-char-property-change position (agentq-typing-end))
                        (next-single-property-change position 'display nil (agentq-typing-end)))))
        (unless (invisible-p position)
          (push (or display (buffer-substring-no-properties position next)) parts))
        (setq position next)))
    (substring-no-properties (string-join (nreverse parts)))))

(defun agentq-markdown-test-rendered (server text)
  "Let SERVER answer with TEXT and return that as it is seen."
  (agentq-markdown-test-ask server "t" "Why?")
  (agentq-markdown-test-stream server text)
  (agentq-markdown-test-end server "t")
  (string-remove-suffix "-- done\n"
                        (string-remove-prefix "\n> Why?\n\n" (agentq-markdown-test-shown))))

(ert-deftest agentq-markdown-shows-words-without-their-signs-and-copies-both ()
  (agentq-markdown-test-in server
    (should (equal (agentq-markdown-test-rendered
                    server (concat "## A **b**\n- `c`, ``d`e``, ***f*** and ~~g~~: *h i*.\n"
                                   "Not `**j**`, 2 * 3 * 4, src/**/*.ts, (*.ts,*.js), a ** b ** c, __k__.\n"
                                   "これは**大事**です—*yes*.\n```\nplain `l`\n```\n```ts\nlet m = 1;\n```\n> **n**\n**open"))
                   (concat "A b\n- c, d`e, f and g: h i.\n"
                           "Not **j**, 2 * 3 * 4, src/**/*.ts, (*.ts,*.js), a ** b ** c, __k__.\n"
                           "これは大事です—yes.\nplain `l`\nts\nlet m = 1;\n> n\n**open\n")))
    (copy-region-as-kill (point-min) (agentq-typing-end))
    (should (string-search "***f*** and ~~g~~" (current-kill 0)))
    (should-not (text-properties-at 0 (current-kill 0)))))

(ert-deftest agentq-markdown-puts-the-columns-of-a-table-in-line ()
  (agentq-markdown-test-in server
    (should (equal (agentq-markdown-test-rendered
                    server (concat "|a|**what**|n|\n|---|:-:|--:|\n|`long name`|x|1|\n| b | a \\| b |12|\n| c ||\n"
                                   "|no|rule|\n\n| left | as |\n| it | is |"))
                   (concat "| a         |  what  |  n |\n"
                           "|-----------|--------|----|\n"
                           "| long name |   x    |  1 |\n"
                           "| b         | a \\| b | 12 |\n"
                           "| c         |        |\n"
                           "| no        |  rule  |\n\n"
                           "| left | as |\n| it | is |\n")))
    (should (memq 'bold (ensure-list (agentq-markdown-test-face "|a"))))))

(ert-deftest agentq-markdown-leaves-a-table-alone-that-is-wider-than-the-window ()
  (agentq-markdown-test-in server
    (let ((table (format "|a|b|\n|-|-|\n|%s|c|\n" (make-string 80 ?x))))
      (should (equal (agentq-markdown-test-rendered server table) table)))))

(ert-deftest agentq-markdown-link-leads-to-its-file-or-asks ()
  (agentq-markdown-test-in server
    (should (equal (agentq-markdown-test-rendered
                    server "See [a **file**](src/a.ts#L2), [the docs](https://example.com/?q=1) and [x](/ssh:y:/z).\n")
                   "See a file, the docs and x.\n"))
    (cl-flet ((push-link (words)
                (goto-char (point-min))
                (search-forward words)
                (push-button (1- (point)))))
      (let (asked opened)
        (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (push question asked)))
                  ((symbol-function 'browse-url) (lambda (url &rest _) (push url opened)))
                  ((symbol-function 'find-file-noselect)
                   (let ((real (symbol-function 'find-file-noselect)))
                     (lambda (name &rest more)
                       (should-not (file-remote-p name))
                       (apply real name more)))))
          (push-link "the docs")
          (push-link "and [x")
          (should (equal asked '("Open https://example.com/?q=1? ")))
          (should (equal opened '("https://example.com/?q=1")))
          (save-window-excursion
            (push-link "See [a")
            (should (equal (list (buffer-name) (line-number-at-pos)) '("a.ts" 2)))))))))

(ert-deftest agentq-markdown-colours-a-block-when-it-is-finished ()
  (agentq-markdown-test-in server
    (agentq-markdown-test-stream server "See:\n```ts\nconst a" " = 1;\n# no heading\n")
    (should (eq (agentq-markdown-test-face "const") 'agentq-markdown-block))
    (should (eq (agentq-markdown-test-face "# no") 'agentq-markdown-block))
    (agentq-markdown-test-stream server "``" "`\nAfter `it`.\n")
    (should (equal (agentq-markdown-test-face "const")
                   '(font-lock-keyword-face agentq-markdown-block)))
    (should (eq (agentq-markdown-test-face "```ts") 'agentq-markdown-fence))
    (should (eq (agentq-markdown-test-face "`it") 'agentq-markdown-code))))

(ert-deftest agentq-markdown-ends-a-block-with-its-answer ()
  (agentq-markdown-test-in server
    (agentq-markdown-test-ask server "t" "Why?")
    (agentq-markdown-test-stream server "```ts\nlet x = 1")
    (agentq-markdown-test-end server "t")
    (should (equal (agentq-markdown-test-face "let")
                   '(font-lock-keyword-face agentq-markdown-block)))
    (agentq-markdown-test-ask server "u" "And?")
    (agentq-markdown-test-stream server "Plain `code`.\n")
    (should (eq (agentq-markdown-test-face "`code") 'agentq-markdown-code))
    (goto-char (point-min))
    (search-forward "let")
    (agentq-blocks-copy)
    (should (equal (current-kill 0) "let x = 1\n"))))

(ert-deftest agentq-markdown-never-calls-what-a-model-names ()
  (agentq-markdown-test-in server
    (cl-letf (((symbol-function 'evil-mode) (lambda (&rest _) (error "Called"))))
      (agentq-markdown-test-stream server "```evil\nx\n```\n```kill-emacs\ny\n```\n"))
    (should (eq (agentq-markdown-test-face "\nx") 'agentq-markdown-block))))

(ert-deftest agentq-markdown-looks-at-each-line-once ()
  (agentq-markdown-test-in server
    (let ((lines 0))
      (cl-letf* ((real (symbol-function 'agentq-markdown--line))
                 ((symbol-function 'agentq-markdown--line)
                  (lambda () (cl-incf lines) (funcall real))))
        (dotimes (_ 50)
          (agentq-markdown-test-stream server "some " "words\nand " "more\n"))
        (should (= lines 100))))))

(ert-deftest agentq-markdown-makes-buttons-of-places ()
  (agentq-markdown-test-in server
    (agentq-markdown-test-stream server "In `src/a.ts:2:2` and src/a.ts:3, not src/b.ts:1:1.\n")
    (goto-char (point-min))
    (search-forward "a.ts:2")
    (save-window-excursion
      (push-button (1- (point)))
      (should (equal (list (buffer-name) (line-number-at-pos) (current-column)) '("a.ts" 2 1))))
    (search-forward "a.ts:3")
    (should (button-at (1- (point))))
    (search-forward "b.ts:1")
    (should-not (button-at (1- (point))))))

(ert-deftest agentq-markdown-block-is-copied-and-proposed-without-its-fences ()
  (agentq-markdown-test-in server
    (agentq-markdown-test-stream server "```ts\nconst a = 1;\nconst b = 2;\n```\n```sh\nls\n```\nText.\n")
    (dolist (words '("```ts" "const a" "const b"))
      (goto-char (point-min))
      (search-forward words)
      (backward-char)
      (agentq-blocks-copy)
      (should (equal (current-kill 0) "const a = 1;\nconst b = 2;\n")))
    (search-forward "ls")
    (agentq-blocks-propose)
    (should (equal (plist-get (car (agentq-test-sent 'agentq/prompt)) :text)
                   (concat "Propose this code of your answer as an edit, where it belongs:"
                           "\n\n```sh\nls\n```")))
    (goto-char (point-max))
    (should-error (agentq-blocks-copy) :type 'user-error)))

(ert-deftest agentq-messages-are-gone-to-and-listed ()
  (agentq-markdown-test-in server
    (dolist (text '("First?" "Second,\nin lines?" "Third?"))
      (agentq-markdown-test-ask server text text)
      (agentq-markdown-test-stream server "Yes.\n")
      (agentq-markdown-test-end server text))
    (goto-char (point-min))
    (agentq-messages-next)
    (should (looking-at "> First"))
    (agentq-messages-next 2)
    (should (looking-at "> Third"))
    (should-error (agentq-messages-next) :type 'user-error)
    (goto-char (point-max))
    (agentq-messages-previous 2)
    (should (looking-at "> Second"))
    (should (equal (mapcar #'car (funcall imenu-create-index-function))
                   '("First?" "Second, in lines?" "Third?")))))

(ert-deftest agentq-messages-branch-where-the-answer-at-point-ends ()
  (agentq-markdown-test-in server
    (dolist (turn '("t1" "t2"))
      (agentq-markdown-test-ask server turn turn)
      (agentq-markdown-test-stream server (concat "Answer of " turn ".\n"))
      (agentq-markdown-test-end server turn))
    (goto-char (point-min))
    (should-error (agentq-messages-branch) :type 'user-error)
    (search-forward "of t1")
    (agentq-messages-branch)
    (search-forward "of t2")
    (agentq-messages-branch)
    (agentq-messages-say-again)
    (should (equal (agentq-test-sent 'agentq/forkSession)
                   '((:sessionId "s" :turnId "t2") (:sessionId "s") (:sessionId "s" :turnId "t2"))))
    (agentq-messages-rewind)
    (should (equal (agentq-test-sent 'agentq/rewind) '((:sessionId "s" :turnId "t2"))))
    (agentq-markdown-test-ask server "t3" "running")
    (should-error (agentq-messages-branch) :type 'user-error)))

(ert-deftest agentq-chat-return-folds-goes-or-asks ()
  (agentq-markdown-test-in server
    (agentq-test-tell server 'agentq/event :sessionId "s" :turnId "t" :seq 1
                      :event '(:kind "toolCall" :toolCallId "1" :name "look" :state "running"))
    (agentq-test-tell server 'agentq/event :sessionId "s" :turnId "t" :seq 2
                      :event '(:kind "toolResult" :toolCallId "1" :name "look"
                               :result (:success t :content "src/a.ts:3:1 is it")))
    (goto-char (point-min))
    (call-interactively (key-binding (kbd "RET")))
    (search-forward "a.ts:3")
    (should-not (invisible-p (point)))
    (save-window-excursion
      (call-interactively (key-binding (kbd "RET")))
      (should (equal (list (buffer-name) (line-number-at-pos)) '("a.ts" 3))))
    (agentq-chat-notice server "A line.\n")
    (goto-char (1- (agentq-typing-end)))
    (call-interactively (key-binding (kbd "RET")))
    (should (= (point) (point-max)))))

;;; agentq-markdown-tests.el ends here
