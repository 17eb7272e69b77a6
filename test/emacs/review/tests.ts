/** The tests of proposed text, as a person asks for them in the review. */
import { expect, it } from "vitest";
import { proposeBreak } from "../../support/propose-break.ts";
import type { Emacs } from "../connections.ts";
import { reviewBuffer, Workbench } from "../workbench.ts";

const failures = "*agentq-tests: invoices*";

export function testsTests(editor: Emacs): void {
  let bench: Workbench;

  it("says in the header how the tests end with all hunks and without one, and lists what fails", async () => {
    bench = await Workbench.start(editor, proposeBreak);
    const before = await bench.file("src/allocate.ts");
    await bench.ask("Refunds lose a cent", "waits for you");
    await bench.review("+  const shares");
    const header = `(with-current-buffer ${JSON.stringify(reviewBuffer)} (substring-no-properties (agentq-review--header)))`;
    bench.emacs.type("t");
    await bench.emacs.until(`(string-search ", 1 of 12 tests fails" ${header})`);
    await bench.emacs.untilText("*Messages*", "tests, all: 1 of 12 fails; accepted so far: 12 of 12 pass");
    const text = await bench.emacs.untilText(failures, "AssertionError");
    expect(text).toMatch(/^Tests, all: 1 of 12 fails$/m);
    expect(text).toMatch(/^test\/allocate\.test\.ts:15:\d+: refuses weights that it cannot divide by: AssertionError/m);
    await bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(failures)} (goto-char (point-min)) (compilation-next-error 1) (compile-goto-error) nil)`,
    );
    await bench.emacs.until(`(get-buffer "allocate.test.ts")`);
    await bench.emacs.evaluate(
      `(progn (pop-to-buffer ${JSON.stringify(reviewBuffer)}) (goto-char (point-min)) (search-forward "weights are all zero") nil)`,
    );
    bench.emacs.type("\u0015t");
    await bench.emacs.untilText("*Messages*", "tests, all: 1 of 12 fails; without h2: 12 of 12 pass");
    expect(await bench.file("src/allocate.ts")).toBe(before);
  });
}
