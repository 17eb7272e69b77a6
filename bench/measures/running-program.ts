/** What `agentq run` costs the command that it starts: at its start, for each request that it answers, and in memory. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { askMany } from "../support/ask-many.ts";
import { LspClient } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { canReadProcesses, processTree, totalCpuMs } from "../support/processes.ts";
import { below, ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 300;
const START_ROUNDS = 9;
const LOAD_ROUNDS = 15;
const REQUESTS = 3_000;
const CONNECTIONS = 16;
const GOALS = { start: 1.15, alone: 1.05, traced: 1.11, memoryMb: 40 } as const;
const PLAIN = "the command alone";
const BELOW = "agentq run";
const TRACED = "agentq run, a hot function traced";

/** Each request calls `price` a hundred times: a trace is over its limit with the first of them. */
const PRICE = `const rate: number = 2;
export function price(count: number): number {
  return count * rate;
}
`;
const SERVER = `import { createServer } from "node:http";
import { price } from "./price.ts";
let served: number = 0;
const server = createServer((request, response) => {
  served += 1;
  let sum = 0;
  for (let count = 0; count < 100; count += 1) sum += price(count);
  response.end(JSON.stringify({ sum, served }));
});
const { total } = process.argv[2] === "large" ? await import("./entry.ts") : { total: 0 };
server.listen(0, "127.0.0.1", () => console.log(process.pid + " " + (server.address() as { port: number }).port + " " + total));
`;

export function measureRunningProgram({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    writeManyModules(folder, MODULES);
    writeFileSync(path.join(folder, "src/price.ts"), PRICE);
    writeFileSync(path.join(folder, "src/server.ts"), SERVER);
    const runtime = path.join(folder, "run");
    mkdirSync(runtime, { mode: 0o700 });
    const command = (size: string): string[] => [process.execPath, path.join(folder, "src/server.ts"), size];
    const run = [process.execPath, program, "run", "--name", "bench", "--"];
    const start = (args: readonly string[]): Promise<Running> => Running.start(args, folder, runtime);
    const rows: MeasureReport["rows"][number][] = [];
    for (const size of ["small", "large"] as const) {
      const own = command(size);
      rows.push(
        ...(await startRows(size, { [PLAIN]: () => start(own), [BELOW]: () => start([...run, ...own]) }, rounds)),
      );
    }
    const programs = { [PLAIN]: await start(command("small")), [BELOW]: await start([...run, ...command("small")]) };
    const traced = await start([...run.with(4, "traced"), ...command("small")]);
    const server = await trace(program, folder, runtime);
    try {
      rows.push(...(await load({ ...programs, [TRACED]: traced }, rounds(LOAD_ROUNDS))));
    } finally {
      await server.close();
      for (const each of [...Object.values(programs), traced]) await each.end();
    }
    return { rows, notes: ["Requests are asked over loopback by 16 connections of the measuring process."] };
  });
}

const SIZES = { small: "2 modules", large: `${MODULES} modules` } as const;

async function startRows(
  size: keyof typeof SIZES,
  starts: Readonly<Record<string, () => Promise<Running>>>,
  rounds: Setting["rounds"],
): Promise<MeasureReport["rows"]> {
  const contenders = Object.entries(starts).map(([name, start]) => {
    const contender = async (): Promise<Start> => {
      const running = await start();
      await askMany(running.port, 200, CONNECTIONS);
      const rssMb = running.rssMb();
      await running.end();
      return { ms: running.startMs, rssMb };
    };
    return [name, contender] as const;
  });
  const samples = await inTurns<string, Start>(Object.fromEntries(contenders), rounds(START_ROUNDS));
  const figures = (figure: keyof Start): Record<string, number[]> =>
    Object.fromEntries(Object.entries(samples).map(([name, each]) => [name, each.map((one) => one[figure])]));
  const measure = `from the command to its port, ${SIZES[size]}`;
  const times = rowsOf({ measure, unit: "ms" }, figures("ms"), PLAIN, { [BELOW]: ratioUpTo(GOALS.start) });
  if (!canReadProcesses) return times;
  const { [PLAIN]: plain = [], [BELOW]: under = [] } = figures("rssMb");
  const more = { [BELOW]: under.map((each, round) => each - (plain[round] ?? Number.NaN)) };
  const memory = { measure: `memory (RSS) above that of the command alone, ${SIZES[size]}`, unit: "MB" } as const;
  return [...times, ...rowsOf(memory, more, undefined, { [BELOW]: below(GOALS.memoryMb, "MB") })];
}

interface Start {
  readonly ms: number;
  readonly rssMb: number;
}

interface Cost {
  readonly us: number;
  readonly cpuUs: number;
}

async function load(programs: Readonly<Record<string, Running>>, rounds: number): Promise<MeasureReport["rows"]> {
  const ask = (running: Running) => async (): Promise<Cost> => {
    const before = running.cpuMs();
    const ms = await askMany(running.port, REQUESTS, CONNECTIONS);
    return { us: (ms * 1_000) / REQUESTS, cpuUs: ((running.cpuMs() - before) * 1_000) / REQUESTS };
  };
  const contenders = Object.fromEntries(Object.entries(programs).map(([name, each]) => [name, ask(each)]));
  const samples = await inTurns<string, Cost>(contenders, rounds);
  const goals = { [BELOW]: ratioUpTo(GOALS.alone), [TRACED]: ratioUpTo(GOALS.traced) };
  const rows = (measure: string, figure: keyof Cost): MeasureReport["rows"] => {
    const figures = Object.entries(samples).map(([name, each]) => [name, each.map((one) => one[figure])]);
    return rowsOf({ measure, unit: "µs" }, Object.fromEntries(figures), PLAIN, figure === "us" ? goals : {});
  };
  return [
    ...rows("a request", "us"),
    ...(canReadProcesses ? rows("a request, processor time of the program", "cpuUs") : []),
  ];
}

/** A server that traces the hot function of the program `traced`. */
async function trace(program: string, folder: string, runtime: string): Promise<LspClient> {
  const server = new LspClient(
    agentqServer(program, { XDG_RUNTIME_DIR: runtime, XDG_STATE_HOME: path.join(folder, "state") }),
    folder,
  );
  server.onNotification("agentq/approval", (params) => {
    const { approvalId } = params as { readonly approvalId: string };
    void server.request("agentq/answerApproval", { approvalId, decision: "approved" });
  });
  await server.start(folder);
  await server.request("agentq/listProcesses", {});
  const args = { symbol: "src/price.ts#price", process: "traced" };
  const { content } = await server.request<{ readonly content: string }>("agentq/callTool", {
    name: "trace_function",
    arguments: args,
  });
  if (!content.includes("is traced")) throw new Error(`trace_function answered: ${content}`);
  return server;
}

/** A command that prints the process that serves, and its port. */
class Running {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly port: number;
  readonly startMs: number;

  private constructor(child: ChildProcess, [pid = 0, port = 0]: readonly number[], startMs: number) {
    this.#child = child;
    this.#pid = pid;
    this.port = port;
    this.startMs = startMs;
  }

  static async start([program = "", ...args]: readonly string[], folder: string, runtime: string): Promise<Running> {
    const started = performance.now();
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", XDG_RUNTIME_DIR: runtime },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    return new Running(child, printed.toString().split(" ").map(Number), performance.now() - started);
  }

  rssMb(): number {
    return canReadProcesses ? (processTree(this.#pid)[0]?.rssMb ?? Number.NaN) : Number.NaN;
  }

  cpuMs(): number {
    return canReadProcesses ? totalCpuMs(this.#pid) : Number.NaN;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, "exit");
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await exited;
  }
}
