import { expect, it } from "vitest";
import { reply, think, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

/** What the tests of models, costs and names have in common, so that they share a start. */
export const models = [
  { id: "claude-sonnet-5-5", max_input_tokens: 20_000 },
  { id: "claude-quick", display_name: "Quick" },
];
export const setup = `(setq agentq-program (append agentq-program '(:initializationOptions
  (:prices (:claude-sonnet-5-5 (:input 1000 :output 0)) :smallModel "claude-small"))))`;

const script: Script = {
  name: "models",
  description: "thinks and answers",
  models,
  reply: ({ body }) => reply(think("Let me see."), `I am ${body.model}.`),
};

export function modelsTests(editor: Emacs): void {
  let bench: Workbench;

  it("lets the person choose the model, shows which one answers, and folds what it thought", async () => {
    bench = await Workbench.start(editor, script, { setup });
    await bench.command("agentq-choose-model");
    await bench.untilAsked();
    bench.emacs.type("2\t");
    const asked = `(with-selected-window (active-minibuffer-window) (buffer-substring-no-properties (point-min) (point-max)))`;
    await bench.emacs.until(`(string-match-p "): 2 Quick (profile default)" ${asked})`);
    await bench.answer("");
    await bench.emacs.until(`(equal (agentq-server-model (agentq-running-server)) "claude-quick")`);
    await bench.ask("Who are you?", "-- done");
    const visible = `(with-current-buffer "${chatBuffer}" (let ((text "")) (goto-char (point-min)) (while (not (eobp)) (unless (invisible-p (point)) (setq text (concat text (string (char-after))))) (forward-char)) (substring-no-properties text)))`;
    const folded = await bench.emacs.evaluate(visible);
    expect(folded).toMatch(/\+ Thought for \d+\.\d s\nI am claude-quick\./);
    const unfold = `(with-current-buffer "${chatBuffer}" (goto-char (point-min)) (search-forward "Thought") (agentq-transcript-toggle) t)`;
    await bench.emacs.evaluate(unfold);
    expect(await bench.emacs.evaluate(visible)).toMatch(/- Thought for \d+\.\d s\n {4}Let me see\.\nI am/);
    const header = `(with-current-buffer "${chatBuffer}" (substring-no-properties (agentq-heading)))`;
    expect(await bench.emacs.evaluate(header)).toContain("  |  claude-quick  |  ");
  });
}
