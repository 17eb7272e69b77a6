import { it } from "vitest";
import { reply, scriptOf } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { Workbench } from "../workbench.ts";

const script = scriptOf("none", "says one word", [reply("Done.")]);

export function inputTests(editor: Emacs): void {
  let bench: Workbench;

  it("completes commands, files and symbols in a prompt", async () => {
    bench = await Workbench.start(editor, script);
    await bench.connect();
    const typed = "(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))";
    for (const [text, completed] of [
      ["/des", "/describe"],
      ["look at @src/mon", "look at @src/money.ts"],
      ["call #splitEv", "call #src/allocate.ts#splitEvenly"],
    ] as const) {
      await bench.command("agentq-prompt");
      await bench.untilAsked();
      bench.emacs.type(`${text}\t`);
      await bench.emacs.until(`(equal ${typed} "${completed}")`);
      await bench.quit();
    }
  });
}
