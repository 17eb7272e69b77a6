/** The agent reads the buffers of a real Neovim, also those that are no files, and asks before it does. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { describeEachEditor } from "../support/editors.ts";
import { modelWords } from "../support/model-words-of.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const script = scriptOf("buffers", "list the buffers, read the current one and a terminal", [
  reply(call("list_buffers", {})),
  reply(call("read_buffer", {}), call("read_buffer", { buffer: ":messages" })),
  reply(call("search_in_buffer", { pattern: "out of the shell", buffer: "term:" })),
  reply("That is all."),
]);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("tells of files, a terminal, help, messages and scratch buffers, and asks about what is no file", async () => {
    const outside = await mkdtemp(join(tmpdir(), "agentq-outside-"));
    onTestFinished(() => rm(outside, { recursive: true }));
    await writeFile(join(outside, "diary.txt"), "dear diary\n");
    await writeFile(join(outside, "notes.txt"), "dear diary\n");
    nvim = await startNeovim({ editor, script, columns: 80 });
    await writeFile(nvim.path(".env"), "TOKEN=1\n");
    await nvim.command("terminal echo out of the shell");
    await nvim.command(`edit ${join(outside, "diary.txt")}`);
    await nvim.command("edit .env");
    await nvim.command("help");
    await nvim.command("only");
    await nvim.lua(
      `
      local plugin = vim.api.nvim_create_buf(true, true)
      vim.api.nvim_buf_set_name(plugin, ...)
      vim.api.nvim_buf_set_lines(plugin, 0, -1, true, { "dear diary" })
      local scratch = vim.api.nvim_create_buf(true, true)
      vim.api.nvim_buf_set_lines(scratch, 0, -1, true, { "a thought" })
      vim.cmd.echomsg("'said before'")
    `,
      join(outside, "notes.txt"),
    );
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, 0, true, { "// typed" })`);
    await nvim.command("AgentQ prompt What is open?");
    await nvim.untilEvent("Approval");
    const words = modelWords(nvim.model?.requests.at(-1));
    expect(words).toMatch(/^ {2}src\/allocate\.ts \(typescript, unsaved changes, 48 lines\); the person is here$/m);
    expect(words).toMatch(/^ {2}term:.+ \(terminal, \d+ lines\)$/m);
    expect(words).toMatch(/^ {2}help help\.txt \(help, \d+ lines\)$/m);
    expect(words).toMatch(/^ {2}:messages \(messages, \d+ lines?\)$/m);
    expect(words).toMatch(/^ {2}\[No Name \d+\] \(nofile, 1 line\)$/m);
    expect(words).toContain(
      "3 buffers of files outside of the workspace or under a name that secrets have: never read.",
    );
    expect(words).not.toContain("agentq://");
    await nvim.command("AgentQ question");
    await nvim.untilScreen("read_buffer");
    expect(await nvim.screen()).toContain(":messages");
    expect(await nvim.screen()).toContain("it may hold");
    await nvim.type("a");
    await nvim.until("the second question is asked", async () => (await nvim.events("Approval")).length === 2);
    const read = modelWords(nvim.model?.requests.at(-1));
    expect(read).toMatch(
      /^src\/allocate\.ts \(typescript, version \d+, unsaved changes, 48 lines\)\n 1 {2}\/\/ typed$/m,
    );
    expect(read).toMatch(/^ *\d+ {2}said before$/m);
    await nvim.command("AgentQ deny not that");
    await nvim.untilEvent("TurnEnded");
    expect(modelWords(nvim.model?.requests.at(-1))).toContain("The person says: not that");
    expect(JSON.stringify(nvim.model?.requests)).not.toContain("dear diary");
    expect(JSON.stringify(nvim.model?.requests)).not.toContain("TOKEN=1");
  });

  it("asks before it reads what is no file, whatever name Neovim made a path of", async () => {
    const names = ["[dap-repl]", "result.sql", "thoughts.md", "prompt", "wrote.md", "src/allocate.ts"];
    nvim = await startNeovim({
      editor,
      script: scriptOf("scratch", "read buffers that are no files", [
        reply(call("list_buffers", {}), ...names.slice(0, -1).map((buffer) => call("read_buffer", { buffer }))),
        reply(call("read_buffer", { buffer: "new.ts" })),
        reply("Done."),
      ]),
      file: "src/money.ts",
    });
    await nvim.lua(`
      local function scratch(name, buftype)
        local bufnr = vim.api.nvim_create_buf(true, false)
        vim.bo[bufnr].buftype = buftype
        vim.api.nvim_buf_set_name(bufnr, name)
        vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { "dear diary" })
      end
      scratch("[dap-repl]", "nofile")
      scratch("result.sql", "nowrite")
      scratch("prompt", "prompt")
      scratch("wrote.md", "acwrite")
      scratch("src/allocate.ts", "nofile")
      scratch(".env", "nofile")
      scratch("oil:///somewhere/", "acwrite")
      vim.cmd("enew | setlocal buftype=nofile | file thoughts.md")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "dear diary" })
      vim.cmd("edit src/new.ts")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "export const fresh = 1;" })
    `);
    await nvim.command("AgentQ prompt What is open?");
    const count = names.length - 1;
    await nvim.until("all are asked about", async () => (await nvim.events("Approval")).length === count);
    await nvim.until("all are denied", async () => {
      await nvim.command("AgentQ deny not that");
      return (await nvim.events("TurnEnded")).length > 0;
    });
    const heard = JSON.stringify(nvim.model?.requests);
    expect(heard).not.toContain("dear diary");
    expect(heard).toContain("export const fresh = 1;");
    const [, asked = ""] = heard.split("the person is asked before one is read:");
    for (const name of [...names, "oil:///somewhere/"]) expect(asked).toContain(name);
  });
});
