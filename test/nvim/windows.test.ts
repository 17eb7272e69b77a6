import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** What the windows show, from left to right and top to bottom, with their widths. */
  const windows = (): Promise<[string, number][]> =>
    nvim.lua(`
      return vim.tbl_map(function(window)
        return { vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), vim.api.nvim_win_get_width(window) }
      end, vim.api.nvim_tabpage_list_wins(0))
    `);

  it("shows the conversations of all projects in one column", async () => {
    nvim = await startNeovim({ editor, script: hello });
    const other = join(nvim.folder, "orders");
    cpSync(nvim.project, other, { recursive: true });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilScreen("Hello from the scripted model");
    const widths = (await windows()).map(([, width]) => width);
    await nvim.open(join(other, "src/money.ts"));
    await nvim.command("AgentQ prompt Hello");
    await nvim.until("the other conversation is shown", async () =>
      (await windows()).some(([name]) => name === "agentq://chat/orders"),
    );
    expect(await windows()).toEqual([
      [join(other, "src/money.ts"), widths[0]],
      ["agentq://chat/orders", widths[1]],
      ["agentq://message/orders", widths[2]],
    ]);
  });

  for (const columns of [80, 119, 120]) {
    const where = columns < 120 ? "below the files, which keep as much," : "beside the files";
    it(`opens the conversation ${where} at ${columns} columns`, async () => {
      nvim = await startNeovim({ editor, script: hello, columns });
      await nvim.open("src/allocate.ts");
      await nvim.command("AgentQ");
      await nvim.until("the windows are there", async () => (await windows()).length === 3);
      const [file, , message] = await windows();
      expect(message?.[0]).toBe("agentq://message/invoices");
      if (columns < 120) expect((await windows()).map(([, width]) => width)).toEqual([columns, columns, columns]);
      else expect(file?.[1]).toBeLessThan(columns);
      const rows = await nvim.lua<number>("return vim.api.nvim_win_get_height(vim.fn.win_getid(1))");
      expect(rows).toBeGreaterThanOrEqual(18);
    });
  }

  it("keeps the conversation in its windows when a file is opened there", async () => {
    nvim = await startNeovim({ editor, script: hello });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilScreen("Hello from the scripted model");
    const before = await windows();
    await nvim.command("wincmd l");
    await expect(nvim.command("edit src/money.ts")).rejects.toThrow("winfixbuf");
    expect(await windows()).toEqual(before);
  });
});
