import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import { lispString } from "../batch.ts";
import type { Emacs } from "../connections.ts";
import { replBuffer, Workbench } from "../workbench.ts";

const inspectBuffer = "*agentq-inspect: invoices*";
const historyBuffer = "*agentq-history: invoices*";

export function seeingTests(editor: Emacs): void {
  let bench: Workbench;

  async function evaluate(code: string, shown: string): Promise<void> {
    await bench.command("agentq-eval", code);
    await bench.emacs.untilText(replBuffer, shown);
  }

  /** Goes to a text of a buffer and runs a command there. */
  const at = (buffer: string, text: string, command: string): Promise<string> =>
    bench.emacs.evaluate(
      `(with-current-buffer ${JSON.stringify(buffer)}
         (goto-char (point-min)) (search-forward ${JSON.stringify(text)}) (call-interactively '${command}) nil)`,
    );

  it("looks into a value, member by member and page by page, and calls a getter only when told to; names of the file at hand, and handles from anywhere", async () => {
    bench = await Workbench.start(editor, demo, { isAlone: true });
    const code =
      "class Cart { #id = 7; lines = Array.from({ length: 120 }, (_, n) => ({ n })); get size() { return this.lines.length } } new Cart()";
    await evaluate(code, "$1 = ");
    await bench.command("agentq-inspect", "$1");
    const shown = await bench.emacs.untilText(inspectBuffer, "size: [getter]   (of Cart)");
    expect(shown).toContain("$1 : Cart\n");
    expect(shown).toContain("  #id: 7\n");
    await at(inspectBuffer, "+ lines", "agentq-inspect-open");
    await bench.emacs.untilText(inspectBuffer, "page 1 of 3, 120 members");
    await at(inspectBuffer, "lines", "agentq-inspect-next-page");
    await bench.emacs.untilText(inspectBuffer, "+ 50: { n: 50 }");
    await at(inspectBuffer, "lines", "agentq-inspect-back");
    await bench.emacs.untilText(inspectBuffer, "$1 : Cart");
    const line = `(with-current-buffer ${JSON.stringify(inspectBuffer)} (buffer-substring (pos-bol) (pos-eol)))`;
    expect(await bench.emacs.evaluate(line)).toContain("+ lines: ");
    await at(inspectBuffer, "size", "agentq-inspect-call-getter");
    expect(await bench.emacs.untilText(inspectBuffer, "$2 : number")).toContain("120");
    const cut = `(buffer-local-value 'truncate-lines (get-buffer ${JSON.stringify(inspectBuffer)}))`;
    expect(await bench.emacs.evaluate(cut)).toBe("t");
    await bench.command("agentq-inspect", "nope.x");
    await bench.emacs.untilText("*Messages*", "Agent-Q: ReferenceError: nope is not defined\n");
    // A long string is read as it wraps.
    await evaluate("'x'.repeat(3000)", "$3 = ");
    await bench.command("agentq-inspect", "$3");
    await bench.emacs.untilText(inspectBuffer, "$3 : string");
    expect(await bench.emacs.evaluate(cut)).toBe("nil");
    await bench.emacs.evaluate(`(progn (pop-to-buffer "allocate.ts") t)`);
    await evaluate("totalWeight([1, 2])", "$4 = 3");
    await bench.command("agentq-inspect", "totalWeight");
    await bench.emacs.untilText(inspectBuffer, "totalWeight : function");
    await bench.emacs.until(`(equal ${JSON.stringify(inspectBuffer)} (buffer-name (window-buffer)))`);
    await evaluate("[1, 2, 3]", "$5 = ");
    await bench.emacs.evaluate(`(progn (find-file "${bench.project}/src/money.ts") t)`);
    await bench.command("agentq-inspect", "$5");
    await bench.emacs.untilText(inspectBuffer, "$5 : Array");
  });

  it("asks the doctor about the project, not about the folder of the file", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.command("agentq-doctor");
    const told = await bench.emacs.untilText("*agentq-doctor*", "Project: ");
    expect(told).not.toContain("no tsconfig.json");
  });

  it("completes in the server's order, writes what is no name in brackets, and says why there is nothing; lists the history and restarts with forms of it", async () => {
    // What is said stays until a key is typed.
    bench = await Workbench.start(editor, demo, { isAlone: true, variables: { "minibuffer-message-timeout": "nil" } });
    await bench.command("agentq-eval");
    await bench.untilAsked();
    const typed = (text: string): Promise<void> =>
      bench.emacs.until(
        `(with-selected-window (active-minibuffer-window) (string-prefix-p ${lispString(text)} (minibuffer-contents)))`,
      );
    bench.emacs.type("basket.\t");
    await bench.emacs.until(
      `(with-selected-window (active-minibuffer-window)
         (seq-some (lambda (o) (string-search "The REPL does not run yet." (or (overlay-get o 'after-string) "")))
                   (overlays-in (point-min) (point-max))))`,
    );
    await bench.quit();
    await evaluate('const basket = { z: 1, "odd key": 2 }; "ready"', '$1 = "ready"');
    await bench.command("agentq-eval");
    await bench.untilAsked();
    bench.emacs.type('"😀"; basket.\t');
    const listed = await bench.emacs.untilText("*Completions*", "__defineGetter__");
    expect(listed).toMatch(/\bz\b.*\bodd key\b[^]*__defineGetter__|\bodd key\b.*\bz\b[^]*__defineGetter__/);
    bench.emacs.type("od\t");
    await typed('"😀"; basket["odd key"]');
    bench.emacs.type("\r");
    await bench.emacs.untilText(replBuffer, "$2 = 2");

    await evaluate("let one = 1; ({ one })", "$3 = ");
    await evaluate("let two = 2", "> let two = 2\n");
    await bench.command("agentq-history");
    await bench.emacs.untilText(historyBuffer, "1 person");
    await bench.emacs.evaluate(`(progn (fset 'yes-or-no-p #'always) nil)`);
    await at(historyBuffer, "let one", "agentq-history-replay");
    const again = await bench.emacs.untilText(historyBuffer, "5 person");
    expect(again).toContain("(again 3): value $5 : Object = { one: 1 }");
    expect(again).toContain("lost with its process");
    // The list is gone to, and left by its own key.
    bench.emacs.type("q");
    await bench.emacs.until(`(equal "allocate.ts" (buffer-name (window-buffer)))`);
    await evaluate("[one, $3.one, typeof two]", '[1, 1, "undefined"]');
  });
}
