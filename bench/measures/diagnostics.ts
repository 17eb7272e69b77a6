/** All diagnostics of a big project from a cold start, beside the compiler itself with `--noEmit`. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { canReadProcesses, totalCpuMs } from "../support/processes.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { agentqServer, nativeServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 2_500;
const ERRORS = 250;
const ROUNDS = 5;
const GOAL_RATIO = 2;
const COMPILER = "tsc --noEmit";
const TOOL = "get_diagnostics";

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

export function measureDiagnostics({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const { megabytes } = writeManyModules(folder, MODULES);
    for (let index = 0; index < ERRORS; index += 1) {
      appendFileSync(path.join(folder, "src", `part${index * 9}.ts`), 'export const wrong: number = "text";\n');
    }
    const samples = await inTurns(
      { [COMPILER]: () => compileAll(folder), [TOOL]: () => askAll(program, folder) },
      rounds(ROUNDS),
    );
    const each = (figure: (sample: Sample) => number): Record<string, number[]> =>
      Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.map(figure)]));
    const goal = { [TOOL]: ratioUpTo(GOAL_RATIO) };
    const clock = each(({ ms }) => ms);
    const processor = each(({ cpuMs }) => cpuMs);
    return {
      rows: [
        ...rowsOf({ measure: "all diagnostics, from the spawn", unit: "ms" }, clock, COMPILER, goal),
        ...(canReadProcesses
          ? rowsOf({ measure: "processor time until then", unit: "ms" }, processor, COMPILER, goal)
          : []),
      ],
      notes: [`${MODULES} modules, ${megabytes.toFixed(0)} MB, ${ERRORS} errors; both find all of them.`],
    };
  });
}

async function askAll(program: string, folder: string): Promise<Sample> {
  const client = new LspClient(agentqServer(program), folder);
  try {
    await client.start(folder);
    const call = { name: TOOL, arguments: {} };
    const { success, content, error } = await client.request<ToolResult>("agentq/callTool", call);
    const sample = { ms: client.sinceSpawn(), cpuMs: canReadProcesses ? totalCpuMs(client.pid) : Number.NaN };
    if (!success) throw new Error(error);
    expectAll(Number(/^(\d+) errors/.exec(content)?.[1]));
    return sample;
  } finally {
    await client.close();
  }
}

async function compileAll(folder: string): Promise<Sample> {
  const [compiler] = nativeServer().command;
  const started = performance.now();
  const child = spawn(compiler, ["--noEmit", "--project", folder], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  let cpuMs = Number.NaN;
  // The time of a process is gone with it: the last look before its end counts.
  const look = setInterval(() => (cpuMs = canReadProcesses ? totalCpuMs(child.pid ?? -1) || cpuMs : cpuMs), 20);
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await new Promise<void>((resolve, reject) => child.once("error", reject).once("close", () => resolve()));
  clearInterval(look);
  expectAll(output.match(/error TS2322/g)?.length ?? 0);
  return { ms: performance.now() - started, cpuMs };
}

function expectAll(found: number): void {
  if (found !== ERRORS) throw new Error(`${found} errors were found instead of ${ERRORS}`);
}
