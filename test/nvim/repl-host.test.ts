/** A host with a model of its own (an MCP client) and a person in Neovim work in one REPL. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { McpClient } from "../support/mcp-client.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  let host: McpClient | undefined;

  afterEach(async () => {
    await host?.close();
    await nvim.dispose();
  });

  it("shows a host's forms in the log, runs what the host wrote to the disk, and keeps the person's edits", async () => {
    nvim = await startNeovim({
      editor,
      columns: 80,
      server: "process",
      before: `vim.env.XDG_RUNTIME_DIR = vim.env.HOME .. "/run"
        vim.fn.mkdir(vim.env.XDG_RUNTIME_DIR, "p", tonumber("700", 8))
        vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = { policy = { ask = { "restart_repl" } } } })`,
    });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.command("AgentQ eval const basket = ['apple']; basket");
    await nvim.untilEvent("EvalDone");
    const environment = (): Record<string, string> => ({ XDG_RUNTIME_DIR: join(nvim.folder, "home", "run") });
    host = new McpClient({ folder: nvim.project, environment }, { only: "repl" });
    await host.connect();
    const form = async (code: string): Promise<string> => (await host?.call("eval_form", { form: code }))?.text ?? "";

    writeFileSync(
      nvim.path("src/allocate.ts"),
      `${readFileSync(nvim.path("src/allocate.ts"), "utf8")}export const made = 7;\n`,
    );
    expect(await form("import { made } from './src/allocate.ts'; basket.push('pear'); made")).toMatch(
      /^7\n[^]*- The REPL is that of Neovim, which the person shares/,
    );
    expect(await nvim.lua("return { vim.fn.getline('$'), vim.bo.modified }")).toEqual([
      "export const made = 7;",
      false,
    ]);
    await nvim.command("AgentQ repl");
    await nvim.untilScreen("test > import { made }", "$2 = 7 : number");
    await nvim.command("AgentQ eval basket");
    await nvim.untilScreen(`$3 = ["apple", "pear"]`);

    await nvim.open("src/allocate.ts");
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, -2, -1, true, { "export const made = 8;" })`);
    // A request of the person's takes along what they typed just before.
    await nvim.command("AgentQ eval basket.length");
    await nvim.untilEvent("EvalDone", 3);
    expect(await form("import { made } from './src/allocate.ts'; made")).toMatch(
      /^8\n[^]*- Neovim has texts that are not on the disk, and those run: src\/allocate\.ts\./,
    );
    expect(await nvim.lua("return { vim.fn.getline('$'), vim.bo.modified }")).toEqual(["export const made = 8;", true]);

    // What needs the person's yes is asked in their editor.
    const restarted = host.call("restart_repl");
    await nvim.untilEvent("Approval");
    await nvim.command("AgentQ question");
    await nvim.untilScreen("restart_repl");
    await nvim.type("a");
    expect(await restarted).toMatchObject({ isError: false, text: expect.stringContaining("fresh") });
  });
});
