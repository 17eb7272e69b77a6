import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  const text = async (name: string): Promise<string> =>
    await nvim.lua(
      `local bufnr = vim.fn.bufnr("^agentq://" .. ... .. "$")
       return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""`,
      name,
    );

  /** Where <CR> leads on the last line of the log that begins with a text, `column` bytes to the right. */
  const goFrom = async (line: string, column = 0): Promise<string> => {
    await nvim.lua(
      String.raw`local line, column = ...
         vim.cmd("drop agentq://repl")
         vim.fn.cursor(vim.fn.line("$"), 1)
         vim.fn.search([[^\V]] .. vim.fn.escape(line, [[\]]), "bcW")
         vim.fn.cursor(vim.fn.line("."), column + 1)`,
      line,
      column,
    );
    // Typed keys are taken when Neovim comes to them, which may be after a request.
    await nvim.command('execute "normal \\<CR>"');
    return await nvim.lua(`return ("%s:%d:%d"):format(vim.fn.expand("%:p"), vim.fn.line("."), vim.fn.col("."))`);
  };

  it("leads from what was installed from a file to its place there, from a failed test, and to the one of several places that the cursor is on", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
    await nvim.type("/^function totalWeight<CR>:AgentQ eval<CR>");
    await nvim.untilEvent("EvalDone");
    expect(await text("repl")).toContain("redefined: function totalWeight");
    await nvim.command("1AgentQ eval totalWeight([0])");
    await nvim.untilEvent("EvalDone", 2);
    expect(await text("repl")).toMatch(/RangeError: .*\n {2}at totalWeight \(src\/allocate\.ts:\d+:\d+\)\n/);
    const thrown = await goFrom("  at totalWeight");
    expect(thrown.startsWith(`${nvim.path("src/allocate.ts")}:`)).toBe(true);
    expect(await nvim.lua("return vim.api.nvim_get_current_line()")).toContain("there is nothing to divide by");

    await nvim.command("1AgentQ eval try { totalWeight([0]) } catch (error) { console.log(error.stack) }");
    await nvim.untilEvent("EvalDone", 3);
    expect(await goFrom("    at totalWeight (repl:1:")).toBe(thrown);
    await nvim.command("1AgentQ inspect totalWeight");
    await nvim.until("the source is told", async () =>
      /\n {2}written at src\/allocate\.ts:\d+\n/.test(await text("inspect")),
    );

    // In the folder that Neovim is in a file may have the same name.
    mkdirSync(nvim.path("src/test"));
    writeFileSync(nvim.path("src/test/money.test.ts"), "");
    await nvim.command(`cd ${nvim.path("src")}`);
    await nvim.command("AgentQ test test/money.test.ts");
    await nvim.untilEvent("ToolDone");
    expect(await goFrom("  test/money.test.ts:9:1 ")).toBe(`${nvim.path("test/money.test.ts")}:9:1`);

    await nvim.command("1AgentQ eval console.log('of src/money.ts:2:3 and src/index.ts:1:2'); totalWeight([0])");
    await nvim.untilEvent("EvalDone", 4);
    const several = "of src/money.ts:2:3 and src/index.ts:1:2";
    expect(await goFrom(several)).toBe(`${nvim.path("src/money.ts")}:2:3`);
    expect(await goFrom(several, several.indexOf("index"))).toBe(`${nvim.path("src/index.ts")}:1:2`);
    expect(await goFrom("  at totalWeight (src/allocate.ts:")).toContain(`${nvim.path("src/allocate.ts")}:`);
  });
});
