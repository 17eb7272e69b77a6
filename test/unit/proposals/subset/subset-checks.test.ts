import { describe, expect, it } from "vitest";
import { ProposalStore } from "../../../../server/src/proposals/proposal-store.ts";
import type { CheckTexts } from "../../../../server/src/proposals/proposal.ts";
import type { Check, Proposal } from "../../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../../server/src/workspace/documents.ts";

const uri = "file:///p/a.ts";
const base = "a\nb\nc\nd\ne\n";
const never = new AbortController().signal;
const done: Check = { state: "done", introduced: [], resolved: [] };

/** A store with a proposal, whose texts `checkTexts` judges; a proposal with a `check` is announced a moment later. */
function begin(
  checkTexts: CheckTexts,
  target: string,
  check?: Promise<Check>,
): { store: ProposalStore; announced: readonly Proposal[]; documents: Documents } {
  const documents = new Documents();
  documents.open({ uri, languageId: "typescript", version: 1, text: base });
  const announced: Proposal[] = [];
  const store = new ProposalStore({
    documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => announced.push(proposal),
    onChanged: () => undefined,
  });
  const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
  const request = { title: "", why: "", documents: [document], checkTexts };
  void store.propose(check === undefined ? request : { ...request, check }, never);
  return { store, announced, documents };
}

/** The same with three hunks, announced already. */
function propose(checkTexts: CheckTexts): { store: ProposalStore; proposal: Proposal; documents: Documents } {
  const { store, announced, documents } = begin(checkTexts, "A\nb\nC\nd\nE\n");
  const [proposal] = announced;
  if (proposal === undefined) throw new Error("nothing was announced");
  return { store, proposal, documents };
}

describe("the check of a subset", () => {
  it("ends at once when a newer one comes, and with it the compiler's work", async () => {
    const signals: AbortSignal[] = [];
    const { store, proposal } = propose((_texts, signal) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : Promise.resolve(done);
    });
    const { proposalId } = proposal;
    const first = store.review(proposalId).checkSubset([], never);
    const ended = expect(first).rejects.toMatchObject({ name: "RequestOutdated" });
    await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
    expect(await store.review(proposalId).checkSubset([{ id: "h1", decision: "accept" }], never)).toEqual(done);
    await ended;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it("ends when the last hunk is decided meanwhile", async () => {
    const { store, proposal } = propose(() => new Promise(() => undefined));
    const { proposalId } = proposal;
    const asked = expect(store.review(proposalId).checkSubset([], never)).rejects.toThrow(/decided by now/);
    await store.review(proposalId).decide({ hunks: proposal.hunks.map(({ id }) => ({ id, decision: "reject" })) });
    await asked;
  });

  it("says which hunk it is without, where the document changed at its place", async () => {
    const texts: (string | null | undefined)[] = [];
    const { store, proposal, documents } = propose((given) => {
      texts.push(given.texts.get(uri));
      return Promise.resolve(done);
    });
    documents.change(uri, 2, [{ text: base.replace("c", "cc") }]);
    const hunks = proposal.hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    expect(await store.review(proposal.proposalId).checkSubset(hunks, never)).toEqual({
      ...done,
      reason: "Without hunk h2: the documents changed at its place.",
    });
    expect(texts).toEqual(["A\nb\ncc\nd\nE\n"]);
  });

  it("refuses a hunk that the proposal does not have and one that is decided, and asks nobody", async () => {
    let asked = 0;
    const { store, proposal } = propose(() => {
      asked += 1;
      return Promise.resolve(done);
    });
    const hunks = [{ id: "h9", decision: "accept" as const }];
    await expect(store.review(proposal.proposalId).checkSubset(hunks, never)).rejects.toMatchObject({
      code: "unknownProposal",
    });
    await store.review(proposal.proposalId).decide({ hunks: [{ id: "h2", decision: "reject" }] });
    const decided = [{ id: "h2", decision: "accept" as const }];
    await expect(store.review(proposal.proposalId).checkSubset(decided, never)).rejects.toMatchObject({
      code: "alreadyDecided",
    });
    expect(asked).toBe(0);
  });
});

it("looks ahead at what rejecting each hunk means, and stops with the first decision", async () => {
  const asked: (string | null | undefined)[] = [];
  let go = (): void => undefined;
  const checkTexts: CheckTexts = ({ texts }) => {
    asked.push(texts.get(uri));
    return asked.length < 3 ? Promise.resolve(done) : new Promise((resolve) => (go = () => resolve(done)));
  };
  const { store, announced } = begin(checkTexts, "A\nb\nC\nd\nE\n", Promise.resolve(done));
  await expect.poll(() => asked.length).toBe(3);
  expect(asked).toEqual(["a\nb\nC\nd\nE\n", "A\nb\nc\nd\nE\n", "A\nb\nC\nd\ne\n"]);
  const [proposal] = announced;
  await store.review(proposal?.proposalId ?? "").decide({ hunks: [{ id: "h1", decision: "reject" }] });
  go();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(3);
});

it("names the pieces of a hunk that another one requires, once the hunk is split", async () => {
  const lost: Check = { ...done, introduced: [{ uri, severity: "error", message: "Cannot find name 'A'." }] };
  const { store, announced } = begin(
    async ({ texts }) => (/^a[^]*E/.test(texts.get(uri) ?? "") ? lost : done),
    "A\nB\nc\nd\nE\n",
    Promise.resolve(done),
  );
  await expect.poll(() => announced.length).toBe(1);
  const { proposalId = "" } = announced[0] ?? {};
  const required = (): readonly string[] | undefined => store.open(proposalId).hunks.at(-1)?.requires;
  await expect.poll(required).toEqual(["h1"]);
  store.review(proposalId).split("h1");
  expect(required()).toEqual(["h1.1", "h1.2"]);
});

it("asks nothing by itself while the person waits for an answer", async () => {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const check = Promise.withResolvers<Check>();
  const checkTexts: CheckTexts = ({ texts }) => {
    asked.push(texts.get(uri) ?? "");
    return new Promise((resolve) => waiting.push(() => resolve(done)));
  };
  const { store, announced } = begin(checkTexts, "A\nb\nC\nd\ne\n", check.promise);
  await expect.poll(() => announced.length).toBe(1);
  const answer = store.review(announced[0]?.proposalId ?? "").checkSubset([], never);
  check.resolve(done);
  await expect.poll(() => asked.length).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([base]);
  waiting[0]?.();
  expect(await answer).toEqual(done);
  await expect.poll(() => asked.length).toBe(2);
});
