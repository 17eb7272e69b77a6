/** Conversations that are kept: listed, read without a model, named, deleted, found, exported, forked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { TranscriptItem } from "../../server/src/protocol/session-shapes.ts";
import { say, SessionStage } from "../support/session-stage.ts";
import { ServerClient } from "../support/server-client.ts";

let stage: SessionStage;
let client: ServerClient;
let long: string;
let short: string;

beforeAll(async () => {
  stage = new SessionStage();
  await stage.open();
  const first = await stage.start();
  stage.steps.push(reply("I look.", call("read_file", { path: "src/tax.ts" })), reply("It is nineteen percent."));
  long = (await say(first, "What is   the rate\nof the quince?")).sessionId;
  stage.steps.push(reply("The reduced one is seven."));
  await say(first, "And the other one?", long);
  short = (await say(first, "Hello there.")).sessionId;
  await stage.close(first);
  client = await stage.start();
});

afterAll(() => stage.dispose());

async function wholeTranscript(sessionId: string, limit: number): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.request("agentq/openSession", { sessionId, limit, ...(cursor && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    if (page.nextCursor === undefined) return items;
    cursor = page.nextCursor;
  }
}

describe("the list of conversations", () => {
  it("is paged, the last used first, and named after the first words", async () => {
    const first = await client.request("agentq/listSessions", { limit: 1 });
    expect(first).toMatchObject({ total: 2, items: [{ sessionId: short, name: "Hello there.", turns: 1 }] });
    const next = await client.request("agentq/listSessions", { limit: 1, cursor: first.nextCursor ?? "" });
    expect(next.items).toMatchObject([{ sessionId: long, name: "What is the rate of the quince?", turns: 2 }]);
    expect(next.nextCursor).toBeUndefined();
    expect(next.items[0]).not.toHaveProperty("running");
  });
});

describe("a transcript", () => {
  it("has what the editor was shown, whatever the size of a page, and needs no model", async () => {
    const items = await wholeTranscript(long, 3);
    const events = items.map(({ event }) => event);
    expect(events).toEqual((await wholeTranscript(long, 500)).map(({ event }) => event));
    expect(events.map(({ kind }) => kind).filter((kind) => kind !== "usage" && kind !== "notice")).toEqual(
      ["turnStarted", "text", "toolCall", "toolCall", "toolCall", "toolResult", "text", "turnEnded"].concat([
        "turnStarted",
        "text",
        "turnEnded",
      ]),
    );
    expect(events).toContainEqual({ kind: "text", text: "It is nineteen percent." });
    const last = await client.request("agentq/openSession", { sessionId: long, lastTurns: 1 });
    expect(last).toMatchObject({ earlierTurns: 1, total: items.length, session: { sessionId: long } });
    expect(last.items[0]?.event).toEqual({ kind: "turnStarted", text: "And the other one?" });
  });

  it("of an unknown conversation is refused", async () => {
    await expect(client.request("agentq/openSession", { sessionId: "x" })).rejects.toMatchObject({ code: -33002 });
  });
});

describe("a search", () => {
  it("finds what was said and answered, by whole words and the beginning of the last one", async () => {
    const said = await client.request("agentq/searchSessions", { text: "rate quin" });
    expect(said.items).toMatchObject([{ session: { sessionId: long }, by: "person" }]);
    expect(said.items[0]?.snippet).toContain("«rate»");
    const answered = await client.request("agentq/searchSessions", { text: "NINETEEN" });
    expect(answered).toMatchObject({ total: 1, items: [{ session: { sessionId: long }, by: "agent" }] });
    expect((await client.request("agentq/searchSessions", { text: "medlar" })).items).toEqual([]);
  });

  it("without a word is refused, and syntax of the index is only text", async () => {
    await expect(client.request("agentq/searchSessions", { text: "=>" })).rejects.toMatchObject({ code: -32602 });
    const { items } = await client.request("agentq/searchSessions", { text: 'rate" OR NEAR(' });
    expect(items).toEqual([]);
  });
});

describe("an export", () => {
  it("as Markdown tells a stranger who said what", async () => {
    const { content } = await client.request("agentq/exportSession", { sessionId: long });
    const plain = content.replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, "DAY").replaceAll(/\n[^\n]*takes? [^\n]*/g, "");
    expect(plain).toContain(
      "# What is the rate of the quince?\n\nA conversation with Agent-Q, a coding agent, on DAY:",
    );
    expect(plain).toContain("## Person, DAY UTC\n\n> What is   the rate\n> of the quince?\n\n### Agent-Q\n\nI look.\n");
    expect(plain).toContain("<summary>Tool read_file</summary>\n\nArguments:\n\n```json\n{\n");
    expect(plain).toContain("\nIt is nineteen percent.\n");
  });

  it("as JSON holds the events and the model's history", async () => {
    const { content } = await client.request("agentq/exportSession", { sessionId: long, format: "json" });
    const exported = JSON.parse(content) as Record<string, unknown[]>;
    expect(exported).toMatchObject({ session: { sessionId: long }, system: expect.any(String) as string });
    expect(exported["items"]?.at(-1)).toMatchObject({ event: { kind: "turnEnded" } });
    expect(exported["messages"]?.at(-1)).toEqual({
      role: "assistant",
      content: [{ kind: "text", text: "The reduced one is seven." }],
    });
  });
});

