/** Evaluation in the image beside Node's own REPL over a pipe: the first value, each later one, and an endless loop stopped. */
import { setTimeout as delay } from "node:timers/promises";
import type { EvalResult, ReplStatus } from "../../server/src/protocol/repl-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { NodeRepl } from "../support/node-repl.ts";
import { rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const COLD_ROUNDS = 10;
const WARM_ROUNDS = 200;
const LOOP_ROUNDS = 15;
/** Long enough that the loop really runs when it is stopped; not part of what is measured. */
const LOOP_RUNS_MS = 100;
const ENDLESS_LOOP = "while (true) {}";
const NODE = "node -i over a pipe";

export function measureRepl(setting: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const { program, rounds } = setting;
    const cold = await inTurns(
      {
        "agentq, from the spawn of the server": () => firstValueFromSpawn(program, folder),
        "agentq, server already up": () => firstValueWhenUp(program, folder),
        [NODE]: () => firstNodeValue(folder),
      },
      rounds(COLD_ROUNDS),
    );
    const client = new LspClient(agentqServer(program), folder);
    const node = new NodeRepl(folder);
    const interrupts = new InterruptProbe(client);
    try {
      await client.start(folder);
      await node.ready();
      const warm = await inTurns(
        { agentq: () => timed(() => onePlusOne(client)), [NODE]: () => timed(() => onePlusOneInNode(node)) },
        rounds(WARM_ROUNDS),
      );
      const loops = await inTurns(
        { agentq: () => interrupts.measure(), [NODE]: () => interruptNode(node) },
        rounds(LOOP_ROUNDS),
      );
      await onePlusOne(client);
      const rows = [
        ...rowsOf({ measure: "first 1+1", unit: "ms" }, cold, NODE),
        ...rowsOf({ measure: "1+1, warm", unit: "ms" }, warm, NODE),
        ...rowsOf({ measure: "endless loop stopped", unit: "ms" }, loops, NODE),
      ];
      return {
        rows,
        notes: interrupts.stateLost === 0 ? [] : [`${interrupts.stateLost} interrupts lost the REPL's state.`],
      };
    } finally {
      await client.close();
      await node.close();
    }
  });
}

async function firstValueFromSpawn(program: string, folder: string): Promise<number> {
  const client = new LspClient(agentqServer(program), folder);
  try {
    await client.start(folder);
    await onePlusOne(client);
    return client.sinceSpawn();
  } finally {
    await client.close();
  }
}

async function firstValueWhenUp(program: string, folder: string): Promise<number> {
  const client = new LspClient(agentqServer(program), folder);
  try {
    await client.start(folder);
    // The answer shows that the loading in the background is over.
    await client.request("agentq/listTools", {});
    return await timed(() => onePlusOne(client));
  } finally {
    await client.close();
  }
}

async function firstNodeValue(folder: string): Promise<number> {
  const node = new NodeRepl(folder);
  try {
    await node.ready();
    await onePlusOneInNode(node);
    return node.sinceSpawn();
  } finally {
    await node.close();
  }
}

async function onePlusOne(client: LspClient): Promise<void> {
  const result = await client.request<EvalResult>("agentq/evaluate", { code: "1+1" });
  if (result.preview !== "2") throw new Error(`agentq/evaluate of 1+1 answered ${JSON.stringify(result)}`);
}

async function onePlusOneInNode(node: NodeRepl): Promise<void> {
  const answer = await node.evaluate("1+1");
  if (answer.trim() !== "2") throw new Error(`node -i answered ${JSON.stringify(answer)} to 1+1`);
}

/** Starts endless loops in the image and stops them. */
class InterruptProbe {
  stateLost = 0;
  readonly #client: LspClient;
  #onBusy: () => void = () => undefined;

  constructor(client: LspClient) {
    this.#client = client;
    client.onNotification("agentq/replState", (status) => {
      if ((status as ReplStatus).state === "busy") this.#onBusy();
    });
  }

  /** From the request to stop until the evaluation has answered. */
  async measure(): Promise<number> {
    const busy = new Promise<void>((resolve) => (this.#onBusy = resolve));
    const evaluation = this.#client.request<EvalResult>("agentq/evaluate", { code: ENDLESS_LOOP });
    await busy;
    await delay(LOOP_RUNS_MS);
    const taken = await timed(() => Promise.all([this.#client.request("agentq/interrupt", {}), evaluation]));
    const { outcome, stateKept } = await evaluation;
    if (outcome !== "interrupted") throw new Error(`the endless loop ended with ${outcome}`);
    if (!stateKept) this.stateLost += 1;
    return taken;
  }
}

async function interruptNode(node: NodeRepl): Promise<number> {
  node.send(ENDLESS_LOOP);
  await delay(LOOP_RUNS_MS);
  return timed(() => node.interrupt());
}
