/** Some lines of a hunk are accepted, or a hunk is split: what is applied, what waits, and what the model is told. */
import { beforeEach, describe, expect, it } from "vitest";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { describeOutcome } from "../../../server/src/proposals/describe-outcome.ts";
import { ProposalStore } from "../../../server/src/proposals/proposal-store.ts";
import type { ProposalOutcome } from "../../../server/src/proposals/proposal.ts";
import type { HunkDecision, Proposal } from "../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../server/src/workspace/documents.ts";

const uri = "file:///project/a.ts";
const base = "top\none\ntwo\nthree\nend\n";
const target = "top\nONE\nTWO\nTHREE\nend\n";

let documents: Documents;
let store: ProposalStore;
let proposal: Proposal;
let outcome: Promise<ProposalOutcome>;
let turn: AbortController;

function propose(before: string, after: string | null, more: { isNew?: boolean } = {}): void {
  documents = new Documents();
  turn = new AbortController();
  if (more.isNew !== true) documents.open({ uri, languageId: "typescript", version: 1, text: before });
  const seen = (changed: Proposal): void => {
    proposal = changed;
  };
  store = new ProposalStore({ documents, whyMoved: () => undefined, onProposal: seen, onChanged: seen });
  const document = {
    uri,
    path: "a.ts",
    base: more.isNew === true ? null : { text: before, version: 1, sha256: sha256(before) },
    target: after,
  };
  outcome = store.propose({ title: "Edit", why: "because", documents: [document] }, turn.signal);
}

beforeEach(() => propose(base, target));

function text(): string {
  return documents.get(uri)?.text ?? "";
}

function applyInEditor(edit: WorkspaceEdit | null): void {
  for (const change of (edit?.documentChanges ?? []) as TextDocumentEdit[]) {
    const now = TextDocument.create(uri, "typescript", 1, text());
    const next = TextDocument.applyEdits(now, change.edits as TextEdit[]);
    documents.change(uri, (documents.get(uri)?.version ?? 0) + 1, [{ text: next }]);
  }
}

async function decide(...hunks: HunkDecision[]): Promise<string[]> {
  const { edit, remaining } = await store.review(proposal.proposalId).decide({ hunks });
  applyInEditor(edit);
  if (edit !== null) expect(await store.review(proposal.proposalId).didApply()).toMatchObject({ mismatched: [] });
  return [...remaining];
}

const accept = (id: string, lines?: HunkDecision["lines"]): HunkDecision =>
  lines === undefined ? { id, decision: "accept" } : { id, decision: "accept", lines };
const reject = (id: string, reason: string): HunkDecision => ({ id, decision: "reject", reason });
const hunks = (): string[] => proposal.hunks.map(({ id, state, title }) => `${id} ${state} ${title}`);

