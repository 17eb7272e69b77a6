import { expect, it } from "vitest";
import { textOf } from "../../../examples/demo/model/request-body.ts";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";
import { models, setup } from "./models.ts";

const script: Script = {
  name: "long",
  description: "answers, and summarises when asked to",
  models,
  reply: ({ body }) => reply(textOf(body.system).startsWith("You write the notes") ? "## Task\nTaxes." : "I see."),
};

export function longSessionsTests(editor: Emacs): void {
  let bench: Workbench;

  it("shows how full the context is and what it costs, and a compaction with its summary folded", async () => {
    bench = await Workbench.start(editor, script, { setup });
    const header = (): Promise<string> =>
      bench.emacs.evaluate(`(with-current-buffer "${chatBuffer}" (substring-no-properties (agentq-heading)))`);
    const visible = `(with-current-buffer "${chatBuffer}" (let ((text "")) (goto-char (point-min)) (while (not (eobp)) (unless (invisible-p (point)) (setq text (concat text (string (char-after))))) (forward-char)) (substring-no-properties text)))`;
    await bench.ask("Look at the tax.", "-- done");
    expect(await header()).toMatch(/\|  ctx [2-4]\d %%  \|  \$\d\.\d\d  \|  claude-sonnet-5-5  \|/);
    await bench.ask("/compact the taxes", "takes that back");
    expect(await bench.emacs.evaluate(visible)).toMatch(/\+ 1 turn is summarised: about [\d,]+ tokens instead of/);
    expect(await bench.emacs.evaluate(visible)).not.toContain("Taxes.");
    expect(await header()).toMatch(/ctx ~\d\d %%/);
  });
}
