import { afterEach, expect, it } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script: Script = { name: "answers", description: "answers", reply: () => reply("So it is.") };

/** Chooses the action with a title from Neovim's own menu. */
const CHOOSE = `local title = ...
vim.ui.select = function(items, options, choose)
  vim.g.offered = vim.tbl_map(options.format_item, items)
  for _, item in ipairs(items) do
    if item.action.title == title then return choose(item) end
  end
end`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("says in the chat what a code action asks, with the selection and the diagnostics as they are", async () => {
    nvim = await startNeovim({ editor, file: "src/tax.ts", script });
    await nvim.type("Goconst wrong: string = 1;<Esc>");
    await nvim.lua(CHOOSE, "Agent-Q: explain the selection");
    await nvim.lua("vim.fn.cursor(vim.fn.line('$'), 7)");
    await nvim.type("v3l");
    await nvim.lua("vim.lsp.buf.code_action()");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.lua("return vim.g.offered")).toContainEqual(expect.stringContaining("Agent-Q: review the diff"));
    const shown = await nvim.untilTranscript("So it is.");
    expect(shown).toContain("❯ Explain the selected code");
    expect(shown).toMatch(/src\/tax\.ts:\d+/);
    const words = (): string => JSON.stringify(nvim.model?.requests.at(-1)?.messages.at(-1));
    expect(words()).toContain("```\\nwron\\n```");

    await nvim.type("<Esc>");
    await nvim.lua(CHOOSE, `Agent-Q: fix "It is no text."`);
    await nvim.lua(`local line = vim.fn.line("$") - 1
      local lsp = {
        range = { start = { line = line, character = 6 }, ["end"] = { line = line, character = 11 } },
        message = "It is no text.", severity = 1, source = "ts", code = 2322,
      }
      local client = require("agentq.client").current()
      vim.lsp.diagnostic.on_publish_diagnostics(nil,
        { uri = vim.uri_from_bufnr(0), diagnostics = { lsp } },
        { client_id = client.id, method = "textDocument/publishDiagnostics" }, {})
      vim.fn.cursor(line + 1, 8)
      vim.lsp.buf.code_action()`);
    await nvim.untilEvent("TurnEnded", 2);
    expect(words()).toMatch(/src\/tax\.ts:\d+:7 error ts 2322: It is no text\./);
  });
});
