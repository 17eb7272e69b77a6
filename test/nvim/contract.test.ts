/**
 * What differs from one Neovim to the next (`client-nvim/lua/agentq/compat.lua`), tried in every one that the client is made for,
 * however few versions the other tests run in. The second test is the whole story; in the newest Neovim the server has a process of its own.
 */
import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { hello } from "../../examples/demo/scripts/small.ts";
import { availableEditors, describeContract } from "../support/editors.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";
const REASON = "leave splitEvenly as it is";

interface EvalDone {
  readonly result?: { readonly outcome: string; readonly preview?: string };
}

describeContract("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: FILE, ...options });
  }

  const log = async (): Promise<string> =>
    await nvim.lua(`
      local bufnr = vim.fn.bufnr("^agentq://repl$")
      return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""
    `);

  it("restarts the server with its buffers", async () => {
    await start({ script: hello });
    const id = await nvim.lua(`return vim.lsp.get_clients({ name = "agentq" })[1].id`);
    await nvim.command("AgentQ restart");
    await nvim.until("another server runs", () =>
      nvim.lua<boolean>(
        `local client = vim.lsp.get_clients({ name = "agentq" })[1]
         return client ~= nil and client.id ~= ... and client.initialized == true`,
        id,
      ),
    );
    const served = await nvim.lua(
      `local client = vim.lsp.get_clients({ name = "agentq" })[1]
       return { client.config.root_dir, vim.tbl_count(client.attached_buffers) }`,
    );
    expect(served).toEqual([nvim.project, 1]);
    await nvim.command("AgentQ prompt Hello");
    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "endTurn" });
  });

  it("goes from a question to an approved fix, one hunk accepted and one rejected with a reason", async () => {
    const isNewest = availableEditors("nvim").editors.at(-1)?.version === editor.version;
    await start({ script: fixBug, ...(isNewest ? { server: "process" } : {}) });
    const before = await readFile(nvim.path("src/allocate.ts"), "utf8");

    await nvim.type(":AgentQ<CR>");
    await nvim.untilScreen("message · <C-s>");
    await nvim.type("Refunds lose a cent: find the bug and fix it");
    await nvim.type("<Esc><CR>");

    await nvim.untilEvent("Proposal");
    const shown = await nvim.untilTranscript(
      "? propose_file_edit waits for your decision (Make the shares of negative totals add up",
    );
    expect(shown).toContain("❯ Refunds lose a cent: find the bug and fix it");
    expect(shown).toMatch(/✻ Thought for [\d.]+ s/);
    expect(shown).toContain("I will look at what `allocate` promises first.");
    expect(shown).toMatch(/✓ describe_symbol [\d.]+ m?s \(symbol: allocate, .*\)/);
    expect(shown).toMatch(/✓ who_calls [\d.]+ m?s \(/);
    expect(shown).toMatch(/✓ eval_form [\d.]+ m?s → "/);
    expect(shown).toContain("-9.99 EUR");
    await nvim.untilScreen("✓ who_calls ", "2 hunks wait · :AgentQ review");
    expect(await nvim.screen(), "details of a tool call are folded away").not.toContain("│ → result");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ⏸2");

    await nvim.type(":AgentQ review<CR>");
    const review = await nvim.untilScreen("Math.floor((total.cents", "▎hunk 1 of 2");
    expect(review).toContain("Math.trunc((total.cents");
    expect((await nvim.lines("src/allocate.ts")).join("\n")).toBe(before.trimEnd());

    await nvim.type("\\aa");
    await nvim.until("the first hunk is in the buffer", async () =>
      (await nvim.lines("src/allocate.ts")).some((line) => line.includes("Math.floor((total.cents")),
    );
    const applied = await nvim.untilEvent<{ verified: boolean }>("Applied");
    expect(applied.verified).toBe(true);
    expect(await readFile(nvim.path("src/allocate.ts"), "utf8")).toBe(before.replace("Math.trunc", "Math.floor"));

    await nvim.type("\\an");
    await nvim.untilScreen("▎hunk 2 of 2", "Array.from({ length: parts }, () => 1)");
    await nvim.type("\\ar");
    await nvim.answer(REASON);

    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "endTurn" });
    const transcript = await nvim.transcript();
    expect(transcript).toContain("Fixed: the refund now adds up to −10.00 EUR.");
    expect(transcript).toContain("Turned down");
    expect(transcript).toMatch(/── done · [\d.]+ s · \d+ tokens in, \d+ out$/);

    const told = lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");
    expect(told).toContain(REASON);
    expect(told).toMatch(/1 of 2/);
    expect(nvim.model?.mismatches).toEqual([]);
    expect((await nvim.lines("src/allocate.ts")).join("\n")).toContain("weights.push(1)");
    expect(await readFile(nvim.path("src/allocate.ts"), "utf8")).toBe(before.replace("Math.trunc", "Math.floor"));
    expect(await nvim.lua("return require('agentq').pending()")).toBe(0);
    expect(await nvim.screen()).not.toContain("▎");
  });

  it("completes code from the running REPL, tells of a form that was taken from a file where it stands there, and goes there from the log", async () => {
    await start();
    await nvim.command("AgentQ eval const basket = { apples: 1, 'odd key': 2, pears: 3 }");
    await nvim.untilEvent("EvalDone");
    const complete = (line: string): Promise<string[]> => nvim.lua(`return vim.fn.getcompletion(..., "cmdline")`, line);
    // The editor waits for an answer for a moment only: whoever hears nothing from a busy machine asks again.
    const completes = async (line: string, words: unknown): Promise<void> =>
      expect.poll(() => complete(line)).toEqual(words);
    await completes("AgentQ eval bask", ["basket"]);
    await completes("AgentQ eval String(basket.app", ["String(basket.apples"]);
    const all = expect.arrayContaining(["basket.apples", 'basket["odd key"]', "basket.pears"]) as unknown;
    await completes("AgentQ eval 1 + basket.", all);
    await completes("AgentQ eval basket?.odd", ['basket?.["odd key"]']);
    await completes("AgentQ inspect basket.pe", ["basket.pears"]);
    await nvim.command(".AgentQ eval splitEvenly.length");
    await nvim.untilEvent("EvalDone", 2);
    await completes(".AgentQ eval splitEv", ["splitEvenly"]);
    await completes("AgentQ eval splitEv", []);
    expect(await complete("AgentQ repl ")).toEqual(["history", "lock", "restart", "type", "unlock"]);

    await nvim.command("edit src/scratch.ts");
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "export const base = 1;", "/*", "", [[  "€"; base.no.way */]] })`,
    );
    await nvim.command("silent write");
    await nvim.type('4G0f"vfy<Esc>');
    await nvim.command("AgentQ repl");
    await nvim.type(":'<lt>,'>AgentQ eval<CR>");
    expect(await nvim.untilEvent<EvalDone>("EvalDone", 3)).toMatchObject({ result: { outcome: "error" } });
    expect(await log()).toMatch(
      /src\/scratch\.ts > "€"; base\.no\.way\nTypeError: .*\n {2}at src\/scratch\.ts:4:1\d\n/,
    );
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid("agentq://repl"))`);
    await nvim.type("G?  at src<CR><CR>");
    await nvim.until("the cursor stands in the file", () =>
      nvim.lua<boolean>(`return vim.fn.expand("%:t") == "scratch.ts" and vim.fn.line(".") == 4`),
    );
    expect(await nvim.lua(`return vim.api.nvim_get_current_line():sub(vim.fn.col("."))`)).toMatch(/^way|^no\.way/);
  });
});
