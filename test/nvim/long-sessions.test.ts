import { afterEach, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script: Script = {
  name: "long",
  description: "answers, and summarises when asked to",
  models: [{ id: "claude-sonnet-5-5", max_input_tokens: 20_000 }],
  reply: ({ body }) => reply(textOf(body.system).startsWith("You write the notes") ? "## Task\nTaxes." : "I see."),
};

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("shows how full the context is, and a compaction with its summary folded", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script });
    const state = async (): Promise<string> =>
      String(
        await nvim.lua(
          "return vim.b[require('agentq.chat.chats').of(require('agentq.client').current().id).bufnr].agentq_state",
        ),
      );
    await nvim.lua("require('agentq').prompt(...)", `Look. ${"word ".repeat(8_000)}`);
    await nvim.untilEvent("TurnEnded");
    expect(await state()).toMatch(/^idle · ctx [67]\d % · claude-sonnet-5-5$/);
    await nvim.lua("require('agentq').prompt(...)", "/compact the taxes");
    await nvim.untilEvent("TurnEnded", 2);
    const shown = await nvim.untilTranscript("⊟ 1 turn is summarised: about");
    expect(shown).not.toContain("## Task");
    expect(await state()).toMatch(/^idle · ctx ~\d\d % · claude-sonnet-5-5$/);
  });
});