describe("an acceptance of some lines", () => {
  it("applies these lines, leaves the rest waiting as hunks, and tells the model which lines are which", async () => {
    expect(await decide(accept("h1", { old: [1], new: [1] }))).toEqual(["h1.1", "h1.3"]);
    expect(text()).toBe("top\none\nTWO\nthree\nend\n");
    expect(hunks()).toEqual(["h1.1 pending a.ts:2", "h1.2 accepted a.ts:3", "h1.3 pending a.ts:4"]);
    expect(proposal.state).toBe("pending");
    await decide(reject("h1.1", "one stays small"), { id: "h1.3", decision: "edit", newText: "drei\n" });
    expect(text()).toBe("top\none\nTWO\ndrei\nend\n");
    expect(describeOutcome(await outcome)).toMatchInlineSnapshot(`
      "PARTIALLY APPLIED: 2 of 3 hunks.
      - hunk h1.1 (a.ts:2), a part of h1: NOT applied, the person rejected it: "one stays small"
          -one
          +ONE
      - hunk h1.2 (a.ts:3), a part of h1: applied
          -two
          +TWO
      - hunk h1.3 (a.ts:4), a part of h1: applied with the person's own text instead of yours:
          -three
          | drei
      a.ts: changed in the editor, not saved to disk yet."
    `);
  });

  it("is told as an application of everything once all the rest was accepted", async () => {
    await decide(accept("h1", { old: [0] }));
    await decide(accept("h1.2"));
    expect(text()).toBe(target);
    expect(describeOutcome(await outcome)).toBe(
      "APPLIED: all 2 of 2 hunks.\n- hunk h1.1 (a.ts:2), a part of h1: applied\n" +
        "- hunk h1.2 (a.ts:3), a part of h1: applied\na.ts: changed in the editor, not saved to disk yet.",
    );
  });

  it("names the lines also where applied hunks are only counted", async () => {
    await decide(accept("h1", { old: [0] }));
    await decide(reject("h1.2", "no"));
    expect(describeOutcome(await outcome, { countApplied: true })).toContain(
      "- hunk h1.1 (a.ts:2), a part of h1: applied\n    -one\n    +ONE\n- hunk h1.2",
    );
  });

  it("is that of the whole hunk where all its lines are named", async () => {
    expect(await decide(accept("h1", { old: [0, 1, 2] }))).toEqual([]);
    expect(hunks()).toEqual(["h1 accepted a.ts:2"]);
    expect(text()).toBe(target);
  });

  it("can be made again of what is left", async () => {
    await decide(accept("h1", { old: [0] }));
    await decide(accept("h1.2", { new: [1] }));
    expect(text()).toBe("top\nONE\ntwo\nTHREE\nend\n");
    expect(hunks().filter((hunk) => hunk.includes("pending"))).toEqual(["h1.2.1 pending a.ts:3"]);
  });

  it("leaves the whole hunk waiting as it was when the editor did not apply the lines", async () => {
    const { edit } = await store.review(proposal.proposalId).decide({ hunks: [accept("h1", { old: [1] })] });
    expect(edit).not.toBe(null);
    expect(await store.review(proposal.proposalId).didApply([{ uri, version: 1 }])).toMatchObject({ verified: false });
    expect(hunks()).toEqual(["h1 pending a.ts:2"]);
    expect(await decide(accept("h1"))).toEqual([]);
    expect(text()).toBe(target);
  });

  it("leaves the whole hunk waiting also where another edit was confirmed after the lines were decided", async () => {
    propose("one\ntwo\na\nb\nc\nd\nend\n", "ONE\nTWO\na\nb\nc\nd\nEND\n");
    const { proposalId } = proposal;
    const other = await store.review(proposalId).decide({ hunks: [accept("h2")] });
    const confirmed = store.review(proposalId).didApply();
    await store.review(proposalId).decide({ hunks: [accept("h1", { old: [0] })] });
    applyInEditor(other.edit);
    await confirmed;
    expect(hunks()).toEqual(["h1.1 accepted a.ts:1", "h1.2 pending a.ts:2", "h2 accepted a.ts:7"]);
    await store.review(proposalId).didApply([{ uri, version: 2 }]);
    expect(hunks()).toEqual(["h1 pending a.ts:1", "h2 accepted a.ts:7"]);
  });

  it("is withdrawn with the rest when the turn is cancelled", async () => {
    await decide(accept("h1", { old: [0] }));
    turn.abort();
    expect(describeOutcome(await outcome)).toMatchInlineSnapshot(`
      "WITHDRAWN: 1 of 2 hunks were applied before. The turn was cancelled before the rest was decided.
      - hunk h1.1 (a.ts:2), a part of h1: applied
          -one
          +ONE
      - hunk h1.2 (a.ts:3), a part of h1: NOT applied, not decided
          -two
          -three
          +TWO
          +THREE
      a.ts: changed in the editor, not saved to disk yet."
    `);
  });

  it("can be asked about before it is made", async () => {
    const { texts } = await store.review(proposal.proposalId).subset([accept("h1", { new: [0] })]);
    expect(texts.get(uri)).toBe("top\nONE\ntwo\nthree\nend\n");
    expect(hunks()).toEqual(["h1 pending a.ts:2"]);
  });

  it.each<[string, HunkDecision, string]>([
    ["a line that the hunk has not", accept("h1", { old: [3] }), "/hunks/lines/old: expected indexes from 0 to 2"],
    ["a line twice", accept("h1", { new: [1, 1] }), "/hunks/lines/new: expected each line once, received 1"],
    ["no line at all", accept("h1", { old: [], new: [] }), "expected lines of hunk h1 that change something"],
    ["neither side", accept("h1", {}), "/hunks/lines: expected old, new or both"],
    [
      "lines of a rejection",
      { id: "h1", decision: "reject", lines: { old: [0] } },
      "/hunks/lines: expected lines with decision accept",
    ],
  ])("is refused with %s, and nothing is decided", async (_, decision, message) => {
    await expect(decide(decision)).rejects.toThrow(message);
    expect(hunks()).toEqual(["h1 pending a.ts:2"]);
    expect(text()).toBe(base);
  });

  it.each([
    ["creates", null, "a\nb\n", "a hunk that is a create"],
    ["deletes", "a\nb\n", null, "a hunk that is a delete"],
  ])("is refused for a hunk that %s a file", async (_, before, after, message) => {
    propose(before ?? "", after, { isNew: before === null });
    await expect(decide(accept("h1", { old: [0] }))).rejects.toThrow(message);
    expect(() => store.review(proposal.proposalId).split("h1")).toThrow("expected a hunk with several changed lines");
  });

  it("is taken back alone, also where lines that were added stand next to it", async () => {
    propose("top\nend\n", "top\na\nb\nc\nend\n");
    await decide(accept("h1", { new: [1] }));
    await decide(accept("h1.1"));
    expect(text()).toBe("top\na\nb\nend\n");
    await store.undo(proposal.proposalId, ["h1.2"]);
    expect(proposal.hunks.map(({ oldText, newText }) => [oldText, newText])).toEqual([["b\n", ""]]);
  });

  it("brings a line back above the line that came in its place when that one stays", async () => {
    propose("top\none\nend\n", "top\nONE\nend\n");
    await decide(accept("h1", { old: [0], new: [] }));
    await decide(accept("h1.2"));
    expect(text()).toBe("top\nONE\nend\n");
    await store.undo(proposal.proposalId, ["h1.1"]);
    await decide(accept("h1"));
    expect(text()).toBe("top\none\nONE\nend\n");
  });

  it("is taken back to the very bytes where lines that are alike came and went beside it", async () => {
    const before = "top\n  two\na\r\n  two\n  two";
    propose(before, "top\na\na\na\n  two");
    await decide(accept("h1", { old: [0, 2], new: [] }));
    await decide(accept("h1.4"));
    store.review(proposal.proposalId).split("h1.2");
    await decide(accept("h1.2.2"));
    const { edit } = await store.review(proposal.proposalId).decide({ hunks: [accept("h1.2.1")] });
    expect(edit).not.toBe(null);
    documents.change(uri, 9, [{ text: `typed\n${text()}` }]);
    await store.review(proposal.proposalId).didApply([{ uri, version: 9 }]);
    await decide(reject("h1.2.1", "no"));
    await store.undo(proposal.proposalId);
    await decide(...proposal.hunks.map(({ id }) => accept(id)));
    expect(text()).toBe(`typed\n${before}`);
  });

  it("leaves a rest that can be proposed again after it was rejected", async () => {
    propose("top\nend\n", "top\na\nb\nc\nend\n");
    const first = proposal.proposalId;
    await decide(accept("h1", { new: [1] }));
    await decide(reject("h1.1", "not now"), reject("h1.3", "not now"));
    await outcome;
    expect((await store.reopen(first)).left).toEqual([]);
    await decide(...proposal.hunks.map(({ id }) => accept(id)));
    expect(text()).toBe("top\na\nb\nc\nend\n");
  });
});

