/** Messages about one proposal that arrive while a file is read for another: none is lost, none is counted twice. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProposalStore } from "../../../server/src/proposals/proposal-store.ts";
import type { ProposalOutcome } from "../../../server/src/proposals/proposal.ts";
import type { DecideResult, Proposal } from "../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../server/src/workspace/documents.ts";

const base = "one\ntwo\nthree\nfour\n";
const target = "ONE\ntwo\nthree\nFOUR\n";

let file: string;
let store: ProposalStore;
let proposal: Proposal;
let outcome: Promise<ProposalOutcome>;
let turn: AbortController;

/** A file that no editor has open, so that its text is read from disk. */
beforeEach(() => {
  file = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-at-once-"))), "a.ts");
  writeFileSync(file, base);
  turn = new AbortController();
  store = new ProposalStore({
    documents: new Documents(),
    whyMoved: () => undefined,
    onProposal: (announced) => {
      proposal = announced;
    },
    onChanged: () => undefined,
  });
  const uri = pathToFileURL(file).href;
  const document = { uri, path: "a.ts", base: { text: base, version: null, sha256: sha256(base) }, target };
  outcome = store.propose({ title: "Edit", why: "because", documents: [document] }, turn.signal);
});

afterEach(() => rmSync(path.dirname(file), { recursive: true }));

const decide = (id: string, decision: "accept" | "reject"): Promise<DecideResult> =>
  store.review(proposal.proposalId).decide({ hunks: [{ id, decision }] });

it("keeps the proposal open for an accepted hunk when the last other one is rejected meanwhile", async () => {
  const [accepted, rejected] = await Promise.all([decide("h1", "accept"), decide("h2", "reject")]);
  expect(accepted.edit).not.toBe(null);
  expect(rejected.edit).toBe(null);
  writeFileSync(file, base.replace("one", "ONE"));
  expect(await store.review(proposal.proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
  expect((await outcome).state).toBe("partiallyApplied");
});

it("answers no edit when the proposal is withdrawn meanwhile", async () => {
  const decided = decide("h1", "accept");
  turn.abort();
  await expect(decided).rejects.toMatchObject({ code: "alreadyDecided" });
  expect((await outcome).state).toBe("withdrawn");
});

it("takes one of two decisions about the same hunk", async () => {
  const both = await Promise.allSettled([decide("h1", "accept"), decide("h1", "reject")]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

it("counts an edit once when it is confirmed twice", async () => {
  await decide("h1", "accept");
  writeFileSync(file, base.replace("one", "ONE"));
  const { proposalId } = proposal;
  const told = await Promise.all([store.review(proposalId).didApply(), store.review(proposalId).didApply()]);
  expect(told).toEqual([
    { verified: true, mismatched: [] },
    { verified: true, mismatched: [] },
  ]);
  const { edit } = await decide("h2", "accept");
  expect(edit?.documentChanges).toMatchObject([{ edits: [{ range: { start: { line: 3 } }, newText: "FOUR\n" }] }]);
});

it("records nothing when the file cannot be read", async () => {
  rmSync(file);
  mkdirSync(file);
  await expect(decide("h1", "accept")).rejects.toThrow("a folder, not a file");
  expect(store.open(proposal.proposalId).hunks.map(({ state }) => state)).toEqual(["pending", "pending"]);
});
