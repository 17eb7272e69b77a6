/** The cost of standing between the editor and the compiler: the same requests to the compiler alone and through us. */
import { readFileSync } from "node:fs";
import type { LargeProject } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { below, ratioUpTo, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, uriOf } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

/** Rounds for requests that take a millisecond, tens of milliseconds, and half a second of the compiler's time. */
const MANY = 150;
const SOME = 60;
const FEW = 12;
const STARTS = 9;
const GOAL_RATIO = 1.3;
const GOAL_INITIALIZE_MS = 250;

const BASELINE = "bare native server";
const RELAYED = "agentq, languageFeatures on";

interface Request {
  readonly rounds: number;
  readonly ask: (client: LspClient) => Promise<unknown>;
  readonly isEdit?: true;
}

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
  const rows = rowsOf({ measure: "initialize answered, from the spawn", unit: "ms" }, starts, BASELINE, {
    [RELAYED]: below(GOAL_INITIALIZE_MS, "ms"),
  });
  const clients = Object.fromEntries(
    await Promise.all(
      Object.entries(servers).map(async ([name, server]) => [name, await ready(server, project)] as const),
    ),
  );
  try {
    for (const [name, request] of Object.entries(requests(project))) {
      const samples = await inTurns(
        contenders(clients, (client) => timed(() => request.ask(client))),
        rounds(request.rounds),
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
  return rowsOf({ measure: `${name}, warm`, unit: "ms" }, samples, BASELINE, { [RELAYED]: ratioUpTo(GOAL_RATIO) });
}

function requests(project: LargeProject): Record<string, Request> {
  const textDocument = { uri: uriOf(project.declaringFile) };
  const at = { textDocument, position: project.position };
  const start = { textDocument, position: { line: 0, character: 0 } };
  return {
    "a request that is refused": {
      rounds: MANY,
      ask: (client) => client.request("textDocument/declaration", at).catch(() => undefined),
    },
    hover: { rounds: MANY, ask: (client) => client.request("textDocument/hover", at) },
    "semantic tokens": {
      rounds: MANY,
      ask: (client) => client.request("textDocument/semanticTokens/full", { textDocument }),
    },
    references: {
      rounds: SOME,
      ask: (client) => client.request("textDocument/references", { ...at, context: { includeDeclaration: true } }),
    },
    // Tens of thousands of names, with everything that could be imported.
    "completion, all names": { rounds: FEW, ask: (client) => client.request("textDocument/completion", start) },
    "a keystroke, then hover": { rounds: FEW, ask: keystrokes(project, at), isEdit: true },
  };
}

/** Each adds a line at the end of the file, so that positions above it stay. */
function keystrokes(project: LargeProject, at: object): Request["ask"] {
  const original = readFileSync(project.declaringFile, "utf8");
  const versions = new Map<LspClient, number>();
  return async (client) => {
    const version = (versions.get(client) ?? 1) + 1;
    versions.set(client, version);
    const textDocument = { uri: uriOf(project.declaringFile), version };
    const text = `${original}\nexport const typed${version} = ${version}\n`;
    await client.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    return client.request("textDocument/hover", at);
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

/** Open, loaded and asked once; the text is left as it is on disk. */
async function ready(server: ServerCommand, project: LargeProject): Promise<LspClient> {
  const client = new LspClient(server, project.folder);
  await client.start(project.folder);
  await client.open(project.declaringFile);
  for (const { ask, isEdit } of Object.values(requests(project))) if (isEdit !== true) await ask(client);
  return client;
}
