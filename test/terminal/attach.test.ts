/** `agentq attach`: a process that runs already becomes a program that forms can run in, and goes on as it was. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { listenersOf } from "../../server/src/terminal/programs/node-process.ts";
import { runAgentq, type Run } from "../support/run-agentq.ts";
import { answerNext, RunningProgram, shop } from "../support/running-program.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";
import { Terminal, whyNoTerminal } from "../support/terminal.ts";

// A socket's path may have about a hundred characters.
const runtime = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
const files = {
  ...shop,
  "old/package.json": '{ "type": "commonjs" }\n',
  "old/rates.cjs": `const rate = 0.2;
let asked = 0;
const unused = 7;
function rateOf(country) { asked += 1; return country === "de" ? 0.19 : rate; }
module.exports = { rateOf };
`,
  "old/server.cjs": `require("dep");
const { createServer } = require("node:http");
const { rateOf } = require("./rates.cjs");
let served = 0;
createServer((request, response) => {
  served += 1;
  response.end(JSON.stringify({ served, rate: rateOf("de") }));
}).listen(0, function () { console.log("port " + this.address().port); });
`,
  "late/main.ts": `import { createServer } from "node:http";
const server = createServer(async (request, response) => {
  const { late } = await import("./late.ts");
  response.end(JSON.stringify({ late }));
});
server.listen(0, () => console.log("port " + (server.address() as { port: number }).port));
`,
  "quiet/main.mjs": `import { createServer } from "node:http";
const price = (count) => count * 2;
function sum(count) { return price(count) + 1; }
class Till { open(count) { return sum(count); } }
const till = new Till();
let opened = 0;
createServer((request, response) => response.end(JSON.stringify({ sum: till.open(3) })))
  .listen(opened, function () { console.log("port " + this.address().port); });
`,
  "late/late.ts": "const unused: number = 7;\nexport const late: number = 5;\n",
};
const stage = serverStage({ project: files, env: { XDG_RUNTIME_DIR: runtime } });
let client: ServerClient;
let program: RunningProgram;

beforeEach(() => void ({ client } = stage));
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

/** A program that was started without agentq; its inspector would be on a port of its own. */
async function start(script: string, ...options: string[]): Promise<RunningProgram> {
  const command = [process.execPath, `--inspect-port=${await freePort()}`, ...options, script];
  const running = new RunningProgram({ folder: stage.folder, runtime, isPlain: true }, command);
  await running.port;
  return running;
}

