/** What the person says while a turn runs: it can be seen, edited and taken back until the model hears it, and is never lost. */
import { readFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { call, reply, type Reply } from "../../examples/demo/model/script.ts";
import type { QueuedPrompt } from "../../server/src/protocol/queue-methods.ts";
import { filesBelow, KEY } from "../support/session-stage.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ isProgram: true });
let client: ServerClient;

beforeEach(() => void ({ client } = stage));

const proposing: Reply = reply(
  "Looking.",
  call("propose_file_edit", { path: "notes.md", modified: "x\n", description: "a note" }),
);
const hanging: Reply = { ...reply("Well, ".repeat(20)), fault: { kind: "hang", afterEvents: 4 } };

/** A turn that waits for a decision, or hangs, with these texts behind it. */
async function startWith(first: Reply, ...texts: readonly string[]) {
  stage.steps.push(first);
  const { sessionId, turnId } = await client.request("agentq/prompt", { text: "begin" });
  await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.turnId === turnId && params.event.kind === "text" ? true : undefined,
  );
  const ids: string[] = [];
  for (const text of texts) {
    const { promptId = "", queued } = await client.request("agentq/prompt", { text, sessionId });
    expect(queued).toBe(true);
    ids.push(promptId);
  }
  return { sessionId, turnId, ids };
}

async function decide(): Promise<void> {
  const { proposalId } = await client.nextProposal();
  await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "reject" }] });
}

async function textsOf(of: ServerClient, sessionId: string): Promise<string[]> {
  return (await of.request("agentq/listQueue", { sessionId })).items.map(({ text }) => text);
}

function lastTold(): readonly QueuedPrompt[] | undefined {
  const told = client.received.flatMap(({ method, params }) => (method === "agentq/queueChanged" ? [params] : []));
  return told.at(-1)?.items;
}

it("what waits is listed and told, and the model hears it as it was edited and without what was taken back", async () => {
  const { sessionId, turnId, ids } = await startWith(proposing, "apple", "quince", "medlar");
  const [apple = "", quince = "", medlar = ""] = ids;
  const listed = await client.request("agentq/listQueue", { sessionId });
  expect(listed.items.map(({ promptId, text, held }) => ({ promptId, text, held }))).toEqual([
    { promptId: apple, text: "apple" },
    { promptId: quince, text: "quince" },
    { promptId: medlar, text: "medlar" },
  ]);
  expect(lastTold()).toEqual(listed.items);
  const edited = await client.request("agentq/editQueued", { sessionId, promptId: apple, text: "pear" });
  expect(edited).toMatchObject({ promptId: apple, text: "pear" });
  const back = await client.request("agentq/takeBackQueued", { sessionId, promptIds: [quince] });
  expect(back.items).toMatchObject([{ text: "quince" }]);
  expect(lastTold()?.map(({ text }) => text)).toEqual(["pear", "medlar"]);
  await decide();
  const events = await client.turn(turnId);
  expect(events.filter(({ kind }) => kind === "queuedPrompt")).toEqual([
    { kind: "queuedPrompt", text: "pear", promptId: apple },
    { kind: "queuedPrompt", text: "medlar", promptId: medlar },
  ]);
  const heard = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect(heard).toContain("pear");
  expect(heard).not.toMatch(/apple|quince/);
  expect(lastTold()).toEqual([]);
  const late = client.request("agentq/editQueued", { sessionId, promptId: apple, text: "too late" });
  await expect(late).rejects.toMatchObject({ code: -33004 });
});

