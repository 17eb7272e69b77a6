/** `run_tests` in a copy of the project behind the wall, beside the same runner started by hand in the project itself. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { installRunners } from "../support/install.ts";
import { LspClient } from "../support/lsp-client.ts";
import { canReadProcesses, watchCpu } from "../support/processes.ts";
import { ratioUpTo, rowsOf, type MeasureReport, type Row, type SkippedRow } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

const ROUNDS = 7;
const [FILES, TESTS] = [40, 25];
const GOAL_RATIO = 1.1;
const [BARE, TOOL] = ["the runner by hand", "run_tests"];

interface Runner {
  readonly name: string;
  /** The script `test`; its first word is the program that is started by hand, where the packages are. */
  readonly script: string;
  readonly program: (packages: string) => readonly string[];
  readonly head: string;
}

const RUNNERS: readonly Runner[] = [
  {
    name: "jest",
    script: "jest",
    program: (packages) => [path.join(packages, "jest/bin/jest.js")],
    head: "const same = (a, b) => expect(a).toEqual(b);\n",
  },
  {
    name: "mocha",
    script: "mocha",
    program: (packages) => [path.join(packages, "mocha/bin/mocha.js")],
    head: 'const same = require("node:assert").deepStrictEqual;\nconst test = it;\n',
  },
  {
    name: "vitest",
    script: "vitest run --globals",
    program: (packages) => [path.join(packages, "vitest/vitest.mjs"), "run", "--globals"],
    head: "const same = (a, b) => expect(a).toEqual(b);\n",
  },
  {
    name: "node:test",
    script: "node --test",
    program: () => ["--test"],
    head: 'const test = require("node:test");\nconst same = require("node:assert").deepStrictEqual;\n',
  },
];

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

export async function measureRunTests(setting: Setting): Promise<MeasureReport> {
  const installed = installRunners();
  const measure = "run_tests";
  if ("missing" in installed) return { rows: [{ measure, subject: "all", skipped: installed.missing }], notes: [] };
  const rows: (Row | SkippedRow)[] = [];
  for (const runner of RUNNERS) rows.push(...(await measureRunner(runner, installed.value, setting)));
  const note = `${FILES} files of ${TESTS} tests each; processor time is what is seen of all processes every ${LOOK_MS} ms.`;
  return { rows, notes: [note] };
}

async function measureRunner(runner: Runner, packages: string, { program, rounds }: Setting): Promise<Row[]> {
  const folder = writeProject(path.join(packages, "projects", runner.name.replace(":", "-")), runner);
  const client = new LspClient(agentqServer(program), folder);
  try {
    await client.start(folder);
    const samples = await inTurns(
      { [BARE]: () => runByHand(runner, packages, folder), [TOOL]: () => runByTool(client) },
      rounds(ROUNDS),
    );
    const each = (figure: (sample: Sample) => number): Record<string, number[]> =>
      Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.map(figure)]));
    const goal = { [TOOL]: ratioUpTo(GOAL_RATIO) };
    const of = (measure: string, figure: (sample: Sample) => number): Row[] =>
      rowsOf({ measure: `${runner.name}: ${measure}`, unit: "ms" }, each(figure), BARE, goal);
    return [
      ...of("1,000 tests", ({ ms }) => ms),
      ...(canReadProcesses ? of("processor time", (one) => one.cpuMs) : []),
    ];
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A repository of its own, below the packages. */
function writeProject(folder: string, { script, head }: Runner): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "test"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, scripts: { test: script } }));
  for (let file = 0; file < FILES; file += 1) {
    const tests = Array.from({ length: TESTS }, (_, index) => {
      const numbers = `Array.from({ length: 5_000 }, (_, at) => (at * ${index + 7}) % 5_003)`;
      return `test("sorts ${index}", () => same(${numbers}.sort((a, b) => a - b)[0], 0));\n`;
    });
    writeFileSync(path.join(folder, "test", `part${file}.test.js`), head + tests.join(""));
  }
  execFileSync("git", ["init", "-q"], { cwd: folder });
  return folder;
}

const LOOK_MS = 20;

async function runByHand({ program }: Runner, packages: string, cwd: string): Promise<Sample> {
  const modules = path.join(packages, "node_modules");
  const started = performance.now();
  const child = spawn(process.execPath, program(modules), { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const endCpu = watchCpu(child.pid ?? -1, LOOK_MS);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const sample = { ms: performance.now() - started, cpuMs: endCpu() };
  if (code !== 0 || !printed.includes(String(FILES * TESTS))) throw new Error(printed.slice(-1_000));
  return sample;
}

async function runByTool(client: LspClient): Promise<Sample> {
  const started = performance.now();
  const endCpu = watchCpu(client.pid, LOOK_MS);
  const call = { name: "run_tests", arguments: {} };
  const { content, error } = await client.request<ToolResult>("agentq/callTool", call);
  const sample = { ms: performance.now() - started, cpuMs: endCpu() };
  if (!content.startsWith(`${FILES * TESTS} passed`)) throw new Error(error ?? content.slice(0, 1_000));
  return sample;
}
