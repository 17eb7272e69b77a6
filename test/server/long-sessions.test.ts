/** Conversations that outgrow the model's context: what is left out, what is told, and what stays. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";
import { call, reply, think, type Reply, type Step } from "../../examples/demo/model/script.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { serverStage, type ServerStage } from "../support/server-stage.ts";
import { say } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";
import { casesToRun, itAtLength } from "../support/extent.ts";

/** In tokens. The scripted model counts four characters a token; tools and prompt have about 17,000 characters. */
const WINDOW = 20_000;
const MODEL = "claude-sonnet-5-5";
const SUMMARY =
  '## Task\nThe developer wants the invoices rounded.\n## Decisions of the developer\nThey said "never round down".';

const listed = serverStage({ models: [{ id: MODEL, max_input_tokens: WINDOW }], contextWindow: WINDOW });
let stage: ServerStage;

beforeEach(() => void (stage = listed));

const isSummary = (body: RequestBody | undefined): boolean => textOf(body?.system).startsWith("You write the notes");
const summaries = (): RequestBody[] => stage.model.requests.filter(isSummary);
const own = (): RequestBody[] => stage.model.requests.filter((body) => !isSummary(body));
const sizeOf = (body: RequestBody | undefined): number => JSON.stringify(body).length;
const compactions = (events: readonly TurnEvent[]) => events.filter((event) => event.kind === "compacted");
const said = (body: RequestBody | undefined): string =>
  (body?.messages ?? [])
    .flatMap(blocksOf)
    .map((block) => textOf([block]))
    .join("\n");

/** Answers a request for a summary with one, and every other request with these words. */
function answering(words: Reply): Step {
  return ({ body }) => (isSummary(body) ? reply(SUMMARY) : words);
}

/** Forty characters a line. */
function longFile(length: number): string {
  const lines = Array.from({ length }, (_each, line) => `export const rate${line} = ${line} * 0.19;`.padEnd(39));
  writeFileSync(join(stage.folder, "src/rates.ts"), `${lines.join("\n")}\n`);
  return "src/rates.ts";
}

async function talk(client: ServerClient, turns: number, length: number, sessionId?: string) {
  const events: TurnEvent[] = [];
  let id = sessionId;
  for (let turn = 1; turn <= turns; turn += 1) {
    stage.steps.splice(0, stage.steps.length, ...Array.from({ length: 3 }, () => answering(reply(`Answer ${turn}.`))));
    const told = await say(client, `Question ${turn}: ${"word ".repeat(length / 5)}`, id);
    id = told.sessionId;
    events.push(...told.events);
  }
  return { sessionId: id ?? "", events };
}

