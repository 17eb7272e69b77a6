import { expect, it } from "vitest";
import { reply, type Script } from "../../../examples/demo/model/script.ts";
import type { Emacs } from "../connections.ts";
import { poll } from "../emacs.ts";
import { chatBuffer, Workbench } from "../workbench.ts";
import { models, setup } from "./models.ts";

const script: Script = {
  name: "answers",
  description: "answers, and names",
  models,
  reply: ({ body }) =>
    JSON.stringify(body.system ?? "").includes("You name conversations")
      ? reply("Fruits of the market")
      : reply(`Answer ${body.messages.length}.`),
};

export function storedTests(editor: Emacs): void {
  let bench: Workbench;

  const untilName = (name: string): Promise<unknown> =>
    bench.emacs.until(
      `(string-search "|  ${name}" (with-current-buffer "${chatBuffer}" (substring-no-properties (agentq-heading))))`,
    );
  const choose = async (typed: string): Promise<void> => {
    await bench.untilAsked();
    bench.emacs.type(`${typed}\t`);
    await bench.answer("");
  };

  /** A question may follow another one at once. */
  const untilPrompt = (words: string): Promise<unknown> =>
    bench.emacs.until(
      `(when-let* ((window (active-minibuffer-window)))
         (with-current-buffer (window-buffer window) (string-prefix-p "${words}" (minibuffer-prompt))))`,
    );

  it("shows the name that a model gave, renames, searches, forks, exports and deletes", async () => {
    bench = await Workbench.start(editor, script, { setup });
    await bench.ask("What is the quince?", "-- done");
    await untilName("Fruits of the market");
    await bench.command("agentq-rename-session");
    await bench.untilAsked();
    bench.emacs.type("\u0001\u000b");
    await bench.answer("Fruit prices");
    await untilName("Fruit prices");
    await bench.ask("And the medlar?", "Answer 3.");
    await bench.emacs.until(`(null (agentq-server-turn-id (agentq-running-server)))`);

    await bench.command("agentq-fork-session");
    await choose("2");
    const forked = await bench.emacs.untilText(chatBuffer, "Conversation: Fruit prices (fork)");
    expect(forked).not.toContain("medlar");
    await untilName("Fruit prices (fork)");

    await bench.command("agentq-export-session");
    const text = await bench.emacs.untilText("*agentq-export: invoices*", "What is the quince?");
    expect(text).not.toContain("medlar");

    await bench.command("agentq-search-sessions");
    await bench.untilAsked();
    bench.emacs.type("medlar\r");
    await untilPrompt("Conversation");
    await choose("1");
    await bench.emacs.untilText(chatBuffer, "> And the medlar?");
    await untilName("Fruit prices");

    const count = async (): Promise<string> =>
      bench.emacs.evaluate(`(length (plist-get (agentq-test-driver-ask :agentq/listSessions :limit 9) :items))`);
    await bench.command("agentq-delete-session");
    await bench.untilAsked();
    bench.emacs.type("1\t\r");
    await untilPrompt(`Delete \\"`);
    await bench.answer("no");
    expect(await count()).toBe("2");
    const id = await bench.emacs.evaluate(`(agentq-server-session-id (agentq-running-server))`);
    await bench.command("agentq-delete-session");
    await bench.untilAsked();
    bench.emacs.type("1\t\r");
    await untilPrompt(`Delete \\"`);
    await bench.answer("yes");
    await poll(async () => (await count()) === "1", "one conversation");
    expect(id).not.toBe("nil");
  });
}
