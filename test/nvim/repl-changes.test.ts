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
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
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

  it("shows in a buffer without edits what a form wrote into its file, and what was there before", async () => {
    nvim = await startNeovim({
      editor,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    const last = async (): Promise<string | undefined> => (await nvim.lines("src/allocate.ts")).at(-1);
    await nvim.command(`AgentQ eval require("node:fs").appendFileSync("src/allocate.ts", "// by a form")`);
    await nvim.until("the buffer has the line of the form", async () => (await last()) === "// by a form");
    await nvim.command("AgentQ changes revert");
    await nvim.until("the buffer is as before", async () => (await last()) === "}");
  });
});
