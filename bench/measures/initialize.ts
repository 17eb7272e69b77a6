/** How soon an editor has its server: `initialize` counted from the spawn, and from the request once the process is up. */
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const GOAL_MS = 100;
const ROUNDS = 20;

export function measureInitialize({ program, peers, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const servers: Record<string, ServerCommand> = {
      agentq: agentqServer(program),
      "bare native server": nativeServer(),
    };
    if ("value" in peers) servers["typescript-language-server"] = typescriptLanguageServer(peers.value);
    const fromSpawn = Object.entries(servers).map(([name, server]) => [
      name,
      () => initializeFromSpawn(server, folder),
    ]);
    const spawned = await inTurns<string, number>(
      {
        ...Object.fromEntries(fromSpawn),
        "agentq, nothing compiled before": () => initializeFirstEver(program, folder),
        "Node itself, empty program": () => startNode(folder),
      },
      rounds(ROUNDS),
    );
    const whenUp = Object.entries(servers).map(([name, server]) => [name, () => initializeWhenUp(server, folder)]);
    const running = await inTurns<string, number>(Object.fromEntries(whenUp), rounds(ROUNDS));
    const rows = [
      ...rowsOf({ measure: "initialize, from the spawn", unit: "ms" }, spawned, "bare native server", {
        agentq: below(GOAL_MS, "ms"),
      }),
      ...rowsOf({ measure: "initialize, process already up", unit: "ms" }, running, "bare native server", {
        agentq: below(GOAL_MS, "ms"),
      }),
    ];
    if ("value" in peers) return { rows, notes: [] };
    const skipped = { measure: "initialize", subject: "typescript-language-server", skipped: peers.missing };
    return { rows: [...rows, skipped], notes: [] };
  });
}

async function initializeFromSpawn(server: ServerCommand, folder: string): Promise<number> {
  const client = new LspClient(server, folder);
  await client.initialize(folder);
  const taken = client.sinceSpawn();
  await client.close();
  return taken;
}

/** What the very first start on a machine costs, before Node has kept any compiled code. */
function initializeFirstEver(program: string, folder: string): Promise<number> {
  return inTemporaryFolder((cache) =>
    initializeFromSpawn(agentqServer(program, { NODE_COMPILE_CACHE: cache }), folder),
  );
}

/** The floor under every server that is written in JavaScript. */
async function startNode(folder: string): Promise<number> {
  const client = new LspClient({ command: [process.execPath, "--eval", "0"] }, folder);
  await client.exited();
  return client.sinceSpawn();
}

/** The refusal of a request that comes before `initialize` tells that the process is up and reads. */
async function initializeWhenUp(server: ServerCommand, folder: string): Promise<number> {
  const client = new LspClient(server, folder);
  await client.request("workspace/symbol", { query: "x" }).catch(() => undefined);
  const taken = await timed(() => client.initialize(folder));
  await client.close();
  return taken;
}
