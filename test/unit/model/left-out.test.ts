/** A server that refuses a part of a request gets the rest of it, and the person hears what was left out. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { reply, scriptOf } from "../../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../../examples/demo/scripted-model.ts";
import { createAnthropicModel } from "../../../server/src/model/anthropic-model.ts";
import type { ModelEvent, ModelPort, ModelRequest, UserBlock } from "../../../server/src/model/model-port.ts";
import type { JsonSchema } from "../../../server/src/protocol/shapes.ts";

let server: ScriptedModel;
let model: ModelPort;

beforeEach(async () => {
  server = await startScriptedModel(scriptOf("hello", "says hello", [reply("Hello.")]));
  const keys = { current: async () => ({ apiKey: "sk-test", authToken: null }), replaced: async () => undefined };
  model = createAnthropicModel({ keys, baseUrl: server.url });
});
afterEach(() => server.dispose());

const hello: UserBlock = { kind: "text", text: "hello" };

async function ask(over: Partial<ModelRequest>): Promise<readonly string[]> {
  const messages = [{ role: "user", content: [hello] }] as const;
  const request = { model: "m", system: "s", messages, tools: [], maxTokens: 100, ...over };
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  expect(events.at(-1)?.kind).toBe("done");
  return events.flatMap((event) => (event.kind === "leftOut" ? [event.message] : []));
}

it("goes on without a tool whose schema the server refuses, and says which one", async () => {
  const tool = (name: string, inputSchema: JsonSchema) => ({ name, description: name, inputSchema });
  const tools = [
    tool("fine", { type: "object" }),
    tool("strange", { type: "object", anyOf: [{ required: ["a"] }] }),
    tool("stranger", { type: "object", properties: { "a b": { type: "string" } } }),
  ];
  const told = await ask({ tools });
  expect(told).toEqual([
    expect.stringMatching(/does not take the tool strange \(.*top level.*\): it is left out from now on\.$/),
    expect.stringMatching(/does not take the tool stranger \(.*Property keys.*\): it is left out from now on\.$/),
  ]);
  expect(await ask({ tools })).toEqual([]);
  expect(server.requests.at(-1)?.tools?.map(({ name }) => name)).toEqual(["fine"]);
});

it("goes on without a picture that the server refuses, and with the others", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const picture = (data: string): UserBlock => ({ kind: "image", mediaType: "image/png", data });
  const messages = [
    { role: "user", content: [picture(png), hello] },
    { role: "assistant", content: [{ kind: "text", text: "Yes." }] },
    { role: "user", content: [picture("AAAA"), hello] },
  ] as const;
  expect(await ask({ messages })).toEqual([
    expect.stringMatching(/does not take a picture \(.*Could not process image\): it is left out from now on\.$/),
  ]);
  expect(await ask({ messages })).toEqual([]);
  const kinds = server.requests
    .at(-1)
    ?.messages.map(({ content }) => (typeof content === "string" ? [] : content.map(({ type }) => type)));
  expect(kinds).toEqual([["image", "text"], ["text"], ["text", "text"]]);
});
