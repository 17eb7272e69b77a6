import { afterEach, expect, it } from "vitest";
import { reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script = scriptOf("none", "says one word", [reply("Done.")]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  const message = async (): Promise<string> =>
    (
      await nvim.lua<string[]>("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^agentq://message'), 0, -1, true)")
    ).join("|");

  async function complete(typed: string): Promise<void> {
    await nvim.type(`<C-u>${typed}<C-x><C-o>`);
    await nvim.until("there is a menu", () => nvim.lua<boolean>("return vim.fn.pumvisible() == 1"));
  }

  it("completes commands, files and symbols in the message, with the next server too", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script, before: "vim.o.completeopt = 'menuone'" });
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await complete("/des");
    expect(await message()).toBe("/describe");
    await complete("look at @src/mon");
    expect(await message()).toBe("look at @src/money.ts");
    await complete("call #splitEv");
    expect(await message()).toBe("call #src/allocate.ts#splitEvenly");
    await nvim.lua("require('agentq.start').restart(require('agentq.client').current(), function() end)");
    await nvim.until("the message is with the new server", () =>
      nvim.lua<boolean>(`
        local clients = vim.lsp.get_clients({ name = "agentq", bufnr = vim.fn.bufnr("^agentq://message") })
        return #clients == 1 and clients[1].initialized and not clients[1]:is_stopped() and clients[1].id > 1
      `),
    );
    expect(await nvim.transcript()).not.toContain("The server ended");
    await complete("/cal");
    expect(await message()).toBe("/callers");
  });

  it("has plugins complete the message with what the server says alone", async () => {
    const before = `
      _G.asked = {}
      package.preload["blink.cmp.config"] = function()
        return { sources = { per_filetype = { lua = { "path" } } } }
      end
      package.preload["cmp"] = function()
        return { setup = { filetype = function(...) table.insert(_G.asked, { ... }) end } }
      end
    `;
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script, before });
    await nvim.command("AgentQ");
    expect(await nvim.lua(`return require("blink.cmp.config").sources.per_filetype`)).toEqual({
      lua: ["path"],
      "agentq-message": ["lsp"],
    });
    expect(await nvim.lua("return _G.asked")).toEqual([["agentq-message", { sources: [{ name: "nvim_lsp" }] }]]);
  });
});
