import { expect, it } from "vitest";
import { demo } from "../../../examples/demo/scripts/demo.ts";
import type { Emacs } from "../connections.ts";
import { replBuffer, Workbench } from "../workbench.ts";

export function promptTests(editor: Emacs): void {
  let bench: Workbench;

  it("keeps what was typed over a restart of Emacs where savehist-mode is on", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.emacs.evaluate(`(progn (setq savehist-file (expand-file-name "../../history")) (savehist-mode))`);
    await bench.connect();
    await bench.command("agentq-repl");
    await bench.emacs.until(`(equal (buffer-name) "${replBuffer}")`);
    bench.emacs.type("[6,\r7]\r");
    await bench.emacs.untilText(replBuffer, " = ");
    await bench.emacs.evaluate("(savehist-save)");
    // The history of another Emacs is read before the first prompt is made.
    await bench.emacs.evaluate(
      `(progn (kill-buffer "${replBuffer}") (setq agentq-repl-history nil) (load savehist-file nil t t) t)`,
    );
    await bench.command("agentq-repl");
    await bench.emacs.until(`(equal (buffer-name) "${replBuffer}")`);
    bench.emacs.type("\u001bp");
    await bench.emacs.until(`(string-suffix-p "> [6,\n  7]" (buffer-string))`);
    await bench.emacs.evaluate("(savehist-mode -1)");
  });

  it("looks into a value where RET is typed on it, or on its name", async () => {
    bench = await Workbench.start(editor, demo);
    await bench.connect();
    await bench.command("agentq-repl");
    await bench.emacs.until(`(equal (buffer-name) "${replBuffer}")`);
    bench.emacs.type("({ deep: [1, 2] })\r");
    const [, value = ""] = /(\$\d+) = \{ deep/.exec(await bench.emacs.untilText(replBuffer, " = { deep")) ?? [];
    bench.emacs.type("\u001b<\u0013= { deep\r\r");
    const inspector = "*agentq-inspect: invoices*";
    await bench.emacs.untilText(inspector, "deep: ");
    await bench.emacs.evaluate(
      `(progn (kill-buffer "${inspector}") (pop-to-buffer "${replBuffer}") (goto-char (point-max)) t)`,
    );
    bench.emacs.type(`${value}.deep\r`);
    await bench.emacs.untilText(replBuffer, " = [1, 2]");
    await bench.emacs.evaluate(`(progn (search-backward "${value}.deep") t)`);
    bench.emacs.type("\r");
    await bench.emacs.untilText(inspector, `${value} : `);
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
    await bench.emacs.untilText(replBuffer, " = 42 : number\n> ");
    bench.emacs.type("\u001bp");
    await bench.emacs.until(`(string-suffix-p "> triple(14)" (buffer-string))`);
    await bench.emacs.evaluate(`(progn (agentq-eval "console.log('beside')") t)`);
    const shown = await bench.emacs.untilText(replBuffer, "beside\nundefined\n> ");
    expect(shown.endsWith("> triple(14)")).toBe(true);
  });
}
