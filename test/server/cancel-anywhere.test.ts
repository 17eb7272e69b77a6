/**
 * A cancel ends a turn at whatever moment: while the model streams, thinks or is asked again, while tools run, and while
 * the person is asked. Afterwards the history is one that the API takes. How soon is told by `npm run bench`.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, reply, think, type Step } from "../../examples/demo/model/script.ts";
import { randomFrom, seed, times } from "../support/fuzz.ts";
import { say, SessionStage } from "../support/session-stage.ts";

const CANCELS = times(6);
/** A turn that goes on by itself is longer than that. */
const LONGEST_MS = 600;
/** Far more than a cancel takes, for machines that do other things. */
const ENDS_WITHIN_MS = 20_000;

let stage: SessionStage;

beforeEach(async () => {
  stage = new SessionStage();
  await stage.open(4, undefined, [null, { kind: "status", status: 529 }, null, { kind: "cut", afterEvents: 6 }]);
});

afterEach(() => stage.dispose());

/** Moments of every kind: text, thoughts, calls that look, a call that runs for long, an edit that waits for the person. */
function turn(): Step[] {
  const words = "word ".repeat(30);
  const edit = { op: "insert_at_end", path: "src/tax.ts", modified: "// end\n" };
  return [
    reply(think(words), words, call("read_file", { path: "src/tax.ts" }), call("read_file", { path: "src/money.ts" })),
    reply(call("eval_form", { form: "await new Promise((resolve) => setTimeout(resolve, 60))" })),
    reply(words, call("describe_symbol", { symbol: "Money" })),
    reply(call("propose_edits", { description: "an end", edits: [edit] })),
  ];
}

it(
  `a turn that is cancelled at ${CANCELS} moments ends each time, and the conversation goes on`,
  async () => {
    const client = await stage.start();
    const random = randomFrom(seed);
    let sessionId: string | undefined;
    const ends = new Map<string, number>();
    for (let count = 0; count < CANCELS; count += 1) {
      stage.steps.splice(0, stage.steps.length, ...turn());
      const begun = await client.request("agentq/prompt", {
        text: `Turn ${count}.`,
        ...(sessionId === undefined ? {} : { sessionId }),
      });
      ({ sessionId } = begun);
      await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_MS));
      expect(await client.request("agentq/cancel", { sessionId })).toMatchObject({ cancelled: true });
      const events = await client.turn(begun.turnId, ENDS_WITHIN_MS);
      expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "cancelled" });
      // Nothing of the turn comes after its end.
      expect(events.filter(({ kind }) => kind === "turnEnded")).toHaveLength(1);
      const { kind = "" } = events.at(-2) ?? {};
      ends.set(kind, (ends.get(kind) ?? 0) + 1);
    }
    stage.steps.splice(0);
    expect((await say(client, "Go on.", sessionId)).events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    expect(stage.model.mismatches).toEqual([]);
    // Moments of one kind alone would prove little.
    expect(ends.size, JSON.stringify([...ends])).toBeGreaterThan(1);
  },
  CANCELS * (ENDS_WITHIN_MS + LONGEST_MS),
);
