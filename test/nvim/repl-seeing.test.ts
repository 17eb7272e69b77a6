import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts" });
  }

  async function evaluate(code: string, count = 1): Promise<void> {
    await nvim.command(`AgentQ eval ${code}`);
    await nvim.untilEvent("EvalDone", count);
  }

  const buffer = async (name: string): Promise<string> =>
    await nvim.lua(
      `local bufnr = vim.fn.bufnr("^agentq://" .. ... .. "$")
       return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""`,
      name,
    );
  const untilBuffer = (name: string, ...texts: string[]): Promise<unknown> =>
    nvim.until(texts.join(", "), async () => {
      const shown = await buffer(name);
      return texts.every((text) => shown.includes(text));
    });

  it("looks into a value, member by member and page by page, and calls a getter only when told to", async () => {
    await start();
    await evaluate(
      "class Cart { #id = 7; lines = Array.from({ length: 120 }, (_, n) => ({ n })); get size() { globalThis.calls = (globalThis.calls ?? 0) + 1; return this.lines.length } } new Cart()",
    );
    await nvim.command("AgentQ inspect $1");
    await untilBuffer("inspect", "$1 : Cart", "▸ lines: Array(120)", "  #id: 7", "  size: [getter]   (of Cart)");
    await nvim.type("/▸ lines<CR><CR>");
    await untilBuffer("inspect", "$1 › lines : Array(120)", "▸ 0: { n: 0 }", "page 1 of 3, 120 members");
    await nvim.type("]");
    await untilBuffer("inspect", "▸ 50: { n: 50 }", "page 2 of 3");
    await nvim.type("nn");
    await untilBuffer("inspect", "▸ 119: { n: 119 }", "page 3 of 3");
    await nvim.type("[");
    await untilBuffer("inspect", "page 2 of 3");
    await nvim.type("-");
    await untilBuffer("inspect", "$1 : Cart");
    await nvim.type("/size<CR><CR>");
    await nvim.type("x");
    await untilBuffer("inspect", "$2 : number", "120");
    const wraps = `return vim.wo[vim.fn.bufwinid("agentq://inspect")].wrap`;
    expect(await nvim.lua(wraps)).toBe(false);
    await evaluate("calls", 2);
    await nvim.untilScreen("$3 = 1");
    // A long string is read as it wraps.
    await evaluate("'x'.repeat(3000)", 3);
    await nvim.command("AgentQ inspect $4");
    await untilBuffer("inspect", "$4 : string");
    expect(await nvim.lua(wraps)).toBe(true);
  });

  it("reads the name under the cursor in the scope of its module, and a handle in the log, and says why it cannot", async () => {
    await start();
    await nvim.command("edit src/scratch.ts");
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "const secret = { deep: 41 };", "export const seen = 1;" })`,
    );
    await nvim.command("silent write");
    await nvim.type("gg0w");
    await evaluate(`import "./src/scratch.ts"`);
    await nvim.command("AgentQ inspect");
    await untilBuffer("inspect", "secret : Object", "deep: 41");
    await nvim.command("close");
    await nvim.command("AgentQ inspect nowhere");
    const untilSaid = (words: string): Promise<unknown> =>
      nvim.until(`"${words}" is said`, async () => (await nvim.notifications()).join().includes(words));
    await untilSaid("nowhere is not defined");
    await evaluate("({ deep: 43 })", 2);
    await nvim.command("AgentQ repl");
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid("agentq://repl"))`);
    await nvim.type("/\\$2<CR>lK");
    await nvim.untilScreen("$2 : Object", "deep: 43");
    await nvim.command("enew");
    await nvim.command("AgentQ inspect");
    await untilSaid("name a value: :AgentQ inspect $7");
  });

  it("lists the history, opens a value from it, and restarts with the forms that are chosen", async () => {
    await start();
    await evaluate("let one = 1; ({ one })");
    await evaluate("let two = 2", 2);
    await nvim.command("AgentQ repl history");
    await untilBuffer("history", "1 person", "value $1 : Object = { one: 1 }", "    let one = 1", "2 person");
    await nvim.type("gg<CR>");
    await untilBuffer("inspect", "$1 : Object", "one: 1");
    await nvim.type("q");
    await nvim.lua(`vim.fn.confirm = function() return 1 end`);
    await nvim.type("ggr");
    await untilBuffer("history", "3 person (again 1)", "lost with its process");
    await nvim.command("AgentQ eval [one, $1.one, typeof two]");
    await nvim.untilEvent("EvalDone", 3);
    await nvim.untilScreen('[1, 1, "undefined"]');
  });
});