async function freePort(): Promise<number> {
  const server = createHttpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

const env = { XDG_RUNTIME_DIR: runtime };
const attach = (...args: (string | number)[]): Promise<Run> =>
  runAgentq(["attach", ...args.map(String)], { cwd: stage.folder, env });
const refusal = (words: RegExp, code = 1): object => ({ code, stdout: "", stderr: expect.stringMatching(words) });
const evaluate = (code: string, more: Partial<RequestParams<"agentq/evaluate">> = {}): Promise<EvalResult> =>
  client.request("agentq/evaluate", { code, process: "api", ...more });

const agree = (): Promise<string> => answerNext(client);

describe("a process that runs already", () => {
  const inServer = { module: "src/server.ts" };
  const inCart = { module: "src/cart.ts" };

  beforeAll(async () => {
    client = stage.client;
    program = await start("src/server.ts");
  });
  afterAll(() => program.kill());

  it("is attached by its id after --yes, is told how to go on, and has its inspector closed again", async () => {
    const before = listenersOf(program.pid).length;
    expect(await attach(program.pid)).toMatchObject(refusal(/agree with --yes/, 4));
    const { code, stdout, stderr } = await attach("--yes", "--name", "api", program.pid);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(`^api \\(process ${program.pid}\\) can be worked with now: agentq repl --in api, :AgentQ process api`),
    );
    expect(stdout).toContain("it was attached while it ran");
    expect(listenersOf(program.pid)).toHaveLength(before);
    const again = await attach("--name", "other", program.pid);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^api .* can be worked with already/) });
    expect(await program.get()).toMatchObject({ served: 1 });
  });

  it("is listed with what is different, and evaluates forms after a yes", async () => {
    const found = await vi.waitFor(
      async () => {
        const { processes } = await client.request("agentq/listProcesses", {});
        expect(processes).toHaveLength(1);
        return processes[0];
      },
      { timeout: 40_000 },
    );
    expect(found).toMatchObject({
      id: "api",
      level: "modules",
      why: expect.stringMatching(/^it was attached while it/),
    });
    const [, first] = await Promise.all([agree(), evaluate("process.pid")]);
    expect(first).toMatchObject({ outcome: "value", preview: String(program.pid) });
  });

  it("gives forms the scope of modules that it had loaded before, with their live values", async () => {
    expect(await evaluate("served += 100", inServer)).toMatchObject({ preview: "101" });
    expect(await program.get()).toMatchObject({ served: 102 });
    expect(await evaluate("[cart instanceof Cart, rate, total([])]", inCart)).toMatchObject({ outcome: "error" });
    expect(await evaluate("[typeof total, rate, new Cart().total()]", inCart)).toMatchObject({
      preview: '["function", 0.2, 0]',
    });
    const form = 'import { Cart } from "./src/cart.ts"; globalThis.theCart = Cart; new Cart().total()';
    expect(await evaluate(form)).toMatchObject({ preview: "0" });
    expect(await evaluate("Cart === globalThis.theCart && cart instanceof Cart", inServer)).toMatchObject({
      preview: "true",
    });
  });

  it("follows a redefined function, and refuses a constant and a class with private names as a whole", async () => {
    const total = "export function total(lines: readonly Line[]): number { return -lines.length; }";
    const constant = await evaluate(`${total} const rate = 0.5;`, { ...inCart, install: true });
    expect(constant.error?.message).toMatch(/^rate is a constant of src\/cart\.ts, .*Nothing was installed/);
    const cart =
      "export class Cart { #lines: Line[] = []; add(line: Line): this { return this; } total(): number { return this.#lines.length; } }";
    const owned = await evaluate(cart, { ...inCart, install: true });
    expect(owned.error?.message).toMatch(/^Cart is a class with private names .*Nothing was installed/);
    const { total: before } = (await program.get()) as { total: number };
    expect(before).toBeGreaterThan(0);
    await evaluate(total, { ...inCart, install: true });
    expect(await program.get()).toMatchObject({ total: -4 });
    await evaluate("let extra = 5; function twice() { return extra * 2; }", { ...inServer, install: true });
    expect(await evaluate("twice()", inServer)).toMatchObject({ preview: "10" });
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

  it("goes on when the server is killed, and can be worked with by the next one", async () => {
    const other = await stage.start({}, { isProgram: true });
    client = other;
    await Promise.all([agree(), evaluate("served", inServer)]);
    await other.kill();
    client = stage.client;
    expect(await program.get()).toHaveProperty("served");
    await vi.waitFor(async () => expect(await evaluate("1 + 1")).toMatchObject({ preview: "2" }), { timeout: 40_000 });
  });

  it("says of a module that it has not loaded that there is no scope", async () => {
    const missing = await evaluate("1", { module: "src/money.ts" });
    expect(missing.error?.message).toMatch(/money\.ts is not loaded in the program/);
  });
});

describe("a program of CommonJS modules", () => {
  beforeAll(async () => {
    client = stage.client;
    install();
    program = await start("old/server.cjs", "--inspect");
    const { code } = await attach("--name", "old", `:${listenersOf(program.pid)[0]?.port ?? 0}`);
    expect(code).toBe(0);
  });
  afterAll(() => program.kill());

  /** Each test finds the folder without it. */
  function install(): void {
    const dependency = path.join(stage.folder, "node_modules/dep");
    mkdirSync(dependency, { recursive: true });
    writeFileSync(path.join(dependency, "index.js"), "let inner = 41;\nexports.next = () => ++inner;\n");
  }

  const inOld = (code: string, more = {}): Promise<EvalResult> => evaluate(code, { process: "old", ...more });
  const inRates = { module: "old/rates.cjs" };

  it("is attached by the port of an open inspector, which stays open", () => {
    expect(listenersOf(program.pid)).toHaveLength(2);
  });

  it("has what its functions use and what it exports in scope, and gets no global in place of another name", async () => {
    await vi.waitFor(async () => expect((await client.request("agentq/listProcesses", {})).processes).toHaveLength(1), {
      timeout: 40_000,
    });
    await Promise.all([agree(), inOld("1")]);
    expect(await inOld("served = 50", { module: "old/server.cjs" })).toMatchObject({ preview: "50" });
    expect(await program.get()).toEqual({ served: 51, rate: 0.19 });
    expect(
      await inOld("[rateOf('fr'), asked, typeof require, module.exports.rateOf === rateOf]", inRates),
    ).toMatchObject({
      preview: '[0.2, 2, "function", true]',
    });
    expect(await inOld("unused = 8", inRates)).toMatchObject({ outcome: "error" });
    expect(await inOld("typeof globalThis.unused")).toMatchObject({ preview: '"undefined"' });
  });

  it("has the inside of a package too, and goes on", async () => {
    install();
    expect(await inOld("inner", { module: "node_modules/dep/index.js" })).toMatchObject({ preview: "41" });
    expect(await program.get()).toHaveProperty("served");
  });

  it("gives an import of a form the instance that was required", async () => {
    expect(await inOld('import { rateOf } from "./old/rates.cjs"; globalThis.imported = rateOf; 1')).toMatchObject({
      outcome: "value",
    });
    expect(await inOld("globalThis.imported === rateOf", inRates)).toMatchObject({ preview: "true" });
  });

  it("follows a redefinition through module.exports", async () => {
    const told = await inOld("function rateOf(country) { return 0.5; }", { ...inRates, install: true });
    expect(told.installed).toContain("module.exports.rateOf set to the new value");
  });
});

