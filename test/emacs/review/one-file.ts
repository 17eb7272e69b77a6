import { expect, it } from "vitest";
import { fixBug } from "../../../examples/demo/scripts/fix-bug.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

export function oneFileTests(editor: Emacs): void {
  let bench: Workbench;

  it("keeps the line after a hunk a line of its own when the person's text has no newline at its end", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u001b>// extra\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    const fixed = before.replace(/( {2}const shares = weights.*)Math\.trunc(.*\n)/, "$1Math.floor$2// extra\n");
    // An editor empties a file before it writes the new text.
    await bench.untilFile("src/allocate.ts", (text) => text !== before && text !== "");
    expect(await bench.file("src/allocate.ts")).toBe(fixed);
  });

  it("saves nothing by default, and the agent goes on with the text of the buffer", async () => {
    const byDefault = "(eval (car (get 'agentq-save-after-apply 'standard-value)) t)";
    bench = await Workbench.start(editor, fixBug, { variables: { "agentq-save-after-apply": byDefault } });
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    bench.emacs.type("R");
    await bench.answer("keep the loop");
    await bench.emacs.untilText(chatBuffer, "Fixed");
    expect(bench.model.mismatches).toEqual([]);
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("-10.00 EUR");
    expect(await bench.emacs.evaluate(`(buffer-modified-p (get-buffer "allocate.ts"))`)).toBe("t");
    expect(await bench.file("src/allocate.ts")).toBe(before);
    await bench.emacs.untilText("*Messages*", "applied, not saved: allocate.ts");
  });

  it("changes no file and hides no hunk by the keys of diff-mode", async () => {
    bench = await Workbench.replay(editor, "fix-proposed");
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    const shown = await bench.review("+  const shares");
    for (const keys of ["\u0003\u0001", "\u0003\u0012", "\u001bk"]) bench.emacs.type(keys);
    await bench.emacs.untilText("*Messages*", "C-c C-a is undefined");
    await bench.emacs.untilText("*Messages*", "Buffer is read-only");
    expect(await bench.emacs.text(reviewBuffer)).toBe(shown);
    expect(await bench.emacs.text("allocate.ts")).toBe(before);
  });

  it("lets the agent stop when that was asked for with an earlier hunk", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    const asked = bench.model.requests.length;
    await bench.review("+  const shares");
    bench.emacs.type("\u0015a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- stopped");
    expect(bench.model.requests).toHaveLength(asked);
  });

  it("says after a cancel what had been applied before", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.untilFile("src/allocate.ts", (text) => text.includes("Math.floor"));
    await bench.emacs.until("(null agentq-decide--queue)");
    await bench.command("agentq-cancel");
    expect(await bench.emacs.untilText(chatBuffer, "-- cancelled")).toMatch(/propose_file_edit .*1 of 2 hunks/);
    const header = `(with-current-buffer ${JSON.stringify(reviewBuffer)} (substring-no-properties (agentq-review--header)))`;
    expect(await bench.emacs.evaluate(header)).toContain("Withdrawn: 1 of 2 hunks applied");
  });

  it("shows every line of the hunk at point on a small terminal", async () => {
    bench = await Workbench.start(editor, proposeFix, { size: [24, 80] });
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    const wholeHunkIsSeen = `(progn (redisplay t)
      (with-current-buffer ${JSON.stringify(reviewBuffer)}
        (let ((window (get-buffer-window)))
          (and (pos-visible-in-window-p (point) window)
               (pos-visible-in-window-p
                (1- (next-single-property-change (point) 'agentq-hunk nil (point-max))) window)))))`;
    await bench.emacs.until(wholeHunkIsSeen);
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.emacs.until(wholeHunkIsSeen);
    expect(await bench.emacs.text(reviewBuffer)).toMatch(/-11,7 \+11,7 @@ .*\[accepted\] .*\n [^+]*\n-.*\n\+/);
  });

  it("shows long lines to their ends in a narrow window, whatever the person has set for other buffers", async () => {
    bench = await Workbench.start(editor, proposeFix, { variables: { "truncate-lines": "t" } });
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    const rows = await bench.emacs.evaluate(`(progn
      (delete-other-windows)
      (split-window-right 40)
      (save-excursion
        (goto-char (point-min))
        (search-forward "+  const shares")
        (count-screen-lines (pos-bol) (pos-eol) nil (selected-window))))`);
    expect(Number(rows)).toBeGreaterThan(1);
  });

  it("takes a decision where the review is the only window, and no hunk fits in", async () => {
    bench = await Workbench.start(editor, proposeFix, { size: [8, 80] });
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    await bench.emacs.evaluate("(delete-other-windows)");
    bench.emacs.type("A");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await bench.emacs.untilText(chatBuffer, "-- done");
  });

  it("shows what the compiler says of a proposal", async () => {
    bench = await Workbench.replay(editor, "edit-that-does-not-compile");
    await bench.ask("Break it.", PROPOSED);
    const shown = await bench.review("new error");
    expect(shown).toMatch(/^Compiler: 1 new error: src\/allocate\.ts:14 Property 'nonsense' does not exist/m);
    const header = `(with-current-buffer ${JSON.stringify(reviewBuffer)} (substring-no-properties (agentq-review--header)))`;
    expect(await bench.emacs.evaluate(header)).toContain("1 of 1, 1 left, 1 new error");
  });

  it("shows a conflict as soon as its lines change, takes a merge of it, and tells the model", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    const type = (from: string, to: string): Promise<string> =>
      bench.emacs.evaluate(
        `(with-current-buffer "allocate.ts" (goto-char (point-min)) (search-forward "${from}") (replace-match "${to}" t t) nil)`,
      );
    await type("Math.trunc((total.cents * weight) / whole));", "Math.trunc((total.cents * weight) / whole)); // mine");
    await bench.emacs.untilText(reviewBuffer, "allocate.ts:14 [conflict] these lines changed since");
    expect(await bench.emacs.text(reviewBuffer)).toMatch(
      /# it is now:\n.*\/\/ mine\n# it was:\n-.*trunc.*\n# proposed:\n\+.*floor/,
    );
    const header = `(with-current-buffer ${JSON.stringify(reviewBuffer)} (substring-no-properties (agentq-review--header)))`;
    expect(await bench.emacs.evaluate(header)).toContain("1 of 2, 2 left, 1 in conflict");
    await type(" // mine", "");
    await bench.emacs.until(
      `(not (string-match-p "conflict" (with-current-buffer "${reviewBuffer}" (buffer-string))))`,
    );
    await type("whole));", "whole)); // mine");
    await bench.emacs.untilText(reviewBuffer, "[conflict]");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0003\u0014\u0005 // mine\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.emacs.text("allocate.ts")).toMatch(/Math\.floor.*whole\)\); \/\/ mine\n/);
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain(
      "applied, merged by the person with what came to that place",
    );
  });

  it("says what the file of a hunk cannot hold, and leaves it as it is", async () => {
    bench = await Workbench.replay(editor, "fix-proposed");
    const before = await bench.file("src/allocate.ts");
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (set-buffer-file-coding-system 'iso-latin-1-unix) (insert "// é\\n") (save-buffer) t)`,
    );
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0005 // €\u0003\u0003");
    await bench.emacs.untilText("*Messages*", "is written in iso-latin-1, which has no €; nothing is decided");
    expect(await bench.emacs.text("allocate.ts")).toBe(`// é\n${before}`);
  });

  it("applies a hunk with the user's own text, and tells the model that text", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0005 // by hand\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    await bench.emacs
      .until(`(equal (buffer-name (window-buffer)) ${JSON.stringify(reviewBuffer)})`)
      .catch(async (error: unknown) => {
        const seen = `(list (mapcar (lambda (w) (buffer-name (window-buffer w))) (window-list)) (minibuffer-prompt))`;
        throw new Error(`the windows are ${await bench.emacs.evaluate(seen)}`, { cause: error });
      });
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const line = "Math.floor((total.cents * weight) / whole)); // by hand";
    expect(await bench.file("src/allocate.ts")).toBe(
      before.replace("Math.trunc((total.cents * weight) / whole));", line),
    );
    const told = JSON.stringify(bench.model.requests.at(-1));
    expect(told).toContain("applied with the person's own text");
    expect(told).toContain(line);
  });

  it("keeps unsaved text: edits around it are not saved, edits over it are conflicts", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (insert "// mine\\n") (search-forward "const weights") (replace-match "const mine") nil)`,
    );
    await bench.review("+  const shares");
    bench.emacs.type("A");
    await bench.emacs.untilText(reviewBuffer, "allocate.ts:15 [accepted]");
    await bench.emacs.until(
      `(string-match-p "[[]conflict[]]" (with-current-buffer "${reviewBuffer}" (buffer-string)))`,
    );
    expect(await bench.emacs.text(reviewBuffer)).toMatch(/allocate\.ts:43 \[conflict\] these lines changed since/);
    bench.emacs.type("r");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const text = await bench.emacs.text("allocate.ts");
    expect(text).toBe(`// mine\n${before.replace("const weights", "const mine").replace("Math.trunc", "Math.floor")}`);
    expect(await bench.file("src/allocate.ts")).toBe(before);
    expect(await bench.emacs.evaluate(`(buffer-modified-p (get-buffer "allocate.ts"))`)).toBe("t");
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain("NOT applied: the document changed at that place");
  });
}
