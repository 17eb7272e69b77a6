/** Streams that are a little wrong, as relays and local servers send them, over real HTTP: no word and no call is lost. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "../../../examples/demo/model/api-rules.ts";
import { signatureOf } from "../../../examples/demo/model/signature.ts";
import { createAnthropicModel } from "../../../server/src/model/anthropic-model.ts";
import type { ModelEvent, ModelMessage, ModelReply } from "../../../server/src/model/model-port.ts";
import { bodyOf } from "../../support/body-of.ts";

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const START: Event = { type: "message_start", message: { usage: { input_tokens: 1_234, output_tokens: 1 } } };
const STOP: Event = { type: "message_stop" };
const begin = (index: number, content_block: object | null): Event => ({
  type: "content_block_start",
  index,
  content_block,
});
const text = (index: number, piece: unknown): Event => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text: piece },
});
const piece = (index: number, delta: unknown): Event => ({ type: "content_block_delta", index, delta });
const json = (index: number, partial_json: string): Event => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const stop = (index: number): Event => ({ type: "content_block_stop", index });
const ending = (stop_reason: string, usage: object = { output_tokens: 45 }): Event => ({
  type: "message_delta",
  delta: { stop_reason },
  usage,
});
const TEXT = { type: "text", text: "" };
const PICTURE = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const SEARCH = [
  { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
];
const CALL = { type: "tool_use", id: "c1", name: "read_file", input: {} };

const HELLO = [begin(0, TEXT), text(0, "hello "), text(0, "world"), stop(0)];
const WHOLE = [START, ...HELLO, ending("end_turn"), STOP];
const named = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const wire = (events: readonly Event[]): string => events.map(named).join("");

let asked: number;
let type: string;
let play: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  request.resume();
  if (request.method !== "POST") return void response.writeHead(404).end();
  asked += 1;
  response.writeHead(200, { "content-type": type });
  play(response);
});

beforeEach(async () => {
  [asked, type] = [0, "text/event-stream"];
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

async function ask(sent: string | ((response: ServerResponse) => void)): Promise<ModelEvent[]> {
  play = typeof sent === "function" ? sent : (response) => void response.end(sent);
  const { port } = server.address() as AddressInfo;
  const keys = { current: async () => ({ apiKey: "k", authToken: null }), replaced: async () => undefined };
  const model = createAnthropicModel({ keys, baseUrl: `http://127.0.0.1:${port}`, wait: async () => undefined });
  const messages = [{ role: "user", content: [{ kind: "text", text: "x".repeat(4_000) }] }] as const;
  const events: ModelEvent[] = [];
  const request = { model: "m", system: "s", messages, tools: [], maxTokens: 100 };
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

async function replyTo(sent: Parameters<typeof ask>[0]): Promise<ModelReply> {
  const last = (await ask(sent)).at(-1);
  expect(asked, "the reply is asked for once").toBe(1);
  return last?.kind === "done" ? last : expect.fail("there is no reply");
}

const words = ({ content }: ModelReply): string =>
  content.map((block) => (block.kind === "text" ? block.text : `<${block.kind}>`)).join("");

describe("the end of a reply", () => {
  const behind: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ["a connection that stays open", () => undefined],
    ["a connection that is reset", (response) => setTimeout(() => response.destroy(), 50)],
    ["words that are no events", (response) => response.end("data: <html>\n\n")],
    ["another service's end", (response) => response.end("event: done\ndata: [DONE]\n\n")],
    ["an event that nobody knows", (response) => response.end(named({ type: "billing" }))],
    ["an error", (response) => response.end(named({ type: "error", error: { type: "api_error", message: "late" } }))],
    ["comments without an end", (response) => void setInterval(() => response.write(": alive\n\n"), 50).unref()],
  ];
  it.each(behind)("is its message_stop, whatever comes behind: %s", async (_name, more) => {
    const reply = await replyTo((response) => {
      response.write(wire(WHOLE));
      setTimeout(() => more(response), 20);
    });
    expect(words(reply)).toBe("hello world");
  });

  it.each(behind.filter(([name]) => /reset|words|nobody|error/.test(name)))(
    "is the reason of its end where no message_stop comes, but %s",
    async (_name, more) => {
      const reply = await replyTo((response) => {
        response.write(wire(WHOLE.slice(0, -1)));
        setTimeout(() => more(response), 20);
      });
      expect(words(reply)).toBe("hello world");
    },
  );

  it.each([
    ["the last event without its empty line", wire(WHOLE).trimEnd()],
    ["no message_stop", wire(WHOLE.slice(0, -1))],
    ["no message_delta", wire([START, ...HELLO, STOP])],
    ["a message_delta without what it is about", wire([START, ...HELLO, { type: "message_delta" }, STOP])],
    ["no event names", WHOLE.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")],
    [
      "names in place of types",
      WHOLE.map(({ type: name, ...event }) => `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
    ],
  ])("is found with %s", async (_name, sent) => {
    const reply = await replyTo(sent);
    expect([words(reply), reply.stopReason]).toEqual(["hello world", "endTurn"]);
  });

  it("is known in whatever letters the server writes the type of its stream", async () => {
    type = "Text/Event-Stream; charset=utf-8";
    expect(words(await replyTo(wire(WHOLE)))).toBe("hello world");
  });
});

describe("a block of a reply", () => {
  it.each([
    ["without its end", [begin(0, TEXT), text(0, "hello "), text(0, "world")]],
    ["without its beginning", [text(0, "hello "), text(0, "world"), stop(0)]],
    [
      "that begins for each of its pieces",
      [begin(0, { ...TEXT, text: "hello " }), begin(0, { ...TEXT, text: "world" })],
    ],
    ["that begins empty for each of its pieces", [begin(0, TEXT), text(0, "hello "), begin(0, TEXT), text(0, "world")]],
    ["with a piece that is no text", [begin(0, TEXT), text(0, "hello "), text(0, null), text(0, "world"), stop(0)]],
    ["that begins with nothing", [begin(0, null), text(0, "hello "), text(0, "world"), stop(0)]],
    ["that begins without a type", [begin(0, {}), text(0, "hello "), text(0, "world"), stop(0)]],
    ["with pieces of nothing", [begin(0, TEXT), piece(0, null), text(0, "hello world"), piece(0, undefined), stop(0)]],
  ])("is kept %s, as it was shown", async (_name, blocks) => {
    const events = await ask(wire([START, ...blocks, ending("end_turn"), STOP]));
    const shown = events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
    const last = events.at(-1);
    expect([shown, last?.kind === "done" && words(last)]).toEqual(["hello world", "hello world"]);
  });

  it("is a call also without its end", async () => {
    const reply = await replyTo(wire([START, begin(0, CALL), json(0, '{"path":"a.ts"}'), ending("tool_use"), STOP]));
    expect(reply.content).toMatchObject([{ kind: "toolUse", name: "read_file", arguments: { path: "a.ts" } }]);
    expect(reply.stopReason).toBe("toolUse");
  });

  it("is a call whose arguments come as text, too", async () => {
    const call = { ...CALL, input: '{"path":"a.ts"}' };
    const { content } = await replyTo(wire([START, begin(0, call), stop(0), ending("tool_use"), STOP]));
    expect(content).toMatchObject([{ kind: "toolUse", arguments: { path: "a.ts" } }]);
  });

  const thought = { type: "thinking", thinking: "Hm.", signature: signatureOf("Hm.", "m") };
  it.each<[string, { readonly type: string }[], number]>([
    ["of another API", [{ type: "reasoning", reasoning: "Hm." } as { type: string }], 0],
    ["that is a picture", [PICTURE], 0],
    ["of the server's own tools", SEARCH, 0],
    ["with fields of a relay's", [{ ...thought, text: null, index: 0 } as { type: string }], 1],
    ["that hides a thought, with such fields", [{ type: "redacted_thinking", data: "a", x: 1 } as { type: string }], 1],
    ["beside one that goes back", [thought, { type: "mystery" }], 1],
  ])("never has the next request refused: one %s", async (_name, blocks, thoughts) => {
    const all = [...blocks, TEXT, CALL].flatMap((block, index) => [begin(index, block), stop(index)]);
    const { content } = await replyTo(wire([START, ...all, ending("tool_use"), STOP]));
    const by = content.flatMap((block) => (block.kind === "opaque" ? (block.by ?? []) : []))[0] ?? "m";
    const messages: ModelMessage[] = [
      { role: "user", content: [{ kind: "text", text: "hello" }] },
      { role: "assistant", content },
      { role: "user", content: [{ kind: "toolResult", toolCallId: "c1", content: "x", isError: false }] },
    ];
    const body = bodyOf(messages, {}, { by });
    expect(problemOf(body)).toBeUndefined();
    const sent = body.messages[1]?.content as readonly { readonly type: string }[];
    expect(sent.filter(({ type: kind }) => /thinking/.test(kind)).length).toBe(thoughts);
  });

  it.each(["\n\n", "   ", "\u00a0\u2003", "\u001c\u0085"])("is not kept where it has no word: %j", async (blank) => {
    const blocks = [begin(0, TEXT), text(0, blank), stop(0), begin(1, CALL), stop(1)];
    const reply = await replyTo(wire([START, ...blocks, ending("tool_use"), STOP]));
    expect(reply.content.map(({ kind }) => kind)).toEqual(["toolUse"]);
  });
});

describe("the count of a reply", () => {
  it("stays what it was where a 0 or nothing comes behind it", async () => {
    const zero = { input_tokens: 0, cache_read_input_tokens: null, output_tokens: 45 };
    const { usage } = await replyTo(wire([START, ...HELLO, ending("end_turn", zero), STOP]));
    expect(usage).toMatchObject({ inputTokens: 1_234, outputTokens: 45 });
    expect(usage.isEstimate).toBeUndefined();
  });

  it("is an estimate by characters where the server counts nothing", async () => {
    const start = { type: "message_start", message: {} };
    const { usage } = await replyTo(wire([start, ...HELLO, ending("end_turn", {}), STOP]));
    expect(usage.isEstimate).toBe(true);
    expect(usage.inputTokens).toBeGreaterThan(1_000);
    expect(usage.inputTokens).toBeLessThan(1_200);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });
});

it("tells the error of an answer that is no stream, and asks again where it is one of overload", async () => {
  type = "application/json";
  const error = (kind: string) => JSON.stringify({ type: "error", error: { type: kind, message: `said: ${kind}` } });
  await expect(ask(error("overloaded_error"))).rejects.toThrow(
    "6 attempts. The last problem was overloaded_error: said",
  );
  expect(asked).toBe(6);
  await expect(ask(error("invalid_request_error"))).rejects.toThrow("said: invalid_request_error");
  await expect(ask("{}")).rejects.toThrow("sent application/json where a stream of events belongs");
  expect(asked).toBe(8);
});

it("asks again for a reply that is cut in the middle of a block, and keeps nothing of it", async () => {
  const events = await ask((response) => {
    if (asked === 1) response.end(wire([START, begin(0, TEXT), text(0, "half")]));
    else response.end(wire(WHOLE));
  });
  expect(asked).toBe(2);
  expect(events.map(({ kind }) => kind)).toContain("retrying");
});