describe("a module by itself", () => {
  afterEach(() => program.kill());

  it("has what lives in its scope, also where no function uses the name, and says what is not there", async () => {
    program = await start("quiet/main.mjs");
    await attach("--yes", "--name", "quiet", program.pid);
    const inMain = { module: "quiet/main.mjs", process: "quiet" };
    await vi.waitFor(
      async () => expect((await client.request("agentq/listProcesses", {})).processes[0]?.id).toBe("quiet"),
      { timeout: 40_000 },
    );
    const [, made] = await Promise.all([agree(), evaluate("till instanceof Till && new Till().open(1)", inMain)]);
    expect(made).toMatchObject({ preview: "3" });
    const lost = await evaluate("opened", inMain);
    expect(lost.error?.message).toBe("opened is not defined");
    await evaluate("class Till { open(count) { return -count; } }", { ...inMain, install: true });
    expect(await program.get()).toEqual({ sum: -3 });
  });

  it("has its whole scope when it was loaded after the attachment", async () => {
    program = await start("late/main.ts");
    await attach("--yes", "--name", "late", program.pid);
    const inLate = { module: "late/late.ts", process: "late" };
    await program.get();
    await vi.waitFor(
      async () => expect((await client.request("agentq/listProcesses", {})).processes[0]?.id).toBe("late"),
      { timeout: 40_000 },
    );
    const [, secret] = await Promise.all([agree(), evaluate("unused + 1", inLate)]);
    expect(secret).toMatchObject({ preview: "8" });
    await evaluate("const unused = 20;", { ...inLate, install: true });
    expect(await evaluate("unused", inLate)).toMatchObject({ preview: "20" });
  });
});

