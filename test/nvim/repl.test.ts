import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { evaluated } from "../support/traffic/scenarios.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

interface EvalDone {
  readonly result?: { readonly outcome: string; readonly preview?: string; readonly stateKept: boolean };
  readonly error?: string;
}

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", ...options });
  }

  const log = async (): Promise<string> =>
    await nvim.lua(`
      local bufnr = vim.fn.bufnr("^agentq://repl$")
      return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""
    `);

  it("evaluates TypeScript of the project and a selection in the scope of its module, with the value beside the cursor and in the log", async () => {
    await start();
    await nvim.command(`AgentQ eval import { money } from "./src/money.ts"; String(money("3.50 EUR").times(2))`);
    expect(await nvim.untilEvent<EvalDone>("EvalDone")).toMatchObject({ result: { outcome: "value" } });
    await nvim.untilScreen("7.00 EUR", "value · ");
    expect(await log()).toMatch(/^> import \{ money \}/);
    expect(await log()).toContain("7.00 EUR");
    await nvim.type("j");
    await nvim.until("the float is gone", async () => !(await nvim.screen()).includes("7.00 EUR"));

    await nvim.command("edit src/scratch.ts");
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "const secret = 41;", "export const seen = secret + 1;" })`,
    );
    await nvim.command("silent write");
    await nvim.type("2G$hvFs<Esc>");
    await nvim.type(":'<lt>,'>AgentQ eval<CR>");
    const done = await nvim.untilEvent<EvalDone>("EvalDone", 2);
    expect(done).toMatchObject({ result: { outcome: "value", preview: "42" } });
    expect(await log()).toContain("src/scratch.ts > secret + 1\n");
  });

  it("shows an error with the place it came from", async () => {
    await start({ traffic: { recording: "evaluation-that-throws" } });
    await nvim.command(`.AgentQ eval ${evaluated["evaluation-that-throws"]}`);
    expect(await nvim.untilEvent<EvalDone>("EvalDone")).toMatchObject({ result: { outcome: "error" } });
    await nvim.untilScreen("RangeError: there is nothing to divide by", "src/allocate.ts:");
  });

  it("shows output while the code runs, interrupts what waits and an endless loop, keeps the state and stays usable meanwhile", async () => {
    await start();
    await nvim.command(`AgentQ eval console.log("first"); await new Promise((go) => setTimeout(go, 60_000)); "never"`);
    await nvim.untilScreen("first", ":AgentQ interrupt stops it");
    expect(await log()).toContain("first");
    expect(await nvim.events("EvalDone")).toEqual([]);
    await nvim.command("AgentQ interrupt");
    expect(await nvim.untilEvent<EvalDone>("EvalDone")).toMatchObject({ result: { outcome: "interrupted" } });

    await nvim.command("AgentQ eval const kept = 6 * 7");
    await nvim.untilEvent("EvalDone", 2);
    await nvim.command("AgentQ eval while (true) {}");
    await nvim.type("Gotyped<Esc>");
    await nvim.until("typing goes on", async () => (await nvim.lines()).at(-1) === "typed");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ▶");
    await nvim.command("AgentQ interrupt");
    expect(await nvim.untilEvent<EvalDone>("EvalDone", 3)).toMatchObject({
      result: { outcome: "interrupted", stateKept: true },
    });
    await nvim.command("AgentQ eval kept");
    expect(await nvim.untilEvent<EvalDone>("EvalDone", 4)).toMatchObject({ result: { preview: "42" } });
  });

  it("asks before the REPL runs with full rights, remembers a No, and asks again when it is restarted", async () => {
    await start({
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "open" } } })`,
    });
    await nvim.command("AgentQ eval require('node:os').platform()");
    await nvim.untilEvent("Approval");
    await nvim.untilScreen(
      " AgentQ asks ",
      "Run the REPL open, with all of your rights?",
      "start programs and use the network",
      ":AgentQ approve    Run open",
      ":AgentQ deny       No",
    );
    expect(await nvim.lua("return require('agentq').statusline()")).toContain("AQ ⏸1");
    expect(await log()).toContain("Run the REPL open");
    await nvim.command("AgentQ repl");
    await nvim.untilScreen("open · waits for :AgentQ approve or :AgentQ deny · evaluating", " AgentQ asks ");
    await nvim.command("AgentQ status");
    await nvim.untilScreen("it waits for the answer whether it may.");
    await nvim.command("AgentQ deny not today");
    const refused = await nvim.untilEvent<EvalDone>("EvalDone");
    expect(refused).toMatchObject({ result: { outcome: "error" } });
    expect(await log()).toContain("who answered No (“not today”)");
    await nvim.command("AgentQ eval 1");
    await nvim.untilEvent("EvalDone", 2);
    expect(await nvim.events("Approval")).toHaveLength(1);

    await nvim.command("AgentQ repl restart");
    await nvim.untilEvent("Approval", 2);
    await nvim.command("AgentQ approve");
    await nvim.until("it was restarted", async () => (await log()).includes("the REPL is idle"));
    await nvim.command("AgentQ eval require('node:os').platform()");
    expect(await nvim.untilEvent<EvalDone>("EvalDone", 3)).toMatchObject({ result: { outcome: "value" } });
    expect(await nvim.events("Approval")).toHaveLength(2);
  });
});
