/** The review of VS Code with the built server: what is shown is what an accept writes, and every answer is carried out or told of. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { compose } from "../../client-vscode/review/composed.ts";
import { hunkWords } from "../../client-vscode/review/texts.ts";
import { byFile, openHunks, Waiting, withRequired } from "../../client-vscode/review/waiting.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { startAgentq, type AgentqClient } from "../../server/src/client/agentq-client.ts";
import { acceptance, carryOut, type CarriedOut, rejection } from "../../server/src/client/carry-out.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ isBare: true });
let client: AgentqClient;
let waiting = new Waiting();

beforeAll(async () => {
  client = await startAgentq({
    command: [process.execPath, serverProgram, "--stdio"],
    folder: stage.folder,
    environment: bareEnvironment(stage.environment()),
    name: "vscode-review-test",
  });
  client.on("agentq/proposal", (proposal) => waiting.put(proposal));
  client.on("agentq/proposalChanged", (proposal) => waiting.put(proposal));
});
beforeEach(() => {
  waiting = new Waiting();
});
afterAll(() => client.dispose());

function file(name: string): string {
  return path.join(stage.folder, name);
}

function textOf(name: string): string {
  return readFileSync(file(name), "utf8");
}

/** What the model proposes of these edits. */
async function proposed(...edits: readonly object[]): Promise<Proposal> {
  stage.steps.push(reply("I look. ", call("propose_edits", { description: "Says it.", edits })), reply("It is said."));
  await client.request("agentq/prompt", { text: "Say it." });
  await expect.poll(() => waiting.all.length).toBe(1);
  return waiting.all[0] as Proposal;
}

async function decide(proposal: Proposal, ...chosen: readonly HunkDecision[]): Promise<CarriedOut> {
  const ports = {
    decide: async (params: Parameters<typeof client.request<"agentq/decide">>[1]) =>
      await client.request("agentq/decide", params),
    didApply: async (params: Parameters<typeof client.request<"agentq/didApply">>[1]) =>
      await client.request("agentq/didApply", params),
    apply: async (edit: Parameters<typeof client.buffers.apply>[0]) => await client.buffers.apply(edit),
  };
  const { proposalId } = proposal;
  return await carryOut(ports, { proposalId, hunks: withRequired(proposal, chosen) });
}

/** What the model heard at the end of its turn. */
async function told(): Promise<string> {
  await expect.poll(() => stage.model.requests.length).toBe(2);
  return stage.sent(-1).messages.at(-1) ?? "";
}

const insert = (name: string, modified: string): object => ({ op: "insert_at_start", path: name, modified });
const create = (name: string): object => ({ op: "create", path: name, modified: "export const n = 1;\n" });

it("writes what was shown of one hunk, and gives the reason for the rejection of another one to the model", async () => {
  const [tax, money] = [textOf("src/tax.ts"), textOf("src/money.ts")];
  const proposal = await proposed(insert("src/tax.ts", "// Taxes.\n"), insert("src/money.ts", "// Money.\n"));
  const [[, hunks] = [], [, others] = []] = [...byFile(proposal)];
  const shown = compose(tax, hunks ?? [], () => undefined).text;
  await decide(proposal, { id: hunks?.[0]?.id ?? "", decision: "accept" });
  expect(textOf("src/tax.ts")).toBe(shown);
  expect(shown).toBe(`// Taxes.\n${tax}`);
  await expect.poll(() => waiting.count).toBe(1);
  await decide(proposal, rejection(others?.[0]?.id ?? "", "money says nothing"));
  expect(textOf("src/money.ts")).toBe(money);
  expect(await told()).toMatch(/1 of 2 hunks[^]*money says nothing/);
  await expect.poll(() => waiting.count).toBe(0);
});

