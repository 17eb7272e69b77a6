import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor, type Editor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";
import { levelHere } from "../support/level.ts";

describeEachEditor("nvim", (editor: Editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const clients = async (): Promise<{ root: string; buffers: number }[]> =>
    await nvim.lua(`
      return vim.tbl_map(function(client)
        return { root = client.config.root_dir, buffers = vim.tbl_count(client.attached_buffers) }
      end, vim.lsp.get_clients({ name = "agentq" }))
    `);

  it("serves a project with one server, files of its dependencies included", async () => {
    nvim = await startNeovim({ editor });
    await mkdir(nvim.path("node_modules/left/lib"), { recursive: true });
    await writeFile(nvim.path("node_modules/left/package.json"), "{}");
    await writeFile(nvim.path("node_modules/left/lib/index.ts"), "export const left = 1;\n");
    await nvim.open("src/allocate.ts");
    await nvim.open("test/money.test.ts");
    await nvim.open("node_modules/left/lib/index.ts");
    await nvim.untilReady();
    expect(await clients()).toEqual([{ root: nvim.project, buffers: 3 }]);
  });

  it("starts with the first command, where no file is and where files are open, and serves all of these", async () => {
    nvim = await startNeovim({ editor, script: hello, before: `vim.g.agentq = { cmd = vim.g.agentq.cmd }` });
    await nvim.open("src/allocate.ts");
    await nvim.open("src/money.ts");
    await nvim.open("package.json");
    await nvim.command("enew");
    expect(await clients()).toEqual([]);
    await nvim.command("AgentQ prompt Hello");
    await nvim.untilEvent("TurnEnded");
    expect(await nvim.transcript()).toContain("Hello from the scripted model");
    // The message is one of them: the server completes there.
    expect(await clients()).toEqual([{ root: nvim.project, buffers: 4 }]);
    await nvim.open("src/invoice.ts");
    expect(await clients()).toEqual([{ root: nvim.project, buffers: 5 }]);
  });

  it("starts with a command about the current file, and knows which file that is", async () => {
    nvim = await startNeovim({ editor, before: `vim.g.agentq = { cmd = vim.g.agentq.cmd }` });
    await nvim.open("test/money.test.ts");
    await nvim.command("AgentQ test %");
    await nvim.until("the tests of the file are asked for", async () => {
      const log = await nvim.lua<string[]>(
        `local bufnr = vim.fn.bufnr("^agentq://repl$")
         return bufnr > 0 and vim.api.nvim_buf_get_lines(bufnr, 0, 1, true) or {}`,
      );
      return log[0] === "test test/money.test.ts";
    });
  });

  it("starts with a file where that is wanted, and with none that belongs to no project", async () => {
    nvim = await startNeovim({ editor });
    await mkdir(join(nvim.folder, "stray"));
    await nvim.open(join(nvim.folder, "stray/x.js"));
    expect(await clients()).toEqual([]);
    await nvim.open("package.json");
    expect(await clients()).toEqual([]);
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    expect(await clients()).toEqual([{ root: nvim.project, buffers: 2 }]);
  });

  it("names the commands that run in the background in its status", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello });
    const shown = await nvim.lua<string[]>(`
      local client = vim.lsp.get_clients({ name = "agentq" })[1]
      local status = vim.lsp.buf_request_sync(0, "agentq/status", {}, 20000)[client.id].result
      local before = table.concat(require("agentq.status").lines(status), "\\n")
      status.background = { { id = "b1", command = "npm run dev", startedAt = "" } }
      return { before, table.concat(require("agentq.status").lines(status), "\\n") }`);
    expect(shown).toEqual([
      expect.not.stringContaining("background"),
      expect.stringMatching(/\nbackground {2}b1: npm run dev$/),
    ]);
    expect(shown[0], "a state is told in words").toMatch(/\nrepl {8}not started, /);
  });

  it("tells the level of evaluations, tests and commands, and what to type where that is not the wall", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello });
    await nvim.command("AgentQ status");
    await nvim.untilScreen(
      levelHere === "walled" ? "level       walled: Evaluations, tests and commands" : "level       limited",
    );
    await nvim.type("q");
    await nvim.until("it is closed", () => nvim.lua<boolean>("return #vim.api.nvim_list_wins() == 1"));
    const shown = await nvim.lua(`
      local client = vim.lsp.get_clients({ name = "agentq" })[1]
      local status = vim.lsp.buf_request_sync(0, "agentq/status", {}, 20000)[client.id].result
      status.wall = { level = "limited", detail = "A seat belt.", missing = "No bwrap. Install bubblewrap." }
      local limited = table.concat(require("agentq.status").lines(status), "\\n")
      status.repl = vim.tbl_extend("force", status.repl, { state = "idle", pid = 1, level = "limited", missing = "No bwrap." })
      require("agentq.status").changed(client.id, status)
      local line = require("agentq").statusline()
      status.wall = nil
      return { limited, line, table.concat(require("agentq.status").lines(status), "\\n") }`);
    expect(shown).toEqual([
      expect.stringContaining("\nlevel       limited: A seat belt.\n            No bwrap. Install bubblewrap.\n"),
      "AQ REPL limited",
      expect.not.stringContaining("\nlevel "),
    ]);
  });

  it("shows the model unsaved text and lets other language servers be", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: hello });
    const capabilities = await nvim.lua<Record<string, unknown>>(
      `return vim.lsp.get_clients({ name = "agentq" })[1].server_capabilities`,
    );
    for (const name of ["hoverProvider", "definitionProvider", "referencesProvider", "renameProvider"]) {
      expect(capabilities[name] ?? false, name).toBe(false);
    }
    await nvim.type("Goexport const unsaved = 7;<Esc>");
    // Neovim takes keys when it comes to them, which may be after a request.
    await nvim.until("the line is typed", async () => (await nvim.lines()).includes("export const unsaved = 7;"));
    await nvim.lua(`
      local client = vim.lsp.get_clients({ name = "agentq" })[1]
      require("agentq.client").request(client, "agentq/callTool", {
        name = "describe_symbol", arguments = { symbol = "unsaved" },
      }, function(err, result) _G.test_answer = err and err.message or result.content end, 0)
    `);
    const answer = await nvim.until("the tool answers", () => nvim.lua<string | null>("return _G.test_answer"));
    expect(answer).toContain("unsaved");
    expect(answer).toContain("7");
  });

  if (hasLspEnable(editor)) {
    it("works through vim.lsp.enable", async () => {
      nvim = await startNeovim({
        editor,
        file: "src/allocate.ts",
        script: hello,
        before: `vim.g.agentq = { cmd = vim.g.agentq.cmd }
                 vim.lsp.enable("agentq")`,
      });
      expect(await clients()).toEqual([{ root: nvim.project, buffers: 1 }]);
      await nvim.command("AgentQ prompt Hello");
      await nvim.untilTranscript("Hello from the scripted model");
      expect(await clients()).toHaveLength(1);
    });
  }
});

/** vim.lsp.enable came with 0.11. */
function hasLspEnable(editor: Editor): boolean {
  const [major = 0, minor = 0] = editor.version.split(".").map(Number);
  return major > 0 || minor >= 11;
}
