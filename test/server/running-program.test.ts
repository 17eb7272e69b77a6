/** Forms in a program that the person runs: found, asked about, looked into, redefined, stopped, and left as it was. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult, RunningProcess } from "../../server/src/protocol/repl-shapes.ts";
import { blocksOf, textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { agreedTool, answerNext, RunningProgram, shop } from "../support/running-program.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";
import { describeWalled } from "../support/wall.ts";

// A socket's path may have about a hundred characters.
const runtime = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
const stage = serverStage({ project: shop, env: { XDG_RUNTIME_DIR: runtime } });
let client: ServerClient;
const programs: RunningProgram[] = [];

beforeEach(() => void ({ client } = stage));
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

function start(command: readonly string[] = [process.execPath, "src/server.ts"], name?: string): RunningProgram {
  const program = new RunningProgram({ folder: stage.folder, runtime }, command, name);
  programs.push(program);
  return program;
}

async function stop(): Promise<void> {
  for (const program of programs.splice(0)) await program.kill();
}

async function processes(): Promise<readonly RunningProcess[]> {
  return (await client.request("agentq/listProcesses", {})).processes;
}

const runs = (id = "api"): Promise<RunningProcess> =>
  vi.waitFor(
    async () => {
      const found = (await processes()).find((each) => each.id === id);
      if (found === undefined) throw new Error(`${id} does not run`);
      return found;
    },
    { timeout: 40_000 },
  );

const evaluate = (code: string, more: Partial<RequestParams<"agentq/evaluate">> = {}): Promise<EvalResult> =>
  client.request("agentq/evaluate", { code, process: "api", ...more });

const agree = (decision?: "approved" | "denied"): Promise<string> => answerNext(client, decision);
const tool = (name: string, args: Readonly<Record<string, unknown>>, process = "api"): Promise<string> =>
  agreedTool(client, name, { ...args, process });

const inServer = { module: "src/server.ts" };
const inCart = { module: "src/cart.ts" };

describe("a program of the person's", () => {
  let program: RunningProgram;
  let found: RunningProcess;
  let question: string;

  beforeAll(async () => {
    client = stage.client;
    program = start();
    await program.port;
    found = await runs();
    const [asked, first] = await Promise.all([agree(), evaluate("1 + 1")]);
    expect(first).toMatchObject({ outcome: "value", preview: "2", valueId: "$1" });
    question = asked;
  });
  afterAll(stop);

  it("is told with its name, process, command, folder, Node and level", () => {
    expect(found).toMatchObject({
      id: "api",
      command: expect.stringMatching(/src\/server\.ts$/),
      folder: stage.folder,
      nodeVersion: process.version,
      level: "modules",
    });
  });

  it("is asked about once, with its name, process and command, before the first form", async () => {
    expect(question).toContain("Evaluate in api, your running program?");
    expect(question).toContain(`process ${found.pid}: node ${found.command}`);
    await evaluate("2 + 2");
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toEqual([]);
  });

  it("gives forms the scope of its modules, and its live values", async () => {
    const { served } = (await program.get()) as { served: number };
    expect(await evaluate("served", inServer)).toMatchObject({ preview: String(served) });
    expect(await evaluate("cart instanceof Cart", inServer)).toMatchObject({ preview: "true" });
    expect(await evaluate("rate", inCart)).toMatchObject({ preview: "0.2" });
    const page = await client.request("agentq/inspectValue", { value: "cart", ...inServer, process: "api" });
    expect([...page.items, ...page.extras].map(({ name }) => name)).toContain("#lines");
    const { items } = await client.request("agentq/completeInRepl", {
      code: "cart.",
      position: { line: 0, character: 5 },
      ...inServer,
      process: "api",
    });
    expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(["add", "total"]));
  });

  it("gives forms the same instances of modules that it has itself", async () => {
    const form = 'import { Cart } from "./src/cart.ts"; globalThis.theCart = Cart; new Cart().total()';
    expect(await evaluate(form)).toMatchObject({ preview: "0" });
    expect(await evaluate("Cart === globalThis.theCart", inServer)).toMatchObject({ preview: "true" });
  });

  it("follows a redefinition with the next request, importers and old instances too", async () => {
    const total = "export function total(lines: readonly Line[]): number { return -lines.length; }";
    const installed = await evaluate(total, { ...inCart, install: true });
    expect(installed).toMatchObject({ outcome: "value", installed: expect.stringContaining("total") });
    const { total: sum, served } = (await program.get()) as { total: number; served: number };
    expect(sum).toBe(-served);
    const cart =
      "export class Cart { #lines: Line[] = []; add(line: Line): this { this.#lines.push(line); return this; } total(): number { return 1000 + this.#lines.length; } }";
    await evaluate(cart, { ...inCart, install: true });
    expect(await program.get()).toEqual({ served: served + 1, total: 1000 + served + 1 });
  });

  it("is stopped in an endless form, and answers requests as before", async () => {
    const running = evaluate("served; for (;;) {}", inServer);
    await vi.waitFor(
      async () => {
        const { interrupted } = await client.request("agentq/interrupt", { process: "api" });
        expect(interrupted).toBe(true);
      },
      { timeout: 40_000 },
    );
    expect(await running).toMatchObject({ outcome: "interrupted" });
    expect(await program.get()).toHaveProperty("served");
  });

  it("shows a form's output in both places, and its own in its terminal alone", async () => {
    const told = await evaluate('console.log("from a form")');
    expect(told.stdout).toBe("from a form\n");
    expect(program.output).toContain("from a form\n");
    const outputs = client.received.flatMap((note) => (note.method === "agentq/replOutput" ? [note.params] : []));
    expect(outputs).toEqual([expect.objectContaining({ text: "from a form\n", process: "api" })]);
  });

  it("keeps its history apart from the REPL's, and its forms away from the REPL", async () => {
    await evaluate("globalThis.onlyThere = 1");
    const own = await client.request("agentq/evaluate", { code: "typeof onlyThere" });
    expect(own).toMatchObject({ preview: '"undefined"' });
    const { items } = await client.request("agentq/replHistory", { process: "api" });
    expect(items[0]).toMatchObject({ code: "globalThis.onlyThere = 1", by: "person" });
    await expect(evaluate("1", { process: "nobody" })).rejects.toThrow(/one of api/);
  });

  it("refuses what a running program cannot do, with the reason", async () => {
    const missing = await evaluate("1", { module: "src/money.ts" });
    expect(missing.error?.message).toMatch(/money\.ts is not loaded in the program/);
    const imports = 'import { hostname } from "node:os"; export function total() { return hostname().length; }';
    const told = await evaluate(imports, { ...inCart, install: true });
    expect(told.installed).toContain("They need the edited file, and the program started anew.");
  });

  it("is locked for the agent together with the REPL, which may look on", async () => {
    await client.request("agentq/lockRepl", { locked: true });
    const [ran, looked] = await heard(
      call("eval_form", { form: "served += 1000", path: "src/server.ts", process: "api" }),
      call("inspect_object", { value: "1", process: "api" }),
    );
    expect(ran).toContain("NOT RUN: the person has locked the REPL");
    expect(looked).toMatch(/^In api \(process \d+\):/);
    await client.request("agentq/lockRepl", { locked: false });
  });

  it("asks about each form of the agent's that may act, and not about one that V8 proved to have no effect", async () => {
    const [pure] = await heard(call("eval_form", { form: "served > 0", path: "src/server.ts", process: "api" }));
    expect(pure).toMatch(/^In api \(process \d+\):\ntrue\n/);
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toEqual([]);
    const acting = heard(call("eval_form", { form: "served += 1", path: "src/server.ts", process: "api" }));
    const asked = await client.waitFor(({ method, params }) => (method === "agentq/approval" ? params : undefined));
    expect(asked).toMatchObject({
      tool: "eval_form",
      arguments: { process: "api" },
      why: `It runs in api (process ${found.pid}): eval_form runs only when you approve it.`,
      risk: expect.stringContaining("with all of your rights"),
    });
    await client.request("agentq/answerApproval", { approvalId: asked.approvalId, decision: "denied" });
    expect((await acting)[0]).toMatch(/NOT RUN/);
  });

  it("is traced: real requests show with their arguments, results and callers, and the trace ends", async () => {
    await evaluate("export function total(lines: readonly Line[]): number { return lines.length; }", {
      ...inCart,
      install: true,
    });
    await evaluate(
      "export class Cart { #lines: Line[] = []; add(line: Line): this { this.#lines.push(line); return this; } total(): number { return total(this.#lines); } }",
      { ...inCart, install: true },
    );
    expect(await tool("trace_function", { symbol: "src/cart.ts#total" })).toContain("src/cart.ts#total is traced");
    const { total } = (await program.get()) as { total: number };
    const told = await tool("trace_function", {});
    expect(told).toMatch(/1 call/);
    expect(told).toContain(`= ${total}`);
    const whole = await tool("trace_function", { symbol: "src/cart.ts#total", call: 1 });
    expect(whole).toMatch(/#1 src\/cart\.ts#total\(Array\(\d+\).* = \d+ .*\n {2}from .*src\/server\.ts:9/);
    expect(whole).toMatch(/\ntotal\(\[\{ price: 10, count: 1 \}/);
    expect(await tool("trace_function", { symbol: "src/cart.ts#total", off: true })).toContain("No longer traced");
    await program.get();
    expect(await tool("trace_function", {})).toContain("Nothing is traced");
  });

  it("keeps the calls that a condition holds for, as many as are wanted, and waits for them", async () => {
    const waited = tool("trace_function", {
      symbol: "src/cart.ts#total",
      when: "args[0].length % 2 === 0 && result > 0",
      count: 2,
      wait: 60,
    });
    const over = waited.then(() => true);
    while (!(await Promise.race([over, program.get().then(() => false)])));
    const told = await waited;
    expect(told).toMatch(/\n {2}#1 \(.*\n {2}#2 \(/);
    expect(told).not.toContain("#3");
    expect(told).toContain("The trace has ended after 2.");
    await tool("trace_function", { off: true });
  });

  it("records an expression each time a line runs, and says what the expression threw", async () => {
    const told = await tool("log_point", {
      at: "src/server.ts:6",
      expression: "{ served, url: request.url as string }",
      count: 2,
    });
    expect(told).toContain("src/server.ts:6 is recorded each time the line runs.");
    const { served } = (await program.get("/a")) as { served: number };
    await tool("log_point", { at: "src/server.ts:8", expression: "nobody.knows" });
    await program.get("/b");
    await program.get("/c");
    const report = await tool("trace_function", {});
    expect(report).toContain(`#1 { served: ${served - 1}, url: "/a" }`);
    expect(report).toContain(`#2 { served: ${served}, url: "/b" }`);
    expect(report).not.toContain('"/c"');
    expect(report).toMatch(/src\/server\.ts:6: recorded 2 times\. The log point has ended after 2\./);
    expect(report).toMatch(/#1 threw ReferenceError\("nobody is not defined"\)/);
    expect(await tool("log_point", { at: "src/server.ts:8", off: true })).toContain("No longer traced.");
    expect(await tool("log_point", { at: "src/server.ts:6", expression: "await served" })).toMatch(
      /cannot be recorded/,
    );
    expect(await tool("log_point", { at: "src/nowhere.ts:6", expression: "1" })).toMatch(/nowhere/);
    await tool("trace_function", { off: true });
  });

  it("is named to the model with its process, and a name that does not run goes nowhere else", async () => {
    const [nobody] = await heard(call("eval_form", { form: "1", process: "worker" }));
    expect(nobody).toBe("NOT RUN: there is no running program worker (running: api). Nothing ran in the REPL instead.");
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain(
      `The person's running program, for the argument process: api (process ${found.pid}).`,
    );
    const tools = stage.model.requests.at(-1)?.tools as readonly { name: string; input_schema: unknown }[];
    expect(JSON.stringify(tools.find(({ name }) => name === "eval_form"))).toContain('"process"');
  });
});

/** What the model hears of its calls, in a conversation of its own. */
async function heard(...calls: readonly ReturnType<typeof call>[]): Promise<string[]> {
  stage.script = scriptOf("calls", "calls and ends", [reply(...calls), reply("Done.")]);
  const { turnId } = await client.request("agentq/prompt", { text: "go on" });
  await client.turn(turnId);
  const content = stage.model.requests.at(-1)?.messages.at(-1)?.content;
  return blocksOf({ content } as never).flatMap((block) =>
    block.type === "tool_result" ? [textOf(block["content"] as never)] : [],
  );
}

