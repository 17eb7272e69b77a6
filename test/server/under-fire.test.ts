/** Turns while the model's server misbehaves, over real sockets: no reply holds up, fills or confuses the conversation. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, it } from "vitest";
import type { ContentBlock } from "../../examples/demo/model/request-body.ts";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { runsAll } from "../support/extent.ts";
import { serverStage } from "../support/server-stage.ts";

type Answer = (response: ServerResponse, body: string) => unknown;

/** What a server that is no scripted model answers to a request for a message. */
let strangely: Answer;
const server = createServer((request, response) => {
  let body = "";
  request
    .on("data", (chunk: Buffer) => (body += chunk.toString("utf8")))
    .once("end", () => (isList(request) ? response.writeHead(404).end() : strangely(response, body)));
});
const stage = serverStage();
const strange = serverStage({
  settings: async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  },
});
let client: ServerClient;
let model: ScriptedModel;

beforeEach(() => void ({ client, model } = stage));

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** From now on the test speaks to a server of ours whose model's server answers so. */
function answering(given: Answer): void {
  strangely = given;
  ({ client } = strange);
}

/** This server has no list of its models. */
function isList({ method }: IncomingMessage): boolean {
  return method === "GET";
}

async function say(text: string, sessionId?: string): Promise<{ events: TurnEvent[]; sessionId: string }> {
  const answer = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
  return { events: await client.turn(answer.turnId), sessionId: answer.sessionId };
}

function retries(events: readonly TurnEvent[]): readonly TurnEvent[] {
  return events.filter(({ kind }) => kind === "retrying");
}

const STREAM = { "content-type": "text/event-stream" };
const START = 'event: message_start\ndata: {"type":"message_start","message":{"usage":{}}}\n\n';

