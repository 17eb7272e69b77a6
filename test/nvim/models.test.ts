import { afterEach, expect, it } from "vitest";
import { reply, think, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script: Script = {
  name: "models",
  description: "thinks and answers",
  models: [
    { id: "claude-deep", display_name: "Deep", max_input_tokens: 200_000 },
    { id: "claude-quick", display_name: "Quick" },
  ],
  reply: ({ body }) => reply(think("Let me see."), `I am ${body.model}.`),
};

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("shows what the conversation costs and fills beside the model, on a narrow screen too", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/tax.ts",
      script: { ...script, models: [{ id: "claude-sonnet-5-5", max_input_tokens: 20_000 }] },
      columns: 80,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = {
        prices = { ["claude-sonnet-5-5"] = { input = 1000, output = 0 } } } })`,
    });
    await nvim.command("AgentQ prompt Who are you?");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.untilScreen("claude-so")).toMatch(/idle · ctx \d\d % · \$\d\.\d\d · claude-so/);
  });

  it("lets the person choose the model and its thinking, and shows which model answers", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script });
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.offered = vim.tbl_map(options.format_item or tostring, items)
      choose(items[2])
    end`);
    await nvim.lua("require('agentq.say').info = function(text) vim.g.said = text end");
    const untilSaid = (words: string): Promise<unknown> =>
      nvim.until(`it is said: ${words}`, async () =>
        String(await nvim.lua("return vim.g.said or ''")).includes(words) ? true : undefined,
      );
    await nvim.command("AgentQ model");
    await untilSaid("claude-quick (default) answers new conversations; thinking: auto");
    expect(await nvim.lua("return vim.g.offered")).toEqual(["Deep (200k tokens)", "Quick"]);
    await nvim.lua("require('agentq').prompt(...)", "Who are you?");
    await nvim.untilEvent("TurnEnded");
    const shown = await nvim.untilTranscript("I am claude-quick.");
    expect(shown).toMatch(/✻ Thought for \d+\.\d s/);
    expect(shown).not.toContain("Let me see.");

    await nvim.command("AgentQ model claude-deep");
    await untilSaid("claude-deep (default) answers this conversation");
    await nvim.command("AgentQ thinking");
    await untilSaid("thinking: off");
    await nvim.lua("require('agentq').prompt(...)", "And now?");
    await nvim.untilEvent("TurnEnded", 2);
    await nvim.untilTranscript("I am claude-deep.");
    expect(nvim.model?.requests.map(({ model }) => model)).toEqual(["claude-quick", "claude-deep"]);
    expect(nvim.model?.requests[1]).not.toHaveProperty("thinking");
    expect(await nvim.lua("return require('agentq.chat.chats').of(require('agentq.client').current().id).model")).toBe(
      "claude-deep",
    );
  });
});
