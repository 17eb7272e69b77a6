import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { reply, type Script } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const server = fileURLToPath(new URL("../fixtures/mcp/stdio.mjs", import.meta.url));
const script: Script = { name: "none", description: "says one word", reply: () => reply("Done.") };

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("tells of a server that is down in one line of a narrow screen, and whole in the transcript", async () => {
    nvim = await startNeovim({
      editor,
      script,
      columns: 80,
      before: `vim.notify = _G.test_own_notify
        vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = {
          mcpServers = { gone = { command = "/no/such/program/of/a/long/name" } } } })`,
    });
    await nvim.open("src/tax.ts");
    await nvim.untilTranscript(
      "! The MCP server gone is down: it cannot be started: spawn /no/such/program/of/a/long/name ENOENT.",
    );
    await nvim.untilScreen("AgentQ: The MCP server gone is down");
  });

  it("shows the MCP servers in the status, and starts one anew", async () => {
    const calc = `{ command = ${JSON.stringify(process.execPath)}, args = { ${JSON.stringify(server)} } }`;
    nvim = await startNeovim({
      editor,
      file: "src/tax.ts",
      script,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { init_options = {
        mcpServers = { calc = ${calc}, gone = { command = "/no/such/program" } } } })`,
    });
    await nvim.until("both servers' states are told", async () => {
      await nvim.command("AgentQ status");
      const screen = await nvim.screen();
      const states = ["calc: ready, 8 tools", "gone: restarting, 0 tools — it cannot be started:"];
      return states.every((state) => screen.includes(state)) ? true : undefined;
    });
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      vim.g.offered = vim.tbl_map(options.format_item, items)
      choose(items[1])
    end`);
    await nvim.command("AgentQ mcp restart");
    await nvim.until("it is told", async () =>
      (await nvim.notifications()).join("\n").includes("MCP server calc: ready, 8 tools") ? true : undefined,
    );
    expect(await nvim.lua("return vim.g.offered")).toContain("calc: ready, 8 tools");
    await nvim.command("AgentQ mcp restart nobody");
    await nvim.until("the mistake is told", async () =>
      (await nvim.notifications()).join("\n").includes("calc, gone") ? true : undefined,
    );
  });
});
