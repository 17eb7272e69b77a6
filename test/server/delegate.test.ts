/** The tool `delegate`: a conversation that answers a question of another one, with what looks and changes nothing. */
import { beforeEach, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

type Delegated = NotificationParams["agentq/delegated"];

const stage = serverStage();
let model: ScriptedModel;
let client: ServerClient;

/** What the conversations that answer do; those that ask delegate what stands in quotation marks, all at once. */
let answers: (task: string, step: number) => ReturnType<typeof reply>;

beforeEach(() => {
  ({ model, client } = stage);
  stage.script = {
    name: "delegates",
    description: "delegates what is quoted",
    reply: ({ body, step }) => {
      const [first] = body.messages;
      const said = textOf(first?.content);
      if (said.includes("Another conversation asks you this")) return answers(said, step);
      if (step > 0) return reply("Heard.");
      const tasks = [...textOf(body.messages.at(-1)?.content).matchAll(/"([^"]+)"/g)].map(([, task]) => task ?? "");
      return reply(...tasks.map((task) => call("delegate", { task })));
    },
  };
});

const delegated = (): Delegated[] =>
  client.received.flatMap(({ method, params }) => (method === "agentq/delegated" ? [params] : []));

async function ask(text: string) {
  const { sessionId, turnId } = await client.request("agentq/prompt", { text });
  const events = await client.turn(turnId);
  const results = events.flatMap((event) => (event.kind === "toolResult" ? [event.result] : []));
  return { sessionId, turnId, events, results };
}

it("answers with the last words of a conversation of its own, which has the safe tools alone and is listed under the other", async () => {
  answers = (_task, step) =>
    step === 0 ? reply("I look.", call("read_file", { path: "src/tax.ts" })) : reply("It is in src/tax.ts:4.");
  const { sessionId, events, results } = await ask('Find out "Where are the rates?"');
  expect(results).toMatchObject([{ success: true, content: "It is in src/tax.ts:4." }]);
  const asked = model.requests.filter(({ messages }) => textOf(messages[0]?.content).includes("Where are the rates?"));
  const offered = asked.at(-2)?.tools?.map(({ name }) => String(name)) ?? [];
  expect(offered).toContain("read_file");
  for (const name of ["delegate", "propose_edits", "eval_form", "run_command"]) expect(offered).not.toContain(name);
  const told = textOf(asked.at(-2)?.system);
  expect(
    told.match(/\b[a-z]+(?:_[a-z]+)+\b/g)?.filter((name) => !offered.includes(name)),
    "the prompt's tools",
  ).toEqual([]);
  expect(told).toContain("none changes or runs anything");
  // The one that asks hears the answer and nothing that was read for it.
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("TAX_RATES");
  const cards = events.flatMap((event) => (event.kind === "toolCall" ? [event.toolCallId] : []));
  const parent = { sessionId, toolCallId: cards[0] };
  expect(delegated().map((each) => each.parent)).toEqual(delegated().map(() => parent));
  expect(delegated().map(({ event }) => event.kind)).toEqual(
    expect.arrayContaining(["turnStarted", "toolCall", "toolResult", "text", "turnEnded"]),
  );
  const { items } = await client.request("agentq/listSessions", {});
  expect(items.slice(0, 2).map((each) => [each.sessionId === sessionId, each.parent])).toEqual([
    [true, undefined],
    [false, parent],
  ]);
  expect(items[1]?.name).toBe("Where are the rates?");
  const child = await client.request("agentq/openSession", { sessionId: items[1]?.sessionId ?? "" });
  expect(JSON.stringify(child.items)).toContain("TAX_RATES");
});

it("runs several at once, each with its own answer", async () => {
  answers = (task) => ({ ...reply(`About ${/kiwi|quince|medlar/.exec(task)?.[0]}.`), delayMs: 600 });
  const began = Date.now();
  const { results } = await ask('Ask "kiwi", "quince" and "medlar".');
  expect(results.map(({ content }) => content).toSorted()).toEqual(["About kiwi.", "About medlar.", "About quince."]);
  const spans = delegated().flatMap(({ event }, at) =>
    event.kind === "turnStarted" || event.kind === "turnEnded" ? [[event.kind, at]] : [],
  );
  expect(
    spans.slice(0, 3).map(([kind]) => kind),
    `within ${Date.now() - began} ms`,
  ).toEqual(Array(3).fill("turnStarted"));
});

it("refuses what changes anything and what delegates further, with a sentence that says so", async () => {
  answers = (_task, step) =>
    step === 0
      ? reply(call("eval_form", { form: "globalThis.made = 1" }), call("delegate", { task: "more" }))
      : reply("No.");
  await ask('Do "something".');
  const refused = delegated().flatMap(({ event }) => (event.kind === "toolResult" ? [event.result.error] : []));
  expect(refused).toEqual([
    expect.stringContaining("NOT RUN: eval_form is none of the tools that look"),
    expect.stringContaining("NOT RUN: delegate is none of the tools that look"),
  ]);
  expect((await client.request("agentq/replHistory", {})).items).toEqual([]);
});

it("ends with the conversation that asks, and alone", async () => {
  answers = () => ({ ...reply("Late."), delayMs: 60_000 });
  const first = await client.request("agentq/prompt", { text: 'Ask "one" and "two".' });
  const running = async (): Promise<Set<string>> => new Set(delegated().map(({ sessionId }) => sessionId));
  await expect.poll(async () => (await running()).size).toBe(2);
  const [alone = ""] = await running();
  await client.request("agentq/cancel", { sessionId: alone });
  const told = await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.event.kind === "toolResult" ? params.event.result : undefined,
  );
  expect(told).toMatchObject({
    success: false,
    error: "The conversation that was to answer gave no answer: it was cancelled.",
  });
  await client.request("agentq/cancel", { sessionId: first.sessionId });
  expect((await client.turn(first.turnId)).at(-1)).toMatchObject({ kind: "turnEnded", reason: "cancelled" });
  // The end of the helper is told a moment after that of the turn that asked it.
  const ended = (): string[] => delegated().flatMap(({ event }) => (event.kind === "turnEnded" ? [event.reason] : []));
  await expect.poll(ended).toEqual(["cancelled", "cancelled"]);
});

it("ends one that never stops asking, and gives its last words", async () => {
  answers = (_task, step) => reply(`Step ${step}.`, call("read_file", { path: "src/tax.ts" }));
  const { results } = await ask('Do "this".');
  expect(results[0]).toMatchObject({ success: false, error: expect.stringContaining("it used more than 25 requests") });
  const refused = delegated().flatMap(({ event }) => (event.kind === "toolResult" ? [event.result.error ?? ""] : []));
  expect(refused.filter((error) => error.includes("Answer now"))).not.toEqual([]);
});
