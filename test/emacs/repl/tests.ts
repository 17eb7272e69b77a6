import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { expect, it } from "vitest";
import type { Emacs } from "../connections.ts";
import { replBuffer, Workbench } from "../workbench.ts";

const list = "*agentq-tests: invoices*";

/** What stands behind lines of the code, as text. */
const beside = `(mapconcat (lambda (overlay) (or (overlay-get overlay 'after-string) "")) (overlays-in (point-min) (point-max)))`;

export function testsTests(editor: Emacs): void {
  let bench: Workbench;

  it("lists the tests that fail, goes there, and marks them in their files until they pass", async () => {
    bench = await Workbench.start(editor, demo, { isAlone: true });
    const test = join(bench.project, "test/allocate.test.ts");
    const right = await bench.file("test/allocate.test.ts");
    await writeFile(test, right.replace(`"3.34 EUR"`, `"9.99 EUR"`));
    await bench.connect();
    await bench.command("agentq-run-tests");
    const failed = await bench.emacs.untilText(list, "Tests, all: 1 of ");
    expect(failed).toMatch(/^test\/allocate\.test\.ts:7:\d+: gives the cents that are left over/m);
    expect(failed).toMatch(/^ {4}.*9\.99 EUR/m);
    await bench.command("next-error");
    await bench.emacs.until(`(and (equal (buffer-name) "allocate.test.ts") (= (line-number-at-pos) 7))`);
    await bench.emacs.until("(= 1 (length (flymake-diagnostics)))");
    expect(await bench.emacs.evaluate("(flymake-diagnostic-text (car (flymake-diagnostics)))")).toMatch(
      /^"gives the cents that are left over[^\n]*: AssertionError[^\n]*: [^\n]/,
    );
    await writeFile(test, right);
    await bench.emacs.evaluate("(progn (revert-buffer t t) t)");
    await bench.command("agentq-run-tests");
    await bench.emacs.untilText(list, "Tests, all: 16 of 16 pass");
    await bench.emacs.until("(null (flymake-diagnostics))");
  });

  it("shows the value of a form from a file behind the form until its line changes", async () => {
    bench = await Workbench.start(editor, demo);
    await writeFile(join(bench.project, "src/scratch.ts"), "const six = 6;\nsix *\n  7;\n");
    await bench.emacs.evaluate(`(progn (find-file "scratch.ts") t)`);
    await bench.emacs.until(`(equal (buffer-name) "scratch.ts")`);
    bench.emacs.type("\u0018h");
    await bench.command("agentq-eval-region");
    await bench.emacs.untilText(replBuffer, "= 42 : number");
    await bench.emacs.until(`(string-search "=> " ${beside})`);
    expect(await bench.emacs.evaluate(beside)).toContain("42");
    await bench.emacs.evaluate(`(progn (goto-char (point-min)) (insert "\\n") t)`);
    expect(await bench.emacs.evaluate(beside)).toContain("42");
    await bench.emacs.evaluate(`(progn (search-forward "7;") (insert " ") t)`);
    expect(await bench.emacs.evaluate(beside)).not.toContain("42");
  });
}
