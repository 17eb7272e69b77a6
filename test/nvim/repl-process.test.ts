/** Forms in a running program in place of the REPL, with a server whose answers are written here. */
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { labelledLog } from "./labelled-log.ts";
import { startNeovim, type Neovim, type NeovimOptions } from "./neovim.ts";

const API = { id: "api", pid: 4711, command: "src/server.ts", level: "modules" };
const WEB = { id: "web", pid: 5, command: "vite.js", level: "globals", why: "vite-node runs the code by a loader" };

/** In place of the server's answers: `_G.asked` has what was asked, `_G.answers` by method the answer, or a function of it. */
const SCRIPTED = `
  _G.asked, _G.answers = {}, {}
  local client = require("agentq.client")
  local request = client.request
  client.request = function(connection, method, params, done, bufnr)
    local answer = _G.answers[method]
    if not answer then return request(connection, method, params, done, bufnr) end
    table.insert(_G.asked, { method:sub(8), vim.deepcopy(params) })
    local result, err = answer(params)
    vim.schedule(function() done(err, result) end)
  end
  _G.tell = function(method, params)
    local id = vim.lsp.get_clients({ name = "agentq" })[1].id
    require("agentq.handlers").table()["agentq/" .. method](nil, params, { client_id = id })
  end
  local count = 0
  _G.answers["agentq/evaluate"] = function(params)
    count = count + 1
    return { evalId = tostring(count), outcome = "value", valueId = "$" .. count, preview = "42", type = "number",
      stdout = "", stderr = "", truncated = false, durationMs = 1, notes = {}, stateKept = true }
  end
`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  async function start(options: Partial<NeovimOptions> = {}): Promise<void> {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", ...options });
  }

  async function startScripted(options: Partial<NeovimOptions> = {}): Promise<void> {
    await start(options);
    await nvim.lua(SCRIPTED);
    await run(API, WEB);
  }

  /** These programs run for the server from now on. */
  async function run(...programs: readonly object[]): Promise<void> {
    await nvim.lua(
      `local programs = ...
       _G.answers["agentq/listProcesses"] = function() return { processes = programs } end
       _G.tell("processesChanged", { processes = programs })`,
      programs,
    );
  }

  const log = (): Promise<string> => labelledLog(nvim);
  const untilLog = (...texts: string[]): Promise<string> =>
    nvim.until(`the log holds ${texts.join(" and ")}`, async () => {
      const text = await log();
      return texts.every((wanted) => text.includes(wanted)) && text;
    });
  const untilSaid = (text: string): Promise<unknown> =>
    nvim.until(`"${text}" is said`, async () => (await nvim.notifications()).join("\n").includes(text));
  const asked = async (method: string): Promise<Record<string, unknown>[]> => {
    const all = await nvim.lua<[string, Record<string, unknown>][]>("return _G.asked");
    return all.filter(([name]) => name === method).map(([, params]) => params);
  };
  const choose = async (id: string, words: string): Promise<void> => {
    await nvim.command(`AgentQ process ${id}`);
    await untilLog(words);
  };

  it("sends forms, definitions, completion, looks, interrupts and the history to the program that is chosen, and back to the REPL", async () => {
    await startScripted();
    await nvim.lua(`
      _G.answers["agentq/completeInRepl"] = function() return { items = {}, total = 0 } end
      _G.answers["agentq/replHistory"] = function() return { items = {} } end
      _G.answers["agentq/interrupt"] = function() return { interrupted = false } end
      _G.answers["agentq/inspectValue"] = function() return nil, { code = 1, message = "nothing" } end`);
    const all = async (): Promise<unknown[]> => {
      await nvim.lua("_G.asked = {}");
      const count = (await nvim.events("EvalDone")).length;
      await nvim.command("AgentQ eval 6 * 7");
      await nvim.untilEvent("EvalDone", count + 1);
      await nvim.command("1AgentQ eval 6 * 7");
      await nvim.untilEvent("EvalDone", count + 2);
      await nvim.type("/^function totalWeight<CR>:AgentQ eval<CR>");
      await nvim.untilEvent("EvalDone", count + 3);
      await nvim.lua(`vim.fn.getcompletion("AgentQ eval ca", "cmdline")`);
      await nvim.command("AgentQ inspect cart");
      await nvim.command("AgentQ interrupt 3");
      await nvim.lua(`vim.fn.getcompletion("AgentQ interrupt ", "cmdline")`);
      await nvim.command("AgentQ repl history");
      await nvim.untilScreen("Nothing was evaluated");
      await nvim.command("close");
      const sent = await nvim.lua<[string, { process?: string; install?: boolean }][]>("return _G.asked");
      return sent.map(([method, { process, install }]) => [method, process, install === true].join(" "));
    };
    const everything = (process: string): string[] =>
      [
        "evaluate",
        "evaluate",
        "evaluate",
        "completeInRepl",
        "inspectValue",
        "interrupt",
        "replHistory",
        "replHistory",
      ].map((method, at) => `${method} ${process} ${at === 2}`);
    await choose("api", "forms go to api (process 4711) from now on");
    expect(await all()).toEqual(everything("api"));
    expect(await log()).toContain("api │ > 6 * 7\napi │ $1 = 42 : number\n\n");
    expect(await log()).toContain("api │ src/allocate.ts > 6 * 7\n");
    await nvim.command("AgentQ interrupt");
    await untilSaid("nothing is being evaluated in api");

    await nvim.command("AgentQ repl type");
    await nvim.type("cart.<C-x><C-o>");
    await nvim.until("it completes", async () => (await asked("completeInRepl")).at(-1)?.["code"] === "cart.");
    await nvim.type("total<C-s><Esc>");
    await nvim.untilEvent("EvalDone", 4);
    expect((await asked("completeInRepl")).at(-1)).toMatchObject({ process: "api" });
    expect((await asked("evaluate")).at(-1)).toMatchObject({ process: "api", code: "cart.total" });
    await nvim.command("close");

    await choose("repl", "forms go to the REPL from now on");
    expect(await all()).toEqual(everything(""));
    expect(await log()).toMatch(/\n> 6 \* 7\n\$5 = 42 : number\n/);
  });

  it("lets the person choose from a list, completes ids, names what runs, and says once why modules are out of reach", async () => {
    await startScripted();
    await nvim.lua(`vim.ui.select = function(items, options, choose)
      _G.offered = vim.tbl_map(options.format_item, items)
      choose(items[#items])
    end`);
    await nvim.command("AgentQ process");
    const chosen = "forms go to web (process 5) from now on\nweb: vite-node runs the code by a loader\n";
    await untilLog(chosen);
    const offered = ["the REPL · now", "api (process 4711): node src/server.ts", "web (process 5): node vite.js"];
    expect(await nvim.lua("return _G.offered")).toEqual(offered);
    await nvim.command("AgentQ eval 1");
    await nvim.untilEvent("EvalDone");
    expect((await log()).match(/by a loader/g)).toHaveLength(1);
    await nvim.command("AgentQ process nobody");
    await untilSaid("there is no program nobody; running: api, web");
    expect(await nvim.lua(`return vim.fn.getcompletion("AgentQ process ", "cmdline")`)).toEqual(["repl", "api", "web"]);

    await run();
    await nvim.command("AgentQ process nobody");
    await untilSaid(
      "there is no program nobody; none runs; `agentq run --name api -- COMMAND` in a terminal starts one",
    );
    await nvim.command("AgentQ process");
    await untilLog("forms go to the REPL from now on");
    await nvim.command("AgentQ process");
    await untilSaid("no program runs here; `agentq run");
  });

  it("shows where forms go above the log, in the status and in status lines, and says when the program ends and runs again", async () => {
    await startScripted({ columns: 80 });
    await nvim.command("AgentQ repl");
    await choose("api", "forms go to api");
    await nvim.untilScreen(" api (process 4711)");
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ → api");
    await nvim.command("AgentQ status");
    await nvim.untilScreen("forms       go to api (process 4711)");
    await nvim.command("close");
    await nvim.command("checkhealth agentq");
    expect((await nvim.lines()).join("\n")).toContain("forms go to api (process 4711)");
    await nvim.command("close");

    await run(WEB);
    await untilLog("api has ended, or was detached: what was defined in it is gone.");
    await nvim.untilScreen(" api (not running)");
    await nvim.lua(`local evaluate = _G.answers["agentq/evaluate"]
      _G.answers["agentq/evaluate"] = function()
        return nil, { code = -32602, message = "/process: expected one of web" }
      end`);
    await nvim.command("AgentQ eval 6 * 7");
    await untilLog("api │ > 6 * 7\napi │ /process: expected one of web\n");
    expect(await asked("evaluate")).toMatchObject([{ process: "api" }]);

    await run(WEB, { ...API, pid: 4712 });
    await untilLog("api runs again (process 4712).");
    await nvim.untilScreen(" api (process 4712)");
    await run(WEB, { ...API, pid: 4713 });
    await untilLog("api runs again (process 4713).");
    await run(WEB, { ...API, pid: 4713 });
    expect((await log()).match(/api has ended/g)).toHaveLength(2);
    expect((await log()).match(/api runs again/g)).toHaveLength(2);

    // A new server is told, and what it finds at first may be a part of all.
    await nvim.command("AgentQ restart");
    await nvim.untilReady();
    await nvim.until("it was looked for", async () => (await asked("listProcesses")).length > 1);
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AQ → api");
    expect((await log()).match(/api has ended/g)).toHaveLength(2);
  });

  it("asks the process in which a value came to be, wherever forms go meanwhile, and keeps forms of one number apart", async () => {
    await startScripted();
    await nvim.lua(`
      _G.answers["agentq/inspectValue"] = function(params)
        return { value = params.value, path = params.path, kind = "object", type = "Cart", preview = "Cart {}", facts = {},
          items = { { name = "total", kind = "getter", preview = "", type = "", step = "total", opens = false },
            { name = "lines", kind = "property", preview = "[]", type = "Array", step = "lines", opens = true } },
          total = 2, page = 1, pages = 1, extras = {}, complete = true }
      end
      local result = _G.answers["agentq/evaluate"]({})
      _G.tell("agentEvaluation", { evalId = "7", code = "theirs", process = "api" })
      _G.tell("agentEvaluation", { evalId = "7", code = "ours" })
      _G.tell("replOutput", { evalId = "7", stream = "stdout", text = "of api\\nrest", process = "api" })
      _G.tell("replOutput", { evalId = "7", stream = "stdout", text = "of the REPL\\n" })
      result.evalId, result.valueId = "7", "$7"
      _G.tell("agentEvaluation", { evalId = "7", code = "theirs", process = "api", result = vim.deepcopy(result) })
      _G.tell("agentEvaluation", { evalId = "7", code = "ours", result = result })`);
    expect(await log()).toBe(
      [
        "api │ agent > theirs",
        "agent > ours",
        "api │ form 7:",
        "api │ of api",
        "api │ rest",
        "form 7:",
        "of the REPL",
        "api │ form 7 > theirs",
        "api │ $7 = 42 : number",
        "",
        "form 7 > ours",
        "$7 = 42 : number",
        "",
      ].join("\n"),
    );
    await nvim.command("AgentQ repl");
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid("agentq://repl"))`);
    const look = async (row: number): Promise<unknown> => {
      await nvim.lua(`vim.fn.cursor(${row}, 2)`);
      const count = (await asked("inspectValue")).length;
      await nvim.type("K");
      await nvim.until("it is asked", async () => (await asked("inspectValue")).length > count);
      await nvim.untilScreen("$7 : Cart");
      return (await asked("inspectValue")).at(-1)?.["process"];
    };
    expect(await look(9)).toBe("api");
    await nvim.untilScreen("$7 : Cart · in api");
    // Members and getters of the value are of the same process.
    await nvim.type("3G<CR>");
    await nvim.until("the member is open", async () => (await asked("inspectValue")).length === 2);
    await nvim.type("2Gx");
    await nvim.until("the getter was called", async () => (await asked("inspectValue")).length === 3);
    expect((await asked("inspectValue")).map(({ process }) => process)).toEqual(["api", "api", "api"]);
    expect((await asked("evaluate")).at(-1)).toMatchObject({ process: "api" });
    await nvim.command("close");
    await choose("api", "forms go to api");
    await nvim.lua(`vim.fn.win_gotoid(vim.fn.bufwinid("agentq://repl"))`);
    expect(await look(12)).toBeUndefined();
  });

  it("traces a function in the chosen program, until the program ends, and takes no call of the REPL for one of the program", async () => {
    await startScripted({ columns: 220 });
    await nvim.lua(`_G.answers["agentq/callTool"] = function()
      local place = { uri = vim.uri_from_bufnr(0), text = "src/allocate.ts#totalWeight" }
      place.range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
      return { success = true, content = "In api (process 4711):\\ntraced", places = { place } }
    end`);
    await choose("api", "forms go to api");
    await nvim.command("AgentQ trace totalWeight");
    await nvim.untilScreen("⇐ traced");
    expect(await asked("callTool")).toMatchObject([{ name: "trace_function", arguments: { process: "api" } }]);
    expect(await log()).toContain("api │ trace totalWeight\napi │ In api (process 4711):\napi │ traced\n");
    const call = async (argument: string, process?: string): Promise<void> => {
      const text = `→ src/allocate.ts#totalWeight(${argument})\n`;
      await nvim.lua(`_G.tell("replOutput", ...)`, {
        stream: "stderr",
        text,
        ...(process === undefined ? {} : { process }),
      });
    };
    await call("1");
    await call("2", "api");
    await nvim.untilScreen("⇐ (2)");
    expect(await nvim.screen()).not.toContain("2 calls");
    await run(WEB);
    await nvim.until("nothing is traced", async () => !(await nvim.screen()).includes("⇐"));
  });

  it("keeps the label of a line when the log drops its oldest lines", async () => {
    await startScripted();
    await nvim.lua(`
      for index = 1, 5100 do
        local process = index % 2 == 0 and "api" or nil
        _G.tell("replOutput", { stream = "stdout", text = index .. "\\n", process = process })
      end`);
    const lines = (await log()).split("\n");
    expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([5000, "101", "api │ 102", "api │ 5100"]);
  });

  it("says that an older server knows no running programs", async () => {
    await startScripted();
    await nvim.lua(`_G.answers["agentq/listProcesses"] = function()
      return nil, { code = -32601, message = "Unhandled method" }
    end`);
    await nvim.command("AgentQ process api");
    await untilSaid("the server is older than this plugin and knows no running programs");
  });
});
