/** `agentq detach`: a program is one no more, goes on as it was, and can be attached again. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { runAgentq, type Run } from "../support/run-agentq.ts";
import { agreedTool, answerNext, RunningProgram, shop } from "../support/running-program.ts";
import { serverStage } from "../support/server-stage.ts";

// A socket's path may have about a hundred characters.
const runtime = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
const stage = serverStage({
  project: {
    ...shop,
    "late.ts": "let loads = 0;\nexport const next = (): number => ++loads;\n",
    "main.ts": `import { createServer } from "node:http";
let served = 0;
const server = createServer(async (request, response) => {
  served += 1;
  const load = () => import("./late.ts");
  const late = request.url === "/late" ? (await load()).next() : undefined;
  response.end(JSON.stringify({ served, late, load: String(load) }));
});
server.listen(0, () => console.log("port " + (server.address() as { port: number }).port));
`,
  },
  env: { XDG_RUNTIME_DIR: runtime },
});
let program: RunningProgram;
let isAgreed = false;

beforeEach(async () => {
  program = new RunningProgram({ folder: stage.folder, runtime }, [process.execPath, "main.ts"]);
  await program.port;
  await vi.waitFor(async () => expect(await processes()).toHaveLength(1), { timeout: 40_000 });
  const first = evaluate("1");
  // A yes holds for the name.
  if (!isAgreed) await answerNext(stage.client);
  isAgreed = true;
  await first;
});
afterEach(() => program.kill());
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

const processes = async (): Promise<readonly unknown[]> =>
  (await stage.client.request("agentq/listProcesses", {})).processes;
const agentq = (...args: (string | number)[]): Promise<Run> =>
  runAgentq(args.map(String), { cwd: stage.folder, env: { XDG_RUNTIME_DIR: runtime } });
const evaluate = (code: string, more: Partial<RequestParams<"agentq/evaluate">> = {}): Promise<EvalResult> =>
  stage.client.request("agentq/evaluate", { code, process: "api", ...more });

const inMain = { module: "main.ts" };
const inLate = { module: "late.ts" };

it("takes a program out of every list, leaves it as it runs, and attach brings all of it in again", async () => {
  await evaluate("served = 100", inMain);
  const pid = await evaluate("process.pid");
  expect(await agentq("detach", "api")).toEqual({
    code: 0,
    stdout: `api (process ${pid.preview}) is detached, and goes on.\n`,
    stderr: "",
  });
  expect(await processes()).toEqual([]);
  expect(readdirSync(path.join(runtime, "agentq")).filter((name) => name.includes(`-${pid.preview}-`))).toEqual([]);
  expect((await evaluate("1")).error?.message).toMatch(/^api does not run, or was detached\./);
  expect(await program.get("/late")).toMatchObject({ served: 101, late: 1 });

  const again = await agentq("attach", "--yes", "--name", "api", Number(pid.preview));
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("can be worked with now") });
  await vi.waitFor(async () => expect(await processes()).toHaveLength(1), { timeout: 40_000 });
  expect(await evaluate("served += 100", inMain)).toMatchObject({ preview: "201" });
  // It was loaded while nothing of agentq was there.
  expect(await evaluate("loads", inLate)).toMatchObject({ preview: "1" });
  expect(await program.get("/late")).toMatchObject({ served: 202, late: 2 });
});

it("lets go of what is traced, and of a form that waits", async () => {
  await program.get("/late");
  const told = await agreedTool(stage.client, "trace_function", { symbol: "late.ts#next", process: "api" });
  expect(told).toMatch(/is traced/);
  await evaluate("globalThis.traced = next", inLate);
  const waiting = evaluate("console.log('begun'); await new Promise(() => setInterval(() => 0, 1000))");
  await expect.poll(() => program.output).toContain("begun");
  expect(await agentq("detach", "api")).toMatchObject({ code: 0 });
  const { error } = await waiting;
  expect(error?.message).toMatch(/^api \(process \d+\) was detached\.$/);
  expect(await program.get("/late")).toMatchObject({ late: 2 });
});

it.each([
  [[], 2, /Name one program/],
  [["api", "web"], 2, /Name one program/],
  [["web"], 1, /^agentq detach: There is no program web; there is api \(process \d+\)\.\n$/],
])("is %j: a sentence and its exit code", async (args, code, words) => {
  expect(await agentq("detach", ...args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(words) });
});

it("is refused while the program's main thread is busy", async () => {
  const { preview: pid } = await evaluate("process.pid");
  const running = evaluate("console.log('begun'); for (;;) {}");
  await expect.poll(() => program.output).toContain("begun");
  const stderr = `agentq detach: There is no program api; none runs. Process ${pid} does not answer: interrupt what it runs, and try again.\n`;
  expect(await agentq("detach", "api")).toEqual({ code: 1, stdout: "", stderr });
  await stage.client.request("agentq/interrupt", { process: "api" });
  expect(await running).toMatchObject({ outcome: "interrupted" });
});
