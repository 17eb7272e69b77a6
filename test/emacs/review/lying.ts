/** Editors that apply something else than they say, as hooks and advice make them: what the model is told stays true. */
import { afterEach, expect, it, vi } from "vitest";
import { lastToolResult } from "../../nvim/model-words.ts";
import { runsAll } from "../../support/extent.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, waiting, Workbench } from "../workbench.ts";

const FILE = "src/allocate.ts";

/** Changes the edits of a document on their way into the buffer. */
const editing = (body: string): string =>
  `(advice-add 'agentq-apply--replace-texts :filter-args (lambda (args) (let ((edits (append (car args) nil))) (list ${body}))))`;

/** Does something behind the person's back as soon as the file was saved, once. */
const afterSaving = (
  body: string,
): string => `(progn (defun my-hook () (remove-hook 'after-save-hook #'my-hook) ${body})
    (add-hook 'after-save-hook #'my-hook))`;

/** Puts a function around the one that sends requests; `(send)` sends `agentq/didApply`. */
const confirming = (body: string): string => `(advice-add 'agentq-request :around
    (lambda (request server method &rest rest)
      (cl-flet ((send () (apply request server method rest)))
        (if (eq method :agentq/didApply) ${body} (send)))))`;

const stamping = (stamp: string): string => `(advice-add 'agentq-decide--stamp :override (lambda (uri) ${stamp}))`;

interface Behaviour {
  readonly title: string;
  readonly lisp: string;
  /** What the model reads, and what it must not read. */
  readonly told: RegExp;
  readonly never?: RegExp;
  /** What the disk holds in the end. */
  readonly disk: RegExp;
}

