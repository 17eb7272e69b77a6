/** Slash commands: prompts that the server answers by itself. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { say, SessionStage } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";

let stage: SessionStage;
let client: ServerClient;

beforeAll(async () => {
  stage = new SessionStage();
  await stage.open();
  client = await stage.start();
});

afterAll(() => stage.dispose());

type Answer = Extract<TurnEvent, { kind: "commandAnswer" }>;

function answerIn(events: readonly TurnEvent[]): Answer {
  const answer = events.find((event): event is Answer => event.kind === "commandAnswer");
  if (answer === undefined) throw new Error(`No answer in ${JSON.stringify(events)}`);
  return answer;
}

async function command(text: string, sessionId?: string): Promise<Answer> {
  return answerIn((await say(client, text, sessionId)).events);
}

describe("a command", () => {
  it("is answered in a turn of its own that asks no model and costs no tokens", async () => {
    const asked = stage.model.requests.length;
    const { events } = await say(client, "/describe billOrder");
    expect(events.map(({ kind }) => kind)).toEqual(["turnStarted", "commandAnswer", "turnEnded"]);
    expect(events[0]).toEqual({ kind: "turnStarted", text: "/describe billOrder", isCommand: true });
    expect(answerIn(events)).toMatchObject({ asked: "/describe billOrder" });
    expect(answerIn(events).text).toContain("src/invoice.ts#billOrder");
    expect(stage.model.requests).toHaveLength(asked);
  });

  it("is kept with the conversation, and the model never hears of it, not after a restart either", async () => {
    const { sessionId } = await say(client, "/eval 20 + 22");
    stage.steps.push(reply("Hello."));
    await say(client, "Hello?", sessionId);
    await stage.close(client);
    client = await stage.start();
    const { items } = await client.request("agentq/openSession", { sessionId });
    expect(answerIn(items.map(({ event }) => event)).text).toContain("42");
    stage.steps.push(reply("Yes."));
    await say(client, "Still there?", sessionId);
    const told = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(told).toContain("Hello?");
    expect(told).not.toContain("20 + 22");
    const { items: turns } = await client.request("agentq/listTurns", { sessionId });
    expect(turns.map(({ text }) => text)).toEqual(["Hello?", "Still there?"]);
  });

  it("runs at once while a turn runs, and its answer stands in that turn", async () => {
    stage.steps.push(reply(call("eval_form", { form: "await new Promise((end) => setTimeout(end, 2_000))" })));
    const turn = await client.request("agentq/prompt", { text: "Wait." });
    const { turnId } = await client.request("agentq/prompt", { text: "/tools", sessionId: turn.sessionId });
    expect(turnId).toBe(turn.turnId);
    const answer = await client.waitFor(({ method, params }) =>
      method === "agentq/event" && params.turnId === turnId && params.event.kind === "commandAnswer"
        ? params.event
        : undefined,
    );
    expect(answer.text).toContain("`describe_symbol`");
    const events = await client.turn(turnId);
    expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
  });

  it("that does not exist is refused with the nearest name, and nothing is kept of it", async () => {
    const before = await client.request("agentq/listSessions", {});
    await expect(client.request("agentq/prompt", { text: "/descirbe Cart" })).rejects.toMatchObject({
      code: -33010,
      message: expect.stringContaining("Did you mean /describe?") as string,
    });
    expect((await client.request("agentq/listSessions", {})).total).toBe(before.total);
  });

  it.each(["/usr/bin is where?", "/tmp is full", "/ 2"])("is not: %s", async (text) => {
    stage.steps.push(reply("I see."));
    const { events } = await say(client, text);
    expect(events.some(({ kind }) => kind === "commandAnswer")).toBe(false);
    expect(textOf(stage.model.requests.at(-1)?.messages.at(-1)?.content)).toContain(text);
  });

  it("says which words it needs, and a tool's failure is told as one", async () => {
    expect(await command("/callers")).toMatchObject({ failed: true, text: "/callers SYMBOL: say which." });
    expect(await command("/tests ../elsewhere.test.ts")).toMatchObject({ failed: true });
  });
});

describe("a command about conversations", () => {
  it("begins a new one, of whose id the client hears", async () => {
    const first = await say(client, "/help");
    const second = await say(client, "/new", first.sessionId);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(answerIn(first.events).text).toContain("`/describe SYMBOL`");
  });

  it("goes on with one of the list, and shows what was said last there", async () => {
    stage.steps.push(reply("The quince costs three."));
    const { sessionId } = await say(client, "What does the quince cost?");
    const other = await say(client, "/new", sessionId);
    const listed = await command("/sessions", other.sessionId);
    const number = /^(\d+)\. What does the quince cost\? \(1 message/m.exec(listed.text)?.[1] ?? "";
    const gone = await say(client, `/sessions ${number}`, other.sessionId);
    expect(gone.sessionId).toBe(sessionId);
    expect(answerIn(gone.events).text).toContain("The quince costs three.");
    expect(await command("/sessions 99", sessionId)).toMatchObject({ failed: true });
  });

  it("forks before a message, and says the last one again", async () => {
    stage.steps.push(reply("One."), reply("Two."));
    const { sessionId } = await say(client, "First thing.");
    await say(client, "Second thing.", sessionId);
    expect((await command("/rewind", sessionId)).text).toBe("1. First thing.\n2. Second thing.");
    const fork = await say(client, "/fork 2", sessionId);
    expect(fork.sessionId).not.toBe(sessionId);
    stage.steps.push(reply("Three."));
    await say(client, "Third thing.", fork.sessionId);
    const told = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(told).toContain("First thing.");
    expect(told).not.toContain("Second thing.");
    stage.steps.push(reply("Again."));
    await client.request("agentq/prompt", { text: "/retry", sessionId });
    await client.waitFor(({ method, params }) =>
      method === "agentq/event" && params.event.kind === "text" && params.event.text === "Again." ? true : undefined,
    );
    expect(stage.lastWords()).toContain("Second thing.");
  });

  it("writes the conversation into a file that only the person can read", async () => {
    stage.steps.push(reply("Of course."));
    const { sessionId } = await say(client, "Remember the medlar.");
    const { text } = await command("/export", sessionId);
    const path = /`([^`]+)`/.exec(text)?.[1] ?? "";
    expect(path.startsWith(stage.state)).toBe(true);
    expect(readFileSync(path, "utf8")).toContain("> Remember the medlar.");
  });

  it("of which there is none yet says so", async () => {
    expect(await command("/undo")).toMatchObject({ failed: true, text: "There is no conversation yet." });
  });
});
