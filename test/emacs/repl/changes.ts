import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import type { Emacs } from "../connections.ts";
import { replBuffer, waiting, Workbench, askingForms } from "../workbench.ts";

export function changesTests(editor: Emacs): void {
  let bench: Workbench;

  it("tells which files an evaluation changed, and takes them back or keeps them", async () => {
    bench = await Workbench.start(editor, demo, {
      setup: askingForms,
    });
    const file = join(bench.project, "package.json");
    const before = readFileSync(file, "utf8");
    await bench.emacs.evaluate(`(progn (find-file-noselect "${file}") t)`);
    await bench.command("agentq-eval", `require("node:fs").writeFileSync("package.json", "gone")`);
    await bench.emacs.untilText(replBuffer, "While this form ran, a file changed: package.json (modified).");
    expect(readFileSync(file, "utf8")).toBe("gone");
    // A buffer without edits follows its file.
    await bench.emacs.untilText("package.json", "gone");
    // The value, which comes after it, does not hide that.
    await bench.emacs.untilText("*Messages*", "undefined\nFiles changed while it ran: M-x agentq-changes decides");
    expect(await bench.emacs.evaluate(waiting)).toBe("1");
    await bench.command("agentq-changes");
    await bench.emacs.untilText("*agentq-changes*", "package.json (modified)");
    bench.emacs.type("r");
    await bench.emacs.untilText(replBuffer, "reverted: 1 file");
    expect(await bench.emacs.evaluate(waiting)).toBe("0");
    expect(readFileSync(file, "utf8")).toBe(before);
    await bench.emacs.untilText("package.json", before.trimEnd());

    await bench.command("agentq-eval", `require("node:fs").writeFileSync("made.txt", "made")`);
    await bench.emacs.untilText(replBuffer, "made.txt (created)");
    await bench.command("agentq-changes");
    await bench.emacs.untilText("*agentq-changes*", "made.txt (created)");
    bench.emacs.type("k");
    await bench.emacs.untilText(replBuffer, "kept: 1 file");
    expect(existsSync(join(bench.project, "made.txt"))).toBe(true);
  });

  it("keeps one file, reverts others and leaves the rest for later; what was typed stays", async () => {
    bench = await Workbench.start(editor, demo, {
      setup: askingForms,
    });
    const has = (path: string): boolean => existsSync(join(bench.project, path));
    await bench.emacs.evaluate(`(with-current-buffer "allocate.ts" (find-file-noselect "order.ts") t)`);
    await bench.emacs.evaluate(
      `(with-current-buffer "allocate.ts" (with-current-buffer (find-file-noselect "tax.ts") (insert "// mine\n") t))`,
    );
    const form = [
      `const fs = require("node:fs")`,
      `fs.unlinkSync("src/tax.ts")`,
      `fs.renameSync("src/allocate.ts", "src/moved.ts")`,
      `fs.appendFileSync("src/order.ts", "// by a form")`,
    ];
    await bench.command("agentq-eval", form.join("; "));
    await bench.emacs.untilText(replBuffer, "While this form ran, 4 files changed");
    await bench.emacs.untilText("order.ts", "// by a form");
    // Keys that meet Emacs while it answers emacsclient are lost: the answers are given to the questions.
    const answer = (keys: string): Promise<string> =>
      bench.emacs.evaluate(
        `(with-current-buffer "order.ts"
           (let ((keys (string-to-list ${JSON.stringify(keys)})) asked)
             (cl-letf (((symbol-function 'read-multiple-choice)
                        (lambda (prompt choices &rest _)
                          (push (cons prompt (mapcar #'car choices)) asked)
                          (if keys (assq (pop keys) choices) (signal 'quit nil)))))
               (condition-case nil (agentq-changes) (quit nil)))
             (format "%S" (nreverse asked))))`,
      );
    const asked = await answer("eklr");
    expect(asked.match(/\w+\.ts \(\w+\)/g)).toEqual([
      "allocate.ts (deleted)",
      "moved.ts (created)",
      "order.ts (modified)",
      "tax.ts (deleted)",
    ]);
    await bench.emacs.untilText(replBuffer, "reverted: 1 file");
    const shown = await bench.emacs.untilText(
      replBuffer,
      "kept: 1 file\nopen in a buffer that has no file now, saving writes it again: src/allocate.ts\n",
    );
    expect(shown).not.toContain("2 files");
    expect([has("src/allocate.ts"), has("src/moved.ts"), has("src/tax.ts")]).toEqual([false, true, false]);
    expect(await bench.emacs.text("order.ts")).not.toContain("by a form");
    await answer("r");
    await bench.emacs.untilText(
      replBuffer,
      "reverted: 2 files\nyour unsaved changes stay in the buffer of: src/tax.ts\n",
    );
    expect([has("src/moved.ts"), has("src/tax.ts")]).toEqual([false, true]);
    expect(await bench.emacs.text("tax.ts")).toMatch(/^\/\/ mine\n/);
  });
}