describe("what is not attached", () => {
  let others: (ChildProcess | { kill: () => unknown })[] = [];
  const plain = async (command: string, ...args: string[]): Promise<ChildProcess> => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    others.push(child);
    await once(child, "spawn");
    return child;
  };
  const nodeThat = async (code: string, ...options: string[]): Promise<ChildProcess> => {
    const child = await plain(process.execPath, ...options, "-e", `console.log("begun"); ${code}`);
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    return child;
  };
  const lives = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

  afterEach(async () => {
    for (const other of others) {
      other.kill(...((other instanceof RunningProgram ? [] : ["SIGKILL"]) as []));
      if ("exitCode" in other && lives(other)) await once(other, "exit");
    }
    others = [];
  });

  it("is a process that is no Node, which gets no signal", async () => {
    const sleeper = await plain("sleep", "1000");
    expect(await attach("--yes", sleeper.pid ?? 0)).toMatchObject(refusal(/is not known to be Node: it runs sleep/));
    // Called like Node, it would end by the signal all the same.
    const named = path.join(runtime, "node");
    copyFileSync("/bin/sleep", named);
    const alike = await plain(named, "1000");
    expect(await attach("--yes", alike.pid ?? 0)).toMatchObject(refusal(/does not open its inspector on SIGUSR1/));
    expect([lives(sleeper), lives(alike)]).toEqual([true, true]);
  });

  it("is a Node that was told to have no inspector", async () => {
    const closed = await nodeThat("setInterval(() => 0, 1000)", "--disable-sigusr1");
    expect(await attach("--yes", closed.pid ?? 0)).toMatchObject(refusal(/does not open its inspector on SIGUSR1/));
    expect(lives(closed)).toBe(true);
  });

  it("is a process whose main thread is busy: nothing is left behind, and it goes on", async () => {
    const port = await freePort();
    const busy = await nodeThat("function spin() { for (let n = 0; ; n++); } spin();", `--inspect-port=${port}`);
    expect(await attach("--yes", busy.pid ?? 0)).toMatchObject(
      refusal(/is busy, or a debugger holds it.* Its main thread is in:\n {2}spin at \[eval\]:1\n/s),
    );
    expect(lives(busy)).toBe(true);
    expect(listenersOf(busy.pid ?? 0)).toEqual([]);
    expect(readdirSync(path.join(runtime, "agentq")).filter((name) => name.includes(`-${busy.pid}-`))).toEqual([]);
  });

  it("is a process that a debugger holds, and goes on holding", async () => {
    const port = await freePort();
    const held = await nodeThat("setInterval(() => console.log('turn'), 20)", `--inspect=${port}`);
    const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await listed.json()) as { readonly webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
    const heard: string[] = [];
    socket.addEventListener("message", ({ data }) => {
      heard.push((JSON.parse(String(data)) as { readonly method: string }).method);
    });
    await once(socket, "open");
    for (const method of ["Debugger.enable", "Debugger.pause"]) socket.send(JSON.stringify({ id: 1, method }));
    await expect.poll(() => heard).toContain("Debugger.paused");
    const refused = await attach(`:${port}`);
    expect(refused).toMatchObject(refusal(/or a debugger holds it: .* Nothing was changed in it\.\n$/));
    expect(heard).not.toContain("Debugger.resumed");
    socket.close();
    expect(lives(held)).toBe(true);
  });

  it("is a process whose port another one holds", async () => {
    const port = await freePort();
    const holder = await nodeThat(
      `require("node:net").createServer().listen(${port}, "127.0.0.1", () => console.log("on"))`,
    );
    await vi.waitFor(() => expect(listenersOf(holder.pid ?? 0)).toHaveLength(1), { timeout: 40_000 });
    const waiting = await nodeThat("setInterval(() => 0, 1000)", `--inspect-port=${port}`);
    expect(await attach("--yes", waiting.pid ?? 0)).toMatchObject(refusal(/Another process holds port/));
  });

  it.each([
    [[], 2, /Name one process id/],
    [["1", "2"], 2, /Name one process id/],
    [["api"], 2, /Name one process id/],
    [["0"], 2, /Name one process id/],
    [["--name", "a/b", "4711"], 2, /--name takes letters/],
    [["3999999"], 1, /There is no process 3999999/],
    [["127.0.0.1:1"], 1, /Nobody listens on 127\.0\.0\.1:1\./],
    [[":1"], 1, /Nobody listens on 127\.0\.0\.1:1 or ::1:1\./],
  ])("is %j: a sentence and its exit code", async (args, code, words) => {
    expect(await attach(...args)).toMatchObject(refusal(words, code));
  });

  const upgrade = (socket: Socket, frame: Buffer): void => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
    socket.write(frame);
  };
  const targets = JSON.stringify([{ webSocketDebuggerUrl: "ws://10.0.0.1:1/abc" }]);
  const list: RequestListener = (_, response) => response.end(targets);
  it.each<[string, RequestListener, RegExp]>([
    ["nonsense", (_, response) => response.end("<html>"), /no inspector of Node/],
    [
      "a target elsewhere",
      (_, response) => response.end('[{"webSocketDebuggerUrl":"ws://evil/../x?y"}]'),
      /no inspector/,
    ],
    ["too much", (_, response) => response.end(Buffer.alloc(1_000_000, " ")), /sends more than an inspector/],
    ["a redirection", (_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(), /no inspector/],
    ["no WebSocket", list, /no inspector of Node/],
    ["nothing at all", () => undefined, /no answer came within 5 s/],
  ])("is an inspector that answers %s", async (_how, answer, words) => {
    const server = createHttpServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    server.on("upgrade", (_request, socket: Socket) => upgrade(socket, Buffer.from("\r\n")));
    try {
      expect(await attach(`:${(server.address() as AddressInfo).port}`)).toMatchObject(refusal(words));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

const why = whyNoTerminal();

describe.skipIf(why !== "")(`a person who is asked${why === "" ? "" : ` (${why})`}`, () => {
  let terminal: Terminal;

  beforeAll(async () => {
    program = await start("src/server.ts");
  });
  afterEach(() => terminal.dispose());
  afterAll(() => program.kill());

  it("is told what will happen, and a No does nothing", async () => {
    terminal = new Terminal(["attach", String(program.pid)], { cwd: stage.folder, env });
    await terminal.until(/Its inspector is closed\.[^]*SIGUSR1[^]*Attach\? \[y\/N\] $/);
    terminal.send("\r");
    await terminal.until(/Nothing was done\./);
    expect(await terminal.ended()).toBe(1);
    expect(program.output).not.toContain("Debugger");
  });

  it("attaches by a yes", async () => {
    terminal = new Terminal(["attach", "--name", "web", String(program.pid)], { cwd: stage.folder, env });
    await terminal.until(/Attach\? \[y\/N\] $/);
    terminal.send("y\r");
    await terminal.until(/web \(process \d+\) can be worked with now/);
    expect(await terminal.ended()).toBe(0);
    expect(await program.get()).toHaveProperty("served", 1);
  });
});
