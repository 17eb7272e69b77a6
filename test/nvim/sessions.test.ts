import { afterEach, expect, it } from "vitest";
import { call, reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** One call at the first request of each conversation. */
const script: Script = {
  name: "looks",
  description: "looks once, then answers",
  reply: ({ body }) =>
    body.messages.length === 1
      ? reply("I look.", call("read_file", { path: "src/tax.ts" }))
      : reply(`Answer ${body.messages.length}.`),
};

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("shows a conversation of an earlier server as it was shown then, and goes on with it", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script, server: "new" });
    await nvim.lua("require('agentq').prompt(...)", "What is the quince?");
    await nvim.untilEvent("TurnEnded");
    const before = await nvim.untilTranscript("── done");
    await nvim.command("AgentQ new");
    await nvim.lua("require('agentq').prompt(...)", "What is the medlar?");
    await nvim.untilEvent("TurnEnded", 2);
    await nvim.command("AgentQ restart");
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.offered = vim.tbl_map(options.format_item, items)
      choose(items[2])
    end`);
    await nvim.until("the new server is there", async () =>
      (await nvim.lua<boolean>("return require('agentq.client').current() ~= nil")) ? true : undefined,
    );
    await nvim.command("AgentQ sessions");
    const shown = await nvim.untilTranscript("· Conversation: What is the quince?", "Answer 3.\n\n── done");
    expect(await nvim.lua("return vim.g.offered")).toEqual([
      expect.stringMatching(/^What is the medlar\? \(\d{4}-\d\d-\d\d \d\d:\d\d, 1 turn\)$/),
      expect.stringMatching(/^What is the quince\? /),
    ]);
    const replayed = shown.slice(shown.indexOf("· Conversation:"));
    const start = "❯ What is the quince?";
    // Where the person was is shown when a message is sent, and not kept.
    const plain = (text: string): string =>
      text
        .slice(text.indexOf(start))
        .replaceAll(/\d+(\.\d+)? m?s/g, "TIME")
        .replaceAll(/^ {2}⊕ .*\n/gm, "");
    expect(plain(replayed).trim()).toBe(plain(before).trim());

    await nvim.lua("require('agentq').prompt(...)", "And now?");
    await nvim.untilEvent("TurnEnded", 3);
    const told = JSON.stringify(nvim.model?.requests.at(-1)?.messages);
    expect(told).toContain("What is the quince?");
    expect(told).toContain("And now?");
    expect(told).not.toContain("medlar");

    await nvim.command("AgentQ new");
    await nvim.command("AgentQ resume");
    await nvim.until("the transcript stands there once more", async () =>
      (await nvim.transcript()).split("❯ And now?").length === 3 ? true : undefined,
    );
  });

  it("draws a recorded conversation", async () => {
    nvim = await startNeovim({ editor, traffic: { recording: "conversation-that-is-kept" } });
    await nvim.command("AgentQ resume");
    const shown = await nvim.untilTranscript("── done");
    expect(shown).toMatch(
      /^· Conversation: Where is it\?\n\n❯ Where is it\?\n\nI look\.\n\n✓ describe_symbol .*\n\nIt is \*\*kept\*\*\.\n\n── done · 0\.0 s/,
    );
  });

  it("opens the chat at once for the conversation before, so that nothing of what is typed goes into the file", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script });
    await nvim.lua("require('agentq').prompt(...)", "What is the quince?");
    await nvim.untilEvent("TurnEnded");
    await nvim.command("AgentQ new");
    await nvim.command("AgentQ close");
    const before = await nvim.lines("src/tax.ts");
    await nvim.type(":AgentQ resume<CR>And the medlar?");
    await nvim.untilTranscript("· Conversation: What is the quince?");
    expect(await nvim.lines()).toEqual(["And the medlar?"]);
    expect(await nvim.lines("src/tax.ts")).toEqual(before);
  });
});
