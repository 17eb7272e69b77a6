/** What standing between the editor and the compiler costs: the same requests to the compiler alone and through us. */
import type { LargeProject } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { below, ratioUpTo, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, uriOf } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

const ROUNDS = 150;
const STARTS = 9;
const GOAL_RATIO = 1.3;
const GOAL_INITIALIZE_MS = 250;

const BASELINE = "bare native server";
const RELAYED = "agentq, languageFeatures on";

type Ask = (client: LspClient) => Promise<unknown>;

export async function measureRelay({ program, large, rounds }: Setting): Promise<MeasureReport> {
  if ("missing" in large) {
    return { rows: [{ measure: "relay", subject: "large project", skipped: large.missing }], notes: [] };
  }
  const project = large.value;
  const relayed: ServerCommand = { ...agentqServer(program), initializationOptions: { languageFeatures: "on" } };
  const servers = { [RELAYED]: relayed, [BASELINE]: nativeServer() };
  const starts = await inTurns(
    {
      ...contenders(servers, (server) => initializeMs(server, project)),
      "agentq, languageFeatures off": () => initializeMs(agentqServer(program), project),
    },
    rounds(STARTS),
  );
  const rows = rowsOf("initialize answered, from the spawn", "ms", starts, BASELINE, {
    [RELAYED]: below(GOAL_INITIALIZE_MS, "ms"),
  });
  const clients = Object.fromEntries(
    await Promise.all(
      Object.entries(servers).map(async ([name, server]) => [name, await ready(server, project)] as const),
    ),
  );
  try {
    for (const [name, ask] of Object.entries(requests(project))) {
      const samples = await inTurns(
        contenders(clients, (client) => timed(() => ask(client))),
        rounds(ROUNDS),
      );
      rows.push(...relayRows(name, samples));
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
  }
  return { rows, notes: [] };
}

function contenders<Subject, Sample>(
  subjects: Readonly<Record<string, Subject>>,
  measure: (subject: Subject) => Promise<Sample>,
): Record<string, () => Promise<Sample>> {
  return Object.fromEntries(Object.entries(subjects).map(([name, subject]) => [name, () => measure(subject)]));
}

function relayRows(name: string, samples: Readonly<Record<string, readonly number[]>>): Row[] {
  return rowsOf(`${name}, warm`, "ms", samples, BASELINE, { [RELAYED]: ratioUpTo(GOAL_RATIO) });
}

function requests(project: LargeProject): Record<string, Ask> {
  const textDocument = { uri: uriOf(project.declaringFile) };
  const at = { textDocument, position: project.position };
  return {
    "a request that is refused": (client) => client.request("textDocument/declaration", at).catch(() => undefined),
    hover: (client) => client.request("textDocument/hover", at),
    completion: (client) =>
      client.request("textDocument/completion", { textDocument, position: { line: 0, character: 0 } }),
    "semantic tokens": (client) => client.request("textDocument/semanticTokens/full", { textDocument }),
  };
}

async function initializeMs(server: ServerCommand, project: LargeProject): Promise<number> {
  const client = new LspClient(server, project.folder);
  try {
    await client.initialize(project.folder);
    return client.sinceSpawn();
  } finally {
    await client.notify("initialized", {});
    await client.close();
  }
}

/** Open, loaded and asked once. */
async function ready(server: ServerCommand, project: LargeProject): Promise<LspClient> {
  const client = new LspClient(server, project.folder);
  await client.start(project.folder);
  await client.open(project.declaringFile);
  for (const ask of Object.values(requests(project))) await ask(client);
  return client;
}