describe("a fork", () => {
  it("ends before a message, goes on by itself, and leaves the first conversation as it was", async () => {
    const { items: turns } = await client.request("agentq/listTurns", { sessionId: long });
    const fork = await client.request("agentq/forkSession", { sessionId: long, turnId: turns[1]?.turnId ?? "" });
    expect(fork).toMatchObject({ name: "What is the rate of the quince? (fork)", turns: 1 });
    await say(client, "Something else.", fork.sessionId);
    const heard = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(heard).toContain("It is nineteen percent.");
    expect(heard).not.toContain("And the other one?");
    expect(JSON.stringify(await wholeTranscript(long, 100))).not.toContain("Something else.");
    const found = await client.request("agentq/searchSessions", { text: "nineteen" });
    expect(new Set(found.items.map(({ session }) => session.sessionId))).toEqual(new Set([long, fork.sessionId]));
    await client.request("agentq/deleteSession", { sessionId: fork.sessionId });
    await expect(say(client, "Still there?", fork.sessionId)).rejects.toMatchObject({ code: -33002 });
  });

  it("at any event is valid for the API: no call is without its result", async () => {
    const items = await wholeTranscript(long, 100);
    for (const { itemId, event } of items) {
      const fork = await client.request("agentq/forkSession", { sessionId: long, itemId });
      await say(client, "Go on.", fork.sessionId);
      expect(stage.model.mismatches, event.kind).toEqual([]);
      const blocks = (stage.model.requests.at(-1)?.messages ?? []).flatMap(({ content }) =>
        typeof content === "string" ? [] : content,
      );
      const calls = blocks.filter(({ type }) => type === "tool_use").map((block) => block["id"]);
      expect(blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"])).toEqual(calls);
      expect(blocks.map((block) => textOf([block])).join(), event.kind).toContain("What is   the rate");
      await client.request("agentq/deleteSession", { sessionId: fork.sessionId });
    }
  });

  it("at something that is not in the conversation is refused", async () => {
    for (const where of [{ turnId: "no-turn" }, { itemId: "999999" }]) {
      await expect(client.request("agentq/forkSession", { sessionId: long, ...where })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });
});

describe("a name", () => {
  it("is the person's own until they take it back", async () => {
    const named = await client.request("agentq/renameSession", { sessionId: short, name: " Greetings " });
    expect(named.name).toBe("Greetings");
    expect((await client.request("agentq/renameSession", { sessionId: short, name: "" })).name).toBe("Hello there.");
  });
});

describe("a deletion", () => {
  it("takes the conversation from the list, the search and the file, and waits for a turn's end", async () => {
    const { sessionId } = await say(client, "The word is xylophone.");
    expect(await client.request("agentq/deleteSession", { sessionId })).toEqual({ deleted: true });
    expect((await client.request("agentq/searchSessions", { text: "xylophone" })).total).toBe(0);
    await expect(client.request("agentq/openSession", { sessionId })).rejects.toMatchObject({ code: -33002 });
    stage.steps.push({ ...reply("Late."), delayMs: 60_000 });
    const running = await client.request("agentq/prompt", { text: "Wait." });
    const of = { sessionId: running.sessionId };
    await expect(client.request("agentq/deleteSession", of)).rejects.toMatchObject({ code: -33005 });
    expect((await client.request("agentq/listSessions", { limit: 1 })).items).toMatchObject([{ running: "here" }]);
    await client.request("agentq/cancel", of);
    await client.turn(running.turnId);
    await client.request("agentq/deleteSession", of);
  });
});

it("nothing of all that can be had where no conversation is kept, and the answer says so", async () => {
  const off = await stage.start({ sessions: { keep: "off" } });
  const refused = { code: -33009, message: "Conversations of this workspace are not kept." };
  await expect(off.request("agentq/listSessions", {})).rejects.toMatchObject(refused);
  await expect(off.request("agentq/searchSessions", { text: "rate" })).rejects.toMatchObject(refused);
});
