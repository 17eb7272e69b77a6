import { join } from "node:path";
import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { Workbench } from "../workbench.ts";

export function foundTests(editor: Emacs): void {
  let bench: Workbench;

  it("shows as xrefs who calls what the name at point stands for, and goes there", async () => {
    bench = await Workbench.start(editor, demo);
    const file = lispString(join(bench.project, "src/invoice.ts"));
    await bench.emacs.evaluate(`(progn (find-file ${file}) (search-forward "allocate(") (backward-char 3) nil)`);
    await bench.emacs.evaluate(`(progn (call-interactively 'agentq-callers) nil)`);
    const shown = await bench.emacs.untilText("*xref*", "billOrder");
    expect(shown.replaceAll(`${bench.project}/`, "")).toMatchInlineSnapshot(`
      "src/allocate.ts
      26:prorate: const [share] = allocate(total, [part, whole - part]);
      46:splitEvenly: return allocate(total, weights);
      src/credit-note.ts
      12:CreditNote.constructor: const shares = allocate(
      src/invoice.ts
      31:billOrder: : allocate(
      test/allocate.test.ts
       7:(module): assert.deepEqual(allocate(money(1000), [1, 1, 1]).map(String), ["3.34 EUR", "3.33 EUR", "3.33 EUR"]);
      11:(module): assert.deepEqual(allocate(money(1001), [0, 3, 1]).map(String), ["0.00 EUR", "7.51 EUR", "2.50 EUR"]);
      15:(module): assert.throws(() => allocate(money(100), []), /nothing to divide by/);
      16:(module): assert.throws(() => allocate(money(100), [1, -1]), /not a weight/);
      "
    `);
    await bench.emacs.evaluate(
      `(with-current-buffer "*xref*" (search-forward "splitEvenly") (call-interactively 'xref-goto-xref) nil)`,
    );
    expect(await bench.emacs.evaluate(`(buffer-substring (point) (pos-eol))`)).toBe('"allocate(total, weights);"');
  });

  it("says what is there in place of a list where nothing is found", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.emacs.evaluate(`(progn (agentq-hierarchy "allocate") nil)`);
    await bench.emacs.untilText("*Messages*", "A hierarchy belongs to a class, an interface or a type alias.");
    await bench.emacs.evaluate(`(progn (agentq-callers "nowhere") nil)`);
    await bench.emacs.untilText("*Messages*", 'No symbol "nowhere" in the loaded projects.');
  });
}
