/** Turns over real stdio with the real SDK against the scripted model: stop reasons, accidents, cancel, bad calls. */
import { beforeEach, describe, expect, it } from "vitest";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { scriptNamed } from "../../examples/demo/scripts/all.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ isProgram: true });
let model: ScriptedModel;
let client: ServerClient;

beforeEach(() => void ({ model, client } = stage));

function start(script: Script | string): void {
  stage.script = typeof script === "string" ? scriptNamed(script) : script;
}

async function say(text: string, sessionId?: string): Promise<{ events: TurnEvent[]; sessionId: string }> {
  const answer = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
  return { events: await client.turn(answer.turnId), sessionId: answer.sessionId };
}

function textIn(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function endOf(events: readonly TurnEvent[]): unknown {
  return events.at(-1);
}

describe("a turn", () => {
  it("streams text after the request was answered, numbered without gaps", async () => {
    start("hello");
    const { events } = await say("hello");
    expect(textIn(events)).toBe("Hello from the scripted model — naïve, but *punctual*. 🙂");
    expect(events.map(({ kind }) => kind)).toEqual([
      "turnStarted",
      ...Array(events.length - 3).fill("text"),
      "usage",
      "turnEnded",
    ]);
    expect(endOf(events)).toEqual({ kind: "turnEnded", reason: "endTurn" });
    const numbers = client.received.flatMap((note) => (note.method === "agentq/event" ? [note.params.seq] : []));
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it("puts a stream together that arrives in pieces of seven bytes", async () => {
    start("slow-drip");
    expect(textIn((await say("hello")).events)).toContain("naïve, but *punctual*. 🙂");
  });

  it("keeps thinking apart from text, and sends it back as it came", async () => {
    start("think");
    const { events, sessionId } = await say("2+2?");
    expect(events.find(({ kind }) => kind === "thinking")).toEqual({ kind: "thinking", text: "Two and two are four." });
    await say("sure?", sessionId);
    const assistant = model.requests[1]?.messages[1];
    expect(JSON.stringify(assistant)).toContain('"thinking":"Two and two are four."');
    expect(model.mismatches).toEqual([]);
  });

  it.each([
    ["refusal", "refusal"],
    ["max-tokens", "maxTokens"],
    ["max-tokens-in-call", "maxTokens"],
    ["pause-turn", "endTurn"],
  ])("ends by itself after %s, and the next prompt works", async (script, reason) => {
    start(script);
    const { events, sessionId } = await say("go");
    expect(endOf(events)).toMatchObject({ kind: "turnEnded", reason });
    expect(endOf((await say("again", sessionId)).events)).toMatchObject({ kind: "turnEnded", reason });
    expect(model.mismatches).toEqual([]);
  });

  it.each([
    ["rate-limited", 1],
    ["cut-stream", 1],
    ["cut-stream-clean", 1],
    ["error-event", 1],
  ])("shows the wait and answers in the end: %s", async (script, waits) => {
    start(script);
    const { events } = await say("hello");
    const retries = events.filter((event) => event.kind === "retrying");
    expect(retries).toHaveLength(waits);
    expect(retries[0]?.waitMs).toBeGreaterThan(0);
    expect(retries[0]?.reason).not.toBe("");
    expect(textIn(events).endsWith("🙂")).toBe(true);
    expect(endOf(events)).toMatchObject({ reason: "endTurn" });
  });

  it.each([
    ["unknown-tool", 'Unknown tool "read_minds"'],
    ["missing-parameter", "/symbol: expected string (required), received nothing"],
    ["wrong-type", "/pattern: expected string, received true"],
    ["malformed-tool-json", "were not a JSON object"],
  ])("tells the model what was wrong with its call and goes on: %s", async (script, words) => {
    start(script);
    const { events } = await say("go");
    expect(textIn(events)).toContain(words);
    expect(events.find((event) => event.kind === "toolResult")).toMatchObject({ result: { success: false } });
    expect(endOf(events)).toMatchObject({ reason: "endTurn" });
    expect(model.mismatches).toEqual([]);
  });

  it("cancels a reply that hangs, at once, and keeps the session usable", async () => {
    start("hang");
    const { aborted } = model;
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "hello" });
    await client.waitFor(({ method, params }) =>
      method === "agentq/event" && params.event.kind === "text" ? true : undefined,
    );
    expect(await client.request("agentq/cancel", { sessionId })).toEqual({ cancelled: true });
    expect(endOf(await client.turn(turnId))).toEqual({ kind: "turnEnded", reason: "cancelled" });
    await expect.poll(() => model.aborted).toBe(aborted + 1);
    expect(await client.request("agentq/cancel", { sessionId })).toEqual({ cancelled: false });
    const next = await client.request("agentq/prompt", { text: "again", sessionId });
    await client.waitFor(({ method, params }) =>
      method === "agentq/event" && params.turnId === next.turnId && params.event.kind === "text" ? true : undefined,
    );
    await client.request("agentq/cancel", { sessionId });
    await client.turn(next.turnId);
    expect(model.mismatches).toEqual([]);
  });

  it("takes what is said during a turn at its next boundary", async () => {
    const script = scriptOf("queue", "one call, then text", [
      reply("Looking.", call("propose_file_edit", { path: "notes.md", modified: "x\n", description: "a note" })),
      (turn) => reply(`You also said: ${JSON.stringify(turn.body.messages.at(-1)?.content)}`),
    ]);
    start(script);
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "first" });
    const proposal = await client.nextProposal();
    const second = await client.request("agentq/prompt", { text: "and second", sessionId });
    expect(second).toMatchObject({ sessionId, turnId, queued: true });
    await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: [{ id: "h1", decision: "reject" }],
    });
    const events = await client.turn(turnId);
    expect(textIn(events)).toContain("and second");
    expect(events).toContainEqual({ kind: "queuedPrompt", text: "and second", promptId: second.promptId });
    expect(model.requests).toHaveLength(2);
  });

  it("ends after a decision that asks to stop, with the model's history complete", async () => {
    const script = scriptOf("stop", "propose, and be stopped", [
      reply(call("propose_file_edit", { path: "notes.md", modified: "x\n", description: "a note" })),
      reply("never said"),
    ]);
    start({ ...script, reply: (turn) => (turn.prompt.includes("on") ? reply("Going on.") : script.reply(turn)) });
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "first" });
    const proposal = await client.nextProposal();
    await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: [{ id: "h1", decision: "reject", reason: "wrong place" }],
      then: "stop",
    });
    expect(endOf(await client.turn(turnId))).toMatchObject({ reason: "stopped" });
    expect(model.requests).toHaveLength(1);
    const { events } = await say("go on", sessionId);
    expect(textIn(events)).toBe("Going on.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("wrong place");
    expect(model.mismatches).toEqual([]);
  });

  it("withdraws the open proposal when the turn is cancelled", async () => {
    start(
      scriptOf("one", "propose", [reply(call("propose_file_edit", { path: "n.md", modified: "x", description: "d" }))]),
    );
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "first" });
    const { proposalId } = await client.nextProposal();
    await client.request("agentq/cancel", { sessionId });
    expect(endOf(await client.turn(turnId))).toMatchObject({ reason: "cancelled" });
    expect(await client.request("agentq/openProposal", { proposalId })).toMatchObject({ state: "withdrawn" });
    await expect(
      client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] }),
    ).rejects.toMatchObject({ code: -33004 });
  });

  it("never sends the key to a log, and never changes a file without a decision", async () => {
    start("hello");
    await say("hello");
    expect(JSON.stringify([client.logs, client.received]) + client.stderr).not.toContain("sk-test-not-a-key");
  });
});

describe("an editor that announced no proposals", () => {
  const begun = serverStage({ agentq: { version: 1 } });

  it("is told why edits are not possible, and the model is not offered them", async () => {
    ({ client, model } = begun);
    const { items } = await client.request("agentq/listTools", {});
    expect(items.find(({ name }) => name === "propose_file_edit")).toMatchObject({ available: false });
    await say("hello");
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain("propose_file_edit");
    expect(JSON.stringify(model.requests[0]?.system)).not.toContain("propose_file_edit");
    const result = await client.request("agentq/callTool", {
      name: "propose_file_edit",
      arguments: { path: "a.md", modified: "x", description: "d" },
    });
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("did not announce") });
  });
});

describe("an editor that announced nothing of agentq/*", () => {
  const begun = serverStage({ agentq: null });

  it("is sent no such notification", async () => {
    ({ client, model } = begun);
    await client.request("agentq/prompt", { text: "hello" });
    await expect.poll(() => model.requests.length).toBe(1);
    await client.request("agentq/evaluate", { code: "console.log('out')" });
    expect(client.received.map(({ method }) => method).filter((method) => method.startsWith("agentq/"))).toEqual([]);
  });
});