it("summarises a conversation that would pass 80 % of the window, and goes on with the last turns", async () => {
  const { client } = stage;
  const { sessionId, events } = await talk(client, 12, 8_000);
  const [compacted] = compactions(events);
  expect(compacted).toMatchObject({ by: "server", summary: SUMMARY, contextWindow: WINDOW });
  expect(compacted?.tokens).toBeLessThan(0.7 * (compacted?.tokensBefore ?? 0));
  expect(events.filter((event) => event.kind === "turnEnded" && event.reason !== "endTurn")).toEqual([]);
  const last = own().at(-1);
  expect(said(last)).toContain("never round down");
  expect(said(last)).toContain("[About the project");
  expect(said(last)).toContain("Question 12");
  expect(said(last)).toMatch(/word for word, the oldest first:\]\n- Question 1: (?:word )+wor?d?…\n/);
  expect(said(last)).not.toContain(`Question 1: ${"word ".repeat(150)}`);
  for (const body of own()) expect(sizeOf(body) / 4).toBeLessThan(0.85 * WINDOW);
  // Everything is kept, and read without the model.
  const { content } = await client.request("agentq/exportSession", { sessionId, format: "json" });
  expect(content).toContain("Question 1:");
  expect(content.match(/"Question \d+: word/g)?.length).toBeGreaterThanOrEqual(12);
  expect(stage.model.mismatches).toEqual([]);
});

it("has poor notes written again by the conversation's model, and keeps the person's words whatever notes say", async () => {
  const client = await stage.start({ smallModel: "claude-haiku-9" });
  stage.steps.splice(0, 9, reply("Yes."));
  const { sessionId } = await say(client, "Round the invoices. Do not touch packages/worker.");
  await talk(client, 5, 400, sessionId);
  const poor = reply("The developer asks what files do.");
  stage.steps.splice(
    0,
    9,
    ...Array.from(
      { length: 3 },
      (): Step =>
        ({ body }) =>
          isSummary(body) ? poor : reply("Yes."),
    ),
  );
  const compacted = await say(client, "/compact", sessionId);
  expect(summaries().map(({ model }) => model)).toEqual(["claude-haiku-9", MODEL]);
  expect(compactions(compacted.events)).toMatchObject([{ summary: "The developer asks what files do." }]);
  await talk(client, 1, 10, sessionId);
  expect(said(own().at(-1))).toContain("\n- Round the invoices. Do not touch packages/worker.\n");
});

it("tells the window beside what was used, and of a summary that it was one", async () => {
  const { client } = stage;
  const { events, sessionId } = await talk(client, 8, 10_000);
  const usage = events.filter((event) => event.kind === "usage");
  expect(
    usage.filter(({ purpose }) => purpose === undefined).every(({ contextWindow }) => contextWindow === WINDOW),
  ).toBe(true);
  expect(usage.filter(({ purpose }) => purpose === "summary")).toHaveLength(summaries().length);
  expect(summaries().length).toBeGreaterThan(0);
  const marks = summaries().map((body) => JSON.stringify(body).match(/"cache_control"/g));
  expect(marks.filter((found) => found !== null)).toEqual([]);
  expect(summaries()[0]?.tools).toBeUndefined();
  const last = usage.at(-1);
  const tokens = (last?.inputTokens ?? 0) + (last?.outputTokens ?? 0);
  const { items } = await client.request("agentq/listSessions", {});
  expect(items[0]).toMatchObject({ sessionId, context: { tokens, contextWindow: WINDOW } });
});

it("sends the same view byte by byte after a restart, and in a fork", async () => {
  const client = await stage.start();
  const { sessionId } = await talk(client, 9, 9_000);
  expect(summaries().length).toBeGreaterThan(0);
  const before = stage.sent(-1).messages;
  expect(before[0]).toContain("never round down");
  await client.close();
  const again = await stage.start();
  const known = summaries().length;
  await talk(again, 1, 10, sessionId);
  expect(stage.sent(-1).messages.slice(0, before.length)).toEqual(before);
  const fork = await again.request("agentq/forkSession", { sessionId });
  await talk(again, 1, 10, fork.sessionId);
  expect(stage.sent(-1).messages.slice(0, before.length)).toEqual(before);
  expect(summaries()).toHaveLength(known);
});

it("shortens long results of earlier turns before it summarises anything", async () => {
  const { client } = stage;
  let sessionId: string | undefined;
  const events: TurnEvent[] = [];
  for (let turn = 1; compactions(events).length === 0 && turn < 20; turn += 1) {
    stage.steps.push(reply(call("read_file", { path: longFile(150) })), reply("Seen."));
    const told = await say(client, `Look ${turn}.`, sessionId);
    sessionId = told.sessionId;
    events.push(...told.events);
  }
  const [compacted] = compactions(events);
  expect(compacted).toMatchObject({ turns: 0 });
  expect(compacted?.results).toBeGreaterThan(0);
  expect(compacted?.summary).toBeUndefined();
  expect(summaries()).toEqual([]);
  const last = JSON.stringify(own().at(-1));
  expect(last).toContain("were left out to make room. Call read_file again");
  expect(stage.model.mismatches).toEqual([]);
});

it("says what to remove where one message alone does not fit, and goes on with the next", async () => {
  const { client } = stage;
  const { sessionId } = await talk(client, 2, 100);
  const huge = await say(client, "x".repeat(5 * WINDOW), sessionId);
  expect(huge.events.at(-1)).toMatchObject({
    reason: "error",
    message: expect.stringMatching(/does not fit the model's context, even alone.*20,000 tokens.*remove attachments/),
  });
  const { events } = await talk(client, 1, 10, sessionId);
  expect(events.at(-1)).toMatchObject({ reason: "endTurn" });
  expect(stage.model.mismatches).toEqual([]);
});

it("loses nothing where the summary fails, says so, and lets the turn go on", async () => {
  const { client } = stage;
  const { sessionId } = await talk(client, 4, 400);
  stage.steps.splice(0, 9, ({ body }) => (isSummary(body) ? { ...reply(""), stopReason: "refusal" } : reply("Yes.")));
  const failed = await say(client, "/compact", sessionId);
  expect(failed.events.at(-2)).toMatchObject({ failed: true, text: expect.stringContaining("Nothing was left out.") });
  expect(compactions(failed.events)).toEqual([]);
  await talk(client, 1, 10, sessionId);
  expect(said(own().at(-1))).toContain("Question 1:");
});

it.each(
  casesToRun([
    ["blanks", reply(" \n")],
    ["a refusal", { ...reply("No."), stopReason: "refusal" as const }],
  ]),
)(
  "goes on where the server takes no more and the summary is %s: results are shortened, then turns are left out",
  async (_name, none) => {
    const client = await stage.start({ compactAt: 0.95 });
    const answers: Step = ({ body }) => (isSummary(body) ? none : reply("Yes."));
    const file = longFile(300);
    const read = call("read_file", { path: file });
    let sessionId: string | undefined;
    const events: TurnEvent[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const first: Step = turn < 4 ? reply(read) : answers;
      stage.steps.splice(0, stage.steps.length, first, ...Array.from({ length: 6 }, () => answers));
      const told = await say(client, `Question ${turn}: ${"word ".repeat(1_200)}`, sessionId);
      ({ sessionId } = told);
      expect(told.events.at(-1)).toMatchObject({ reason: "endTurn" });
      events.push(...told.events);
    }
    const warnings = events.flatMap((event) =>
      event.kind === "notice" && event.level === "warning" ? [event.message] : [],
    );
    expect(warnings.join("\n")).toMatch(/could not be summarised: .*Its beginning is left out without a summary/);
    expect(said(own().at(-1))).toContain("No summary could be made of it.");
    expect(said(own().at(-1))).toMatch(/- Question 0: (?:word )+wor?d?…/);
  },
);

it("ends with a cancel while the summary is written, and leaves everything as it was", async () => {
  const { client } = stage;
  const { sessionId } = await talk(client, 4, 400);
  stage.steps.splice(0, 9, { ...reply(SUMMARY), delayMs: 60_000 });
  const { turnId } = await client.request("agentq/prompt", { text: "/compact", sessionId });
  await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.event.kind === "notice" && params.event.message.includes("being summarised")
      ? true
      : undefined,
  );
  await client.request("agentq/cancel", { sessionId });
  expect(compactions(await client.turn(turnId))).toEqual([]);
  await talk(client, 1, 10, sessionId);
  expect(said(own().at(-1))).toContain("Question 1:");
});

it("asks again with less where a reply filled the context, and tells what both replies cost", async () => {
  const prices = { [MODEL]: { input: 1, output: 1 } };
  const client = await stage.start({ prices });
  const { sessionId } = await talk(client, 5, 7_000);
  stage.steps.splice(
    0,
    9,
    { ...reply("Half of it"), stopReason: "model_context_window_exceeded" },
    answering(reply("All of it.")),
    answering(reply("All of it.")),
  );
  const { events } = await say(client, "Write it all.", sessionId);
  expect(compactions(events)).toHaveLength(1);
  expect(events.filter((event) => event.kind === "retrying")).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ reason: "endTurn" });
  expect(said(own().at(-1))).not.toContain("Half of it");
  const usages = events.filter((event) => event.kind === "usage" && event.purpose === undefined);
  expect(usages).toHaveLength(2);
  for (const usage of usages) {
    expect(usage).toMatchObject({ cost: expect.any(Number), sessionCost: expect.any(Number), contextWindow: WINDOW });
  }
});

