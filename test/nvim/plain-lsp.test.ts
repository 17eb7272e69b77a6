/** The agent in Neovim's own LSP client, without the plugin: a plain editor as it is. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { SessionStage } from "../support/session-stage.ts";

/** Asks once, answers the questions, and tells in the end what was asked and what the buffers hold. */
const SCRIPT = `
local asked = {}
vim.ui.select = function(items, opts, choose)
  table.insert(asked, opts.prompt)
  local answer = opts.prompt:find('Money', 1, true) and 'Reject' or 'Accept'
  for index, item in ipairs(items) do
    if (type(item) == 'table' and item.title or item) == answer then return choose(item, index) end
  end
end
vim.lsp.start({ name = 'agentq', cmd = { vim.env.NODE, vim.env.SERVER, '--stdio' }, root_dir = vim.env.PROJECT })
local client
vim.wait(20000, function()
  client = (vim.lsp.get_clients or vim.lsp.get_active_clients)({ name = 'agentq' })[1]
  return client ~= nil and client.server_capabilities ~= nil and client.initialized
end, 20)
local params = { command = 'agentq.prompt', arguments = { { text = 'Say what the modules are for.' } } }
client.request('workspace/executeCommand', params, function() end)
local answer
vim.wait(30000, function()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):find('answer%-%d+%.md$') then answer = buffer end
  end
  return answer ~= nil
end, 20)
local text = function(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\\n') end
if answer then vim.fn.bufload(answer) end
vim.fn.writefile({ vim.json.encode({
  asked = asked,
  answer = answer and text(answer),
  tax = text(vim.fn.bufnr('tax.ts')),
}) }, vim.env.TOLD)
vim.cmd('qall!')
`;

describeEachEditor("nvim", (editor) => {
  let stage: SessionStage;
  beforeEach(async () => {
    stage = new SessionStage();
    await stage.open();
  });
  afterEach(() => stage.dispose());

  it("asks about each hunk, applies what is accepted, and shows the answer", async () => {
    const insert = (name: string, modified: string): object => ({ op: "insert_at_start", path: name, modified });
    const edits = [insert("src/tax.ts", "// Taxes.\n"), insert("src/money.ts", "// Money.\n")];
    stage.steps.push(reply(call("propose_edits", { description: "Says it.", edits })), reply("It is **said**."));
    const [script, told] = ["plain.lua", "told.json"].map((name) => path.join(path.dirname(stage.folder), name));
    writeFileSync(script ?? "", SCRIPT);
    const own = { NODE: process.execPath, SERVER: serverProgram, PROJECT: stage.folder, TOLD: told ?? "" };
    const file = path.join(stage.folder, "src/tax.ts");
    const options = ["--headless", "-u", "NONE", "-i", "NONE", "--cmd", "set noswapfile", file];
    await promisify(execFile)(editor.path, [...options, "-c", `luafile ${script}`], {
      env: bareEnvironment({ ...stage.environment(), ...own }),
      timeout: 90_000,
    });
    const { asked, answer, tax } = JSON.parse(readFileSync(told ?? "", "utf8")) as Record<string, unknown>;
    expect(asked).toEqual([
      expect.stringContaining("Hunk 1 of 2 · src/tax.ts:1\n+ // Taxes."),
      expect.stringContaining("Hunk 2 of 2 · src/money.ts:1\n+ // Money."),
    ]);
    expect(answer).toContain("It is **said**.");
    expect(tax).toMatch(/^\/\/ Taxes\.\n/);
    expect(readFileSync(path.join(stage.folder, "src/money.ts"), "utf8")).not.toContain("// Money.");
    expect(JSON.stringify(stage.model.requests.at(-1))).toContain("1 of 2 hunks");
  }, 120_000);
});
