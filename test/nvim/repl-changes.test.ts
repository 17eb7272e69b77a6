import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("tells which files an evaluation changed, and takes them back or keeps them", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    const file = join(nvim.project, "package.json");
    const before = readFileSync(file, "utf8");
    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("package.json", "gone")`);
    await nvim.untilEvent("EvaluationChanges");
    expect(readFileSync(file, "utf8")).toBe("gone");
    await nvim.untilEvent("EvalDone");
    const log = await nvim.lua<string[]>(
      `return vim.api.nvim_buf_get_lines(vim.fn.bufnr("^agentq://repl$"), 0, -1, true)`,
    );
    expect(log.filter((line) => line.includes("package.json (modified)"))).toEqual([
      "While this form ran, a file changed: package.json (modified).",
    ]);
    await nvim.command("AgentQ changes revert");
    await nvim.untilEvent("ChangesDecided");
    expect(readFileSync(file, "utf8")).toBe(before);

    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("made.txt", "made")`);
    await nvim.untilEvent("EvaluationChanges", 2);
    await nvim.command("AgentQ changes keep");
    await nvim.untilEvent("ChangesDecided", 2);
    expect(existsSync(join(nvim.project, "made.txt"))).toBe(true);

    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("made.txt", "its")`);
    await nvim.untilEvent("EvaluationChanges", 3);
    writeFileSync(join(nvim.project, "made.txt"), "mine");
    await nvim.command("AgentQ changes revert");
    expect(await nvim.untilEvent("ChangesDecided", 3)).toMatchObject({
      what: "revert",
      result: { done: [], failed: [{ reason: "it was changed again since" }] },
    });
    expect(readFileSync(join(nvim.project, "made.txt"), "utf8")).toBe("mine");
  });

  it("keeps one file, reverts others and leaves the rest for later; what was typed stays", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.command("set noautoread");
    await nvim.command("edit src/tax.ts");
    await nvim.type("O// mine<Esc>");
    await nvim.open("src/order.ts");
    const form = [
      `const fs = require("node:fs")`,
      `fs.unlinkSync("src/tax.ts")`,
      `fs.renameSync("src/allocate.ts", "src/moved.ts")`,
      `fs.appendFileSync("src/order.ts", "// by a form")`,
    ];
    await nvim.command(`AgentQ eval ${form.join("; ")}`);
    await nvim.untilEvent("EvaluationChanges");
    await nvim.untilEvent("EvalDone");
    await nvim.until("the buffer has the line of the form", async () => (await nvim.lines()).at(-1) === "// by a form");
    expect(await nvim.lua(`return vim.fn.getcompletion("AgentQ changes keep src/a", "cmdline")`)).toEqual([
      "src/allocate.ts",
    ]);
    await nvim.command("AgentQ changes keep src/allocate.ts");
    await nvim.untilEvent("ChangesDecided");
    await nvim.command("AgentQ changes keep src/allocate.ts");
    await nvim.until("that it is decided is said", async () =>
      (await nvim.notifications()).join("\n").includes("no evaluation changed src/allocate.ts, or it is decided"),
    );
    // File by file: the last of the three that wait.
    await nvim.lua(`
      _G.test_asked = {}
      vim.ui.select = function(items, options, choose)
        _G.test_choose = choose
        table.insert(_G.test_asked, vim.list_extend({ options.prompt }, vim.tbl_map(options.format_item or tostring, items)))
      end`);
    const asked = (count: number): Promise<string[][]> =>
      nvim.until(`it is asked ${count} times`, async () => {
        const all = await nvim.lua<string[][]>("return _G.test_asked");
        return all.length >= count && all;
      });
    await nvim.command("AgentQ changes");
    expect((await asked(1))[0]).toEqual([
      "While form 1 ran, 3 files changed. All of them, or one:",
      "keep all",
      "revert all",
      "src/moved.ts (created)",
      "src/order.ts (modified)",
      "src/tax.ts (deleted)",
    ]);
    await nvim.lua(
      `
      _G.test_choose({ uri = vim.uri_from_fname(...), kind = "deleted", canRevert = true })`,
      nvim.path("src/tax.ts"),
    );
    expect((await asked(2))[1]).toEqual(["src/tax.ts (deleted)", "keep", "revert"]);
    await nvim.lua(`_G.test_choose("revert")`);
    await nvim.untilEvent("ChangesDecided", 2);
    expect(existsSync(nvim.path("src/tax.ts"))).toBe(true);
    expect(existsSync(nvim.path("src/moved.ts"))).toBe(true);
    // What is left is asked for at once.
    expect((await asked(3))[2]).toHaveLength(5);
    await nvim.lua(`_G.test_choose("revert")`);
    await nvim.untilEvent("ChangesDecided", 3);
    expect(existsSync(nvim.path("src/moved.ts"))).toBe(false);
    expect(existsSync(nvim.path("src/allocate.ts"))).toBe(false);
    await nvim.until("the buffer is as before", async () => (await nvim.lines()).at(-1) === "}");
    expect((await nvim.lines("src/tax.ts"))[0]).toBe("// mine");
    const log = await nvim.lua<string[]>(
      `return vim.api.nvim_buf_get_lines(vim.fn.bufnr("^agentq://repl$"), 0, -1, true)`,
    );
    expect(log.slice(log.indexOf("kept: 1 file"))).toEqual([
      "kept: 1 file",
      "open in a buffer that has no file now, :w writes it again: src/allocate.ts",
      "reverted: 1 file",
      "your unsaved changes stay in the buffer of: src/tax.ts",
      "reverted: 2 files",
    ]);
  });

  it("shows in a buffer without edits what a form wrote into its file, and what was there before", async () => {
    nvim = await startNeovim({
      editor,
      file: "src/allocate.ts",
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    const last = async (): Promise<string | undefined> => (await nvim.lines("src/allocate.ts")).at(-1);
    await nvim.command(`AgentQ eval require("node:fs").appendFileSync("src/allocate.ts", "// by a form")`);
    await nvim.until("the buffer has the line of the form", async () => (await last()) === "// by a form");
    await nvim.command("AgentQ changes revert");
    await nvim.until("the buffer is as before", async () => (await last()) === "}");
  });
});
