import { afterEach, expect, it } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script: Script = {
  name: "answers",
  description: "answers, and names",
  reply: ({ body }) =>
    JSON.stringify(body.system ?? "").includes("You name conversations")
      ? reply("Fruits of the market")
      : reply(`Answer ${body.messages.length}.`),
};

const SMALL = `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = { smallModel = "claude-small" } })`;

/** Answers every choice with the first entry that has the words; what was offered is kept. */
const CHOOSE = `local words = ...
vim.g.offered = {}
vim.ui.select = function(items, options, choose)
  vim.g.offered = vim.tbl_map(options.format_item, items)
  for _, item in ipairs(items) do
    if options.format_item(item):find(words, 1, true) then return choose(item) end
  end
end`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  const ask = async (text: string, turn: number): Promise<void> => {
    await nvim.lua("require('agentq').prompt(...)", text);
    await nvim.untilEvent("TurnEnded", turn);
  };
  const untilName = (name: string): Promise<unknown> =>
    nvim.until(`the line above the transcript says ${name}`, () =>
      nvim.lua<boolean>(
        `local name = ...
         local chat = require("agentq.chat.chats").of(require("agentq.client").current().id)
         return vim.endswith(vim.b[chat.bufnr].agentq_state or "", " · " .. name)`,
        name,
      ),
    );
  const untilSaid = (words: string): Promise<unknown> =>
    nvim.until(`it is said: ${words}`, async () => (await nvim.notifications()).some((each) => each.includes(words)));

  it("shows the name that a model gave, renames, searches, forks, exports and deletes", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script, before: SMALL });
    await ask("What is the quince?", 1);
    await untilName("Fruits of the market");
    await nvim.lua(`vim.ui.input = function(options, done)
      vim.g.default = options.default
      done("Fruit and % prices")
    end`);
    await nvim.command("AgentQ rename");
    await untilName("Fruit and % prices");
    expect(await nvim.lua("return vim.g.default")).toBe("Fruits of the market");
    await ask("And the medlar?", 2);

    await nvim.lua(CHOOSE, "what comes before: And the medlar?");
    await nvim.command("AgentQ fork");
    await nvim.untilTranscript("· Conversation: Fruit and % prices (fork)");
    expect(await nvim.lua("return vim.g.offered")).toEqual([
      "all of it",
      "what comes before: And the medlar?",
      "what comes before: What is the quince?",
    ]);
    await ask("And now?", 3);
    expect(JSON.stringify(nvim.model?.requests.at(-1)?.messages)).not.toContain("medlar");

    await nvim.command("AgentQ export");
    await nvim.until("the text is shown", async () => (await nvim.lua("return vim.bo.filetype")) === "markdown");
    const text = (await nvim.lines()).join("\n");
    expect(text).toContain("What is the quince?");
    expect(text).not.toContain("medlar");
    await nvim.command("bwipeout");

    await nvim.lua(CHOOSE, "«medlar»");
    await nvim.command("AgentQ search medlar");
    await untilName("Fruit and % prices");

    await nvim.lua("vim.fn.confirm = function(question) vim.g.asked = question return 2 end");
    await nvim.lua(CHOOSE, "Fruit and % prices (20");
    await nvim.command("AgentQ delete");
    await nvim.until(
      "it is asked first",
      async () => (await nvim.lua("return vim.g.asked")) === 'Delete "Fruit and % prices" for good?',
    );
    await nvim.lua("vim.fn.confirm = function() return 1 end");
    await nvim.command("AgentQ delete");
    await untilSaid("is deleted");
    await nvim.untilTranscript("A new conversation starts here.");
    await nvim.command("AgentQ sessions");
    await nvim.until("one is left", async () => (await nvim.lua<string[]>("return vim.g.offered")).length === 1);
    expect(await nvim.lua("return vim.g.offered")).toEqual([expect.stringContaining("Fruit and % prices (fork)")]);
  });

  it("says that there is no conversation yet", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script });
    await nvim.command("AgentQ rename Mine");
    await untilSaid("there is no conversation yet");
    await nvim.command("AgentQ search medlar");
    await untilSaid('no conversation has "medlar" in a message');
  });
});
