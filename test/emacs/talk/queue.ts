import { expect, it } from "vitest";
import { call, reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

/** A turn that waits for a decision; what is said then is queued. */
const script: Script = {
  name: "proposes",
  description: "proposes once, then answers",
  reply: ({ body }) =>
    body.messages.length === 1
      ? reply("Look.", call("propose_file_edit", { path: "notes.md", modified: "x\n", description: "a note" }))
      : reply("Heard."),
};

export function queueTests(editor: Emacs): void {
  let bench: Workbench;

  async function startWith(...texts: readonly string[]): Promise<void> {
    bench = await Workbench.start(editor, script);
    await bench.ask("Begin", "  waits for you");
    for (const text of texts) await bench.command("agentq-prompt", text);
    await bench.emacs.untilText("*Messages*", "taken up as soon as the running turn allows");
    await untilQueued(texts.length);
  }

  const untilQueued = (count: number) =>
    bench.emacs.until(`(= ${count} (length (agentq-server-queue (agentq-running-server))))`);

  it("changes a prompt where it waits, and takes another one back", async () => {
    await startWith("apple", "quince");
    await bench.command("agentq-queue");
    await bench.untilAsked();
    await bench.answer("1 apple");
    bench.emacs.type("e");
    await bench.untilAsked();
    await bench.answer(" pie");
    await bench.emacs.untilText("*Messages*", "the model will hear the changed prompt");
    await bench.command("agentq-queue");
    await bench.untilAsked();
    await bench.answer("2 quince");
    bench.emacs.type("b");
    await untilQueued(1);
    await bench.command("agentq-prompt");
    await bench.untilAsked();
    const typed = `(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))`;
    await bench.emacs.until(`(equal ${typed} "quince")`);
    await bench.quit();
  });

  it("finds a prompt by its words, and leaves it where it waits when the question is quit", async () => {
    await startWith("apple", "quince");
    await bench.command("agentq-queue");
    await bench.untilAsked();
    await bench.answer("quin\t");
    await bench.emacs.until(`(equal (current-message) "quince:  ([E]dit, take [B]ack, [?]): ")`);
    await bench.quitUntil(`(equal (current-message) "Quit")`);
    await untilQueued(2);
  });

  it("begins the next prompt with what waited when the turn is cancelled", async () => {
    await startWith("apple", "quince");
    await bench.command("agentq-cancel");
    await bench.emacs.untilText(chatBuffer, "-- cancelled");
    await untilQueued(0);
    const draft = `(agentq-compose-draft (agentq-running-server))`;
    await bench.emacs.until(`(equal ${draft} "apple\n\nquince")`);
    await bench.command("agentq-prompt");
    await bench.untilAsked();
    // All of them were said at one place.
    expect(await bench.emacs.evaluate(`(with-selected-window (active-minibuffer-window) (minibuffer-prompt))`)).toBe(
      '"Ask Agent-Q (with src/allocate.ts:1, where point is): "',
    );
    await bench.answer("!");
    await bench.emacs.untilText(chatBuffer, "-- done");
    const told = JSON.stringify(bench.model.requests.at(-1)?.messages);
    expect(told).toContain("apple\\n\\nquince!");
  });
}
