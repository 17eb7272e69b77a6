/** The first complete answer about a large project from a cold start, and the same question asked again and again. */
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { LargeProject } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { canReadProcesses, totalCpuMs } from "../support/processes.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer, uriOf, vtsls } from "../support/servers.ts";
import { pairedRatio } from "../support/statistics.ts";
import type { Setting } from "../support/setting.ts";
import { askedSymbol } from "../support/versions.ts";

const GOAL_RATIO = 1.3;
const GOAL_TIMES_FASTER = 4;
const ROUNDS = 7;
/** The peers take most of the time, and their distance is no matter of a few per cent. */
const PEER_ROUNDS = 4;
const WARM_QUESTIONS = 15;

/** One start: how long until the first answer, how much processor it took, how long each later answer. */
interface Sample {
  readonly firstMs: number;
  readonly cpuMs: number;
  readonly warmMs: readonly number[];
  /** Mentions of the symbol, its declaration included. */
  readonly mentions: number;
}

const BASELINE = "bare native server";

export async function measureWhoCalls({ program, peers, large, rounds }: Setting): Promise<MeasureReport> {
  if ("missing" in large) {
    return { rows: [{ measure: "who_calls", subject: "large project", skipped: large.missing }], notes: [] };
  }
  const project = large.value;
  const contenders: Record<string, () => Promise<Sample>> = {
    agentq: () => askAgentq(agentqServer(program), project, project.address),
    "agentq, by the bare name": () => askAgentq(agentqServer(program), project, askedSymbol.name),
    [BASELINE]: () => askReferences(nativeServer(), project),
  };
  if ("value" in peers) {
    const server = typescriptLanguageServer(peers.value);
    contenders["typescript-language-server"] = () => askReferences(server, project);
    contenders["vtsls"] = () => askReferences(vtsls(peers.value), project);
  }
  const samples = await inTurns(contenders, rounds(ROUNDS), {
    atMost: { "typescript-language-server": PEER_ROUNDS, vtsls: PEER_ROUNDS },
  });
  const each = <Figure>(figure: (sample: Sample) => Figure): Record<string, Figure[]> =>
    Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.map(figure)]));
  const warm = Object.fromEntries(
    Object.entries(each((sample) => sample.warmMs)).map(([name, lists]) => [name, lists.flat()]),
  );
  const rows = [
    ...rowsOf(
      { measure: "first who_calls, from the spawn", unit: "ms" },
      each((sample) => sample.firstMs),
      BASELINE,
      { agentq: ratioUpTo(GOAL_RATIO) },
    ),
    ...(canReadProcesses
      ? rowsOf(
          { measure: "processor time until then", unit: "ms" },
          each((sample) => sample.cpuMs),
          BASELINE,
        )
      : []),
    ...rowsOf({ measure: "who_calls, warm", unit: "ms" }, warm, BASELINE),
  ];
  const skipped =
    "value" in peers ? [] : [{ measure: "who_calls", subject: "typescript-language-server", skipped: peers.missing }];
  const firsts = each((sample) => sample.firstMs);
  return { rows: [...rows, ...skipped], notes: [agreement(each((sample) => sample.mentions)), ...timesFaster(firsts)] };
}

/** How much sooner than each peer, round by round. */
function timesFaster(firsts: Readonly<Record<string, readonly number[]>>): string[] {
  const own = firsts["agentq"] ?? [];
  const peers = Object.entries(firsts).filter(([name]) => name !== BASELINE && !name.startsWith("agentq"));
  if (peers.length === 0) return [];
  const ratios = peers.map(([name, times]) => ({ name, ratio: pairedRatio(times, own) }));
  const shown = ratios.map(({ name, ratio }) => `${name} ${ratio.toFixed(1)} ×`).join(", ");
  const isMet = ratios.every(({ ratio }) => ratio >= GOAL_TIMES_FASTER);
  return [
    `The first answer of a peer takes as many times as long as agentq's: ${shown} (goal: at least ${GOAL_TIMES_FASTER} ×, ${isMet ? "met" : "MISSED"}).`,
  ];
}

function askAgentq(server: ServerCommand, project: LargeProject, name: string): Promise<Sample> {
  return sampleOf(server, project, async (client) => {
    const call = { name: "who_calls", arguments: { symbol: name } };
    const result = await client.request<ToolResult>("agentq/callTool", call);
    if (!result.success || !result.metadata.complete) throw new Error(`who_calls: ${result.error ?? result.content}`);
    return mentionsIn(result.content);
  });
}

function askReferences(server: ServerCommand, project: LargeProject): Promise<Sample> {
  const textDocument = { uri: uriOf(project.declaringFile) };
  const params = { textDocument, position: project.position, context: { includeDeclaration: true } };
  return sampleOf(server, project, async (client) => {
    const found = await client.request<unknown[] | null>("textDocument/references", params);
    return found?.length ?? 0;
  });
}

/** Everybody hears the same before the question: what an editor sends when a person has the module open. */
async function sampleOf(
  server: ServerCommand,
  project: LargeProject,
  ask: (client: LspClient) => Promise<number>,
): Promise<Sample> {
  const client = new LspClient(server, project.folder);
  try {
    await client.start(project.folder);
    await client.open(project.declaringFile);
    const mentions = await ask(client);
    const firstMs = client.sinceSpawn();
    const cpuMs = canReadProcesses ? totalCpuMs(client.pid) : Number.NaN;
    const warmMs: number[] = [];
    for (let question = 0; question < WARM_QUESTIONS; question += 1) warmMs.push(await timed(() => ask(client)));
    return { firstMs, cpuMs, warmMs, mentions };
  } finally {
    await client.close();
  }
}

/** Calls and other mentions as the tool counts them, and the declaration, which it leaves out. */
function mentionsIn(content: string): number {
  const calls = /^(\d+) call sites? in/m.exec(content)?.[1];
  if (calls === undefined) throw new Error(`who_calls answered without a count: ${content.slice(0, 200)}`);
  const listed = /^Also mentioned, not as a call: (.*)$/m.exec(content)?.[1] ?? "";
  // The places in parentheses have numbers too.
  const others = listed.replaceAll(/\([^)]*\)/g, "").matchAll(/\d+/g);
  return [...others].reduce((sum, [count]) => sum + Number(count), Number(calls)) + 1;
}

function agreement(mentions: Readonly<Record<string, readonly number[]>>): string {
  const counts = Object.entries(mentions).map(([name, list]) => `${name} ${[...new Set(list)].join(" or ")}`);
  const agree = new Set(Object.values(mentions).flat()).size === 1;
  return `Mentions of ${askedSymbol.name}: ${counts.join(", ")}${agree ? " (all agree)" : " — THEY DIFFER, so the times are not of the same answer"}.`;
}
