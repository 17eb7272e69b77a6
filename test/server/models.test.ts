/** Which model answers, how it thinks, and that its thoughts come back to it alone: over real sockets, also after a restart. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { blocksOf } from "../../examples/demo/model/request-body.ts";
import { call, reply, scriptOf, think } from "../../examples/demo/model/script.ts";
import { say } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

const yes = { supported: true };
const no = { supported: false };
const adaptive = { adaptive: yes, enabled: no, disabled: yes };
const budget = { adaptive: no, enabled: yes, disabled: yes };
const LISTED = [
  model("claude-deep", 64_000, { supported: true, types: adaptive }),
  model("claude-old", 8_000, { supported: true, types: budget }),
  model("claude-plain", 4_000, { supported: false, types: budget }),
];

function model(id: string, maxTokens: number, thinking: object) {
  return {
    id,
    display_name: id.toUpperCase(),
    max_tokens: maxTokens,
    max_input_tokens: 200_000,
    capabilities: { thinking },
  };
}

const stage = serverStage({ settings: { model: "claude-deep" }, models: LISTED });
let other: Server | undefined;

afterEach(() => {
  other?.close();
  other?.closeAllConnections();
  other = undefined;
});

const last = () => stage.model.requests.at(-1);
const thoughts = (): string[] =>
  (last()?.messages ?? []).flatMap((message) =>
    blocksOf(message).flatMap(({ type, thinking, data }) => (/thinking/.test(type) ? [String(thinking ?? data)] : [])),
  );

it("lists the models of the server with what they can", async () => {
  const { client } = stage;
  const { items, profiles, choice } = await client.request("agentq/listModels", {});
  expect(items[0]).toEqual({
    profile: "default",
    model: "claude-deep",
    name: "CLAUDE-DEEP",
    maxTokens: 64_000,
    maxInputTokens: 200_000,
    thinking: ["adaptive", "off"],
  });
  expect(items.map(({ thinking }) => thinking)).toEqual([["adaptive", "off"], ["budget", "off"], []]);
  expect(profiles).toEqual([{ name: "default", baseUrl: stage.model.url }]);
  expect(choice).toEqual({ profile: "default", model: "claude-deep", thinking: "auto" });
});

it("asks each model to think as that model can, for as long a reply as the model has", async () => {
  const client = await stage.start({ model: "claude-deep", thinking: "high" });
  const { sessionId } = await say(client, "one");
  expect(last()).toMatchObject({
    max_tokens: 64_000,
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
  });
  for (const [name, fields] of [
    ["claude-old", { max_tokens: 8_000, thinking: { type: "enabled", budget_tokens: 6_976 } }],
    ["claude-plain", { max_tokens: 4_000 }],
  ] as const) {
    await client.request("agentq/chooseModel", { sessionId, model: name });
    await say(client, "and now", sessionId);
    expect(last()).toMatchObject({ model: name, ...fields });
  }
  expect(last()).not.toHaveProperty("thinking");
  await client.request("agentq/chooseModel", { sessionId, model: "claude-deep", thinking: "off", temperature: 0.2 });
  await say(client, "quickly", sessionId);
  expect(last()).toMatchObject({ thinking: { type: "disabled" }, temperature: 0.2 });
});

it("is chosen by /model and /thinking too, which say what answers now and how to change that", async () => {
  const { client } = stage;
  const { sessionId, events } = await say(client, "/model");
  const answerIn = (all: typeof events) => all.find((event) => event.kind === "commandAnswer");
  const command = async (text: string) => answerIn((await say(client, text, sessionId)).events);
  expect(answerIn(events)?.text).toBe(
    [
      ...["deep", "old", "plain"].map((name) => `- \`claude-${name}\` (profile default, 200k tokens)`),
      "",
      "claude-deep (profile default) answers now; `/model MODEL` changes that.",
    ].join("\n"),
  );
  expect((await command("/model claude-old"))?.text).toContain(
    "claude-old (profile default) answers from the next turn on",
  );
  expect((await command("/thinking"))?.text).toBe(
    "Thinking: auto, in claude-old (profile default). `/thinking HOW MUCH` changes that: auto, off, low, medium, high, xhigh, max.",
  );
  expect((await command("/thinking low"))?.text).toContain("thinking: low");
  expect(await command("/thinking loud")).toMatchObject({ failed: true });
  expect(stage.model.requests).toEqual([]);
  await say(client, "hello", sessionId);
  expect(last()).toMatchObject({ model: "claude-old", thinking: { type: "enabled", budget_tokens: 2_048 } });
});

it("keeps a conversation's model and thoughts over a restart, and sends the thoughts to that model alone", async () => {
  const first = await stage.start({ model: "claude-deep" });
  const answer = call("read_file", { path: "src/tax.ts" });
  stage.steps.push(
    reply(think("Which rate?"), { type: "redacted_thinking", data: "c2VjcmV0" }, "I look.", answer),
    reply(think("19."), "Nineteen."),
  );
  const { sessionId } = await say(first, "The rate?");
  expect(thoughts()).toEqual(["Which rate?", "c2VjcmV0"]);
  await first.request("agentq/chooseModel", { sessionId, thinking: "low" });
  await first.close();

  const second = await stage.start({ model: "claude-plain" });
  expect(await second.request("agentq/chooseModel", { sessionId })).toEqual({
    profile: "default",
    model: "claude-deep",
    thinking: "low",
  });
  await say(second, "Sure?", sessionId);
  expect(last()).toMatchObject({ model: "claude-deep", output_config: { effort: "low" } });
  expect(thoughts()).toEqual(["Which rate?", "c2VjcmV0", "19."]);

  await second.request("agentq/chooseModel", { sessionId, model: "claude-old" });
  stage.steps.push(reply(think("Old."), "Yes."));
  await say(second, "And you?", sessionId);
  expect(thoughts()).toEqual([]);
  await second.request("agentq/chooseModel", { sessionId, model: "claude-deep" });
  await say(second, "Again?", sessionId);
  expect(thoughts()).toEqual(["Which rate?", "c2VjcmV0", "19."]);
  expect(stage.model.mismatches).toEqual([]);
});

it("goes on after a reply that was cut in the middle of a thought, or ended in one", async () => {
  const { client } = stage;
  stage.steps.push({ ...reply(think("endless")), stopReason: "max_tokens" });
  const { sessionId, events } = await say(client, "Think.");
  expect(events.at(-1)).toMatchObject({ reason: "maxTokens" });
  const long = {
    ...reply(think("deep"), "Slowly, word by word.", call("read_file", { path: "src/tax.ts" })),
    paceMs: 30,
  };
  stage.steps.push(long);
  const cut = await client.request("agentq/prompt", { sessionId, text: "Again." });
  await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.turnId === cut.turnId && params.event.kind === "text" ? true : undefined,
  );
  await client.request("agentq/cancel", { sessionId });
  await client.turn(cut.turnId);
  expect((await say(client, "Go on.", sessionId)).events.at(-1)).toMatchObject({ reason: "endTurn" });
  expect(thoughts()).toEqual(["deep"]);
  expect(stage.model.mismatches).toEqual([]);
});

it("says why a model refused", async () => {
  const { client } = stage;
  const stopDetails = { type: "refusal", category: "cyber", explanation: "It could be misused." } as const;
  stage.steps.push({ blocks: [], stopReason: "refusal", stopDetails });
  const { events } = await say(client, "Write a worm.");
  const message = expect.stringContaining("refused to answer this (cyber: It could be misused)");
  expect(events.at(-1)).toMatchObject({ reason: "refusal", message });
});

it("goes without what a server refuses, and says so of what the person has set", async () => {
  const refused = (message: string) => ({ kind: "status", status: 400, message }) as const;
  stage.script = scriptOf(
    "refused",
    "refuses twice",
    [reply("Done.")],
    [refused("thinking.adaptive.display: Extra inputs"), refused("`temperature` is deprecated for this model.")],
  );
  const client = await stage.start({ model: "claude-gate", temperature: 0 });
  const { events, sessionId } = await say(client, "hello");
  expect(events.filter(({ kind }) => kind === "notice")).toMatchObject([
    { level: "warning", message: expect.stringContaining("takes no temperature of 0 here") },
  ]);
  expect(last()).toMatchObject({ max_tokens: 16_000, thinking: { type: "adaptive" } });
  await say(client, "again", sessionId);
  expect(last()).not.toHaveProperty("temperature");
  expect(stage.model.requests).toHaveLength(4);
});

it("has a tool called first, or none at all, as a client chooses", async () => {
  const { client } = stage;
  const read = call("read_file", { path: "package.json" });
  const choices = (): unknown[] => stage.model.requests.map((request) => request["tool_choice"]);
  const chosen = async (toolChoice: string): Promise<unknown[]> => {
    stage.steps.push(reply(read), reply("Done."));
    const before = stage.model.requests.length;
    const { turnId } = await client.request("agentq/prompt", { text: "Look.", toolChoice });
    expect((await client.turn(turnId)).at(-1)).toMatchObject({ reason: "endTurn" });
    return choices().slice(before);
  };
  expect(await chosen("read_file")).toEqual([{ type: "tool", name: "read_file" }, undefined]);
  expect(await chosen("required")).toEqual([{ type: "any" }, undefined]);
  expect(await chosen("none")).toEqual([{ type: "none" }, { type: "none" }]);
  expect(await chosen("auto")).toEqual([undefined, undefined]);
  await expect(client.request("agentq/prompt", { text: "Look.", toolChoice: "grep" })).rejects.toThrow(
    /toolChoice: expected "auto", "required", "none" or the name of a tool: .*read_file.*, received "grep"/,
  );
  expect(stage.model.mismatches).toEqual([]);
});

it("goes on without the choice of a tool where a server takes none", async () => {
  const message = "tool_choice: Extra inputs are not permitted";
  stage.script = scriptOf("choiceless", "refuses once", [reply("Done.")], [{ kind: "status", status: 400, message }]);
  const client = await stage.start({ model: "claude-plain" });
  const { turnId } = await client.request("agentq/prompt", { text: "Look.", toolChoice: "required" });
  expect((await client.turn(turnId)).filter(({ kind }) => kind === "notice")).toMatchObject([
    { level: "warning", message: expect.stringContaining("takes no choice of a tool") },
  ]);
});

it("answers with another profile's model, and says which profile cannot be reached", async () => {
  const seen: (string | undefined)[] = [];
  other = createServer((request, response) => {
    seen.push(request.headers["x-api-key"]?.toString());
    response.writeHead(404, { "content-type": "application/json" }).end('{"error":"nothing here"}');
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const client = await stage.start({
    model: "claude-deep",
    profiles: { local: { baseUrl, model: "qwen3" }, gate: { baseUrl, keyVariable: "NO_SUCH_KEY" } },
  });
  const { items, profiles } = await client.request("agentq/listModels", {});
  expect(items.filter(({ profile }) => profile !== "default")).toEqual([
    { profile: "local", model: "qwen3", name: "qwen3" },
  ]);
  expect(profiles.map(({ problem = "" }) => problem)).toEqual([
    "",
    expect.stringContaining("gives no list of models (404"),
    expect.stringContaining("NO_SUCH_KEY, which is not set"),
  ]);
  expect(await client.request("agentq/chooseModel", { profile: "local" })).toMatchObject({ model: "qwen3" });
  expect((await client.request("agentq/status", {})).model).toMatchObject({
    model: "qwen3",
    profile: "local",
    baseUrl,
  });
  const { events } = await say(client, "hello");
  expect(events.at(-1)).toMatchObject({
    reason: "error",
    message: expect.stringContaining(`${baseUrl} refused the request (404`),
  });
  expect(seen.filter((key) => key?.startsWith("sk-"))).toEqual([]);
  await expect(client.request("agentq/chooseModel", { profile: "gate" })).rejects.toThrow("NO_SUCH_KEY");
  await expect(client.request("agentq/chooseModel", { profile: "nobody" })).rejects.toThrow("default, local, gate");
  await expect(client.request("agentq/chooseModel", { sessionId: "x" })).rejects.toThrow("no session x");
});
