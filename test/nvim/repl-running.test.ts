import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { evaluated } from "../support/traffic/scenarios.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";
import { levelHere } from "../support/level.ts";

interface EvalDone {
  readonly result?: { readonly preview?: string; readonly installed?: string };
}

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", ...options });
  }

  async function evaluate(code: string, count: number): Promise<void> {
    await nvim.command(`AgentQ eval ${code}`);
    await nvim.untilEvent("EvalDone", count);
  }

  const log = async (): Promise<string> =>
    await nvim.lua(`
      local bufnr = vim.fn.bufnr("^agentq://repl$")
      return bufnr > 0 and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n") or ""
    `);
  const untilLog = (...texts: string[]): Promise<string> =>
    nvim.until(`the log holds ${texts.join(" and ")}`, async () => {
      const text = await log();
      return texts.every((wanted) => text.includes(wanted)) && text;
    });
  const untilSaid = (text: string): Promise<unknown> =>
    nvim.until(`"${text}" is said`, async () => (await nvim.notifications()).join("\n").includes(text));
  const waits = "await new Promise((go) => setTimeout(go, 1e6))";

  it("locks the REPL for the agent and unlocks it, shows that it is, and keeps the lock over a restart of the REPL and of the server, which says so", async () => {
    await start();
    await nvim.command("AgentQ repl lokc");
    await untilSaid(":AgentQ repl [type | history | restart | lock | unlock]");
    await nvim.command("AgentQ repl");
    await nvim.command("AgentQ repl lock");
    await untilLog("the REPL is locked: the agent runs nothing in it until :AgentQ repl unlock");
    await nvim.untilScreen(`REPL not started · ${levelHere} · locked for the agent`);
    await nvim.command("AgentQ eval 6 * 7");
    await untilLog("$1 = 42 : number");
    await nvim.untilScreen(`REPL idle · ${levelHere} · locked for the agent`);
    expect(await nvim.lua(`return require("agentq.repl.state").short()`)).toBe("REPL locked");
    await nvim.command("AgentQ status");
    await nvim.untilScreen(`idle, ${levelHere}, locked for the agent`);
    await nvim.command("close");
    await nvim.command("AgentQ repl unlock");
    await untilLog("the REPL is unlocked: the agent may run forms in it again");
    expect(await nvim.lua(`return require("agentq.repl.state").short()`)).toBeNull();

    await nvim.command("AgentQ repl lock");
    await untilLog("the REPL is locked");
    await nvim.command("AgentQ repl restart");
    await untilLog("the REPL is idle");
    await nvim.untilScreen(`REPL idle · ${levelHere} · locked for the agent`);
    await nvim.command("AgentQ restart");
    await untilLog(
      "The server ended, and the REPL with it: definitions and values are gone.",
      "the server is a new one: the REPL is locked again, as it was; :AgentQ repl unlock ends that",
    );
    await nvim.untilScreen(`REPL not started · ${levelHere} · locked for the agent`);
    await nvim.command("AgentQ repl unlock");
    await untilLog("the REPL is unlocked");
    await nvim.command("AgentQ restart");
    await nvim.untilReady();
    await nvim.command("AgentQ eval 1 + 1");
    await untilLog("= 2 : number");
    expect((await log()).match(/locked again/g)).toHaveLength(1);
  });

  it("shows what an interrupt ended, and what a form left open until its id is interrupted", async () => {
    await start();
    await nvim.command("AgentQ interrupt");
    await untilSaid("nothing is being evaluated");
    await nvim.command(`AgentQ eval setInterval(() => {}, 1e6); ${waits}`);
    await nvim.untilScreen("running · :AgentQ interrupt stops it", "setInterval(() => {}, 1e6)");
    await nvim.command("AgentQ interrupt all");
    await nvim.untilEvent("EvalDone");
    await nvim.command(`AgentQ eval setInterval(() => {}, 1e6); console.log("be" + "gun"); ${waits}`);
    await untilLog("\nbegun");
    await nvim.command("AgentQ interrupt");
    await nvim.untilEvent("EvalDone", 2);
    // It may be stopped while it still runs, which is told in other words.
    await untilLog("hat it had open was ended: 2 timers");
    expect(await log()).not.toContain("\ninterrupted\n");

    await evaluate("setInterval(() => {}, 1e6); 'up'", 3);
    await untilLog("Still open: 1 timer. Interrupting form 3 by its id ends that. (:AgentQ interrupt 3)");
    await nvim.command("AgentQ interrupt");
    // On a busy machine the REPL may be stopped first, which is told before.
    await untilSaid("; form 3 left open: 1 timer; :AgentQ interrupt 3 ends that");
    expect(await nvim.lua(`return vim.fn.getcompletion("AgentQ interrupt ", "cmdline")`)).toEqual(["3", "all"]);
    await nvim.command("AgentQ interrupt 3");
    await untilLog("What form 3 had left open was ended: 1 timer");
    await nvim.command("AgentQ interrupt 3");
    await untilSaid("form 3 does not run, and nothing that it left is open");
  });

  it("stops a tool that the person called, and says so and why the tool failed", async () => {
    await start();
    writeFileSync(nvim.path("test/slow.test.ts"), `import "node:test"; ${waits};`);
    await nvim.command("AgentQ test test/slow.test.ts");
    await nvim.command("AgentQ interrupt");
    await untilSaid("the tool that you called was stopped");
    await nvim.untilEvent("ToolDone");
    expect(await log()).toMatch(/^test test\/slow\.test\.ts\n.*cancelled/);
  });

  it("stops an evaluation after the time that is configured, says where it was, and ends what it had open", async () => {
    await start({ before: `vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { eval_timeout_ms = 3000 })` });
    await evaluate("setInterval(() => {}, 1e6); const spin = () => { for (;;) {} }; spin()", 1);
    const shown = await log();
    expect(shown).toContain(
      "Timeout: Stopped after 3000 ms while it ran here; state is kept. What it had open was ended: 1 timer.",
    );
    expect(shown).toMatch(/\n {2}at spin \(repl:1:1:\d+\)\n/);
    await evaluate("typeof spin", 2);
    expect(await log()).toContain('"function" : string');
  });

  it("stops the newest of several evaluations, names the rest, and tells apart whose outcome comes", async () => {
    await start();
    await nvim.command(`AgentQ eval console.log("one runs"); ${waits}; "one"`);
    await untilLog("\none runs");
    await nvim.command(`AgentQ eval console.log("two runs"); ${waits}; "two"`);
    await untilLog("form 2:\ntwo runs");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ▶2");
    await nvim.command("AgentQ interrupt");
    await untilSaid("form 2 was stopped; form 1 is still running: :AgentQ interrupt 1");
    await untilLog('still running: form 1 (console.log("one runs");');
    await nvim.untilEvent("EvalDone");
    await nvim.command("AgentQ interrupt all");
    await nvim.untilEvent("EvalDone", 2);
    expect((await log()).match(/^form 1 > console.log\("one runs"\)/gm)).toHaveLength(1);
  });

  it("tells output of a form that still runs from the form whose outcome came before, and lets go of it with the server", async () => {
    await start();
    await nvim.command(`AgentQ eval console.log("one runs"); ${waits}`);
    await untilLog("\none runs");
    await evaluate("'two'", 1);
    await nvim.lua(`
      for _, text in ipairs({ "one goes on\\n", "and on\\n" }) do
        local output = { evalId = "1", stream = "stdout", text = text }
        require("agentq.handlers").table()["agentq/replOutput"](nil, output, { client_id = 1 })
      end`);
    expect(await log()).toMatch(/\n\$2 = "two" : string\n\nform 1:\none goes on\nand on$/);
    await nvim.command("AgentQ repl");
    await nvim.killServer();
    await untilLog("The server ended, and the REPL with it");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("");
    await nvim.until("the float is gone", async () => !(await nvim.screen()).includes("interrupt stops it"));
  });

  it("shows the agent's forms with their outcome, and late notes of the compiler as notes of their form", async () => {
    await start({ traffic: { recording: "evaluations-of-the-agent" } });
    await nvim.command("AgentQ prompt Evaluate.");
    const told = "agent > const n = 6 console.log('of the agent') n * 7\nof the agent\n$1 = 42 : number\n";
    await untilLog(told);
    const handlers = `require("agentq.handlers").table()["agentq/lateNotes"](nil, {
      evalId = "1", notes = { { uri = "repl:1", severity = "error", message = "TS1: no such n",
        range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 1 } } } } }, { client_id = 1 })`;
    await nvim.lua(handlers);
    await untilLog(`${told}\nerror: 3:1 TS1: no such n`);
    await nvim.untilTranscript("── done");
    await nvim.command("AgentQ prompt Trace it.");
    const traced = "agent in src/allocate.ts > trace_function src/allocate.ts#totalWeight\n";
    expect(await untilLog(traced, "is traced")).not.toContain("undefined");
    await evaluate("1", 1);
    await nvim.lua(handlers);
    await untilLog("form 1, later:\nerror: 3:1 TS1: no such n");
  });

  it("says how a name of the file is reached that the REPL's own scope lacks", async () => {
    await start({ traffic: { recording: "evaluation-of-an-unknown-name" } });
    await nvim.command("edit src/allocate.ts");
    await nvim.command(`AgentQ eval ${evaluated["evaluation-of-an-unknown-name"]}`);
    await nvim.untilEvent("EvalDone");
    await nvim.untilScreen("totalWeight is not defined", "This file names totalWeight: :.AgentQ eval");
  });

  it("evaluates the definition under the cursor and those that are selected, which the importer sees, and any other selection as it stands", async () => {
    await start();
    const importer = "import { splitEvenly } from './src/allocate.ts'; import { money } from './src/money.ts'; String";
    await evaluate(`${importer}(splitEvenly(money("3.00 EUR"), 3)[0])`, 1);
    await nvim.untilScreen('$1 = "1.00 EUR"');
    const row = await nvim.lua<number>(`return vim.fn.search("export function splitEvenly")`);
    await nvim.lua(`vim.cmd([[%s/return allocate(total, weights);/return allocate(total.plus(total), weights);/]])`);
    await nvim.lua(`vim.api.nvim_win_set_cursor(0, { ..., 4 })`, row);
    await nvim.command("AgentQ eval");
    await nvim.untilEvent("EvalDone", 2);
    expect(await log()).toContain("> export function splitEvenly(total: Money, parts: number): Money[] {\n…");
    await evaluate(`String(splitEvenly(money("3.00 EUR"), 3)[0])`, 3);
    await nvim.untilScreen('"2.00 EUR"');
    expect(await log()).toContain("redefined: function splitEvenly in src/allocate.ts");
    expect(readFileSync(nvim.path("src/allocate.ts"), "utf8")).not.toContain("plus(total)");
    await nvim.command(`.AgentQ eval totalWeight([1, 2])`);
    await nvim.untilEvent("EvalDone", 4);
    expect(await log()).toContain(" = 3 : number");

    await evaluate(`import { allocate } from "./src/allocate.ts"; allocate(money("1.00 EUR"), [1]).length`, 5);
    const [first, last] = await nvim.lua<[number, number]>(`
      vim.fn.search("^export function allocate")
      vim.cmd("normal! jO  return [];")
      return { vim.fn.search("^/\\\\*\\\\*", "bn"), vim.fn.search("^}") }
    `);
    await nvim.type(`${first}GV${last}G:AgentQ eval<CR>`);
    const done = await nvim.untilEvent<EvalDone>("EvalDone", 6);
    expect(done.result?.installed).toContain("redefined: function allocate in src/allocate.ts");
    await nvim.command("AgentQ eval allocate(money('1.00 EUR'), [1]).length");
    expect(await nvim.untilEvent<EvalDone>("EvalDone", 7)).toMatchObject({ result: { preview: "0" } });
    await nvim.lua(`vim.fn.search("return \\\\zs\\\\[\\\\]")`);
    await nvim.type("v%:AgentQ eval<CR>");
    const value = await nvim.untilEvent<EvalDone>("EvalDone", 8);
    expect(value).toMatchObject({ result: { preview: "[]" } });
    expect(value.result?.installed).toBeUndefined();
  });

  it("shows output in its colours and without escape sequences", async () => {
    await start({ traffic: { recording: "evaluation-in-colours" } });
    await evaluate(evaluated["evaluation-in-colours"], 1);
    expect(await log()).toContain("\nred plain green\nstill\n2%\n");
    const marks = await nvim.lua<[string, number, number, string][]>(`
      local bufnr = vim.fn.bufnr("^agentq://repl$")
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true })) do
        local details = mark[4]
        if details.hl_group then
          local line = vim.api.nvim_buf_get_lines(bufnr, mark[2], mark[2] + 1, true)[1]
          table.insert(found, { line:sub(mark[3] + 1, details.end_col), details.hl_group })
        end
      end
      return found
    `);
    expect(marks).toEqual([
      ["red", "AgentqAnsiRed"],
      ["green", "AgentqAnsiGreenBold"],
      ["still", "AgentqAnsiGreenBold"],
    ]);
  });

  it("says that the process died, shows its state above the log, and offers the replay", async () => {
    await start();
    await nvim.command("AgentQ repl");
    await nvim.untilScreen(" REPL");
    await evaluate("let kept = 1; kept", 1);
    await nvim.untilScreen(` REPL idle · ${levelHere}`);
    await evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})", 2);
    await untilLog("it was ended by SIGKILL.", "; :AgentQ repl restart all runs again what built its state.");
    await nvim.untilScreen(` REPL dead · ${levelHere} · `);
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ ! REPL dead");
    await nvim.command("AgentQ repl restart all");
    await untilLog("the REPL is idle, 1 form run again");
    await evaluate("kept", 3);
    await nvim.untilScreen("= 1 : number", ` REPL idle · ${levelHere}`);
  });

  it("shows the latest call of a traced function behind its line or below it, and what differs from the call before, and runs the tests", async () => {
    await start({ columns: 220 });
    await nvim.command("edit src/allocate.ts");
    await nvim.command("AgentQ trace prorate");
    await nvim.untilScreen("export function prorate", "⇐ traced");
    // It is not the agent's.
    expect(await log()).toMatch(/^trace prorate\nsrc\/allocate\.ts#prorate is traced/);
    await nvim.command("1AgentQ eval prorate(new Money(900, 'EUR'), 1, 3).cents");
    await nvim.untilScreen("⇐ (Money { cents: 900, cur…, 1, 3) = Money { cents: 300");
    await nvim.command("1AgentQ eval prorate(new Money(900, 'EUR'), 2, 3).cents");
    await nvim.untilScreen("⇐ (Money { cents: 900, cur…, 2, 3) = Money { cents: 600");
    const shown = await nvim.lua<[string, string][]>(`
      local namespace = vim.api.nvim_get_namespaces()["agentq.traced"]
      return vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })[1][4].virt_text`);
    const changed = shown.filter(([, group]) => group === "AgentqValue").map(([text]) => text);
    expect(changed).toEqual(["2", expect.stringContaining("cents: 600")]);
    expect(shown.at(-1)?.[0]).toBe(" · 2 calls");
    await nvim.command("AgentQ untrace prorate");
    const isGone = async (): Promise<boolean> => !(await nvim.screen()).includes("⇐");
    await nvim.until("nothing is traced", isGone);
    await nvim.command("AgentQ trace prorate");
    await nvim.untilScreen("⇐ traced");
    // The trace ends with the process.
    await nvim.command("AgentQ repl restart");
    await nvim.until("nothing is traced", isGone);

    await untilLog("the REPL is idle");
    await nvim.client.uiTryResize(80, 44);
    await nvim.command("AgentQ trace allocate");
    await nvim.untilEvent("ToolDone", 4);
    await nvim.untilScreen("⇐ traced");
    expect((await log()).match(/src\/allocate\.ts#allocate is traced/g)).toHaveLength(1);
    await nvim.command("1AgentQ eval prorate(new Money(900, 'EUR'), 1, 3).cents");
    await nvim.untilEvent("EvalDone", 3);
    await nvim.untilScreen("⇐ (Money { cents: 900, cur…, Array(2) [1, 2]) = Array(2) [Money");
    expect(await log()).toMatch(/→ src\/allocate\.ts#allocate\(.*\) {2}from prorate \(src\/allocate\.ts:\d+:\d+\)/);
    await nvim.command("AgentQ untrace");
    await nvim.untilEvent("ToolDone", 5);
    await nvim.command("edit test/money.test.ts");
    await nvim.command("AgentQ test %");
    await nvim.untilEvent("ToolDone", 6);

    expect(await log()).toContain("test/money.test.ts:9:1 rounds half a cent away from zero");
  });
});