it("says that a reply stalled, and asks again", async () => {
  // A quarter of an hour of silence passes in a third of a second; every other time is as it is.
  const hurry = `const wait = setTimeout; globalThis.setTimeout = (call, ms, ...rest) => wait(call, ms === 900_000 ? 300 : ms, ...rest)`;
  const script = scriptOf("stall", "stall, then answer", [reply("Here again.")], [{ kind: "hang", afterEvents: 5 }]);
  stage.script = script;
  client = await stage.start(
    {},
    { isProgram: true, env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hurry)}` } },
  );
  const { aborted } = model;
  const { events } = await say("hello");
  expect(retries(events)).toMatchObject([{ attempt: 1, reason: "nothing came for 900 s" }]);
  expect(events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "endTurn" });
  expect(model.aborted).toBe(aborted + 1);
});

it("sends a conversation nowhere else, and says where a redirect would lead", async () => {
  const elsewhere = `${model.url}/v1/messages`;
  answering((response) => response.writeHead(307, { location: elsewhere }).end());
  const { events } = await say("hello");
  expect(events.at(-1)).toMatchObject({
    reason: "error",
    message: expect.stringContaining(`a redirect to ${elsewhere}, which is not followed`),
  });
  expect(model.requests).toEqual([]);
});

it("says the message of a turn that failed with the next one, in a request that the server takes", async () => {
  const script = scriptOf("refuse-once", "refuse, then answer", [reply("Both.")], [{ kind: "status", status: 400 }]);
  stage.script = script;
  const { events, sessionId } = await say("First thing.");
  expect(events.at(-1)).toMatchObject({ reason: "error" });
  expect((await say("Second thing.", sessionId)).events.at(-1)).toMatchObject({ reason: "endTurn" });
  const { messages = [] } = model.requests.at(-1) ?? {};
  expect(messages.map(({ role }) => role)).toEqual(["user"]);
  expect(JSON.stringify(messages)).toMatch(/First thing\.[^]*Second thing\./);
  expect(model.mismatches).toEqual([]);
});

// That a reply has an end is in test/unit/model/anthropic-model.test.ts too, with a shorter one.
if (runsAll) {
  it("ends a turn whose reply never ends, and keeps the session", async () => {
    const piece = `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(2 ** 20) } })}\n\n`;
    answering((response) => {
      response.writeHead(200, STREAM);
      response.write(
        `${START}event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`,
      );
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        response.once("drain", more);
      };
      more();
    });
    const { turnId } = await client.request("agentq/prompt", { text: "hello" });
    // 64 MB pass through three processes.
    const events = await client.turn(turnId, 100_000);
    expect(events.at(-1)).toMatchObject({ reason: "error", message: expect.stringContaining("longer than 64 MB") });
    expect(retries(events)).toEqual([]);
  }, 120_000);
}

it.each([
  ["a page", 200, "text/html", "sent text/html where a stream"],
  ["a whole message", 200, "application/json", "sent application/json where a stream"],
  ["an expired key", 401, "application/json", "Set ANTHROPIC_API_KEY"],
  ["a request that is too large", 413, "text/plain", "does not fit the model's context, even alone"],
] as const)("says at once what is wrong where the answer is %s", async (...[, status, type, words]) => {
  answering((response) => response.writeHead(status, { "content-type": type }).end("{}"));
  const { events } = await say("hello");
  expect(events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "error", message: expect.stringContaining(words) });
  expect(retries(events)).toEqual([]);
});

it.each([
  ["is no JSON", `${START}event: content_block_delta\ndata: {"type":\n\n`],
  ["is null", `${START}event: message_delta\ndata: null\n\n`],
  [
    "stops a block that never began",
    `${START}event: content_block_stop\ndata: {"type":"content_block_stop","index":7}\n\n`,
  ],
  ["has nothing in it", ""],
])("asks again where a stream %s, and can be cancelled while it waits", async (_title, body) => {
  answering((response) => response.writeHead(200, STREAM).end(body));
  const { turnId, sessionId } = await client.request("agentq/prompt", { text: "hello" });
  await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.event.kind === "retrying" ? true : undefined,
  );
  await client.request("agentq/cancel", { sessionId });
  expect((await client.turn(turnId)).at(-1)).toEqual({ kind: "turnEnded", reason: "cancelled" });
});

it("runs each of two calls that came under one id, and sends a history that tells them apart", async () => {
  const calls = ["Money", "Invoice"].map((symbol, index) => ({ symbol, index }));
  const events = calls.flatMap(({ symbol, index }) => [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: "call_0", name: "describe_symbol", input: {} },
    },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify({ symbol }) },
    },
    { type: "content_block_stop", index },
  ]);
  const bodies: string[] = [];
  answering((response, body) => {
    bodies.push(body);
    const content = bodies.length === 1 ? events : [];
    const stop = {
      type: "message_delta",
      delta: { stop_reason: content.length > 0 ? "tool_use" : "end_turn" },
      usage: {},
    };
    const all = [...content, stop, { type: "message_stop" }];
    const text = all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    response.writeHead(200, STREAM).end(START + text);
  });
  await say("describe both");
  const { messages } = JSON.parse(bodies[1] ?? "{}") as {
    messages: { content: { id?: string; tool_use_id?: string; content?: string }[] }[];
  };
  const [asked = [], answered = []] = messages.slice(-2).map(({ content }) => content);
  const ids = asked.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(2);
  expect(answered.map(({ tool_use_id: id }) => id)).toEqual(ids);
  expect(answered[0]?.content).toContain("Money");
  expect(answered[1]?.content).toContain("Invoice");
});

it("runs the first hundred calls of a reply and answers the others", async () => {
  const many = Array.from({ length: 1_000 }, () => call("describe_symbol", { symbol: "Money" }));
  stage.script = scriptOf("many", "calls a thousand tools", [reply(...many), reply("Done.")]);
  const { events } = await say("go");
  expect(events.at(-1)).toEqual({ kind: "turnEnded", reason: "endTurn" });
  expect(events.filter(({ kind }) => kind === "toolResult")).toHaveLength(100);
  const results = model.requests[1]?.messages.at(-1)?.content as readonly ContentBlock[];
  expect(results).toHaveLength(1_000);
  expect(results[100]?.["content"]).toBe("NOT RUN: only the first 100 calls of a reply are run.");
  expect(model.mismatches).toEqual([]);
});

it("asks after fifty requests whether the turn goes on, and goes on or ends as the person says", async () => {
  stage.script = {
    name: "endless",
    description: "calls a tool for ever",
    reply: () => reply(call("describe_symbol", { symbol: "Money" })),
  };
  const { turnId } = await client.request("agentq/prompt", { text: "go" });
  const first = await client.waitFor(({ method, params }) => (method === "agentq/approval" ? params : undefined));
  expect(first).toMatchObject({
    question: "The turn has used 50 model requests. Go on?",
    answers: { denied: "End the turn" },
  });
  expect(model.requests).toHaveLength(50);
  await client.request("agentq/answerApproval", { approvalId: first.approvalId, decision: "approved" });
  const second = await client.waitFor(({ method, params }) =>
    method === "agentq/approval" && params.approvalId !== first.approvalId ? params : undefined,
  );
  expect(model.requests).toHaveLength(100);
  await client.request("agentq/answerApproval", { approvalId: second.approvalId, decision: "denied" });
  expect((await client.turn(turnId)).at(-1)).toMatchObject({
    reason: "maxRounds",
    message: expect.stringContaining("100"),
  });
  expect(model.mismatches).toEqual([]);
});
