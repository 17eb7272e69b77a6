/** The scripted model against the real SDK: what the demo and the tests stand on. */
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, test } from "vitest";
import { call, reply, scriptOf, type Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { scriptNamed } from "../../examples/demo/scripts/all.ts";

let model: ScriptedModel;
afterEach(async () => await model.dispose());

async function start(script: Script, maxRetries = 0): Promise<Anthropic> {
  model = await startScriptedModel(script);
  return new Anthropic({ apiKey: "scripted", baseURL: model.url, maxRetries });
}

const ASK = { model: "scripted", max_tokens: 100 } as const;
const hello: Anthropic.MessageParam[] = [{ role: "user", content: "Hello" }];
const look = scriptOf("look", "look once", [
  reply("I will look.", call("describe_symbol", { symbol: "naïve 🙂" })),
  (turn) => reply(`It says ${turn.expect("describe_symbol", "here").text}`),
]);

describe("the scripted model", () => {
  test("streams text and a tool call that the SDK puts together", async () => {
    const client = await start(look);
    const message = await client.messages.stream({ ...ASK, messages: hello }).finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content).toMatchObject([
      { type: "text", text: "I will look." },
      { type: "tool_use", name: "describe_symbol", input: { symbol: "naïve 🙂" } },
    ]);
  });

  test("answers without a stream too", async () => {
    const client = await start(look);
    const message = await client.messages.create({ ...ASK, messages: hello });
    expect(message.content.map((block) => block.type)).toEqual(["text", "tool_use"]);
  });

  test("goes on with the tool's result, and records every request", async () => {
    const client = await start(look);
    const first = await client.messages.create({ ...ASK, messages: hello });
    const id = first.content.find((block) => block.type === "tool_use")?.id ?? "";
    const messages: Anthropic.MessageParam[] = [
      ...hello,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "here it is" }] },
    ];
    const second = await client.messages.create({ ...ASK, messages });
    expect(second.content).toMatchObject([{ text: "It says here it is" }]);
    expect(model.requests.map((body) => body.messages.length)).toEqual([1, 3]);
    expect(await (await fetch(`${model.url}/__recorded`)).json()).toEqual(model.requests);
  });

  test("refuses a tool call that has no result, as the real API does", async () => {
    const client = await start(look);
    const first = await client.messages.create({ ...ASK, messages: hello });
    const messages: Anthropic.MessageParam[] = [...hello, { role: "assistant", content: first.content }, ...hello];
    await expect(client.messages.create({ ...ASK, messages })).rejects.toThrow("without tool_result");
    expect(model.mismatches).toHaveLength(1);
  });

  test("lets the SDK retry 429, 529 and 500 until the answer comes", async () => {
    const client = await start(scriptNamed("overloaded"), 3);
    const message = await client.messages.create({ ...ASK, messages: hello });
    expect(message.stop_reason).toBe("end_turn");
    expect(model.requests).toHaveLength(4);
  });

  test.each(["cut-stream", "cut-stream-clean", "error-event"])("%s breaks the first stream only", async (name) => {
    const client = await start(scriptNamed(name));
    await expect(client.messages.stream({ ...ASK, messages: hello }).finalMessage()).rejects.toThrow();
    expect(await client.messages.stream({ ...ASK, messages: hello }).finalText()).toContain("Hello");
  });

  test("keeps every character when the stream comes in pieces of seven bytes", async () => {
    const client = await start(scriptNamed("slow-drip"));
    expect(await client.messages.stream({ ...ASK, messages: hello }).finalText()).toContain(
      "naïve, but *punctual*. 🙂",
    );
  });

  test("counts a client that gives up", async () => {
    const client = await start(scriptNamed("hang"));
    const stream = client.messages.stream({ ...ASK, messages: hello });
    stream.once("text", () => stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow("aborted");
    await expect.poll(() => model.aborted).toBe(1);
  });
});
