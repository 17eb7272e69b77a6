/** The hunks that wait, as the buffers of their files show them. */
import { expect, it } from "vitest";
import { proposeFix } from "../../support/propose-fix.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, reviewBuffer, Workbench } from "../workbench.ts";

const FIX = "Refunds lose a cent: find the bug and fix it.";
const PROPOSED = "waits for you";

/** What would go and what would come, in the order of the file. */
const shown = `(with-current-buffer "allocate.ts"
  (mapconcat (lambda (overlay)
               (format "<%s><%s>" (buffer-substring-no-properties (overlay-start overlay) (overlay-end overlay))
                       (substring-no-properties (overlay-get overlay 'after-string))))
             (sort (seq-filter (lambda (each) (overlay-get each 'agentq-server)) (overlays-in (point-min) (point-max)))
                   :key #'overlay-start)
             "\\n"))`;

const trunc = "  const shares = weights.map((weight) => Math.trunc((total.cents * weight) / whole));\n";

export function overlaysTests(editor: Emacs): void {
  let bench: Workbench;

  const untilShown = (what: string): Promise<void> => bench.emacs.until(what.replaceAll("SHOWN", shown));

  it("shows what waits in the file until that is decided, and changes no text for it", async () => {
    bench = await Workbench.start(editor, proposeFix);
    const before = await bench.file("src/allocate.ts");
    await bench.ask(FIX, PROPOSED);
    const first = `<${trunc}><${trunc.replace("trunc", "floor")}>`;
    await untilShown(`(string-prefix-p ${JSON.stringify(first)} SHOWN)`);
    await untilShown(`(string-search "Array.from" SHOWN)`);
    expect(await bench.emacs.text("allocate.ts")).toBe(before);
    expect(await bench.emacs.evaluate(`(buffer-modified-p (get-buffer "allocate.ts"))`)).toBe("nil");

    // Who visits the file later sees them as well.
    await bench.emacs.evaluate(`(progn (kill-buffer "allocate.ts") (find-file "src/allocate.ts") t)`);
    await untilShown(`(string-prefix-p ${JSON.stringify(first)} SHOWN)`);

    await bench.review("+  const shares");
    bench.emacs.type("a");
    await bench.emacs.untilText(reviewBuffer, "[accepted]");
    await untilShown(`(and (not (string-search "floor" SHOWN)) (string-search "Array.from" SHOWN))`);
    await bench.emacs.until("(null agentq-decide--queue)");
    bench.emacs.type("R");
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "-- done");
    await untilShown(`(equal "" SHOWN)`);
  });

  it("shows no hunk over lines that changed, and the hunk again when the change is taken back", async () => {
    bench = await Workbench.start(editor, proposeFix);
    await bench.ask(FIX, PROPOSED);
    await untilShown(`(string-search "floor" SHOWN)`);
    const type = (from: string, to: string): Promise<string> =>
      bench.emacs.evaluate(
        `(with-current-buffer "allocate.ts" (goto-char (point-min)) (search-forward "${from}") (replace-match "${to}" t t) t)`,
      );
    await type("weight) / whole));", "weight) / whole)); // mine");
    await untilShown(`(not (string-search "floor" SHOWN))`);
    await bench.emacs.until(`(seq-some #'agentq-hunk-conflict-p
      (agentq-get Proposal (car (agentq-pending-proposals (car agentq--servers))) :hunks))`);
    await type(" // mine", "");
    await untilShown(`(string-search "floor" SHOWN)`);
    await bench.command("agentq-cancel");
    await untilShown(`(equal "" SHOWN)`);
  });
}
