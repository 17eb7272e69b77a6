/** `agentq attach`: a process that runs already becomes a program that forms can run in, and goes on as it was. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { runAgentq, type Run } from "../support/run-agentq.ts";
import { RunningProgram, shop } from "../support/running-program.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

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
  "old/server.cjs": `const { createServer } = require("node:http");
const { rateOf } = require("./rates.cjs");
let served = 0;
createServer((request, response) => {
  served += 1;
  response.end(JSON.stringify({ served, rate: rateOf("de") }));
}).listen(0, function () { console.log("port " + this.address().port); });
`,
};
const stage = serverStage({ project: files, env: { XDG_RUNTIME_DIR: runtime } });
let client: ServerClient;
let program: RunningProgram;

beforeEach(() => void ({ client } = stage));
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

const start = (...command: string[]): RunningProgram =>
  new RunningProgram({ folder: stage.folder, runtime, isPlain: true }, [process.execPath, ...command]);
const attach = (...args: string[]): Promise<Run> =>
  runAgentq(["attach", ...args], { cwd: stage.folder, env: { XDG_RUNTIME_DIR: runtime } });
const evaluate = (code: string, more: Partial<RequestParams<"agentq/evaluate">> = {}): Promise<EvalResult> =>
  client.request("agentq/evaluate", { code, process: "api", ...more });

async function agree(): Promise<void> {
  const asked = await client.waitFor(() =>
    client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : [])).at(-1),
  );
  await client.request("agentq/answerApproval", { approvalId: asked.approvalId, decision: "approved" });
}

describe("explore", () => {
  const show = async (code: string, more = {}) => {
    const at = Date.now();
    const { outcome, preview, error, installed, notes } = await evaluate(code, more);
    console.log(code, "=>", outcome, preview, error && `${error.name}: ${error.message}`, installed, JSON.stringify(notes), Date.now() - at, "ms");
  };
  afterEach(() => program.kill());
  it.skip("es", { timeout: 60_000 }, async () => {
    client = stage.client;
    program = start("src/server.ts");
    await program.get();
    console.log(await attach("--yes", "--name", "api", String(program.pid)));
    await Promise.all([agree(), evaluate("1 + 1")]);
    const inServer = { module: "src/server.ts" };
    const inCart = { module: "src/cart.ts" };
    await show("served", inServer);
    await show("new Cart().add({price:1,count:1}).total()", inCart);
    await show("export class Cart { #lines: Line[] = []; add(line: Line): this { this.#lines.push(line); return this; } total(): number { return 1000 + this.#lines.length; } }", { ...inCart, install: true });
    console.log(await program.get().catch((e) => program.output.slice(-1500)));
    await show("Cart.prototype.total = function total(): number { return this.#lines.length; }", { ...inCart, install: true });
    await show("Cart.prototype.total = function total(): number { return 5; }", { ...inCart, install: true });
    await show("let fresh = 5; function helper() { return fresh * served }", { ...inServer, install: true });
    await show("helper()", inServer);
    console.log(await program.get().catch((e) => program.output.slice(-1500)));
    console.log(JSON.stringify(await client.request("agentq/inspectValue", { value: "cart", ...inServer, process: "api" })).slice(0, 300));
    const running = evaluate("served; for (;;) {}", inServer);
    await vi.waitFor(async () => {
      const { interrupted } = await client.request("agentq/interrupt", { process: "api" });
      expect(interrupted).toBe(true);
    });
    console.log((await running).outcome, await program.get());
    console.log(await client.request("agentq/listProcesses", {}));
  });
  it("cjs", { timeout: 60_000 }, async () => {
    client = stage.client;
    program = start("old/server.cjs");
    await program.get();
    console.log(await attach("--yes", "--name", "api", String(program.pid)));
    const [first] = await Promise.all([evaluate("1 + 1"), agree()]);
    const inServer = { module: "old/server.cjs" };
    const inRates = { module: "old/rates.cjs" };
    await show("served", inServer);
    await show("served = 50", inServer);
    await show("rateOf('fr') + asked", inRates);
    await show("unused", inRates);
    await show("unused = 8; globalThis.unused", inRates);
    await show("let unused = 9", { ...inRates, install: true });
    await show("function rateOf(country) { return 0.5 }", { ...inRates, install: true });
    await show("const rate = 0.5", { ...inRates, install: true });
    console.log(await program.get());
    await show('import { rateOf } from "./old/rates.cjs"; rateOf("fr")');
    await show('require("./old/rates.cjs") === module.exports', { module: "old/rates.cjs" });
    await show('(await import("./src/cart.ts")).total([{price:1,count:1}])');
    await show("rate", { module: "src/cart.ts" });
  });
});