const FIXED = /Math\.floor\(\(total\.cents[^]*Array\.from/;
const UNFIXED = /^(?![^]*Math\.floor\(\(total)[^]*Math\.trunc/;
const ALL = /APPLIED: all/;
const IN = /^APPLIED: all 2 of 2 hunks/;

/** What happens around an edit in a real editor. */
const accidents: readonly Behaviour[] = [
  {
    title: "formats the applied lines as soon as it has saved them",
    lisp: afterSaving(
      `(save-excursion (goto-char (point-min)) (while (search-forward "Math.floor" nil t) (replace-match "Math .floor")))`,
    ),
    told: /hunk h1 .*(?:NOT there any more|NOT confirmed)/,
    never: ALL,
    disk: FIXED,
  },
  {
    title: "formats other lines as soon as it has saved",
    lisp: afterSaving(`(save-excursion (goto-char (point-min)) (insert "// formatted\\n"))`),
    told: /^APPLIED: all 2 of 2 hunks\.[^]*other places changed too[^]*not saved to disk yet/,
    disk: FIXED,
  },
  {
    title: "undoes the edit as soon as it has saved it",
    lisp: afterSaving("(undo-start) (undo-more 2)"),
    told: /NOT (?:applied|APPLIED)/,
    never: ALL,
    disk: FIXED,
  },
  {
    title: "writes other line endings than the file had",
    lisp: afterSaving("(set-buffer-file-coding-system 'utf-8-dos) (basic-save-buffer)"),
    told: IN,
    disk: /Math\.floor[^]*\r\n/,
  },
  {
    title: "says that it saved what the disk does not hold",
    lisp: afterSaving(`(write-region "// written by another program\\n" nil buffer-file-name nil 'silent)`),
    told: /^APPLIED: all 2 of 2 hunks\.[^]*changed in the editor, not saved to disk yet/,
    disk: /^\/\/ written by another program\n$/,
  },
  {
    title: "does not let the buffer be changed",
    lisp: `(with-current-buffer "allocate.ts" (read-only-mode 1))`,
    told: /^NOT APPLIED: none of 2 hunks/,
    disk: UNFIXED,
  },
];

/** What a client says of an edit; the store of proposals is asked about such words without an editor (`proposal-store.test.ts`). */
const claims: readonly Behaviour[] = [
  {
    title: "says that it applied an edit, and did not",
    lisp: "(advice-add 'agentq-apply-edit :override #'ignore)",
    told: /^NOT APPLIED: none of 2 hunks/,
    disk: UNFIXED,
  },
  {
    title: "applies the first of two edits",
    lisp: editing("(seq-take edits 1)"),
    told: /^PARTIALLY APPLIED: 1 of 2 hunks/,
    disk: /Math\.floor\(\(total\.cents(?![^]*Array\.from)/,
  },
  {
    title: "applies the edits in reverse order",
    lisp: editing("(reverse edits)"),
    told: IN,
    disk: FIXED,
  },
  {
    title: "changes the text that it applies",
    lisp: editing(
      "(mapcar (lambda (edit) (plist-put (copy-sequence edit) :newText (upcase (plist-get edit :newText)))) edits)",
    ),
    told: /^(?:UNCERTAIN: 0|NOT APPLIED: none) of 2 hunks/,
    disk: /MATH\.FLOOR/,
  },
  { title: "confirms twice", lisp: confirming("(progn (send) (send))"), told: IN, disk: FIXED },
  { title: "confirms without version and hash", lisp: stamping("(list :uri uri)"), told: IN, disk: FIXED },
  {
    title: "confirms with the version and hash of another text",
    lisp: stamping(`(list :uri uri :version 1 :sha256 (make-string 64 ?0))`),
    told: IN,
    disk: FIXED,
  },
];

const behaviours = [...accidents, ...(runsAll ? claims : claims.slice(0, 1))];

export function lyingTests(editor: Emacs): void {
  let bench: Workbench;
  afterEach(async () => {
    await bench.emacs.evaluate(`(progn
      (remove-hook 'after-save-hook #'my-hook)
      (dolist (each '(agentq-apply--replace-texts agentq-apply-edit agentq-request agentq-decide--stamp))
        (advice-mapc (lambda (advice _) (advice-remove each advice)) each)))`);
  });

  const told = (): string => lastToolResult(bench.model.requests, "propose_file_edit");
  const isDone = `(string-search "-- done" (agentq-test-driver-text "${chatBuffer}"))`;
  const isOver = async (): Promise<boolean> => (await bench.emacs.evaluate(isDone)) !== "nil";

  async function accepted(lisp: string): Promise<void> {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask("Refunds lose a cent: find the bug and fix it.", "waits for you");
    await bench.review("+  const shares");
    await bench.emacs.evaluate(`(progn ${lisp} t)`);
    await bench.emacs.evaluate(
      `(with-selected-window (get-buffer-window "${reviewBuffer}") (ignore-error user-error (call-interactively (key-binding "A"))) t)`,
    );
  }

  it.each(behaviours)(
    "the model is told the truth by an editor that $title",
    async ({ lisp, told: words, never, disk }) => {
      await accepted(lisp);
      // What did not get in waits again, and is rejected.
      await bench.emacs.until(`(or ${isDone} (and (null agentq-decide--queue) (< 0 ${waiting})))`);
      if (!(await isOver())) {
        bench.emacs.type("R");
        // What got in may be counted as waiting for a moment, and then nothing is asked.
        await bench.emacs.until(`(or ${isDone} (active-minibuffer-window))`);
        if (!(await isOver())) await bench.answer("no");
      }
      await bench.emacs.untilText(chatBuffer, "-- done");
      expect(told()).toMatch(words);
      if (never !== undefined) expect(told()).not.toMatch(never);
      expect(await bench.file(FILE)).toMatch(disk);
    },
  );

  it("the model is told that nobody confirmed, by an editor that never confirms", async () => {
    await accepted(confirming("nil"));
    await bench.untilFile(FILE, (text) => FIXED.test(text));
    await bench.command("agentq-cancel");
    await bench.emacs.untilText(chatBuffer, "-- cancelled");
    await bench.ask("Go on", "> Go on");
    const words = /accepted, but nobody confirmed that it was applied\. Read the file\./;
    await vi.waitUntil(() => words.test(told()), { timeout: 40_000 });
  });
}
