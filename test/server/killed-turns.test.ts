/**
 * The server is killed at random moments of a turn: whatever the client was shown is there afterwards, the turn is marked
 * as cut, and the next prompt is valid for the API.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ContentBlock } from "../../examples/demo/model/request-body.ts";
import { call, reply, type Step } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { randomFrom, seed, times } from "../support/fuzz.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { say, SessionStage } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";

const KILLS = times(2);
const LIMIT_MS = 60_000;

let stage: SessionStage;

beforeEach(async () => {
  stage = new SessionStage();
  await stage.open(4);
});

afterEach(() => stage.dispose());

/** Long enough that moments of every kind are among fifty: streamed text, thinking, safe and other calls, their results. */
function turn(): Step[] {
  const words = (count: number): string => "word ".repeat(count);
  return [
    reply(words(40), call("read_file", { path: "src/tax.ts" }), call("read_file", { path: "src/allocate.ts" })),
    reply(words(20), call("eval_form", { form: "1 + 1" }), call("read_file", { path: "src/money.ts" })),
    reply(words(80)),
  ];
}

/** Pieces of one text are one event, and what a client learns of usage is no part of what it sees. */
function joined(events: readonly TurnEvent[]): TurnEvent[] {
  const all: TurnEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.kind === "text" && last?.kind === "text")
      all[all.length - 1] = { kind: "text", text: last.text + event.text };
    else all.push(event);
  }
  return all;
}

/** Whether the disk holds all that the client saw; the disk may be ahead by what was on its way. */
function expectKept(seen: readonly TurnEvent[], kept: readonly TurnEvent[]): void {
  const [shown, stored] = [joined(seen), joined(kept)];
  for (const [index, event] of shown.entries()) {
    const own = stored[index];
    if (event.kind === "text" && index === shown.length - 1) {
      expect(own?.kind === "text" && own.text.startsWith(event.text), "the last piece of a text").toBe(true);
    } else expect(own).toEqual(event);
  }
}

function expectValid(): void {
  expect(stage.model.mismatches).toEqual([]);
  const messages = stage.model.requests.at(-1)?.messages ?? [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks: readonly ContentBlock[] = typeof content === "string" ? [] : content;
    const calls = blocks.filter(({ type }) => type === "tool_use").map((block) => block["id"]);
    if (role !== "assistant" || calls.length === 0) continue;
    const next = messages[index + 1]?.content ?? [];
    const answers = typeof next === "string" ? [] : next.filter(({ type }) => type === "tool_result");
    expect(answers.map((block) => block["tool_use_id"])).toEqual(calls);
  }
}

/** What was said during the turn stands in the history or in the queue: once, as soon as the server has taken it. */
async function expectSaidOnce(client: ServerClient, sessionId: string, taken: readonly string[]): Promise<void> {
  const { items } = await client.request("agentq/openSession", { sessionId, limit: 500 });
  const waiting = await client.request("agentq/listQueue", { sessionId });
  const told = items.flatMap(({ event }) => {
    return event.kind === "queuedPrompt" || event.kind === "turnStarted" ? event.text.split("\n\n") : [];
  });
  const all = [...told, ...waiting.items.map(({ text }) => text)];
  for (const text of taken) expect(all.filter((each) => each === text)).toEqual([text]);
  for (const item of waiting.items) expect(item.held).toBe(true);
}

async function keptEvents(client: ServerClient, sessionId: string, turnId: string): Promise<TurnEvent[]> {
  const { items } = await client.request("agentq/openSession", { sessionId, lastTurns: 1, limit: 500 });
  return items.filter((item) => item.turnId === turnId).map(({ event }) => event);
}

