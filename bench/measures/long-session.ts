/** What a conversation costs at its tenth turn and at its five hundredth, at its first calls and at its two thousandth. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionInfo } from "../../server/src/protocol/session-shapes.ts";
import type { Page } from "../../server/src/protocol/shapes.ts";
import { BareProcess } from "../support/bare-process.ts";
import { KeptHeap } from "../support/kept-heap.ts";
import { now, type Asked } from "../support/model-api.ts";
import { ModelProcess } from "../support/model-process.ts";
import { progress } from "../support/progress.ts";
import { below, ratioUpTo, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { TurnClient } from "../support/turn-client.ts";

const TURNS = 500;
const TENTH = 9;
const CALLS = 2_000;
/** A turn asks after so many requests whether it goes on. */
const CALLS_OF_A_TURN = 49;
const SESSIONS = 1_000;
/** Turns at either end whose figures count. */
const AT_AN_END = 20;
const ROUNDS = 15;
const LIST_GOAL_MS = 50;
const GOAL_RATIO = 1.5;
/** Against a loop that sends requests of the same bytes. */
const FLOOR_RATIO = 1.3;
const LAST = "the last calls";

interface Stage {
  readonly temporary: string;
  readonly model: ModelProcess;
  readonly program: string;
  readonly folder: string;
}

export function measureLongSession({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (temporary) => {
    const folder = path.join(realpathSync(temporary), "project");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "small.ts"), "export const one = 1;\nexport const two = 2;\n");
    const model = await ModelProcess.start();
    const stage = { temporary, model, program, folder };
    const scale = Math.min(1, rounds(TURNS) / TURNS);
    try {
      const turns = await manyTurns(stage, Math.max(2 * AT_AN_END, Math.round(TURNS * scale)));
      const calls = await manyCalls(stage, Math.round((CALLS * scale) / CALLS_OF_A_TURN));
      const starts = await startUps(stage, turns.sessionId, rounds(ROUNDS));
      const list = await listing(stage, turns.sessionId, rounds(ROUNDS));
      return { rows: [...turns.rows, ...calls, ...starts, ...list], notes: [] };
    } finally {
      await model.close();
    }
  });
}

/** Each turn looks at a file and answers. */
async function manyTurns(stage: Stage, turns: number): Promise<{ readonly rows: Row[]; readonly sessionId: string }> {
  const { model, temporary } = stage;
  const heap = new KeptHeap(temporary, "turns");
  const client = await startClient(stage, heap.env);
  // What a server loads with its first turns is no part of the figures.
  await oneTurn(model, client, undefined, 1);
  const [toRequest, held]: [number[], number[]] = [[], []];
  let sessionId: string | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    progress(`turn ${turn} of ${turns}`);
    const prompted = now();
    sessionId = await oneTurn(model, client, sessionId, 1);
    const [first] = await model.asked();
    toRequest.push((first?.arrived ?? Number.NaN) - prompted);
    if (turn === TENTH || turn === turns - 1) held.push(await heap.now(client.lsp.pid));
  }
  await client.close();
  const rows = [
    ...bothEnds(`from the prompt to the request, of ${turns} turns`, toRequest, [
      "the turns from the 5th on",
      "the last turns",
    ]),
    ...heapRows(`held by the server, of ${turns} turns`, held, "at the tenth turn"),
  ];
  return { sessionId: sessionId ?? "", rows };
}

async function manyCalls(stage: Stage, turns: number): Promise<Row[]> {
  const { model } = stage;
  const heap = new KeptHeap(stage.temporary, "calls");
  const client = await startClient(stage, heap.env);
  const [trips, held]: [number[], number[]] = [[], []];
  let sessionId: string | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    progress(`turn ${turn} of ${turns}, ${CALLS_OF_A_TURN} calls each`);
    sessionId = await oneTurn(model, client, sessionId, CALLS_OF_A_TURN);
    trips.push(...tripsOf(await model.asked()));
    if (turn === 0 || turn === turns - 1) held.push(await heap.now(client.lsp.pid));
  }
  const bodies = await model.bodies();
  await client.close();
  const bare = await bareTrips(stage, bodies);
  const count = trips.length.toLocaleString("en");
  const ends = { "the calls from the 5th on": trips.slice(4, 4 + AT_AN_END), [LAST]: trips.slice(-AT_AN_END) };
  const measure = `round trip of a call, of ${count} in a conversation`;
  const sent = `${Math.round((bodies.at(-1)?.length ?? 0) / 1_000)} kB a request`;
  const floor = `bare SDK loop, the bodies of the last calls, ${sent}`;
  return [
    ...rowsOf({ measure, unit: "ms" }, { ...ends, [floor]: bare }, floor, { [LAST]: ratioUpTo(FLOOR_RATIO) }),
    ...heapRows(`held by the server, of ${count} calls`, held, "after the first turn"),
  ];
}