it("goes on within one turn that alone outgrows the context, with the person's words", async () => {
  const { client } = stage;
  const look = (): Step => answering(reply(call("read_file", { path })));
  const path = longFile(300);
  stage.steps.push(...Array.from({ length: 24 }, look));
  stage.steps.push(...Array.from({ length: 4 }, () => answering(reply("All seen."))));
  const { events } = await say(client, "Look at every one of them.");
  expect(compactions(events).length).toBeGreaterThan(1);
  expect(events.at(-1)).toMatchObject({ kind: "turnEnded", reason: expect.stringMatching(/endTurn|maxRounds/) });
  expect(said(own().at(-1))).toContain("Look at every one of them.");
  for (const body of own()) expect(sizeOf(body) / 4).toBeLessThan(WINDOW);
  expect(stage.model.mismatches).toEqual([]);
});

it("tells nothing of a document that left with the summary, and the instructions again", async () => {
  const client = await stage.start({ instructions: "on" });
  writeFileSync(join(stage.folder, "AGENTS.md"), "Never use default exports.\n");
  stage.steps.push(reply(call("read_file", { path: "src/money.ts" })), reply("Read."));
  const { sessionId } = await say(client, "Read it.");
  stage.steps.push(reply(call("read_file", { path: "src/tax.ts" })), reply("Read."));
  await say(client, "Read that too.", sessionId);
  stage.steps.push(answering(reply("Yes.")));
  await say(client, "/compact", sessionId);
  stage.steps.splice(0, 9, reply(call("read_file", { path: "src/tax.ts" })), reply("Read."));
  await say(client, "Read the second one again.", sessionId);
  for (const file of ["src/money.ts", "src/tax.ts"]) {
    writeFileSync(join(stage.folder, file), `// changed\n${readFileSync(join(stage.folder, file), "utf8")}`);
    const uri = pathToFileURL(join(stage.folder, file)).href;
    await client.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri, type: 2 }] });
  }
  await say(client, "And now?", sessionId);
  const words = said(own().at(-1));
  expect(words).toContain("Changed documents that you have seen: src/tax.ts (line 1");
  expect(words).not.toContain("src/money.ts (");
  expect(words.match(/Never use default exports\./g)).toHaveLength(1);
});

