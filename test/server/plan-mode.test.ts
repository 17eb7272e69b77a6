/** Plan mode: until the person agrees to the plan, the agent looks, and changes and runs nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { serverStage } from "../support/server-stage.ts";
import { say } from "../support/session-stage.ts";

const stage = serverStage();

function said(index: number): string {
  return textOf(stage.model.requests.at(index)?.messages.at(-1)?.content);
}

function results(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) =>
    event.kind === "toolResult" ? [event.result.success ? event.result.content : (event.result.error ?? "")] : [],
  );
}

function notices(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
}

const insert = { op: "insert_at_start", path: "src/tax.ts", modified: "// Taxes.\n" };

/** What the model would do, whatever the mode is. */
function tries(): ReturnType<typeof reply> {
  return reply(
    call("describe_symbol", { symbol: "src/invoice.ts#billOrder" }),
    call("eval_form", { form: "globalThis.ran = true" }),
    call("propose_edits", { description: "Says it.", edits: [insert] }),
    call("no_such_tool", {}),
  );
}

it("lets the agent look and refuses all that changes or runs, until /go", async () => {
  const before = readFileSync(join(stage.folder, "src/tax.ts"), "utf8");
  stage.steps.push(tries(), reply("1. Say it in src/tax.ts."));
  const { sessionId, events } = await say(stage.client, "/plan How would you say it?");
  // The command became a prompt, which is the next turn.
  const turn = await stage.client.turn(await nextTurn(sessionId, "How would you say it?"));
  expect(events.filter(({ kind }) => kind === "modeChanged")).toEqual([{ kind: "modeChanged", mode: "plan" }]);
  expect(said(0)).toMatch(/^[^]*\[Plan mode: look[^]*How would you say it\?$/);
  const [looked, evaluated, proposed, unknown] = results(turn);
  expect(looked).toContain("billOrder");
  expect(evaluated).toMatch(/^NOT RUN: eval_form changes or runs something/);
  expect(proposed).toMatch(/^NOT RUN: propose_edits changes or runs something/);
  expect(unknown).toContain('Unknown tool "no_such_tool"');
  expect(notices(turn)).toEqual([expect.stringContaining("/go carries the plan out")]);
  expect(readFileSync(join(stage.folder, "src/tax.ts"), "utf8")).toBe(before);
  const { session } = await stage.client.request("agentq/openSession", { sessionId });
  expect(session.mode).toBe("plan");

  stage.steps.push(reply(call("eval_form", { form: "typeof globalThis.ran" })), reply("Done."));
  await say(stage.client, "/go And be brief.", sessionId);
  const carried = await stage.client.turn(
    await nextTurn(sessionId, "I agree to the plan: carry it out.\n\nAnd be brief."),
  );
  expect(said(2)).not.toContain("[Plan mode");
  expect(results(carried)[0]).toContain('"undefined"');
  expect(notices(carried)).toEqual([]);
});

it("is kept with the conversation by the server that comes next, and ends by /plan off", async () => {
  const { sessionId } = await say(stage.client, "/plan");
  const next = await stage.start();
  stage.steps.push(reply(call("eval_form", { form: "1" })), reply("A plan."));
  const { events } = await say(next, "Go on.", sessionId);
  expect(results(events)[0]).toMatch(/^NOT RUN/);
  await say(next, "/plan off", sessionId);
  stage.steps.push(reply(call("eval_form", { form: "20 + 22" })), reply("Done."));
  expect(results((await say(next, "Now?", sessionId)).events)[0]).toContain("42");
});

it("is not there where nobody asked for a plan: /go says so, and asks no model", async () => {
  const { events } = await say(stage.client, "/go");
  expect(events).toContainEqual(expect.objectContaining({ kind: "commandAnswer", failed: true }));
  expect(stage.model.requests).toEqual([]);
});

it("begins with a prompt of a client that has a switch, and a call that runs already is not taken back", async () => {
  stage.steps.push(reply("A plan."));
  const { sessionId, turnId } = await stage.client.request("agentq/prompt", { text: "Plan.", mode: "plan" });
  const events = await stage.client.turn(turnId);
  expect(events).toContainEqual({ kind: "modeChanged", mode: "plan" });
  expect(said(0)).toContain("[Plan mode");
  stage.steps.push(reply(call("eval_form", { form: "20 + 22" })), reply("Done."));
  const on = await stage.client.request("agentq/prompt", { sessionId, text: "Go.", mode: "default" });
  expect(results(await stage.client.turn(on.turnId))[0]).toContain("42");
});

/** The turn that began with these words of the person's, which the event tells. */
function nextTurn(sessionId: string, text: string): Promise<string> {
  return stage.client.waitFor(({ method, params }) =>
    method === "agentq/event" &&
    params.sessionId === sessionId &&
    params.event.kind === "turnStarted" &&
    params.event.text === text
      ? params.turnId
      : undefined,
  );
}
