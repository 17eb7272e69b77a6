import { cpSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, it } from "vitest";
import { reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";
import { casesToRun } from "../support/extent.ts";

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

  it("shows a file in place of a start screen, and beside a sidebar", async () => {
    nvim = await startNeovim({ editor });
    const place = (setUp: string): Promise<boolean> =>
      nvim.lua(`
        vim.cmd.only({ bang = true })
        local window = vim.api.nvim_get_current_win()
        local page = vim.api.nvim_create_buf(false, true)
        vim.bo[page].bufhidden, vim.bo[page].modifiable = "wipe", false
        vim.api.nvim_win_set_buf(window, page)
        ${setUp}
        return require("agentq.file_window").find() == window
      `);
    expect([
      await place(""),
      await place("vim.wo[window].winfixwidth = true"),
      await place(`vim.api.nvim_buf_set_name(page, "agentq://a page")`),
      await place("vim.bo[page].modifiable = true"),
    ]).toEqual([true, false, false, false]);
  });

  it("opens the conversation before its server has answered, and sends what is written until then once it has", async () => {
    const before = `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { auto_start = false })`;
    nvim = await startNeovim({ editor, script: hello, before });
    await nvim.open("src/allocate.ts");
    const seen = await nvim.lua(`
      vim.cmd("AgentQ")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "Hello" })
      vim.fn.maparg("<C-s>", "n", false, true).callback()
      local state = vim.b[vim.fn.bufnr("agentq://chat/invoices")].agentq_state
      return { vim.bo.filetype, state, #vim.lsp.get_clients({ name = "agentq" }) }
    `);
    expect(seen).toEqual(["agentq-message", "starting", 0]);
    await nvim.untilTranscript("Hello from the scripted model");
    await nvim.untilScreen("idle");
  });

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

  it("takes a bar for the end of the command where no text stands before it", async () => {
    nvim = await startNeovim({ editor });
    await nvim.lua(`
      _G.heard = {}
      for _, name in ipairs({ "prompt", "close" }) do
        require("agentq.chat.commands")[name].run = function(rest) table.insert(_G.heard, rest) end
      end
    `);
    await nvim.command("AgentQ close | AgentQ prompt 4 | 1 is 5 | let g:never = 1");
    await nvim.command("AgentQ close| let g:then = 1");
    expect(await nvim.lua("return { _G.heard, vim.g['then'] or 0, vim.g.never or 0 }")).toEqual([
      ["", "4 | 1 is 5 | let g:never = 1", ""],
      1,
      0,
    ]);
  });

  it("opens and closes by one command, with the transcript where the person was in it", async () => {
    const rows = Array.from({ length: 90 }, (_row, index) => `row ${index}`).join("\n\n");
    nvim = await startNeovim({ editor, script: scriptOf("long", "answer at length", [reply(rows)]) });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ toggle");
    await nvim.untilScreen("? lists the keys", ":AgentQ resume goes on");
    await nvim.type("Tell<Esc><CR>");
    await nvim.untilScreen("row 89", "── done");
    expect(await nvim.screen()).not.toContain("? lists the keys.");
    const closed = (): Promise<unknown> => nvim.until("it is closed", async () => (await windows()).length === 1);
    await nvim.type("<C-w>kgg/row 20<CR>zt:AgentQ toggle<CR>");
    await closed();
    await nvim.type(":AgentQ toggle<CR>");
    await nvim.untilScreen("row 20", "row 22");
    expect(await nvim.screen()).not.toContain("row 89");
    await nvim.type("More<Esc><CR>");
    await nvim.untilEvent("TurnEnded", 2);
    await nvim.type(":AgentQ toggle<CR>");
    await closed();
    await nvim.type(":AgentQ toggle<CR>");
    await nvim.untilScreen("row 89", "── done");
  });

  it("brings no window of its own back from a session, and opens the conversation as ever", async () => {
    nvim = await startNeovim({ editor, script: hello });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ");
    await nvim.untilScreen("idle");
    await nvim.command("stopinsert | mksession! session.vim | 1wincmd w | only | silent! %bwipeout!");
    await nvim.command("silent source session.vim");
    expect(await windows()).toEqual([[nvim.path("src/allocate.ts"), 150]]);
    expect(await nvim.lua("return vim.fn.execute('ls!')")).not.toContain("agentq://");
    await nvim.command("AgentQ");
    expect((await windows()).map(([name]) => name).slice(1)).toEqual([
      "agentq://chat/invoices",
      "agentq://message/invoices",
    ]);
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

  /** The sizes of the windows of this tab page: [columns, rows] by the last part of the name. */
  const sizes = async (): Promise<Record<string, [number, number]>> =>
    await nvim.lua(`
      vim.cmd.redraw()
      local sizes = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):gsub("^agentq://", "")
        sizes[name:gsub("/invoices$", ""):gsub("^.*/", "")] =
          { vim.api.nvim_win_get_width(window), vim.api.nvim_win_get_height(window) }
      end
      return sizes
    `);

  /** Opens files side by side or above each other, and the conversation from the last. */
  const openBeside = async (columns: number, rows: number, split: string, names: readonly string[]): Promise<void> => {
    nvim = await startNeovim({ editor, script: hello, columns, rows });
    await nvim.open(`src/${names[0]}`);
    for (const name of names.slice(1)) await nvim.command(`${split} src/${name}`);
    await nvim.untilReady();
    await nvim.command("AgentQ");
    await nvim.until("the windows are there", async () => (await windows()).length === names.length + 2);
    await nvim.type("<Esc>");
  };

  const files = ["money.ts", "discount.ts", "allocate.ts"];

  it("takes columns from all windows beside the conversation alike, and rows from none", async () => {
    await openBeside(140, 45, "rightbelow vsplit", files);
    const seen = await sizes();
    expect(seen["chat"]?.[0]).toBe(64);
    const columns = files.map((name) => seen[name]?.[0] ?? 0);
    expect(Math.max(...columns) - Math.min(...columns)).toBeLessThanOrEqual(1);
  });

  it("takes rows from all windows above the conversation alike, and leaves what the person made of the columns", async () => {
    await openBeside(100, 45, "rightbelow split", files.slice(0, 2));
    const seen = await sizes();
    expect(Math.abs((seen["money.ts"]?.[1] ?? 0) - (seen["discount.ts"]?.[1] ?? 9))).toBeLessThanOrEqual(1);
    await nvim.command("AgentQ close");
    await nvim.command("1wincmd w | rightbelow vsplit src/allocate.ts | vertical resize 20");
    const before = await sizes();
    await nvim.command("AgentQ");
    await nvim.until("the windows are there", async () => (await windows()).length === 5);
    expect((await sizes())["allocate.ts"]?.[0]).toBe(before["allocate.ts"]?.[0]);
  });

  it("keeps the sizes of its windows while others come and go, and follows the screen and the person", async () => {
    await openBeside(140, 45, "rightbelow vsplit", files.slice(0, 2));
    const first = await sizes();
    for (const split of ["botright split", "topleft split", "botright vsplit", "rightbelow split", "copen"]) {
      await nvim.command(`2wincmd w | ${split}`);
      await sizes();
      await nvim.command(split === "copen" ? "cclose" : "close");
      const now = await sizes();
      expect([now["chat"], now["message"]], split).toEqual([first["chat"], first["message"]]);
    }
    await nvim.client.uiTryResize(80, 24);
    await nvim.until("the screen is small", async () => (await sizes())["chat"]?.[0] === 40);
    const small = await sizes();
    expect(small["message"]?.[1]).toBe(5);
    // Neovim gives the current one 20 columns ('winwidth').
    expect(Math.abs((small["money.ts"]?.[0] ?? 0) - (small["discount.ts"]?.[0] ?? 9))).toBeLessThanOrEqual(2);
    await nvim.client.uiTryResize(140, 45);
    await nvim.until("the screen is large", async () => (await sizes())["chat"]?.[0] === 64);
    await nvim.lua(`
      vim.api.nvim_win_set_width(vim.fn.bufwinid("^agentq://chat/invoices$"), 80)
      vim.cmd.redraw()
    `);
    expect((await sizes())["chat"]?.[0]).toBe(80);
    await nvim.command("1wincmd w | split");
    await sizes();
    await nvim.command("close");
    expect((await sizes())["chat"]?.[0]).toBe(80);
  });

  it("gives the person's windows back the sizes that they had, and leaves none that opens beside its own without room", async () => {
    await openBeside(140, 45, "rightbelow vsplit", files.slice(0, 2));
    const untilClosed = (): Promise<unknown> =>
      nvim.until("its windows are closed", async () => (await windows()).length === 2);
    await nvim.command("AgentQ close");
    await untilClosed();
    await nvim.command("1wincmd w | vertical resize 40");
    const before = await sizes();
    await nvim.command("AgentQ");
    await nvim.until("the windows are there", async () => (await windows()).length === 4);
    await nvim.type("<Esc>");
    const between = await sizes();
    expect([between["money.ts"]?.[0], between["chat"]?.[0]]).toEqual([21, 64]);
    await nvim.command("AgentQ close");
    await untilClosed();
    await nvim.until("the sizes are as before", async () => isDeepStrictEqual(await sizes(), before));

    await nvim.command("AgentQ");
    await nvim.until("the windows are there", async () => (await windows()).length === 4);
    await nvim.command("stopinsert | 1wincmd w | botright vsplit src/allocate.ts");
    await nvim.until("the new window has its room", async () => {
      const now = await sizes();
      return now["chat"]?.[0] === 64 && (now["allocate.ts"]?.[0] ?? 0) > 15;
    });
  });

  it("leaves the person's windows as they are when one of its own is split, and when that closes", async () => {
    await openBeside(140, 45, "rightbelow vsplit", files.slice(0, 2));
    await nvim.command("1wincmd w | vertical resize 13");
    const first = await sizes();
    expect([first["money.ts"], first["discount.ts"]]).toEqual([
      [13, 43],
      [61, 43],
    ]);
    for (const split of ["split", "vsplit", "new", "vnew", "rightbelow vsplit | split"]) {
      await nvim.command(`4wincmd w | ${split}`);
      const { "money.ts": left, "discount.ts": right } = await sizes();
      expect([left, right], split).toEqual([first["money.ts"], first["discount.ts"]]);
      while ((await windows()).length > 4) await nvim.command("close");
      expect(await sizes(), split).toEqual(first);
    }
    await nvim.command("3wincmd w | vsplit");
    const { "money.ts": left, "discount.ts": right } = await sizes();
    expect((right?.[0] ?? 0) / (left?.[0] ?? 0)).toBeGreaterThan(4);
    await nvim.command("close");
    expect(await sizes()).toEqual(first);
  });

  it.each(
    casesToRun([
      [140, 45, { chat: [64, 37], message: [64, 5] }],
      [80, 24, { chat: [80, 7], message: [80, 5] }],
    ] as const),
  )("makes room for a file where its own windows are all that there is, at %i columns", async (columns, rows, own) => {
    nvim = await startNeovim({ editor, script: fixBug, columns, rows });
    await nvim.open("src/allocate.ts");
    await nvim.command("AgentQ prompt The last one loses cents");
    await nvim.untilEvent("Proposal");
    await nvim.command("1wincmd w | close");
    // From the transcript the window of the file is split off one that is not the person's.
    await nvim.command("1wincmd w | AgentQ next");
    await nvim.until("the file has its room", async () => {
      const { "allocate.ts": file, chat, message } = await sizes();
      return file !== undefined && isDeepStrictEqual({ chat, message }, own);
    });
  });
});