describeWalled("the REPL behind its wall", () => {
  afterEach(stop);

  it("reaches no socket of a program", async () => {
    start(undefined, "near");
    await runs("near");
    const folder = path.join(runtime, "agentq");
    const [socket = ""] = readdirSync(folder).filter((name) => name.endsWith(".sock"));
    const code = `await new Promise((resolve) => require("node:net").connect(${JSON.stringify(path.join(folder, socket))})
      .on("connect", () => resolve("reached")).on("error", ({ code }) => resolve(code)))`;
    expect(await client.request("agentq/evaluate", { code })).toMatchObject({ preview: '"ENOENT"' });
  });
});

describe("a program that ends", () => {
  afterEach(stop);

  it("is told, keeps its history, and has its name and nothing else when it starts anew", async () => {
    const first = start(undefined, "worker");
    await runs("worker");
    client.forget();
    await Promise.all([agree(), evaluate("globalThis.left = 1", { process: "worker" })]);
    const began = Date.now();
    const running = evaluate('console.log("begun"); new Promise(() => {})', { process: "worker" });
    await client.waitFor(({ method, params }) =>
      method === "agentq/replOutput" && params.text === "begun\n" ? params : undefined,
    );
    await first.kill();
    const crashed = await running;
    expect(crashed).toMatchObject({ outcome: "crashed", stateKept: false, notes: [] });
    expect(crashed.error?.message).toMatch(/^worker \(process \d+\) has ended\.$/);
    await client.waitFor(({ method, params }) =>
      method === "agentq/processesChanged" && params.processes.length === 0 ? params : undefined,
    );
    expect(Date.now() - began).toBeLessThan(20_000);
    const gone = await evaluate("1", { process: "worker" });
    expect(gone.error?.message).toMatch(/worker does not run/);
    const { items } = await client.request("agentq/replHistory", { process: "worker" });
    expect(items.find(({ outcome }) => outcome === "value")).toMatchObject({ code: "globalThis.left = 1" });
    start(undefined, "worker");
    const { pid } = await runs("worker");
    expect(await evaluate("[process.pid, typeof left]", { process: "worker" })).toMatchObject({
      preview: `[${pid}, "undefined"]`,
    });
  });

  it("is not asked about again in the same process after a No, until the person evaluates there", async () => {
    start(undefined, "other");
    await runs("other");
    client.forget();
    const form = call("eval_form", { form: "globalThis.acted = 1", process: "other" });
    const [, [refused]] = await Promise.all([agree("denied"), heard(form)]);
    expect(refused).toMatch(/NOT RUN: Nothing is evaluated in other\. .*answered No\. When the person evaluates/);
    expect((await heard(form))[0]).toMatch(/answered No/);
    client.forget();
    const [, own] = await Promise.all([agree(), evaluate("typeof acted", { process: "other" })]);
    expect(own).toMatchObject({ preview: '"undefined"' });
  });
});

