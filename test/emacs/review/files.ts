/** A review over several files, and ways from it into the files and into Ediff. */
import { expect, it } from "vitest";
import { call, reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

const rename = scriptOf("rename", "rename a class of many files", [
  reply(call("rename_symbol", { symbol: "src/money.ts#Money", new_name: "Amount" })),
  reply("Understood."),
]);

export function filesTests(editor: Emacs): void {
  let bench: Workbench;

  const header = `(with-current-buffer "${reviewBuffer}" (substring-no-properties (agentq-review--header)))`;
  const untilHeader = (words: string): Promise<void> => bench.emacs.until(`(string-search "${words}" ${header})`);
  const here = `(with-current-buffer (window-buffer) (format "%s %s" (buffer-name) (buffer-substring-no-properties (pos-bol) (pos-eol))))`;

  it("moves from hunk to hunk and from file to file, and says where", async () => {
    bench = await Workbench.start(editor, rename);
    await bench.ask("Rename it.", PROPOSED);
    const shown = await bench.review("+++ b/");
    const count = shown.match(/^@@ /gm)?.length ?? 0;
    const files = shown.match(/^\+\+\+ b\/.*$/gm) ?? [];
    expect(count).toBeGreaterThan(files.length);
    expect(files.length).toBeGreaterThan(2);
    await untilHeader(`1 of ${count}, ${count} left`);
    bench.emacs.type("n");
    await untilHeader(`2 of ${count}, ${count} left`);
    bench.emacs.type("p");
    await untilHeader(`1 of ${count}, ${count} left`);
    const file = `(with-current-buffer "${reviewBuffer}" (save-excursion (re-search-backward "^\\\\+\\\\+\\\\+ .*") (match-string-no-properties 0)))`;
    bench.emacs.type("N");
    await bench.emacs.until(`(equal ${file} ${JSON.stringify(files[1])})`);
    bench.emacs.type("P");
    await bench.emacs.until(`(equal ${file} ${JSON.stringify(files[0])})`);
    bench.emacs.type("P");
    await bench.emacs.untilText("*Messages*", "No previous file");
  });

  it("goes from a line of the review to that line in the file, also below an accepted hunk", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    const go = async (line: string): Promise<void> => {
      await bench.emacs.evaluate(
        `(progn (select-window (get-buffer-window "${reviewBuffer}")) (goto-char (point-min)) (search-forward "${line}") (beginning-of-line) t)`,
      );
      bench.emacs.type("\r");
    };
    await go("-  const shares");
    await bench.emacs.until(`(string-prefix-p "allocate.ts   const shares = weights.map" ${here})`);
    await bench.emacs.evaluate(`(progn (select-window (get-buffer-window "${reviewBuffer}")) (agentq-review-next) t)`);
    bench.emacs.type("p");
    await untilHeader("1 of 2");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await go("+  const shares");
    await bench.emacs.until(
      `(and (string-prefix-p "allocate.ts   const shares = weights.map" ${here}) (string-search "floor" ${here}))`,
    );
    await go("-    weights.push(1);");
    await bench.emacs.until(`(equal "allocate.ts     weights.push(1);" ${here})`);
  });

  /** A hunk whose lines the person has changed meanwhile, in Ediff. */
  async function withConflictInEdiff(): Promise<void> {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (goto-char (point-min)) (search-forward "whole));") (insert " // mine") t)`,
    );
    await bench.emacs.untilText(reviewBuffer, "[conflict]");
    bench.emacs.type("E");
    await bench.emacs.until(`(string-prefix-p "*Ediff Control" (buffer-name (window-buffer)))`);
  }

  it("merges a conflict in Ediff, decides nothing there, and takes the merge once it is accepted", async () => {
    await withConflictInEdiff();
    const merge = `(with-current-buffer (window-buffer) (with-current-buffer ediff-buffer-C (buffer-string)))`;
    // The only difference is at hand at once; b takes what was proposed.
    bench.emacs.type("nb");
    await bench.emacs.until(`(string-search "floor" ${merge})`);
    bench.emacs.type("q");
    await bench.untilAsked();
    bench.emacs.type("y");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    expect(await bench.emacs.text(reviewBuffer)).toContain("[conflict]");
    expect(
      await bench.emacs.evaluate(
        `(seq-filter (lambda (name) (string-match-p "ediff-\\\\|Ediff Control\\\\|agentq-\\\\(now\\\\|before\\\\|proposed\\\\)" name)) (mapcar #'buffer-name (buffer-list)))`,
      ),
    ).toBe("nil");
    bench.emacs.type("\u0005 // merged\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    expect(await bench.emacs.text("allocate.ts")).toMatch(/Math\.floor.*whole\)\); \/\/ merged\n/);
    expect(JSON.stringify(bench.model.requests.at(-1))).toContain(
      "applied, merged by the person with what came to that place",
    );
  });

  it("accepts no merge that still has both texts, and asks before such a text is thrown away", async () => {
    await withConflictInEdiff();
    bench.emacs.type("q");
    await bench.press("y");
    const inEdit = `(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`;
    await bench.emacs.until(inEdit);
    await bench.emacs.evaluate(`(with-current-buffer (window-buffer) (goto-char (point-max)) (message nil) t)`);
    bench.emacs.type("\u0003\u0003");
    await bench.emacs.until(`(equal (current-message) agentq-review-edit-both-words)`);
    expect(await bench.emacs.evaluate(inEdit)).toBe("t");
    bench.emacs.type("\u0003\u000b");
    await bench.press("n");
    expect(await bench.emacs.evaluate(inEdit)).toBe("t");
    bench.emacs.type("\u0003\u000b");
    await bench.press("y");
    await bench.emacs.until(`(not ${inEdit})`);
    expect(await bench.emacs.text(reviewBuffer)).toContain("[conflict]");
  });

  it("shows the lines of the file beside the text that is edited, in Ediff, where that text has a side window", async () => {
    const inSideWindow = String.raw`'(("\\*agentq-edit" (display-buffer-in-side-window) (side . bottom)))`;
    bench = await Workbench.start(editor, proposeFix, { variables: { "display-buffer-alist": inSideWindow } });
    await bench.ask(FIX, PROPOSED);
    await bench.review("+  const shares");
    bench.emacs.type("e");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0005 // by hand\u0003\u0005");
    await bench.emacs.until(`(string-prefix-p "*Ediff Control" (buffer-name (window-buffer)))`);
    bench.emacs.type("q");
    await bench.untilAsked();
    bench.emacs.type("y");
    await bench.emacs.until(`(string-prefix-p "*agentq-edit: " (buffer-name (window-buffer)))`);
    bench.emacs.type("\u0003\u0003");
    await bench.emacs.untilText(reviewBuffer, "[edited]");
    await bench.untilFile("src/allocate.ts", (text) => text.includes("whole)); // by hand\n"));
  });
}
