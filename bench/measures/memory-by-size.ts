/** The memory of generated projects of several sizes: all processes of the server beside the bare compiler. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { processTree, type ProcessUse } from "../support/processes.ts";
import { ratioUpTo, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { agentqServer, nativeServer, uriOf } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const SIZES = [2_000, 8_000, 20_000];
const ROUNDS = 2;
const GOAL_RATIO = 1.4;
/** What a server reads ahead after an answer, while nobody asks, counts as well. */
const READING_MS = 8_000;
const OWN = "agentq, server and compiler";
const BARE = "bare native server";
const NAME = "pick100";
const MODULE = "src/part100.ts";

/** What a server took up to its first answer, and while it read ahead after the answer. */
export interface FirstAnswer {
  /** From the spawn. */
  readonly answeredMs: number;
  readonly peakMb: number;
  readonly pssMb: number;
}

export interface AboutFunction {
  /** From the project's folder. */
  readonly file: string;
  readonly name: string;
  /** Files that are opened first; by default that one. */
  readonly open?: readonly string[];
  readonly how: "tool" | "references";
}

/** Contract: only where processes can be read. */
export async function memoryBySize(setting: Setting): Promise<MeasureReport> {
  const reports: MeasureReport[] = [];
  for (const size of SIZES) reports.push(await inTemporaryFolder((folder) => ofSize(setting, folder, size)));
  return { rows: reports.flatMap(({ rows }) => rows), notes: reports.flatMap(({ notes }) => notes) };
}

async function ofSize({ program, rounds }: Setting, folder: string, modules: number): Promise<MeasureReport> {
  const { megabytes } = writeManyModules(folder, modules);
  const counted = rounds(ROUNDS);
  const samples = await inTurns(
    {
      [OWN]: () => firstAnswer(agentqServer(program), folder, { file: MODULE, name: NAME, how: "tool" }),
      [BARE]: () => firstAnswer(nativeServer(), folder, { file: MODULE, name: NAME, how: "references" }),
    },
    counted,
    { warmUp: false },
  );
  const rows = (kind: string, figure: (sample: FirstAnswer) => number): Row[] => {
    const each = Object.entries(samples).map(([name, list]) => [name, list.map(figure)]);
    const measure = `memory, ${modules.toLocaleString("en")} modules (${kind})`;
    return rowsOf({ measure, unit: "MB" }, Object.fromEntries(each), BARE, { [OWN]: ratioUpTo(GOAL_RATIO, 1) });
  };
  return {
    rows: [...rows("peak RSS", ({ peakMb }) => peakMb), ...rows("PSS", ({ pssMb }) => pssMb)],
    notes: [`${modules.toLocaleString("en")} modules have ${megabytes.toFixed(0)} MB of text.`],
  };
}

async function askTool(client: LspClient, { file, name }: AboutFunction): Promise<void> {
  const call = { name: "who_calls", arguments: { symbol: `${file}#${name}` } };
  const { success, error } = await client.request<ToolResult>("agentq/callTool", call);
  if (!success) throw new Error(`who_calls: ${error ?? ""}`);
}

async function askReferences(client: LspClient, { file, name }: AboutFunction, folder: string): Promise<void> {
  const absolute = path.join(folder, file);
  const lines = readFileSync(absolute, "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes(`function ${name}`));
  const position = { line, character: lines[line]?.indexOf(name) ?? 0 };
  const params = { textDocument: { uri: uriOf(absolute) }, position, context: { includeDeclaration: true } };
  const found = await client.request<unknown[] | null>("textDocument/references", params);
  if (found === null || found.length === 0) throw new Error(`no reference of ${name} was found`);
}

/** Contract: the figures of memory are numbers only where processes can be read. */
export async function firstAnswer(server: ServerCommand, folder: string, about: AboutFunction): Promise<FirstAnswer> {
  const client = new LspClient(server, folder);
  try {
    await client.start(folder);
    for (const file of about.open ?? [about.file]) await client.open(path.join(folder, file));
    await (about.how === "tool" ? askTool(client, about) : askReferences(client, about, folder));
    const answeredMs = client.sinceSpawn();
    await delay(READING_MS);
    const processes = processTree(client.pid);
    const sum = (figure: (use: ProcessUse) => number): number =>
      processes.reduce((total, use) => total + figure(use), 0);
    return { answeredMs, peakMb: sum(({ peakMb }) => peakMb), pssMb: sum(({ pssMb }) => pssMb) };
  } finally {
    await client.close();
  }
}