it(
  `a turn whose server is killed at ${KILLS} random moments loses nothing that was seen`,
  async () => {
    // The seed that the run prints repeats the moments as far as a clock can.
    const random = randomFrom(seed);
    let client = await stage.start({}, { isProgram: true });
    const ends = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      stage.steps.splice(0, stage.steps.length, ...turn());
      const { sessionId, turnId } = await client.request("agentq/prompt", { text: `Turn ${kill}.` });
      const taken: string[] = [];
      const meanwhile = random() * 200;
      const own = client;
      void (async () => {
        for (const text of [`First of ${kill}.`, `Second of ${kill}.`]) {
          await new Promise((resolve) => setTimeout(resolve, meanwhile));
          await own.request("agentq/prompt", { text, sessionId });
          taken.push(text);
        }
      })().catch(() => undefined);
      // Some moments are told by the events, which are few and far between, others by the clock within streamed text.
      const after = Math.floor(random() * 24);
      await client.waitFor(() => {
        const seen = client.events(turnId);
        return seen.length > after || seen.at(-1)?.kind === "turnEnded" ? true : undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, random() * 40));
      await stage.kill(client);
      const seen = client.events(turnId);
      client = await stage.start({}, { isProgram: true });
      const kept = await keptEvents(client, sessionId, turnId);
      expectKept(seen, kept);
      await expectSaidOnce(client, sessionId, taken);
      const end = kept.at(-1);
      expect(end?.kind).toBe("turnEnded");
      const wasCut = end?.kind === "turnEnded" && end.reason === "cut";
      if (seen.at(-1)?.kind !== "turnEnded") expect(wasCut || kept.length > seen.length).toBe(true);
      ends.add(`${wasCut} after ${seen.at(-1)?.kind}`);
      stage.steps.splice(0, stage.steps.length);
      await say(client, "Go on.", sessionId);
      expectValid();
      const told = JSON.stringify(stage.model.requests.at(-1)?.messages);
      expect(told).toContain(`Turn ${kill}.`);
      expect(told.includes("Your last turn was cut off.")).toBe(wasCut);
    }
    // A few moments may be of one kind.
    if (KILLS > 20) expect(ends.size, [...ends].join(", ")).toBeGreaterThan(2);
  },
  KILLS * LIMIT_MS,
);

it("a turn whose server is killed in a review is told what waits, and then what the person decided", async () => {
  const edits = [
    { op: "insert_at_end", path: "src/tax.ts", modified: "// one\n" },
    { op: "insert_at_end", path: "src/money.ts", modified: "// two\n" },
  ];
  stage.steps.push(reply(call("propose_edits", { description: "Because.", edits })));
  let client = await stage.start({}, { isProgram: true });
  const { sessionId } = await client.request("agentq/prompt", { text: "Two lines." });
  const { proposalId } = await client.nextProposal();
  await stage.kill(client);
  client = await stage.start();
  expect((await client.nextProposal()).why).toContain("and the model hears of it with your next message. Because.");
  const heard = async (text: string): Promise<string> => {
    await say(client, text, sessionId);
    return JSON.stringify(stage.model.requests.at(-1)?.messages);
  };
  const first = await heard("Go on.");
  expect(first).toContain(
    "INTERRUPTED: the server ended while this call waited for the person. Nothing was done that they had not accepted by then.",
  );
  expect(first).toMatch(
    /\[\\"Edit 2 files: [^"]*\\", whose call was cut off, still waits for the person to decide\.\]/,
  );
  const hunks = [
    { id: "h1", decision: "accept" as const },
    { id: "h2", decision: "reject" as const, reason: "one is enough" },
  ];
  applyOnDisk((await client.request("agentq/decide", { proposalId, hunks })).edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
  const second = (await heard("And now?")).slice(first.length - 1);
  expect(second).toMatch(/whose call was cut off, is decided by now\. PARTIALLY APPLIED: 1 of 2 hunks\./);
  expect(second).toContain('NOT applied, the person rejected it: \\"one is enough\\"');
  expect((await heard("Anything else?")).slice(first.length + second.length - 2)).not.toContain("cut off");
});