it("keeps a hunk in conflict open with the text that is there, and takes the person's merge over that text alone", async () => {
  const name = "src/sizes.ts";
  writeFileSync(file(name), "export const a = 1;\n");
  const uri = pathToFileURL(file(name)).href;
  await client.buffers.open(uri);
  const proposal = await proposed({ op: "replace", path: name, original: "a = 1", modified: "a = 10" });
  const range = { start: { line: 0, character: 17 }, end: { line: 0, character: 18 } };
  await client.buffers.apply({
    documentChanges: [{ textDocument: { uri, version: null }, edits: [{ range, newText: "7" }] }],
  });
  const [hunk] = proposal.hunks;
  const id = hunk?.id ?? "";
  expect((await decide(proposal, { id, decision: "accept" })).conflicts).toEqual([id]);
  await expect
    .poll(() => waiting.all[0]?.hunks[0])
    .toMatchObject({ state: "conflict", currentText: "export const a = 7;\n" });
  const merge = { id, decision: "edit" as const, newText: "export const a = 70;\n" };
  expect((await decide(proposal, { ...merge, currentText: "export const a = 1;\n" })).conflicts).toEqual([id]);
  const done = await decide(proposal, { ...merge, currentText: "export const a = 7;\n" });
  expect(done).toEqual({ conflicts: [], mismatched: undefined });
  expect(textOf(name)).toBe("export const a = 70;\n");
  expect(await told()).toContain("merged by the person");
});

it("carries out a new file, a deletion and a move that are accepted at once", async () => {
  mkdirSync(file("notes"));
  for (const name of ["old", "here"]) writeFileSync(file(`notes/${name}.ts`), `export const ${name} = 1;\n`);
  const proposal = await proposed(
    create("notes/new.ts"),
    { op: "delete", path: "notes/old.ts" },
    { op: "move", path: "notes/here.ts", to: "notes/there.ts" },
  );
  expect(new Set(openHunks(proposal).map(({ kind }) => kind))).toEqual(new Set(["create", "delete", "rename"]));
  const done = await decide(proposal, ...openHunks(proposal).map(acceptance));
  expect(done).toEqual({ conflicts: [], mismatched: undefined });
  const there = ["new", "old", "here", "there"].map((name) => existsSync(file(`notes/${name}.ts`)));
  expect(there).toEqual([true, false, false, true]);
  expect(await told()).toContain("APPLIED: all 3 of 3 hunks.");
});

it("refuses a second decision with a code, and does nothing twice", async () => {
  const proposal = await proposed(create("src/twice.ts"));
  const answers = await Promise.allSettled([1, 2].map(() => decide(proposal, ...openHunks(proposal).map(acceptance))));
  const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  expect(refused).toMatchObject([{ code: -33004 }]);
  expect(textOf("src/twice.ts")).toBe("export const n = 1;\n");
});

it("says of a hunk what it needs, and of what was rejected that nothing takes it along", async () => {
  await proposed({ op: "move", path: "src/discount.ts", to: "src/rebate.ts" });
  const moved = (): Hunk | undefined => waiting.all[0]?.hunks.find(({ kind }) => kind === "rename");
  // The compiler tells what needs what.
  await expect.poll(() => moved()?.requires?.length ?? 0).toBeGreaterThan(0);
  const [proposal, move] = [waiting.all[0], moved()];
  const [needed] = move?.requires ?? [];
  if (proposal === undefined || move === undefined || needed === undefined) throw new Error("nothing is needed");
  const said = (now: Proposal): string =>
    hunkWords(now, move, { lines: undefined, isFirst: false }, (name) => path.basename(name));
  expect(said(proposal)).toMatch(/Needs hunk \d .*: \*Accept\* takes it along\./);
  await decide(proposal, rejection(needed, "I like the old name"));
  const [now] = waiting.all;
  expect(said(now ?? proposal)).toMatch(/Needs hunk \d .*, which was rejected: accepting this brings errors in/);
  expect(said(now ?? proposal)).toContain("VS Code may ask whether to update imports");
  await decide(now ?? proposal, ...openHunks(now ?? proposal).map(({ id }) => rejection(id, "No")));
});
