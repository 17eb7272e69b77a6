/** A keystroke in a project of hundreds of thousands of lines, and at once a question that must know of it. */
import { readFileSync } from "node:fs";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { LargeProject } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { canReadProcesses, processTree } from "../support/processes.ts";
import { p95Below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer, uriOf, vtsls } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";
import { askedSymbol } from "../support/versions.ts";

const ROUNDS = 2;
const EDITS = 20;
const GOAL_MS = 150;
const BASELINE = "bare native server";

interface Sample {
  readonly afterEditMs: readonly number[];
  readonly loadedMb: number;
  /** Mentions after the last edit, which adds one. */
  readonly mentions: number;
}

type Ask = (client: LspClient) => Promise<number>;

export async function measureAfterEdit({ program, peers, huge, rounds }: Setting): Promise<MeasureReport> {
  const installed = huge();
  if ("missing" in installed) {
    return { rows: [{ measure: "after an edit", subject: "huge project", skipped: installed.missing }], notes: [] };
  }
  const project = installed.value;
  const contenders: Record<string, () => Promise<Sample>> = {
    agentq: () => sampleOf(agentqServer(program), project, (client) => whoReferences(client, project)),
    [BASELINE]: () => sampleOf(nativeServer(), project, (client) => references(client, project)),
  };
  if ("value" in peers) {
    const ask: Ask = (client) => references(client, project);
    contenders["typescript-language-server"] = () => sampleOf(typescriptLanguageServer(peers.value), project, ask);
    contenders["vtsls"] = () => sampleOf(vtsls(peers.value), project, ask);
  }
  const samples = await inTurns(contenders, rounds(ROUNDS));
  const each = <Figure>(figure: (sample: Sample) => readonly Figure[]): Record<string, Figure[]> =>
    Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.flatMap(figure)]));
  const rows = [
    ...rowsOf(
      { measure: "answer after an edit", unit: "ms" },
      each((sample) => sample.afterEditMs),
      BASELINE,
      { agentq: p95Below(GOAL_MS, "ms") },
    ),
    ...(canReadProcesses
      ? rowsOf(
          { measure: "memory (RSS), huge project", unit: "MB" },
          each((sample) => [sample.loadedMb]),
          BASELINE,
        )
      : []),
  ];
  const counts = Object.entries(each((sample) => [sample.mentions])).map(
    ([name, list]) => `${name} ${[...new Set(list)].join(" or ")}`,
  );
  const skipped = "value" in peers ? [] : [{ measure: "after an edit", subject: "the peers", skipped: peers.missing }];
  return {
    rows: [...rows, ...skipped],
    notes: [
      `Mentions of ${askedSymbol.name} in the huge project after the last edit: ${counts.join(", ")}. cclsp reads files from disk only and has no place in this measure.`,
    ],
  };
}

async function sampleOf(server: ServerCommand, project: LargeProject, ask: Ask): Promise<Sample> {
  const client = new LspClient(server, project.folder);
  const original = readFileSync(project.declaringFile, "utf8");
  try {
    await client.start(project.folder);
    await client.open(project.declaringFile);
    await ask(client);
    await ask(client);
    const afterEditMs: number[] = [];
    let mentions = 0;
    for (let edit = 1; edit <= EDITS; edit += 1) {
      // Another length each time, and one mention more than the file had.
      const text = `${original}\nexport const edited${edit} = () => ${askedSymbol.name}\n`;
      const taken = await timed(async () => {
        await client.notify("textDocument/didChange", {
          textDocument: { uri: uriOf(project.declaringFile), version: edit + 1 },
          contentChanges: [{ text }],
        });
        mentions = await ask(client);
      });
      afterEditMs.push(taken);
    }
    const loadedMb = canReadProcesses ? processTree(client.pid).reduce((sum, { rssMb }) => sum + rssMb, 0) : Number.NaN;
    return { afterEditMs, loadedMb, mentions };
  } finally {
    await client.close();
  }
}

async function references(client: LspClient, project: LargeProject): Promise<number> {
  const textDocument = { uri: uriOf(project.declaringFile) };
  const params = { textDocument, position: project.position, context: { includeDeclaration: true } };
  return (await client.request<unknown[] | null>("textDocument/references", params))?.length ?? 0;
}

async function whoReferences(client: LspClient, project: LargeProject): Promise<number> {
  const call = { name: "who_calls", arguments: { symbol: project.address } };
  const result = await client.request<ToolResult>("agentq/callTool", call);
  if (!result.success || !result.metadata.complete) throw new Error(`who_calls: ${result.error ?? result.content}`);
  const calls = /^(\d+) call sites? in/m.exec(result.content)?.[1] ?? "0";
  const others = /^Also mentioned, not as a call: (.*)$/m.exec(result.content)?.[1]?.matchAll(/\d+/g) ?? [];
  return [...others].reduce((sum, [count]) => sum + Number(count), Number(calls)) + 1;
}
