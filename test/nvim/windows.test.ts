import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
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

  it("leaves no row empty below the transcript where the paragraph above does not fit into the rest of the window", async () => {
    nvim = await startNeovim({ editor, script: fixBug, columns: 80, rows: 24 });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ prompt Find the bug and fix it");
    await nvim.untilScreen("hunks wait", "propose_file_edit waits for your decision");
    const free = await nvim.lua<number>(`
      local window = vim.iter(vim.api.nvim_list_wins()):find(function(each)
        return vim.bo[vim.api.nvim_win_get_buf(each)].filetype == "agentq-chat"
      end)
      local shown = vim.api.nvim_win_text_height(window, {
        start_row = vim.fn.line("w0", window) - 1,
        end_row = vim.fn.line("w$", window) - 1,
      }).all
      return vim.fn.getwininfo(window)[1].height - shown
    `);
    expect(free).toBeLessThanOrEqual(0);
  });

  it("shows the end of a paragraph that has more rows than the window, while the paragraph is being written", async () => {
    const words = Array.from({ length: 200 }, (_word, index) => `word${index}`).join(" ");
    const talk: Script = {
      name: "talk",
      description: "one long paragraph, which does not end",
      reply: () => ({ ...reply(words), chunkSize: words.length, fault: { kind: "hang", afterEvents: 4 } }),
    };
    nvim = await startNeovim({ editor, script: talk, columns: 80, rows: 24 });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ prompt Talk");
    await nvim.untilScreen("word199", "working");
  });

  it("keeps the conversations in a tab page of their own by setting, and the windows of files as they were", async () => {
    nvim = await startNeovim({
      editor,
      script: hello,
      columns: 80,
      before: `vim.g.agentq = vim.tbl_deep_extend("force", vim.g.agentq, { chat = { position = "tab" } })`,
    });
    const tab = (): Promise<number> => nvim.lua("return vim.fn.tabpagenr()");
    const tabs = (): Promise<number> => nvim.lua("return vim.fn.tabpagenr('$')");
    await nvim.open("src/allocate.ts");
    await nvim.command("vsplit src/money.ts");
    const files = await windows();
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilTranscript("Hello from the scripted model");
    expect([await tab(), await tabs(), await windows()]).toEqual([1, 2, files]);

    await nvim.command("AgentQ");
    await nvim.untilScreen("Hello from the scripted model");
    await nvim.type("<Esc>");
    expect(await windows()).toEqual([
      ["agentq://chat/invoices", 80],
      ["agentq://message/invoices", 80],
    ]);
    await expect(nvim.command("edit src/money.ts")).rejects.toThrow("winfixbuf");
    const sent = await nvim.lua<string>(
      `vim.api.nvim_set_current_win(require("agentq.file_window").find())
       return vim.api.nvim_buf_get_name(0)`,
    );
    expect([await tab(), sent]).toEqual([1, nvim.path("src/money.ts")]);

    await nvim.command("AgentQ");
    await nvim.type("<Esc>:q<CR>");
    await nvim.until("both windows of the conversation are closed", async () => (await tabs()) === 1);
    expect(await windows()).toEqual(files);
    await nvim.command("AgentQ");
    await nvim.untilScreen("Hello from the scripted model");
    await nvim.command("stopinsert | AgentQ close");
    await nvim.until("it is closed by command", async () => (await tabs()) === 1);
    expect(await windows()).toEqual(files);
  });

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
