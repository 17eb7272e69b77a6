import { afterEach, expect, it, vi } from "vitest";
import { demo } from "../../examples/demo/scripts/demo.ts";
import { describeEachEditor } from "../support/editors.ts";
import { TERMINAL_TEST_MS } from "./emacs.ts";
import { replBuffer, Workbench } from "./workbench.ts";

vi.setConfig({ testTimeout: TERMINAL_TEST_MS });

describeEachEditor("emacs", (editor) => {
  let bench: Workbench;
  afterEach(async () => {
    await bench.dispose();
  });

  it("evaluates what is typed at the prompt of the log, on several lines, with a history and completion", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.connect();
    await bench.command("agentq-repl");
    await bench.emacs.until(`(equal (buffer-name) "${replBuffer}")`);
    bench.emacs.type("const triple = (n: number) => {\r");
    await bench.emacs.untilText(replBuffer, "> const triple = (n: number) => {\n  ");
    bench.emacs.type("return n * 3\r}\r");
    await bench.emacs.untilText(replBuffer, "\nundefined\n> ");
    bench.emacs.type("tripl");
    await bench.emacs.until(`(string-suffix-p "> tripl" (buffer-string))`);
    bench.emacs.type("\t");
    await bench.emacs.until(`(string-suffix-p "> triple" (buffer-string))`);
    bench.emacs.type("(14)\r");
    await bench.emacs.untilText(replBuffer, "> triple(14)\n$2 = 42 : number\n> ");
    bench.emacs.type("\u001bp");
    await bench.emacs.until(`(string-suffix-p "> triple(14)" (buffer-string))`);
    await bench.emacs.evaluate(`(progn (agentq-eval "console.log('beside')") t)`);
    const shown = await bench.emacs.untilText(replBuffer, "beside\nundefined\n> ");
    expect(shown.endsWith("> triple(14)")).toBe(true);
  });
});
