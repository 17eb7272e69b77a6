;;; agentq-enclosing-tests.el --- What a place in a text belongs to  -*- lexical-binding: t; -*-

;;; Code:

(require 'agentq-test-support)
(require 'agentq-enclosing)

(defconst agentq-enclosing-test-text
  "import { a } from \"./a.ts\";

/** Money. */
export class Money {
  plus(
    other: Money,
  ): Money {
    for (const one of other) {
      if (one) {
        keep(one);
      } else {
        drop(one);
      }
    }
    return this;
  }
}

after();

export const table = {
  first: [
    1,
  ],
};

describe(\"money\", () => {
  it(\"adds\", async () => {
    const sum = plus();
  });
});
")

(defun agentq-enclosing-test (words &optional new)
  "Return what stands round the line with WORDS, or round NEW in its place."
  (with-temp-buffer
    (insert agentq-enclosing-test-text)
    (goto-char (point-min))
    (search-forward words)
    (agentq-enclosing (pos-bol) (list (or new (buffer-substring (pos-bol) (pos-eol)))))))

(ert-deftest agentq-enclosing-names-the-innermost-function-or-class ()
  (dolist (case '(("keep(one)" . "plus")
                  ("drop(one)" . "plus")
                  ("return this" . "plus")
                  ("other: Money" . "plus")
                  ("plus(" . "class Money")
                  ("    1," . "first:")
                  ("first:" . "const table =")
                  ("const sum" . "it(\"adds\", async () =>")
                  ("it(" . "describe(\"money\", () =>")))
    (should (equal (cons (car case) (agentq-enclosing-test (car case))) case))))

(ert-deftest agentq-enclosing-names-nothing-between-functions ()
  (should-not (agentq-enclosing-test "after()"))
  (should-not (agentq-enclosing-test "import"))
  (should-not (agentq-enclosing-test "export class"))
  (should-not (agentq-enclosing-test "after()" ""))
  (should-not (agentq-enclosing-test "after()" "  indented, but in nothing")))

;;; agentq-enclosing-tests.el ends here
