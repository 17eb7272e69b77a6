import { expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEmacs } from "./describe-emacs.ts";
import { chatBuffer, Workbench } from "./workbench.ts";

const script: Script = {
  name: "long",
  description: "answers, and summarises when asked to",
  models: [{ id: "claude-sonnet-5-5", max_input_tokens: 20_000 }],
  reply: ({ body }) => reply(textOf(body.system).startsWith("You write the notes") ? "## Task\nTaxes." : "I see."),
};

describeEachEmacs((editor) => {
  let bench: Workbench;

  it("shows how full the context is, and a compaction with its summary folded", async () => {
    bench = await Workbench.start(editor, script);
    const header = (): Promise<string> =>
      bench.emacs.evaluate(`(with-current-buffer "${chatBuffer}" (substring-no-properties (agentq-heading)))`);
    const visible = `(with-current-buffer "${chatBuffer}" (let ((text "")) (goto-char (point-min)) (while (not (eobp)) (unless (invisible-p (point)) (setq text (concat text (string (char-after))))) (forward-char)) (substring-no-properties text)))`;
    await bench.ask("Look at the tax.", "-- done");
    expect(await header()).toMatch(/\|  ctx [2-4]\d %%  \|  claude-sonnet-5-5  \|/);
    await bench.ask("/compact the taxes", "takes that back");
    expect(await bench.emacs.evaluate(visible)).toMatch(/\+ 1 turn is summarised: about [\d,]+ tokens instead of/);
    expect(await bench.emacs.evaluate(visible)).not.toContain("Taxes.");
    expect(await header()).toMatch(/ctx ~\d\d %%/);
  });
});
