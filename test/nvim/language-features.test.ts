import { afterEach, expect, it } from "vitest";
import { describeEachEditor, type Editor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

/** Without `auto_start`: a language server starts with the first file. */
const LANGUAGE_FEATURES = `vim.g.agentq = { cmd = vim.g.agentq.cmd, init_options = { languageFeatures = "on" } }`;

describeEachEditor("nvim", (editor: Editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  it("is the TypeScript server of Neovim when language features are on", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", before: LANGUAGE_FEATURES });
    await nvim.lua(`vim.fn.search("function allocate")
                    vim.fn.search("allocate", "z")
                    vim.lsp.buf.hover()`);
    await nvim.until("the hover is shown", async () =>
      (await nvim.screen()).includes("Divides an amount in proportion"),
    );
    await nvim.type("<Esc>Goconst wrong: string = totalWeight([1]);<Esc>");
    const messages = () =>
      nvim.lua<string[]>(`return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))`);
    await nvim.until("the unsaved error is shown", async () =>
      (await messages()).includes("Type 'number' is not assignable to type 'string'."),
    );
    await nvim.lua(`vim.fn.search("function allocate")
                    vim.fn.search("allocate", "z")
                    vim.lsp.buf.rename("shareOut")`);
    await nvim.until("the other file is renamed too", async () => {
      const lines = await nvim.lua<string[]>(
        `
        local bufnr = vim.fn.bufnr(...)
        return bufnr < 0 and {} or vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)`,
        nvim.path("src/invoice.ts"),
      );
      return lines.some((line) => line.includes("shareOut"));
    });
    expect((await nvim.lines("src/allocate.ts")).join("\n")).toContain("export function shareOut(");
    expect(await nvim.notifications()).toEqual([]);
  });
});
