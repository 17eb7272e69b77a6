/** How soon an editor has its server: `initialize` counted from the spawn, and from the request once the process is up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Installed } from "../support/install.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed, type Contender } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer } from "../support/servers.ts";

const GOAL_MS = 100;

export async function measureInitialize(peers: Installed<string>, rounds: number): Promise<MeasureReport> {
  const folder = mkdtempSync(path.join(tmpdir(), "agentq-bench-initialize-"));
  try {
    const servers = {
      agentq: agentqServer(),
      "bare native server": nativeServer(),
      ...("value" in peers ? { "typescript-language-server": typescriptLanguageServer(peers.value) } : {}),
    };
    const fromSpawn = mapValues(servers, (server) => () => initializeFromSpawn(server, folder));
    const firstEver = { "agentq, empty compile cache": () => initializeWithoutCompileCache(folder) };
    const spawned = await inTurns<string, number>({ ...fromSpawn, ...firstEver }, rounds);
    const running = await inTurns(
      mapValues(servers, (server) => () => initializeWhenUp(server, folder)),
      rounds,
    );
    const goals = { agentq: below(GOAL_MS, "ms") };
    const rows = [
      ...rowsOf("initialize, from the spawn", "ms", spawned, "bare native server", goals),
      ...rowsOf("initialize, process already up", "ms", running, "bare native server", goals),
    ];
    if ("value" in peers) return { rows, notes: [] };
    return { rows: [...rows, { measure: "initialize", subject: "typescript-language-server", skipped: peers.missing }], notes: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function initializeFromSpawn(server: ServerCommand, folder: string): Promise<number> {
  const client = new LspClient(server, folder);
  await client.initialize(folder);
  const taken = client.sinceSpawn();
  await client.close();
  return taken;
}

/** What the very first start costs, before Node has kept any compiled code. */
async function initializeWithoutCompileCache(folder: string): Promise<number> {
  const cache = mkdtempSync(path.join(tmpdir(), "agentq-bench-compile-cache-"));
  try {
    return await initializeFromSpawn(agentqServer({ NODE_COMPILE_CACHE: cache }), folder);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** The refusal of a request that comes before `initialize` tells that the process is up and reads. */
async function initializeWhenUp(server: ServerCommand, folder: string): Promise<number> {
  const client = new LspClient(server, folder);
  await client.request("workspace/symbol", { query: "x" }).catch(() => undefined);
  const taken = await timed(() => client.initialize(folder));
  await client.close();
  return taken;
}

function mapValues<Name extends string, From, To extends Contender<number>>(
  values: Readonly<Record<Name, From>>,
  convert: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(values).map(([name, value]) => [name, convert(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}
