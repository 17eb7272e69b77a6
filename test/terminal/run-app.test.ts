/** `agentq run`: the command as it is, and `agentq repl --in` inside of it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { followed } from "../../server/src/repl/app/followed.ts";
import { runAgentq } from "../support/run-agentq.ts";
import { RunningProgram, shop } from "../support/running-program.ts";
import { Terminal, whyNoTerminal } from "../support/terminal.ts";

let place: string;
let folder: string;
let env: Record<string, string>;
let terminal: Terminal | undefined;
let program: RunningProgram | undefined;

beforeAll(() => {
  // A socket's path may have about a hundred characters.
  place = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
  folder = path.join(place, "shop");
  env = { XDG_RUNTIME_DIR: place };
  for (const [name, text] of Object.entries(shop)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
});
afterEach(async () => {
  await terminal?.dispose();
  await program?.kill();
  terminal = program = undefined;
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (args: readonly string[], input = "") => runAgentq(["run", ...args], { cwd: folder, env, input });
const node = (code: string): string[] => ["--", process.execPath, "-e", code];

describe("a command below agentq run", () => {
  it.each([
    ["ends well", "", 0],
    ["ends with a code", "process.exitCode = 7", 7],
    ["throws", "throw new Error('on purpose')", 1],
    ["ends by a signal", "process.kill(process.pid, 'SIGTERM')", 143],
  ])("%s, and so does agentq", async (_how, code, expected) => {
    expect(await run(node(code))).toMatchObject({ code: expected, stdout: "" });
  });

  it("has its own streams, arguments and variables", async () => {
    const code = "process.stdin.pipe(process.stdout); console.error(process.argv.slice(1).join('|'))";
    const args = ["--name", "api", "--", process.execPath, "-e", code, "--", "--name", "a b"];
    expect(await run(args, "typed")).toEqual({ code: 0, stdout: "typed", stderr: "--name|a b\n" });
  });

  it("has threads, children and a cluster of its own, as without agentq", async () => {
    const file = path.join(folder, "src/many.ts");
    writeFileSync(
      file,
      `import cluster from "node:cluster";
import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
const rate: number = 2;
if (cluster.isWorker) { process.send?.(rate * 3); process.disconnect(); }
else if (process.argv[2] === "child") { process.send?.(rate * 2); process.disconnect(); }
else {
  const heard: unknown[] = [];
  const note = (text: string) => (value: unknown) => { heard.push(text + String(value)); };
  const thread = new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true });
  const child = fork(import.meta.filename, ["child"]);
  const worker = cluster.fork();
  for (const [one, text] of [[thread, "thread "], [child, "child "], [worker, "worker "]] as const) one.on("message", note(text));
  await Promise.all([thread, child, worker].map((one) => new Promise((resolve) => one.on("exit", resolve))));
  console.log(heard.sort().join(", "));
}
`,
    );
    const told = await run(["--", process.execPath, "src/many.ts"]);
    expect(told).toEqual({ code: 0, stdout: "child 4, thread 1, worker 6\n", stderr: "" });
  });

  it("throws errors whose stacks are those without agentq", async () => {
    const file = path.join(folder, "src/throws.ts");
    writeFileSync(
      file,
      `import { Cart } from "./cart.ts";
class Secret { #a: number = 1; fail(): never { throw new Error("at " + this.#a); } }
const limit: number = 1;
export default function () { new Secret().fail(); }
try { new Secret().fail(); } catch (error) { console.log((error as Error).stack); }
console.log(Object.keys(globalThis).join(), Cart.name, limit);
`,
    );
    const plain = await run(node(`import(${JSON.stringify(file)})`));
    const bare = await runAgentqFree(file);
    expect(plain.stdout.replaceAll(/ {4}at (?!Secret|file).*\n/g, "")).toBe(
      bare.replaceAll(/ {4}at (?!Secret|file).*\n/g, ""),
    );
    expect(plain.stdout).toMatch(/throws\.ts:2:\d+\)/);
  });

  it.each([
    [["--nam", "x"], 2, /There is no option --nam\. See agentq run --help\./],
    [["--name", "a/b", "--", "true"], 2, /--name takes letters.*"a\/b"/],
    [["--name"], 2, /--name takes letters/],
    [[], 2, /Name the command to run/],
    [["--"], 2, /Name the command to run/],
    [["--", "no-such-program"], 127, /no-such-program cannot be started/],
    [["--", "/"], 126, /\/ cannot be started/],
  ])("%j is answered with a sentence", async (args, code, words) => {
    expect(await run(args)).toMatchObject({ code, stderr: expect.stringMatching(words) });
  });

  it.each(["bun", "deno"])("runs as it is below %s, which is told to have no hooks", async (name) => {
    const other = path.join(place, name);
    writeFileSync(other, "#!/bin/sh\necho runs\n", { mode: 0o755 });
    const stderr = `agentq run: ${name} has none of Node's hooks. The command runs without agentq.\n`;
    expect(await run([other, "src/server.ts"])).toEqual({ code: 0, stdout: "runs\n", stderr });
  });

  it("runs without agentq where editors could not find it, and says so", async () => {
    const told = await runAgentq(["run", ...node("console.log(process.env.NODE_OPTIONS)")], {
      cwd: folder,
      env: { XDG_RUNTIME_DIR: path.join(folder, "package.json") },
    });
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining("set XDG_RUNTIME_DIR") });
    expect(told.stdout).not.toContain("preload");
    const long = path.join(place, "a".repeat(60));
    mkdirSync(long, { mode: 0o700 });
    const far = await runAgentq(["run", ...node("")], { cwd: folder, env: { XDG_RUNTIME_DIR: long } });
    expect(far).toMatchObject({ code: 0, stderr: expect.stringContaining("has a short path: set XDG_RUNTIME_DIR") });
  });
});

describe("which processes are worked with", () => {
  it.each([
    ["/shop/src/server.ts", "modules"],
    ["/shop/node_modules/tsx/dist/cli.mjs", undefined],
    ["/shop/node_modules/.bin/nodemon", undefined],
    ["/shop/node_modules/ts-node/dist/bin.js", "modules"],
    ["/shop/node_modules/.bin/vite", "globals"],
    ["/shop/node_modules/next/dist/bin/next", "globals"],
    ["/shop/node_modules/vitest/vitest.mjs", undefined],
    ["/shop/node_modules/.bin/jest", undefined],
    ["/shop/vite/src/server.ts", "modules"],
    ["/usr/bin/npm", undefined],
    ["/usr/lib/node_modules/npm/bin/npx-cli.js", undefined],
    ["/shop/.yarn/releases/yarn-4.12.0.cjs", undefined],
    ["/home/me/.cache/node/corepack/v1/pnpm/10.1.0/bin/pnpm.cjs", undefined],
    ["/shop/src/npm.ts", "modules"],
    ["/shop/npm/server.js", "modules"],
    ["", "modules"],
  ])("%s: %s", (script, level) => {
    expect(followed(script, {}).level).toBe(level);
  });

  it("leaves the processes of test runs alone, whatever their program is", () => {
    expect(followed("/shop/src/a.ts", { VITEST: "true" }).level).toBeUndefined();
    expect(followed("/shop/src/a.ts", { JEST_WORKER_ID: "1" }).level).toBeUndefined();
  });
});

const why = whyNoTerminal();

describe.skipIf(why !== "")(`agentq repl --in${why === "" ? "" : ` (${why})`}`, () => {
  it("asks, evaluates in a module's scope, and leaves the program alone", async () => {
    program = new RunningProgram({ folder, runtime: place }, [process.execPath, "src/server.ts"]);
    const before = (await program.get()) as { served: number };
    terminal = new Terminal(["repl", "--in", "api"], { cwd: folder, env });
    await terminal.until(/api, process \d+, Node v\d+[^]*\n> $/);
    terminal.send(".module src/server.ts\r");
    await terminal.until(/> $/);
    terminal.send("served * 1000\r");
    await terminal.until(/Evaluate in api, your running program\?[^]*\]\? $/);
    terminal.send("y\r");
    await terminal.until(new RegExp(`\n${before.served * 1000} +\\$\\d+: number\n`));
    await terminal.until(/> $/);
    terminal.send(".restart\r");
    await terminal.until(/start it anew where you started it/);
    terminal.send("\u0004");
    expect(await terminal.ended()).toBe(0);
    expect(await program.get()).toMatchObject({ served: before.served + 1 });
  });

  it("says which programs run where the name is another one", async () => {
    program = new RunningProgram({ folder, runtime: place }, [process.execPath, "src/server.ts"], "web");
    await program.port;
    const told = await runAgentq(["repl", "--in", "api"], { cwd: folder, env, input: "1\n" });
    expect(told).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No program api runs in this folder: web."),
    });
  });
});

describe("agentq repl --in, fed by a pipe", () => {
  it("says that nobody can be asked, and evaluates with --yes", async () => {
    program = new RunningProgram({ folder, runtime: place }, [process.execPath, "src/server.ts"]);
    await program.port;
    const input = ".module src/server.ts\nserved = 7\n";
    const refused = await runAgentq(["repl", "--in", "api"], { cwd: folder, env, input });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("(“nobody can be asked here, and --yes was not given”)"),
    });
    const agreed = await runAgentq(["repl", "--in", "api", "--yes"], { cwd: folder, env, input });
    expect(agreed).toMatchObject({ code: 0, stdout: expect.stringContaining("7") });
    expect(await program.get()).toMatchObject({ served: 8 });
  });
});

async function runAgentqFree(file: string): Promise<string> {
  const { execFile } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["-e", `import(${JSON.stringify(file)})`], (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