describe("a program that was compiled to JavaScript", () => {
  afterEach(stop);

  it("is worked with by the names of its sources", async () => {
    const options = ["--module", "commonjs", "--target", "es2022", "--rewriteRelativeImportExtensions", "--sourceMap"];
    const compiler = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
    const files = ["src/server.ts", "--ignoreConfig", "--outDir", "built", ...options];
    // Without Node's types the compiler complains, and compiles.
    spawnSync(compiler, files, { cwd: stage.folder });
    writeFileSync(path.join(stage.folder, "built/package.json"), "{}");
    const program = start([process.execPath, "built/server.js"], "built");
    await runs("built");
    client.forget();
    const [, told] = await Promise.all([agree(), evaluate("typeof rate", { ...inCart, process: "built" })]);
    expect(told).toMatchObject({
      preview: '"number"',
      notes: [{ message: "src/cart.ts runs as built/cart.js, which was compiled from it: the form ran there." }],
    });
    const installed = await evaluate("const rate: number = 1;", { ...inCart, process: "built", install: true });
    expect(installed.error?.message).toMatch(/Name built\/cart\.js to install there/);
    await tool("log_point", { at: "src/cart.ts:4", expression: "lines.length" }, "built");
    await tool("trace_function", { symbol: "src/cart.ts#total" }, "built");
    await program.get();
    const report = await tool("trace_function", {}, "built");
    expect(report).toContain("src/cart.ts:4: recorded 1 time.\n  #1 1");
    expect(report).toContain("src/cart.ts#total: 1 call");
  });
});

