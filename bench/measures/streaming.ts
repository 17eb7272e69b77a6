/** A reply that streams faster than anybody reads, and turns that are cancelled at any moment. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watchedLoop } from "../support/loop-blocks.ts";
import { ModelProcess } from "../support/model-process.ts";
import { p95Below, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { TurnClient, type EventParams } from "../support/turn-client.ts";

const PER_SECOND = 20_000;
const PIECES = 40_000;
const ROUNDS = 5;
const LOOP_GOAL_MS = 20;
const CANCELS = 40;
const CANCEL_GOAL_MS = 200;
/** The longest turn that is cancelled: calls, and text at the speed of a fast model. */
const CANCELLED = { calls: 10, pieces: 400, perSecond: 200 };

export function measureStreaming({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (temporary) => {
    const folder = path.join(realpathSync(temporary), "project");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "small.ts"), "export const one = 1;\n");
    const model = await ModelProcess.start();
    const { env, blocks } = watchedLoop(temporary);
    const client = await TurnClient.start({ program, folder, url: model.url, env });
    try {
      model.plan({ tool: "read_file", inputs: [] });
      await client.turn("Hello.");
      const [p99, longest, frames]: [number[], number[], number[]] = [[], [], []];
      for (let round = 0; round < rounds(ROUNDS); round += 1) {
        const began = Date.now();
        frames.push(await streamed(model, client));
        p99.push(blocks.p99Since(began));
        longest.push(blocks.longestSince(began));
      }
      const cancels: number[] = [];
      for (let count = 0; count < rounds(CANCELS); count += 1) {
        cancels.push(await cancelled(model, client, (count + 0.5) / rounds(CANCELS)));
      }
      const deltas = `${PER_SECOND.toLocaleString("en")} deltas a second`;
      const note = `${deltas}: ${PIECES.toLocaleString("en")} came whole and in order, in ${frames.join(", ")} frames.`;
      return { rows: rowsFor(deltas, { p99, longest, cancels }), notes: [note] };
    } finally {
      await client.close();
      await model.close();
    }
  });
}

function rowsFor(
  deltas: string,
  { p99, longest, cancels }: Readonly<Record<"p99" | "longest" | "cancels", readonly number[]>>,
): Row[] {
  const loop = { "p99, 0 for below 10 ms": p99, "the longest": longest };
  return [
    ...rowsOf({ measure: `delay of the loop, ${deltas}`, unit: "ms" }, loop, undefined, {
      "p99, 0 for below 10 ms": p95Below(LOOP_GOAL_MS, "ms"),
    }),
    ...rowsOf({ measure: "from a cancel to the end of the turn", unit: "ms" }, { agentq: cancels }, undefined, {
      agentq: p95Below(CANCEL_GOAL_MS, "ms"),
    }),
  ];
}

/** Answers in how many frames the text came. Throws where a piece is missing or out of its place. */
async function streamed(model: ModelProcess, client: TurnClient): Promise<number> {
  model.plan({ tool: "read_file", inputs: [], text: { pieces: PIECES, perSecond: PER_SECOND } });
  const frames: string[] = [];
  await client.turn("Write.", undefined, ({ event }) => {
    if (event.kind === "text") frames.push(event.text);
  });
  const said = frames.join("").trim().split(" ");
  const wrong = said.findIndex((word, index) => word !== String(index));
  if (wrong !== -1 || said.length !== PIECES)
    throw new Error(`Of ${PIECES} pieces ${said.length} came; ${wrong} is wrong.`);
  return frames.length;
}

/** Cancels after that part of the time that the turn would take. */
async function cancelled(model: ModelProcess, client: TurnClient, part: number): Promise<number> {
  const { calls, pieces, perSecond } = CANCELLED;
  const inputs = Array.from({ length: calls }, () => ({ path: "small.ts" }));
  model.plan({ tool: "read_file", inputs, text: { pieces, perSecond } });
  const session = Promise.withResolvers<string>();
  let asked = Number.NaN;
  let ended = Number.NaN;
  const hear = ({ sessionId, event }: EventParams): void => {
    if (event.kind === "turnStarted") session.resolve(sessionId);
    if (event.kind === "turnEnded") ended = performance.now();
  };
  const turn = client.turn("Go on until you are cancelled.", undefined, hear).catch(() => undefined);
  const sessionId = await session.promise;
  await sleep((part * pieces * 1_000) / perSecond);
  asked = performance.now();
  await client.lsp.request("agentq/cancel", { sessionId });
  await turn;
  return ended - asked;
}
