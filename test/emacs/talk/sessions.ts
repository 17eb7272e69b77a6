import { expect, it } from "vitest";
import { call, reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench } from "../workbench.ts";

/** One call at the first request of each conversation. */
const script: Script = {
  name: "looks",
  description: "looks once, then answers",
  reply: ({ body }) =>
    body.messages.length === 1
      ? reply("I look.", call("read_file", { path: "src/tax.ts" }))
      : reply(`Answer ${body.messages.length}.`),
};

export function sessionsTests(editor: Emacs): void {
  let bench: Workbench;

  it("shows a conversation of an earlier server as it was shown then, and goes on with it", async () => {
    bench = await Workbench.start(editor, script);
    await bench.ask("What is the quince?", "-- done");
    const before = await bench.emacs.text(chatBuffer);
    await bench.command("agentq-new");
    await bench.ask("What is the medlar?", "-- done");
    expect(await bench.emacs.text(chatBuffer)).not.toContain("quince");
    await bench.killServer();
    await bench.emacs.until(`(not (ignore-errors (agentq-running-server)))`);
    await bench.connect();
    await bench.command("agentq-sessions");
    await bench.untilAsked();
    bench.emacs.type("2\t");
    const asked = `(with-selected-window (active-minibuffer-window) (buffer-substring-no-properties (point-min) (point-max)))`;
    await bench.emacs.until(`(string-match-p "): 2 What is the quince\\\\? (.*, 1 turn)" ${asked})`);
    await bench.answer("");
    await bench.emacs.untilText(chatBuffer, "Conversation: What");
    const shown = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(shown).toMatch(/^Conversation: What is the quince\?\n/);
    expect(shown).not.toContain("medlar");
    const plain = (text: string): string =>
      text.slice(text.indexOf("> What is the quince")).replaceAll(/[\d.]+ m?s\b/g, "");
    expect(plain(shown)).toBe(plain(before));

    await bench.ask("And now?", "> And now?");
    const told = (): string => JSON.stringify(bench.model.requests.at(-1)?.messages);
    await poll(() => Promise.resolve(told().includes("And now?")), "the next prompt at the model");
    expect(told()).toContain("What is the quince?");
    expect(told()).not.toContain("medlar");
  });

  it("draws a recorded conversation", async () => {
    bench = await Workbench.replay(editor, "conversation-that-is-kept");
    await bench.command("agentq-sessions");
    await bench.untilAsked();
    await bench.answer("");
    const shown = await bench.emacs.untilText(chatBuffer, "-- done");
    expect(shown).toMatch(/^Conversation: Where is it\?\n\n> Where is it\?\n\nI look\.\n\+ describe_symbol .*\n/);
  });
}
