import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HELP = new URL("../../client-nvim/doc/agentq.txt", import.meta.url);

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const report = async (): Promise<string> => {
    await nvim.command("checkhealth agentq");
    return (await nvim.lines()).join("\n");
  };

  it("reports a healthy client, server, project, REPL and model", async () => {
    nvim = await startNeovim({ editor, server: "process", file: "src/allocate.ts", script: hello });
    const text = await report();
    expect(text).toContain(`Neovim ${editor.version}`);
    expect(text).toMatch(/OK.* --stdio answers: .*0\.1\.0/);
    expect(text).toContain(`serving ${nvim.project}, 1 buffer(s) attached`);
    expect(text).toMatch(/TypeScript 7\.\d+\.\d+: /);
    expect(text).toMatch(/OK.* [Ww]alled: /);
    expect(text).toMatch(/OK.* at http:\/\/127\.0\.0\.1:\d+/);
    expect(text).not.toMatch(/ERROR|WARNING/);
  });

  it.each(["9.9.9", "0.0.1"])(
    "says that the server which runs is another one than the installed, which is %s",
    async (installed) => {
      nvim = await startNeovim({ editor, file: "src/allocate.ts" });
      const program = join(nvim.folder, "agentq");
      await writeFile(program, `#!/bin/sh\necho "agentq ${installed}"\n`, { mode: 0o755 });
      await nvim.lua(`vim.g.agentq = { cmd = { ..., "--stdio" } }`, program);
      expect(await report()).toMatch(
        new RegExp(
          `WARNING the server that runs is 0\\.1\\.0, the one that is installed ${installed}\n.*ADVICE:\n.*:AgentQ restart`,
        ),
      );
    },
  );

  it("says that the server is older or newer than the plugin, and which requests it does not know", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    await nvim.lua(`
      _G.spoken = vim.lsp.get_clients({ name = "agentq" })[1].server_capabilities.experimental.agentq
      _G.spoken.methods = vim.tbl_filter(function(method) return method ~= "agentq/rewind" end, _G.spoken.methods)`);
    expect(await report()).toMatch(
      /WARNING the server is older than this plugin: it does not know agentq\/rewind\n.*ADVICE:\n.*Update the server/,
    );
    await nvim.lua("_G.spoken.version = 2");
    expect(await report()).toMatch(
      /WARNING the server speaks version 2 of the protocol, this plugin version 1\n.*ADVICE:\n.*Update this plugin/,
    );
  });

  it("says what to type when there is no server program and no model", async () => {
    nvim = await startNeovim({ editor, serverCommand: ["no-such-agentq", "--stdio"] });
    const missing = await report();
    expect(missing).toMatch(/ERROR no-such-agentq --stdio does not run/);
    expect(missing).toContain("Put `agentq` on PATH");
    await nvim.dispose();

    nvim = await startNeovim({ editor });
    expect(await report()).toContain(":AgentQ starts that of the project");
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    expect(await report()).toMatch(/WARNING.* is not ready: [^]*ANTHROPIC_API_KEY/);
  });

  it("starts a checkout's server with the Node that the checkout brings", async () => {
    nvim = await startNeovim({ editor });
    const command = await nvim.lua<string[]>(`
      vim.g.agentq = nil
      vim.env.PATH = "/nowhere"
      return require("agentq.config").command()
    `);
    expect(command.map((part) => (part.startsWith("--") ? part : relative(ROOT, part)))).toEqual([
      "node_modules/node/bin/node",
      "bin/agentq.js",
      "--stdio",
    ]);
  });

  it("names a wrong option and goes on with the defaults", async () => {
    nvim = await startNeovim({
      editor,
      before: `vim.g.agentq = { chat = { widht = 3, position = "up" }, auto_start = "yes", review = { keymaps = { next = false } } }`,
    });
    expect(await report()).toContain(
      "vim.g.agentq: auto_start must be a boolean, not a string; " +
        "chat.position must be one of auto, right, left, below, tab; unknown option chat.widht",
    );
    await expect(nvim.lua("require('agentq').setup({ colour = 1 })")).rejects.toThrow("unknown option colour");
    expect(await nvim.lua("return require('agentq.config').get().chat.width")).toBe(64);
  });

  it("says what is wrong in options, and keeps what was set up", async () => {
    nvim = await startNeovim({ editor });
    await nvim.lua("require('agentq').setup({ chat = { height = 9 } })");
    for (const [options, problem] of [
      ['"agentq"', "the options must be a table, not a string"],
      ["{ cmd = {} }", "cmd must name a program"],
      ["{ cmd = { 1 }, filetypes = { a = 1 } }", "cmd must be a list of strings; filetypes must be a list of strings"],
      [
        "{ chat = { width = 0 }, eval_timeout_ms = 1.5 }",
        "chat.width must be a whole number above 0; eval_timeout_ms must be a whole number above 0",
      ],
    ]) {
      await nvim.lua(`vim.g.agentq = ${options}`);
      expect(await nvim.lua("return require('agentq.config').get().chat.height")).toBe(9);
      expect((await nvim.notifications()).at(-1)).toBe(`AgentQ: vim.g.agentq: ${problem}`);
      const setup = nvim.lua(`require("agentq").setup(${options})`);
      await expect(setup).rejects.toThrow(`agentq: ${problem}`);
    }
    expect(await nvim.notifications()).toHaveLength(4);
  });

  it("has a help file that :help finds, whose links resolve and that names every command, event and option", async () => {
    nvim = await startNeovim({ editor });
    const help = await readFile(HELP, "utf8");
    const links = [...help.matchAll(/\|([^|\s]+)\|/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(3);
    for (const link of [...links, "agentq", ":AgentQ"]) {
      await nvim.lua("vim.cmd.help(...)", link);
    }
    // Tags are shipped, as a folder on 'runtimepath' alone does not make them; they are those that :helptags makes.
    await nvim.lua("vim.fn.mkdir(vim.env.HOME .. '/doc')");
    await nvim.lua("vim.fn.writefile(vim.split(..., '\\n'), vim.env.HOME .. '/doc/agentq.txt')", help);
    await nvim.lua("vim.cmd.helptags(vim.env.HOME .. '/doc')");
    const tags = await nvim.lua<string[]>("return vim.fn.readfile(vim.env.HOME .. '/doc/tags')");
    expect((await readFile(new URL("tags", HELP), "utf8")).trimEnd().split("\n")).toEqual(tags);
    const names = await nvim.lua<string[]>("return require('agentq.command').names()");
    for (const name of names)
      expect(help, `:AgentQ ${name}`).toMatch(new RegExp(`^:.*AgentQ(\\[!\\])? \\[?${name}\\b`, "m"));
    const sources = await nvim.lua<string[]>(`
      return vim.tbl_map(function(path)
        return table.concat(vim.fn.readfile(path), "\\n")
      end, vim.api.nvim_get_runtime_file("lua/agentq/**/*.lua", true))
    `);
    const fired = sources.flatMap((source) => Array.from(source.matchAll(/\bfire\("(\w+)"/g), ([, name]) => name));
    expect(new Set(fired).size).toBeGreaterThan(8);
    for (const name of fired) expect(help).toContain(`AgentQ${name} `);
    const block = /These\nare the defaults: >lua\n([^]*?)\n</.exec(help)?.[1] ?? "";
    await nvim.lua(
      `vim.g.documented = nil; loadstring(...)(); vim.g.documented = vim.g.agentq; vim.g.agentq = nil`,
      block,
    );
    expect(await nvim.lua("return vim.g.documented")).toEqual(await nvim.lua("return require('agentq.config').get()"));
  });

  it("completes subcommands and refuses unknown ones", async () => {
    nvim = await startNeovim({ editor });
    expect(await nvim.lua("return vim.fn.getcompletion('AgentQ re', 'cmdline')")).toEqual([
      "references",
      "reject",
      "rejectall",
      "remembered",
      "rename",
      "reopen",
      "repl",
      "restart",
      "resume",
      "review",
      "reviewall",
      "rewind",
    ]);
    expect(await nvim.lua("return vim.fn.getcompletion('AgentQ! rejecta', 'cmdline')")).toEqual(["rejectall"]);
    expect(await nvim.lua("return vim.fn.getcompletion('AgentQ prompt re', 'cmdline')")).toEqual([]);
    await nvim.command("AgentQ fly");
    expect((await nvim.notifications()).at(-1)).toMatch(/there is no "fly"; try one of accept, acceptall/);
  });
});
