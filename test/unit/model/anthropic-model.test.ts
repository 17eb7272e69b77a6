/** The adapter with the real SDK against the scripted model; only waiting is faked. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ContentBlock } from "../../../examples/demo/model/request-body.ts";
import { startScriptedModel, type ScriptedModel } from "../../../examples/demo/scripted-model.ts";
import { scriptNamed } from "../../../examples/demo/scripts/all.ts";
import { createAnthropicModel } from "../../../server/src/model/anthropic-model.ts";
import { modelStatus, readProfiles } from "../../../server/src/model/profiles.ts";
import type { ModelEvent, ModelPort, ModelRequest } from "../../../server/src/model/model-port.ts";
import { adviceForStatus, waitBefore } from "../../../server/src/model/retry.ts";

const request: ModelRequest = {
  model: "scripted",
  system: "Be brief.",
  messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }],
  tools: [],
  maxTokens: 100,
};

const key = (apiKey: string | null) => ({
  current: async () => ({ apiKey, authToken: null }),
  replaced: async () => undefined,
});

let server: ScriptedModel | undefined;
afterEach(() => server?.dispose());

async function play(script: string): Promise<{ events: ModelEvent[]; waits: number[]; error: unknown }> {
  server = await startScriptedModel(scriptNamed(script));
  const waits: number[] = [];
  const model = createAnthropicModel({
    keys: key(null),
    baseUrl: server.url,
    wait: async (ms) => void waits.push(ms),
  });
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
    return { events, waits, error: undefined };
  } catch (error) {
    return { events, waits, error };
  }
}

async function drain(model: ModelPort, asked: ModelRequest, events: ModelEvent[] = []): Promise<ModelEvent[]> {
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

describe("the Anthropic adapter", () => {
  it("needs no key for a server of one's own", async () => {
    const { events } = await play("hello");
    expect(events.at(-1)).toMatchObject({
      kind: "done",
      stopReason: "endTurn",
      usage: { inputTokens: expect.any(Number) },
    });
  });

  it("retries rate limits, overload and server errors, and takes the server's own wait", async () => {
    const { events, waits } = await play("overloaded");
    const reasons = events.flatMap((event) => (event.kind === "retrying" ? [event.reason.slice(0, 3)] : []));
    expect(reasons).toEqual(["429", "529", "500"]);
    expect(waits[0]).toBe(0);
    expect(waits).toHaveLength(3);
    expect(events.at(-1)?.kind).toBe("done");
  });

  it("gives up after six attempts with the last problem in its sentence", async () => {
    const { events, waits, error } = await play("always-down");
    expect(events.map(({ kind }) => kind)).toEqual(Array(5).fill("retrying"));
    expect(waits.every((ms, index) => ms > (waits[index - 1] ?? 0) / 2)).toBe(true);
    expect(error).toMatchObject({ name: "ModelFailure", message: expect.stringContaining("6 attempts") });
    expect(server?.requests).toHaveLength(6);
  });

  it("marks what requests begin with for the provider to keep, wherever the provider is", async () => {
    server = await startScriptedModel(scriptNamed("hello"));
    const model = createAnthropicModel({ keys: key(null), baseUrl: server.url });
    const words = (text: string) => ({ role: "user", content: [{ kind: "text", text }] }) as const;
    const said = { role: "assistant", content: [{ kind: "text", text: "yes" }] } as const;
    const tools = ["one", "two"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
    await drain(model, { ...request, tools, messages: [words("a"), said, words("b"), said, words("c")] });
    const mark = { type: "ephemeral", ttl: "1h" };
    const [body] = server.requests;
    expect(body?.system).toMatchObject([{ cache_control: mark }]);
    expect(body?.tools?.map((tool) => tool["cache_control"])).toEqual([undefined, mark]);
    const marks = body?.messages.map(({ content }) => (content as readonly ContentBlock[])[0]?.["cache_control"]);
    expect(marks).toEqual([undefined, undefined, mark, undefined, mark]);
  });

  it("does without these marks where they are refused, and remembers it", async () => {
    const refused = (message: string) => ({ kind: "status", status: 400, message }) as const;
    const faults = [refused("system.0.cache_control.ttl: Extra inputs"), refused("unknown field cache_control"), null];
    server = await startScriptedModel({ ...scriptNamed("hello"), faults });
    const model = createAnthropicModel({ keys: key(null), baseUrl: server.url });
    expect((await drain(model, request)).map(({ kind }) => kind)).not.toContain("retrying");
    await drain(model, request);
    expect(server.requests.map((body) => JSON.stringify(body).match(/"cache_control":{.*?}/)?.[0])).toEqual([
      '"cache_control":{"type":"ephemeral","ttl":"1h"}',
      '"cache_control":{"type":"ephemeral"}',
      undefined,
      undefined,
    ]);
  });

  it("repeats no key that the provider repeats", async () => {
    const message = "invalid x-api-key: sk-secret-7";
    const faults = [
      { kind: "status", status: 500, message } as const,
      { kind: "status", status: 401, message } as const,
    ];
    server = await startScriptedModel({ ...scriptNamed("hello"), faults });
    const wait = async (): Promise<void> => undefined;
    const model = createAnthropicModel({ keys: key("sk-secret-7"), baseUrl: server.url, wait });
    const events: ModelEvent[] = [];
    const error = await drain(model, request, events).catch((reason: unknown) => reason);
    expect(String(error)).toContain("invalid x-api-key: [the key]");
    expect(JSON.stringify(events) + String(error)).not.toContain("sk-secret-7");
  });

  it("follows no redirect with the conversation", async () => {
    server = await startScriptedModel(scriptNamed("hello"));
    const { url } = server;
    const elsewhere = createServer((_request, response) => response.writeHead(307, { location: url }).end());
    await once(elsewhere.listen(0, "127.0.0.1"), "listening");
    const baseUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const model = createAnthropicModel({ keys: key("k"), baseUrl });
    await expect(drain(model, request)).rejects.toThrow(`a redirect to ${url}, which is not followed`);
    expect(server.requests).toEqual([]);
    elsewhere.close();
  });

  it("sends no half of a surrogate pair, whichever tool cut one in two", async () => {
    let body = "";
    const gateway = createServer((asked, response) => {
      asked.setEncoding("utf8").on("data", (part: string) => (body += part));
      asked.on("end", () => response.writeHead(400).end());
    });
    await once(gateway.listen(0, "127.0.0.1"), "listening");
    const baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    const model = createAnthropicModel({ keys: key("k"), baseUrl });
    const cut = { ...request, messages: [{ role: "user", content: [{ kind: "text", text: "a\ud83d" }] }] } as const;
    await expect(drain(model, cut)).rejects.toThrow("400");
    expect(JSON.parse(body)).toMatchObject({ messages: [{ content: [{ text: "a\uFFFD" }] }] });
    gateway.close();
  });

  it("asks again once a stream stalls, and closes the stalled connection", async () => {
    const stalls = { kind: "hang", afterEvents: 3 } as const;
    server = await startScriptedModel({ ...scriptNamed("hello"), faults: [stalls, null] });
    const limits = { stallMs: 200, maxBytes: 1_000_000 };
    const wait = async (): Promise<void> => undefined;
    const model = createAnthropicModel({ keys: key(null), baseUrl: server.url, wait, limits });
    const events = await drain(model, request);
    expect(events.find(({ kind }) => kind === "retrying")).toMatchObject({ reason: "nothing came for 0.2 s" });
    expect(events.at(-1)?.kind).toBe("done");
    await expect.poll(() => server?.aborted).toBe(1);
  });

  it("ends a reply that never ends, and does not ask again", async () => {
    const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(2 ** 15) } };
    const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    const line = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    const START = { type: "message_start", message: { usage: {} } };
    let asked = 0;
    const endless = createServer(({ method }, response) => {
      if (method === "POST") asked += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(line(START) + line(block));
      const more = (): void => {
        while (!response.destroyed && response.write(line(delta)));
        response.once("drain", more);
      };
      more();
    });
    await once(endless.listen(0, "127.0.0.1"), "listening");
    const limits = { stallMs: 20_000, maxBytes: 2 ** 20 };
    const baseUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const model = createAnthropicModel({ keys: key(null), baseUrl, limits });
    await expect(drain(model, request)).rejects.toThrow("was cut off: the reply is longer than 1 MB.");
    expect(asked).toBe(1);
    endless.close();
    endless.closeAllConnections();
  });

  it("says that nothing answers at an address where nothing listens", async () => {
    const gone = await startScriptedModel(scriptNamed("hello"));
    const { url } = gone;
    await gone.dispose();
    const model = createAnthropicModel({ keys: key(null), baseUrl: url, wait: async () => undefined });
    await expect(drain(model, request)).rejects.toMatchObject({
      message: expect.stringContaining("no connection to the model"),
    });
  });
});

describe("retry advice", () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [529, true],
  ])("for status %i: %s", (status, retry) => {
    expect(adviceForStatus(status, "x", undefined).retry).toBe(retry);
  });

  it("waits longer each time, but never above a minute, also when the server asks for more", () => {
    const waits = [1, 2, 3, 4, 9].map((attempt) =>
      waitBefore(attempt, { retry: true, reason: "", kind: "server" }, () => 0.5),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 60_000]);
    expect(waitBefore(1, { retry: true, reason: "", kind: "server", waitMs: 3_600_000 })).toBe(60_000);
    expect(adviceForStatus(429, "x", new Headers({ "retry-after": "7" })).waitMs).toBe(7_000);
  });
});

describe("the model's configuration", () => {
  it("is ready with a key, a token, or an address of one's own, and says how to get there without", () => {
    const ready = (variables: Record<string, string>) => modelStatus(readProfiles(variables, {})[0]);
    expect(ready({ ANTHROPIC_API_KEY: "k" })).toMatchObject({ ready: true, baseUrl: "Anthropic" });
    expect(ready({ ANTHROPIC_BASE_URL: "http://localhost:1" })).toMatchObject({ ready: true });
    expect(ready({ ANTHROPIC_API_KEY: "" })).toMatchObject({
      ready: false,
      reason: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  });

  it("never puts a key into the status", () => {
    expect(JSON.stringify(modelStatus(readProfiles({ ANTHROPIC_API_KEY: "sk-secret" }, {})[0]))).not.toContain(
      "sk-secret",
    );
  });
});
