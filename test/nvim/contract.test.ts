/** What the client must be able to do in every Neovim that it is made for, however few versions the other tests run in. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { call, reply, scriptOf, think } from "../../examples/demo/model/script.ts";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { newFile } from "../../examples/demo/scripts/new-file.ts";
import { hello } from "../../examples/demo/scripts/small.ts";
import { describeContract } from "../support/editors.ts";
import { proposeFix } from "../support/propose-fix.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const FILE = "src/allocate.ts";
const FIXED = "Math.floor((total.cents";
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

  const text = async (file: string): Promise<string> => (await nvim.lines(file)).join("\n");
  const readDisk = async (file: string): Promise<string> => await readFile(nvim.path(file), "utf8");
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
    await start({ script: fixBug, server: "process" });
    const before = await readFile(nvim.path("src/allocate.ts"), "utf8");

    await nvim.type(":AgentQ<CR>");
    await nvim.untilScreen("message · <C-s>");
    await nvim.type("Refunds lose a cent: find the bug and fix it");
    await nvim.type("<Esc><CR>");

    await nvim.untilEvent("Proposal");
    const shown = await nvim.untilTranscript("? propose_file_edit waits for your decision (Edit src/allocate.ts)");
    expect(shown).toContain("❯ Refunds lose a cent: find the bug and fix it");
    expect(shown).toMatch(/✻ Thought for [\d.]+ s/);
    expect(shown).toContain("I will look at what `allocate` promises first.");
    expect(shown).toMatch(/✓ describe_symbol \d+ ms \(symbol: allocate, .*\)/);
    expect(shown).toMatch(/✓ who_calls \d+ ms \(/);
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

  it("keeps what tools answered and the model thought out of sight of one who types on, until it is opened", async () => {
    await start({
      script: scriptOf("look", "look once", [
        reply(think("First\nsecond."), "I will look.", call("describe_symbol", { symbol: "splitEvenly" })),
        reply("It divides **evenly**."),
      ]),
    });
    await nvim.type(":AgentQ<CR>");
    await nvim.until("the cursor is in the message", () => nvim.lua<boolean>("return vim.fn.mode() == 'i'"));
    await nvim.type("Look<C-s>typing on");
    await nvim.untilEvent("TurnEnded");
    const screen = await nvim.untilScreen("✓ describe_symbol", "It divides **evenly**.", "── done");
    expect(await nvim.lua("return vim.fn.mode()")).toBe("i");
    expect(screen).not.toContain("→ result");
    expect(screen).not.toContain("second.");
    const closed = await nvim.transcript();
    expect(closed).toMatch(/^✓ describe_symbol \d+ ms \(symbol: splitEvenly\)$/m);
    expect(closed.split("\n").at(-1)).toMatch(/^── done · [\d.]+ s · \d+ tokens in, \d+ out$/);

    await nvim.type("<Esc><C-w>kgg/✓ describe_symbol<CR><CR>");
    const opened = await nvim.untilTranscript("│ → result");
    const lines = opened.split("\n");
    const head = lines.findIndex((line) => line.startsWith("✓ describe_symbol"));
    expect(lines.slice(head + 1, head + 3)).toEqual(["│ symbol = splitEvenly", "│ → result"]);
    expect(lines[head + 3]).toMatch(/^│ .*splitEvenly/);
    await nvim.type("zR");
    await nvim.untilTranscript("✻ Thought for", "│ First\n│ second.\n");
    await nvim.type("zM");
    await nvim.until("all is closed", async () => (await nvim.transcript()) === closed);
  });

  it("makes an accepted hunk one undo step of its own", async () => {
    await start({ script: proposeFix });
    await nvim.command("AgentQ prompt Fix it");
    await nvim.untilEvent("Proposal");
    await nvim.type("ggO// mine<Esc>");
    const before = await text(FILE);
    await nvim.command("AgentQ next");
    await nvim.type("\\aA");
    await nvim.untilEvent("Applied");
    expect(await text(FILE)).toContain(FIXED);
    expect(await text(FILE)).toContain("Array.from");
    await nvim.type("u");
    await nvim.until("it is undone", async () => (await text(FILE)) === before);
    await nvim.type("<C-r>");
    await nvim.until("it is there again", async () => (await text(FILE)).includes(FIXED));
  });

  it("shows a new file before it exists and creates it when accepted", async () => {
    await start({ script: newFile });
    await nvim.command("AgentQ prompt Create a test");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ review");
    await nvim.untilScreen("new file", "shares of money given back add up");
    expect(existsSync(nvim.path("test/refund.test.ts"))).toBe(false);
    expect(await nvim.lua("return vim.bo.buftype")).toBe("acwrite");
    await nvim.type("\\aa");
    expect(await nvim.untilEvent("Applied")).toMatchObject({ verified: true });
    expect(await readDisk("test/refund.test.ts")).toContain("shares of money given back add up");
    expect(await nvim.lua("return vim.api.nvim_buf_get_name(0)")).toBe(nvim.path("test/refund.test.ts"));
    expect(await nvim.lua("return vim.bo.modified")).toBe(false);
    await nvim.untilEvent("TurnEnded");
    expect(lastToolResult(nvim.model?.requests ?? [], "propose_file_edit")).toMatch(/refund\.test\.ts/);
  });

  it("evaluates TypeScript of the project and shows the value beside the cursor and in the log", async () => {
    await start();
    await nvim.command(`AgentQ eval import { money } from "./src/money.ts"; String(money("3.50 EUR").times(2))`);
    expect(await nvim.untilEvent<EvalDone>("EvalDone")).toMatchObject({ result: { outcome: "value" } });
    await nvim.untilScreen("7.00 EUR", "value · ");
    expect(await log()).toMatch(/^> import \{ money \}/);
    expect(await log()).toContain("7.00 EUR");
    await nvim.type("j");
    await nvim.until("the float is gone", async () => !(await nvim.screen()).includes("7.00 EUR"));
  });

  it("tells of a form that was taken from a file where it stands there, and goes there from the log", async () => {
    await start();
    await nvim.command("edit src/scratch.ts");
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "export const base = 1;", "/*", "", [[  "€"; base.no.way */]] })`,
    );
    await nvim.command("silent write");
    await nvim.type('4G0f"vfy<Esc>');
    await nvim.command("AgentQ repl");
    await nvim.type(":'<lt>,'>AgentQ eval<CR>");
    expect(await nvim.untilEvent<EvalDone>("EvalDone")).toMatchObject({ result: { outcome: "error" } });
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

  it("asks before an evaluation with full rights, and tells the model why it was denied", async () => {
    const script = scriptOf("danger", "evaluate with full rights", [
      reply(call("eval_form", { form: "globalThis.made = 2" })),
      reply("Understood."),
    ]);
    await start({
      script,
      before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, {
      init_options = { repl = { confinement = "openWithoutAsking" } } })`,
    });
    await nvim.command("AgentQ prompt Evaluate");
    await nvim.untilEvent("Approval");
    await nvim.untilTranscript("eval_form asks whether it may run", ":AgentQ deny       {reason}");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ⏸1 REPL open");
    await nvim.command("AgentQ deny not on this machine");
    await nvim.untilEvent("TurnEnded");
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("not on this machine");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ REPL open");
    await nvim.command("AgentQ prompt Evaluate again");
    await nvim.untilEvent("Approval", 2);
    await nvim.command("AgentQ approve session");
    await nvim.untilEvent("TurnEnded", 2);
    expect(lastToolResult(nvim.model?.requests ?? [], "eval_form")).toContain("2");
    await nvim.command("AgentQ prompt Once more");
    await nvim.untilEvent("TurnEnded", 3);
    expect(await nvim.events("Approval")).toHaveLength(2);
  });

  it("completes the code of the command line from the running REPL", async () => {
    await start();
    await nvim.command("AgentQ eval const basket = { apples: 1, 'odd key': 2, pears: 3 }");
    await nvim.untilEvent("EvalDone");
    const complete = (line: string): Promise<string[]> => nvim.lua(`return vim.fn.getcompletion(..., "cmdline")`, line);
    // The editor waits for an answer for a moment only: whoever hears nothing from a busy machine asks again.
    const completes = async (line: string, words: unknown): Promise<void> =>
      expect.poll(() => complete(line), { timeout: 20_000 }).toEqual(words);
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
  });
});