describe("a split", () => {
  it("puts smaller hunks in the place of one, which are decided in any order", async () => {
    expect(store.review(proposal.proposalId).split("h1")).toEqual(["h1.1", "h1.2", "h1.3"]);
    expect(hunks()).toEqual(["h1.1 pending a.ts:2", "h1.2 pending a.ts:3", "h1.3 pending a.ts:4"]);
    await decide(accept("h1.3"));
    await decide(accept("h1.1"), reject("h1.2", "two stays"));
    expect(text()).toBe("top\nONE\ntwo\nTHREE\nend\n");
    expect(describeOutcome(await outcome)).toContain('the person rejected it: "two stays"\n    -two\n    +TWO\n');
  });

  it("keeps the order of lines that are added at one place", async () => {
    propose("top\nend\n", "top\na\nb\nc\nend\n");
    store.review(proposal.proposalId).split("h1");
    for (const id of ["h1.2", "h1.3", "h1.1"]) await decide(accept(id));
    expect(text()).toBe("top\na\nb\nc\nend\n");
  });

  it("is refused where one line changes, or where the hunk is decided", async () => {
    store.review(proposal.proposalId).split("h1");
    expect(() => store.review(proposal.proposalId).split("h1.1")).toThrow("h1.1 has one changed line");
    await decide(reject("h1.1", "no"));
    expect(() => store.review(proposal.proposalId).split("h1.1")).toThrow("already decided");
    expect(() => store.review(proposal.proposalId).split("h1")).toThrow('has no hunk "h1"');
  });
});