it("a cancel hands back what waited: nothing of it is sent by itself, nothing is lost, and it can still be edited", async () => {
  const { sessionId, turnId, ids } = await startWith(hanging, "quince");
  const answer = await client.request("agentq/cancel", { sessionId });
  expect(answer).toMatchObject({ cancelled: true, queued: [{ text: "quince", held: true }] });
  await client.turn(turnId);
  const { turnId: next } = await client.request("agentq/prompt", { text: "something else", sessionId });
  await client.turn(next);
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).not.toContain("quince");
  expect(await textsOf(client, sessionId)).toEqual(["quince"]);
  const edited = { text: "pear", held: true };
  const edit = client.request("agentq/editQueued", { sessionId, promptId: ids[0] ?? "", text: "pear" });
  expect(await edit).toMatchObject(edited);
  expect((await client.request("agentq/takeBackQueued", { sessionId })).items).toMatchObject([edited]);
  expect(await textsOf(client, sessionId)).toEqual([]);
});

it("what comes too late for the last boundary is the next turn, and waits no more", async () => {
  const slow: Reply = { ...reply("Slowly, slowly."), paceMs: 40 };
  const { sessionId, turnId, ids } = await startWith(slow, "quince", "medlar");
  await client.turn(turnId);
  const begun = await client.waitFor(({ method, params }) =>
    method === "agentq/event" && params.event.kind === "turnStarted" && params.turnId !== turnId ? params : undefined,
  );
  expect(begun.event).toEqual({ kind: "turnStarted", text: "quince\n\nmedlar", promptIds: ids });
  await client.turn(begun.turnId);
  expect(await textsOf(client, sessionId)).toEqual([]);
});

it("the queue of a server that was killed waits for whoever takes it back, and holds no key", async () => {
  const killed = await stage.start({}, { isProgram: true });
  client = killed;
  const { sessionId } = await startWith(hanging);
  const context = [{ kind: "text" as const, text: "some words", label: "note" }];
  await client.request("agentq/prompt", { text: `the key is ${KEY}`, context, sessionId });
  await killed.kill();
  const kept = filesBelow(stage.state).map((file) => readFileSync(file, "latin1"));
  expect(kept.join("")).toContain("some words");
  expect(kept.join("")).not.toContain(KEY);
  client = await stage.start();
  const { items } = await client.request("agentq/listQueue", { sessionId });
  expect(items).toMatchObject([{ held: true, context }]);
  expect(items[0]?.text).toMatch(/^the key is \S+/);
  const { turnId } = await client.request("agentq/prompt", { text: "go on", sessionId });
  await client.turn(turnId);
  expect((await client.request("agentq/takeBackQueued", { sessionId })).items).toHaveLength(1);
  const again = await stage.start();
  expect(await textsOf(again, sessionId)).toEqual([]);
});

it("what waits in a conversation that another server runs is seen there, and changed only where it runs", async () => {
  const { sessionId, ids } = await startWith(hanging, "quince");
  const other = await stage.start({}, { isProgram: true });
  const { items } = await other.request("agentq/listQueue", { sessionId });
  expect(items).toMatchObject([{ text: "quince" }]);
  expect(items[0]).not.toHaveProperty("held");
  const edit = other.request("agentq/editQueued", { sessionId, promptId: ids[0] ?? "", text: "apple" });
  await expect(edit).rejects.toMatchObject({ code: -33005 });
  await expect(other.request("agentq/takeBackQueued", { sessionId })).rejects.toMatchObject({ code: -33005 });
  expect(await textsOf(client, sessionId)).toEqual(["quince"]);
  await expect(other.request("agentq/listQueue", { sessionId: "x" })).rejects.toMatchObject({ code: -33002 });
});

it("a queue lives without a disk to keep it on", async () => {
  const off = await stage.start({ sessions: { keep: "off" } });
  stage.steps.push(hanging);
  const { sessionId } = await off.request("agentq/prompt", { text: "begin" });
  const { promptId = "" } = await off.request("agentq/prompt", { text: "quince", sessionId });
  await off.request("agentq/editQueued", { sessionId, promptId, text: "pear" });
  expect(await off.request("agentq/cancel", { sessionId })).toMatchObject({ queued: [{ text: "pear", held: true }] });
  expect((await off.request("agentq/takeBackQueued", { sessionId })).items).toMatchObject([{ text: "pear" }]);
  expect(await textsOf(off, sessionId)).toEqual([]);
});