describe("where the server tells no window", () => {
  const unlisted = serverStage({ contextWindow: WINDOW });

  beforeEach(() => void (stage = unlisted));

  it("compacts by hand with what matters, and takes that back", async () => {
    const client = await stage.start();
    const { sessionId } = await talk(client, 6, 400);
    const whole = stage.sent(-1).messages;
    stage.steps.splice(0, 9, answering(reply("Yes.")), answering(reply("Yes.")));
    const compacted = await say(client, "/compact the rounding", sessionId);
    expect(compactions(compacted.events)).toMatchObject([{ by: "person", summary: SUMMARY, turns: 4 }]);
    expect(said(summaries()[0])).toContain("The developer wants this kept above all: the rounding");
    expect(compacted.events.at(-2)).toMatchObject({
      kind: "commandAnswer",
      text: expect.stringContaining("/compact undo"),
    });
    await talk(client, 1, 10, sessionId);
    expect(said(own().at(-1))).toContain("- Question 4:");
    expect(said(own().at(-1))).not.toContain("Answer 4.");
    const undone = await say(client, "/compact undo", sessionId);
    expect(undone.events).toContainEqual(expect.objectContaining({ kind: "compactionUndone" }));
    await client.close();
    const again = await stage.start();
    await talk(again, 1, 10, sessionId);
    expect(stage.sent(-1).messages.slice(0, whole.length)).toEqual(whole);
    expect((await say(again, "/compact undo", sessionId)).events).toContainEqual(
      expect.objectContaining({
        kind: "commandAnswer",
        failed: true,
        text: "Nothing was compacted in this conversation.",
      }),
    );
  });

  itAtLength("goes on with less where a server that tells no window refuses a request as too long", async () => {
    const { client } = stage;
    const { events } = await talk(client, 12, 9_000);
    expect(events.filter((event) => event.kind === "turnEnded" && event.reason !== "endTurn")).toEqual([]);
    expect(compactions(events)[0]).toMatchObject({ by: "server", contextWindow: WINDOW });
  });
});

it("goes on where what was thought no longer holds behind a summary, once without it and then with new thoughts", async () => {
  const { client } = stage;
  const SAID = 6;
  stage.script = {
    name: "thinks",
    description: "thinks each time",
    reply: ({ body }) => (isSummary(body) ? reply(SUMMARY) : reply(think("Hm."), "Yes.")),
  };
  let sessionId: string | undefined;
  for (let turn = 0; turn < SAID; turn += 1)
    ({ sessionId } = await say(client, `Say yes, ${turn}. ${"x".repeat(3_000)}`, sessionId));
  const { events } = await say(client, "/compact", sessionId);
  expect(compactions(events)).toMatchObject([{ summary: SUMMARY }]);
  for (const text of ["Go on.", "And on."]) {
    const more = await say(client, text, sessionId);
    expect(more.events.at(-1)).toMatchObject({ reason: "endTurn" });
  }
  const thoughts = JSON.stringify(own().at(-1)?.messages).match(/"type":"thinking"/g) ?? [];
  expect(thoughts.length).toBeGreaterThan(0);
  expect(stage.model.mismatches.length).toBeLessThanOrEqual(1);
  expect(stage.model.mismatches.join()).toMatch(/^$|bound to a different conversation/);
});
