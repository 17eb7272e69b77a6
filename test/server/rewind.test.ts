/** Back to before a message: with a real conversation, also after the server that had it was killed. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let folder: string;
let client: ServerClient;
let seen: string[];

const [ONE, TWO] = ["Raise the reduced rate.", "Raise it more."];
/** One proposal for each of two messages, about the same line. */
const raising = scriptOf("raising", "raise a rate once or twice", [
  ({ prompt }) => {
    const [original, modified] = prompt.includes(TWO) ? ["0.08, exempt: 0", "0.09, exempt: 1"] : ["0.07", "0.08"];
    const edits = [{ op: "replace", path: "src/tax.ts", original, modified }];
    return reply(call("propose_edits", { description: "Because.", edits }));
  },
  reply("Done."),
]);

beforeEach(() => {
  ({ folder, client } = stage);
  stage.script = raising;
  seen = [];
});

async function acceptNext(): Promise<Proposal> {
  const proposal = await client.nextProposal(seen);
  const { proposalId, hunks } = proposal;
  seen.push(proposalId);
  const all = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
  applyOnDisk((await client.request("agentq/decide", { proposalId, hunks: all })).edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
  return proposal;
}

async function say(text: string, sessionId?: string): Promise<{ sessionId: string; turnId: string }> {
  const said = await client.request("agentq/prompt", { text, ...(sessionId === undefined ? {} : { sessionId }) });
  await acceptNext();
  await client.turn(said.turnId);
  return said;
}

const tax = (): string => readFileSync(path.join(folder, "src/tax.ts"), "utf8");

it("brings a file back to before each message, the newest change first, and keeps the person's own lines", async () => {
  client = await stage.start({}, { isProgram: true });
  const before = tax();
  const first = await say(ONE);
  const middle = tax();
  const second = await say(TWO, first.sessionId);
  const { sessionId } = first;
  writeFileSync(path.join(folder, "src/tax.ts"), `${tax()}// mine\n`);
  const { items } = await client.request("agentq/listTurns", { sessionId });
  expect(items).toMatchObject([
    { sessionId, turnId: first.turnId, text: ONE, applied: 1 },
    { sessionId, turnId: second.turnId, text: TWO, applied: 1 },
  ]);

  const one = await client.request("agentq/rewind", { sessionId, turnId: second.turnId });
  expect(one).toMatchObject({ left: [], note: expect.stringContaining("REPL's state is as it was") });
  expect(await acceptNext()).toMatchObject({ proposalId: one.proposalId, title: `Rewind to before: ${TWO}` });
  expect(tax()).toBe(`${middle}// mine\n`);

  // The conversation is gone with its server; what it did to the files is not.
  await client.kill();
  client = await stage.start();
  expect((await client.request("agentq/listTurns", {})).items.map(({ text }) => text)).toEqual([ONE, TWO]);
  await client.request("agentq/rewind", { sessionId });
  const all = await acceptNext();
  expect(all.title).toBe("Rewind to before the conversation");
  expect(all.hunks).toHaveLength(1);
  expect(tax()).toBe(`${before}// mine\n`);
  expect(await client.request("agentq/rewind", { sessionId })).toEqual({ left: [], note: one.note });
});

it("names what cannot be taken back, and refuses turns and sessions that do not exist", async () => {
  const { sessionId, turnId } = await say(ONE);
  writeFileSync(path.join(folder, "src/tax.ts"), tax().replace("0.08", "0.5"));
  const { proposalId, left } = await client.request("agentq/rewind", { sessionId, turnId });
  expect(proposalId).toBeUndefined();
  expect(left).toMatchObject([{ title: "src/tax.ts:4", why: "the text at that place changed since." }]);
  await expect(client.request("agentq/rewind", { sessionId, turnId: "none" })).rejects.toMatchObject({ code: -32602 });
  await expect(client.request("agentq/rewind", { sessionId: "none" })).rejects.toMatchObject({ code: -33002 });
});

it("brings nothing back of files that were made, moved and deleted and taken back while the review was open", async () => {
  const edits = [
    { op: "replace", path: "src/tax.ts", original: "0.07", modified: "0.08" },
    { op: "create", path: "src/new.ts", modified: "export const made = 1;\n" },
    { op: "move", path: "src/money.ts", to: "src/cash/money.ts" },
    { op: "delete", path: "src/credit-note.ts" },
  ];
  stage.script = scriptOf("all kinds", "changes files in every way", [
    reply(call("propose_edits", { description: "Because.", edits })),
    reply("Done."),
  ]);
  const texts = (): string[] =>
    ["src/tax.ts", "src/money.ts", "src/credit-note.ts"].map((name) => readFileSync(path.join(folder, name), "utf8"));
  const before = texts();
  const { sessionId, turnId } = await client.request("agentq/prompt", { text: ONE });
  const { proposalId, hunks } = await client.nextProposal(seen);
  seen.push(proposalId);
  const open = hunks.find(({ uri, kind }) => kind === "edit" && uri.endsWith("src/tax.ts"))?.id ?? "";
  const others = hunks.filter(({ id }) => id !== open).map(({ id }) => ({ id, decision: "accept" as const }));
  applyOnDisk((await client.request("agentq/decide", { proposalId, hunks: others })).edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
  await client.request("agentq/undoProposal", { proposalId });
  await acceptNext();
  expect(texts()).toEqual(before);
  await client.request("agentq/decide", { proposalId, hunks: [{ id: open, decision: "reject" }] });
  await client.turn(turnId);
  expect(await client.request("agentq/rewind", { sessionId, turnId })).toMatchObject({ left: [] });
  expect(await client.request("agentq/rewind", { sessionId, turnId })).not.toHaveProperty("proposalId");
  expect(texts()).toEqual(before);
});
