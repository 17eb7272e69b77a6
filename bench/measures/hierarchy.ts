/** The first question about an interface with hundreds of implementers, in a project of thousands of modules. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { canReadProcesses, totalCpuMs } from "../support/processes.ts";
import { below, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, uriOf } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 8_000;
const IMPLEMENTERS = 400;
const ROUNDS = 5;
const GOAL_MS = 1_000;
const TOOLS = ["class_hierarchy", "find_implementations"] as const;
const BARE = "bare native server, textDocument/implementation";

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Each question is the first one to a server that has loaded the project and was asked about something else. */
export function measureHierarchy({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const { megabytes } = writeManyModules(folder, MODULES - IMPLEMENTERS - 1);
    const shape = writeShapes(folder);
    const contenders: Record<string, () => Promise<Sample>> = {
      [BARE]: () =>
        sampleOf(nativeServer(), folder, shape, async (client, symbol) => {
          const position = { line: 0, character: "export interface ".length };
          const params = { textDocument: { uri: uriOf(shape) }, position };
          if (symbol !== "Shape") return client.request("textDocument/hover", params);
          const found = await client.request<unknown[] | null>("textDocument/implementation", params);
          return expectAll(found?.length ?? 0);
        }),
    };
    for (const name of TOOLS) {
      contenders[name] = () =>
        sampleOf(agentqServer(program), folder, shape, async (client, symbol) => {
          const isShape = symbol === "Shape";
          const call = { name: isShape ? name : "describe_symbol", arguments: { symbol: `src/shape.ts#${symbol}` } };
          const { success, content, error } = await client.request<ToolResult>("agentq/callTool", call);
          if (!success) throw new Error(error);
          return isShape ? expectAll(Number(/\b(\d+) (?:classes|implementations)/.exec(content)?.[1])) : 0;
        });
    }
    const samples = await inTurns(contenders, rounds(ROUNDS), { warmUp: false, atMost: { [BARE]: 1 } });
    const rows = (unit: "ms", measure: string, figure: (sample: Sample) => number): Row[] => {
      const each = Object.entries(samples).map(([name, list]) => [name, list.map(figure)]);
      const goals = Object.fromEntries(TOOLS.map((name) => [name, below(GOAL_MS, unit)]));
      return rowsOf({ measure, unit }, Object.fromEntries(each), BARE, goals);
    };
    return {
      rows: [
        ...rows("ms", `${IMPLEMENTERS} implementers`, ({ ms }) => ms),
        ...(canReadProcesses ? rows("ms", "processor time of it", ({ cpuMs }) => cpuMs) : []),
      ],
      notes: [`${MODULES} modules, ${megabytes.toFixed(0)} MB, ${IMPLEMENTERS} of them with a class that implements.`],
    };
  });
}

/** The interface, another one that nothing implements, and the classes. Answers the interface's file. */
export function writeShapes(folder: string): string {
  const shape = path.join(folder, "src", "shape.ts");
  writeFileSync(
    shape,
    "export interface Shape {\n  area(scale: number): number;\n  readonly name: string;\n}\n\nexport interface Unused {\n  nothing(): void;\n}\n",
  );
  for (let index = 0; index < IMPLEMENTERS; index += 1) {
    writeFileSync(
      path.join(folder, "src", `shape${index}.ts`),
      `import type { Shape } from "./shape.ts";

export class Shape${index} implements Shape {
  readonly name: string = "shape ${index}";

  area(scale: number): number {
    return ${index} * scale;
  }
}
`,
    );
  }
  return shape;
}

function expectAll(found: number): number {
  if (found !== IMPLEMENTERS) throw new Error(`${found} implementers were found instead of ${IMPLEMENTERS}`);
  return found;
}

async function sampleOf(
  server: ServerCommand,
  folder: string,
  shape: string,
  ask: (client: LspClient, symbol: string) => Promise<unknown>,
): Promise<Sample> {
  const client = new LspClient(server, folder);
  try {
    await client.start(folder);
    await client.open(shape);
    await ask(client, "Unused");
    const before = canReadProcesses ? totalCpuMs(client.pid) : 0;
    const ms = await timed(() => ask(client, "Shape"));
    return { ms, cpuMs: canReadProcesses ? totalCpuMs(client.pid) - before : 0 };
  } finally {
    await client.close();
  }
}