describe("a server that goes away, or a program that ends", () => {
  afterEach(stop);

  it("leaves the program as it was: requests, globals, output and functions", async () => {
    const program = start(undefined, "kept");
    await runs("kept");
    const other = await stage.start({}, { isProgram: true });
    client = other;
    await Promise.all([agree(), evaluate("served", { ...inServer, process: "kept" })]);
    await evaluate("globalThis.mine = 1; 5", { process: "kept" });
    expect(await tool("log_point", { at: "src/server.ts:6", expression: "served", count: 200 }, "kept")).toMatch(
      /is recorded/,
    );
    expect(await tool("trace_function", { symbol: "src/cart.ts#total" }, "kept")).toMatch(/is traced/);
    const requests = Array.from({ length: 200 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 2));
      return program.get();
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Nobody else could stop it.
    void evaluate("for (;;);", { process: "kept" }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.kill();
    expect(await Promise.all(requests)).toHaveLength(200);
    client = stage.client;
    client.forget();
    const [, left] = await vi.waitFor(
      async () => {
        const told = await Promise.all([
          agree().catch(() => ""),
          evaluate("[typeof $2, mine, process.stdout.write.name, served]", { ...inServer, process: "kept" }),
        ]);
        expect(told[1].outcome).toBe("value");
        return told;
      },
      { timeout: 40_000 },
    );
    expect(left.preview).toMatch(/^\["undefined", 1, .*, 200\]$/);
    expect(await tool("trace_function", {}, "kept")).toMatch(/Nothing is traced/);
  });

  it("has its own end while a server works with it, and waits for calls", async () => {
    const ends = 'import { total } from "./cart.ts";\nconsole.log("port 1");\nsetTimeout(total, 6_000, []);\n';
    writeFileSync(path.join(stage.folder, "src/ends.ts"), ends);
    const program = start([process.execPath, "src/ends.ts"], "ending");
    await runs("ending");
    client.forget();
    await Promise.all([agree(), evaluate("1", { process: "ending" })]);
    const waiting = tool("trace_function", { symbol: "src/cart.ts#total", count: 9, wait: 60 }, "ending");
    const began = Date.now();
    expect(await program.ended).toBe(0);
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(await waiting).toMatch(/ending \(process \d+\)/);
  });

  it("no log point holds up the end of a program", async () => {
    const program = start(undefined, "ends");
    await runs("ends");
    client.forget();
    await Promise.all([agree(), evaluate("1", { process: "ends" })]);
    await tool("log_point", { at: "src/server.ts:6", expression: "request.url" }, "ends");
    await expect(program.get("/throw")).rejects.toThrow();
    expect(await program.ended).toBe(1);
    expect(program.output).toContain("on purpose");
    expect(program.output).not.toContain("debugger");
  });

  it("is waited for by another one, which is told that one works with the program at a time", async () => {
    start(undefined, "shared");
    await runs("shared");
    client.forget();
    await Promise.all([agree(), evaluate("1", { process: "shared" })]);
    const other = await stage.start();
    client = other;
    await runs("shared");
    const [, refused] = await Promise.all([agree(), evaluate("1", { process: "shared" })]);
    expect(refused.error?.message).toMatch(/another editor's server works with it: one can at a time/);
  });
});
