import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";
import { levelHere } from "../support/level.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;
  afterEach(async () => {
    await nvim.dispose();
  });

  it("gives each of two projects its own log, whose state, forms and keys are of its own server", async () => {
    nvim = await startNeovim({ editor });
    const other = join(nvim.folder, "orders");
    cpSync(nvim.project, other, { recursive: true });
    const log = (name: string): Promise<string> =>
      nvim.lua(
        `local bufnr = vim.fn.bufnr("^" .. ... .. "$")
         return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""`,
        name,
      );
    const first = "agentq://repl";
    const second = "agentq://repl/orders";
    const waits = "await new Promise((go) => setTimeout(go, 1e6))";
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.command("AgentQ eval const place = 'first'; place");
    await nvim.untilEvent("EvalDone");
    await nvim.open(join(other, "src/money.ts"));
    await nvim.command("AgentQ eval const place = 'second'; place");
    await nvim.untilEvent("EvalDone", 2);
    expect(await log(first)).toContain(`$1 = "first" : string`);
    expect(await log(first)).not.toContain("second");
    expect(await log(second)).toContain(`$1 = "second" : string`);

    await nvim.command("AgentQ repl");
    await nvim.command("AgentQ repl lock");
    await nvim.untilScreen(`orders · REPL idle · ${levelHere} · locked for the agent`);
    await nvim.command(`AgentQ eval console.log("of the " + "second"); ${waits}`);
    await nvim.until("the second prints", async () => (await log(second)).includes("\nof the second"));
    await nvim.untilScreen("locked for the agent · evaluating");

    // The other's log: its own state, its own forms.
    await nvim.command(`buffer ${nvim.path("src/allocate.ts")}`);
    await nvim.command("AgentQ repl");
    const screen = await nvim.untilScreen(`invoices · REPL idle · ${levelHere}`);
    expect(screen).not.toContain(`invoices · REPL idle · ${levelHere} · `);
    await nvim.command("AgentQ eval console.log('of the first'); place");
    await nvim.untilEvent("EvalDone", 3);
    expect(await log(first)).toContain(`> console.log('of the first'); place\nof the first\n$2 = "first" : string`);

    // What is typed in a log is meant for its server.
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid(...))`, second);
    // Neovim takes Ctrl-C itself while it draws, and the person presses it again.
    await nvim.until("the second is stopped", async () => {
      const isStopped = (await log(second)).includes("state is kept");
      if (!isStopped) await nvim.type("<C-c>");
      return isStopped;
    });
    await nvim.untilEvent("EvalDone", 4);
    await nvim.type("gg/\\$1<CR>lK");
    await nvim.untilScreen("$1 : ", "second");
    await nvim.command("close");
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid(...))`, second);
    await nvim.command("AgentQ repl history");
    await nvim.untilScreen(`1 person: value $1 : string = "second"`);
  });

  itAtLength("decides about what changed in the project that the cursor is in, before another's", async () => {
    nvim = await startNeovim({
      editor,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    const other = join(nvim.folder, "orders");
    cpSync(nvim.project, other, { recursive: true });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("made.txt", "1")`);
    await nvim.untilEvent("EvaluationChanges");
    await nvim.open(join(other, "src/money.ts"));
    await nvim.command(`AgentQ eval require("node:fs").writeFileSync("made.txt", "2")`);
    await nvim.untilEvent("EvaluationChanges", 2);
    await nvim.command("AgentQ changes revert made.txt");
    await nvim.untilEvent("ChangesDecided");
    expect([existsSync(join(other, "made.txt")), existsSync(nvim.path("made.txt"))]).toEqual([false, true]);
    await nvim.command("AgentQ changes revert");
    await nvim.untilEvent("ChangesDecided", 2);
    expect(existsSync(nvim.path("made.txt"))).toBe(false);
  });
});
