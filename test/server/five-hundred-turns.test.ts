/** A conversation of five hundred turns, of which a person who waits sees 60: its last requests are no longer than those of its beginning. */
import { afterEach, expect, it } from "vitest";
import { textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";
import { call, reply, type Step } from "../../examples/demo/model/script.ts";
import { runsAll } from "../support/extent.ts";
import { say, SessionStage } from "../support/session-stage.ts";

const TURNS = runsAll ? 500 : 60;
/** In tokens, of four characters. */
const WINDOW = 20_000;
/** A body is longer than its texts: names of fields, escapes, caching marks. */
const MAX_REQUEST = 0.85 * WINDOW * 4;

let stage: SessionStage;
afterEach(() => stage.dispose());

const isSummary = (body: RequestBody): boolean => textOf(body.system).startsWith("You write the notes");
const sizeOf = (bodies: readonly RequestBody[]): number =>
  bodies.reduce((sum, body) => sum + JSON.stringify(body).length, 0);

it("costs per turn at its end what it cost at its beginning", async () => {
  stage = new SessionStage();
  await stage.open(0, [{ id: "claude-sonnet-5-5", max_input_tokens: WINDOW }], undefined, WINDOW);
  const client = await stage.start();
  const look = reply("I look.", call("read_file", { path: "src/tax.ts" }));
  // Of a turn's requests the first one looks; a summary may come before it.
  const answer: Step = ({ body, step }) => {
    if (isSummary(body)) return reply("## Task\nThe developer wants the tax looked at.");
    return step === 0 ? look : reply("Seen.");
  };
  let sessionId: string | undefined;
  const turns: RequestBody[][] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    stage.steps.splice(0, stage.steps.length, answer, answer, answer);
    const before = stage.model.requests.length;
    const told = await say(client, `Turn ${turn}: look at the tax again, please.`, sessionId);
    sessionId = told.sessionId;
    expect(told.events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "endTurn" });
    turns.push(stage.model.requests.slice(before));
  }
  expect(stage.model.mismatches).toEqual([]);
  const bodies = turns.flat();
  expect(Math.max(...bodies.map((body) => JSON.stringify(body).length))).toBeLessThan(MAX_REQUEST);
  const [early, late] = [sizeOf(turns.slice(20, 60).flat()), sizeOf(turns.slice(-40).flat())];
  expect(late / early).toBeLessThan(1.1);
  // The provider's cache loses its hold at a boundary: those are rare.
  expect(bodies.filter(isSummary).length).toBeLessThan(TURNS / 20);
  const { items } = await client.request("agentq/listSessions", {});
  expect(items).toMatchObject([{ sessionId, turns: TURNS }]);
}, 300_000);