/** What a request of that size costs whoever sends it. */
async function bareTrips({ model, folder }: Stage, bodies: readonly string[]): Promise<number[]> {
  const bare = new BareProcess();
  const last = bodies.slice(-AT_AN_END - 1);
  const trips = async (): Promise<number[]> => {
    model.plan({ tool: "read_file", inputs: last.slice(1).map(() => ({ path: "small.ts" })) });
    await bare.run({ url: model.url, folder, bodies: last });
    return tripsOf(await model.asked());
  };
  // What is compiled in the first round is there in the second one.
  await trips();
  const taken = await trips();
  await bare.close();
  return taken;
}

function tripsOf(asked: readonly Asked[]): number[] {
  return asked.slice(1).map(({ arrived }, index) => arrived - (asked[index]?.arrived ?? arrived));
}

function heapRows(measure: string, [first = Number.NaN, last = Number.NaN]: readonly number[], name: string): Row[] {
  const goals = { "at the end": ratioUpTo(GOAL_RATIO, 1) };
  return rowsOf({ measure, unit: "MB" }, { [name]: [first], "at the end": [last] }, name, goals);
}

/** A new server takes the long conversation up, or begins one: from the prompt to the request. */
async function startUps(stage: Stage, sessionId: string, rounds: number): Promise<Row[]> {
  const start = async (session: string | undefined): Promise<number> => {
    const client = await startClient(stage);
    // The tools are loaded with another conversation's turn, as an editor's second prompt finds them.
    await oneTurn(stage.model, client, undefined, 0);
    const prompted = now();
    await oneTurn(stage.model, client, session, 0);
    const [first] = await stage.model.asked();
    await client.close();
    return (first?.arrived ?? Number.NaN) - prompted;
  };
  const samples = await inTurns(
    { "a new conversation": () => start(undefined), "the long conversation": () => start(sessionId) },
    rounds,
  );
  const measure = "from the prompt to the request, in a new server";
  return rowsOf({ measure, unit: "ms" }, samples, "a new conversation", {
    "the long conversation": ratioUpTo(GOAL_RATIO),
  });
}

async function listing(stage: Stage, long: string, rounds: number): Promise<Row[]> {
  const client = await startClient(stage);
  const { lsp } = client;
  const sessionId = await oneTurn(stage.model, client, undefined, 1);
  const { total } = await lsp.request<Page<SessionInfo>>("agentq/listSessions", { limit: 1 });
  for (let more = total; more < SESSIONS; more += 1) await lsp.request("agentq/forkSession", { sessionId });
  const listed = async (limit: number): Promise<number> => {
    let page: Page<SessionInfo> | undefined;
    const taken = await timed(async () => {
      page = await lsp.request<Page<SessionInfo>>("agentq/listSessions", { limit });
    });
    if (page?.items.length !== limit) throw new Error(`${String(page?.items.length)} conversations were listed.`);
    return taken;
  };
  const samples = await inTurns(
    {
      "all of them": () => listed(SESSIONS),
      "the first 50": () => listed(50),
      "the last turns of a long one, opened": () =>
        timed(() => lsp.request("agentq/openSession", { sessionId: long, lastTurns: 20 })),
    },
    rounds,
  );
  await client.close();
  const goals = { "all of them": below(LIST_GOAL_MS, "ms"), "the first 50": below(LIST_GOAL_MS, "ms") };
  return rowsOf(
    { measure: `${SESSIONS.toLocaleString("en")} conversations listed`, unit: "ms" },
    samples,
    undefined,
    goals,
  );
}

function startClient(
  { program, folder, model }: Stage,
  env: Readonly<Record<string, string>> = {},
): Promise<TurnClient> {
  return TurnClient.start({ program, folder, url: model.url, env });
}

function oneTurn(
  model: ModelProcess,
  client: TurnClient,
  sessionId: string | undefined,
  calls: number,
): Promise<string> {
  model.plan({ tool: "read_file", inputs: Array.from({ length: calls }, () => ({ path: "small.ts", end: 1 })) });
  return client.turn("Look at the file, and say what you see.", sessionId);
}

/** From the fifth sample on, as the first ones load and compile what the others find. */
function bothEnds(measure: string, samples: readonly number[], [first, last]: readonly [string, string]): Row[] {
  const ends = { [first]: samples.slice(4, 4 + AT_AN_END), [last]: samples.slice(-AT_AN_END) };
  return rowsOf({ measure, unit: "ms" }, ends, first, { [last]: ratioUpTo(GOAL_RATIO) });
}
