import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { describeOutcome } from "../../../server/src/proposals/describe-outcome.ts";
import { changesBetween } from "../../../server/src/proposals/texts/hunks.ts";
import { ProposalStore } from "../../../server/src/proposals/proposal-store.ts";
import type { ProposalOutcome } from "../../../server/src/proposals/proposal.ts";
import type { Proposal } from "../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../server/src/workspace/documents.ts";

const base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const target = "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n";

let folder: string;
let documents: Documents;
let store: ProposalStore;
let announced: Proposal[];
let uri: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-store-")));
  uri = pathToFileURL(path.join(folder, "a.ts")).href;
  documents = new Documents();
  announced = [];
  store = new ProposalStore({
    documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => announced.push(proposal),
    onChanged: () => undefined,
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

function openAndPropose(signal = new AbortController().signal): {
  proposal: Proposal;
  outcome: Promise<ProposalOutcome>;
} {
  documents.open({ uri, languageId: "typescript", version: 1, text: base });
  const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
  const outcome = store.propose({ title: "Edit", why: "because", documents: [document] }, signal);
  const proposal = announced.at(-1);
  if (proposal === undefined) throw new Error("nothing was announced");
  return { proposal, outcome };
}

/** Does what an editor does with the answer of `agentq/decide`. */
function applyInEditor(edit: WorkspaceEdit | null): void {
  for (const change of (edit?.documentChanges ?? []) as TextDocumentEdit[]) {
    const open = documents.get(uri);
    if (open === undefined) throw new Error("not open");
    expect(change.textDocument.version).toBe(open.version);
    const edits = change.edits as { range: TextDocumentEdit["edits"][number]["range"]; newText: string }[];
    const text = TextDocument.applyEdits(TextDocument.create(uri, "typescript", open.version, open.text), edits);
    documents.change(uri, open.version + 1, [{ text }]);
  }
}

function decideAll(decision: "accept" | "reject"): { id: string; decision: "accept" | "reject" }[] {
  return ["h1", "h2", "h3"].map((id) => ({ id, decision }));
}

function type(text: string): void {
  documents.change(uri, (documents.get(uri)?.version ?? 0) + 1, [{ text }]);
}

describe("a proposal", () => {
  it("carries one annotation a hunk that needs confirmation, and the version it was made against", () => {
    const { proposal } = openAndPropose();
    expect(proposal.hunks.map((hunk) => hunk.oldText)).toEqual(["one\n", "four\n", "seven\n"]);
    expect(Object.values(proposal.edit.changeAnnotations ?? {}).every((note) => note.needsConfirmation)).toBe(true);
    expect(proposal.documents).toEqual([{ uri, version: 1, sha256: sha256(base) }]);
  });

  it("names the characters it brings in that nobody sees, and leaves out those that were there", () => {
    const before = "const a = 1; // \u200B\nconst b = 2;\nconst c = 3;\n";
    const after = 'const a = "1"; // \u200B\nconst b = 2;\nconst c = "\u202E3"; // 👩\u200D💻 👍\uFE0F x\u200D\n';
    documents.open({ uri, languageId: "typescript", version: 1, text: before });
    const document = { uri, path: "a.ts", base: { text: before, version: 1, sha256: sha256(before) }, target: after };
    const request = { title: "Edit a.ts", why: "Because \u202Eof that.", documents: [document] };
    void store.propose(request, new AbortController().signal);
    expect(announced.at(-1)).toMatchObject({
      title: "Edit a.ts (hidden: U+202E, U+200D)",
      why:
        "CAUTION: the new text has characters that cannot be seen or that turn its order: U+202E in a.ts:3, " +
        "U+200D in a.ts:3. Because <U+202E>of that.",
    });
  });

  it("tells exactly what was kept after a part was accepted, one edited and one rejected", async () => {
    const { proposal, outcome } = openAndPropose();
    const result = await store.review(proposal.proposalId).decide({
      hunks: [
        { id: "h1", decision: "accept" },
        { id: "h2", decision: "edit", newText: "vier\n" },
        { id: "h3", decision: "reject", reason: "seven stays" },
      ],
    });
    applyInEditor(result.edit);
    expect(documents.get(uri)?.text).toBe("ONE\ntwo\nthree\nvier\nfive\nsix\nseven\n");
    expect(await store.review(proposal.proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
    const settled = await outcome;
    expect(settled.state).toBe("partiallyApplied");
    expect(describeOutcome(settled)).toMatchInlineSnapshot(`
      "PARTIALLY APPLIED: 2 of 3 hunks.
      - hunk h1 (a.ts:1): applied
      - hunk h2 (a.ts:4): applied with the person's own text instead of yours:
          | vier
      - hunk h3 (a.ts:7): NOT applied, the person rejected it: "seven stays"
      a.ts: changed in the editor, not saved to disk yet."
    `);
  });

  it("can be decided in several calls, with the person typing in between", async () => {
    const { proposal, outcome } = openAndPropose();
    const { proposalId } = proposal;
    const first = await store.review(proposalId).decide({ hunks: [{ id: "h2", decision: "accept" }] });
    expect(first.remaining).toEqual(["h1", "h3"]);
    applyInEditor(first.edit);
    await store.review(proposalId).didApply();
    type(`// typed\n${documents.get(uri)?.text ?? ""}`);
    const second = await store.review(proposalId).decide({ hunks: [{ id: "h3", decision: "accept" }] });
    applyInEditor(second.edit);
    await store.review(proposalId).didApply();
    expect(documents.get(uri)?.text).toBe("// typed\none\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n");
    await store.review(proposalId).decide({ hunks: [{ id: "h1", decision: "reject" }] });
    expect((await outcome).state).toBe("partiallyApplied");
  });

  it("answers a conflict instead of overwriting what the person typed at that place", async () => {
    const { proposal, outcome } = openAndPropose();
    type(base.replace("four", "mine"));
    const result = await store
      .review(proposal.proposalId)
      .decide({ hunks: ["h1", "h2", "h3"].map((id) => ({ id, decision: "accept" as const })) });
    expect(result).toMatchObject({ conflicts: ["h2"], remaining: ["h2"] });
    applyInEditor(result.edit);
    await store.review(proposal.proposalId).didApply();
    expect(documents.get(uri)?.text).toBe("ONE\ntwo\nthree\nmine\nfive\nsix\nSEVEN\n");
    await store.review(proposal.proposalId).decide({ hunks: [{ id: "h2", decision: "reject" }] });
    expect(describeOutcome(await outcome)).toContain(
      "h2 (a.ts:4): NOT applied: the document changed at that place since you read it, and the person left it at that.",
    );
  });

  it("does not believe a client that says it applied the edit but did not, and lets the person decide again", async () => {
    const { proposal, outcome } = openAndPropose();
    const { proposalId } = proposal;
    const accepted = await store.review(proposalId).decide({ hunks: decideAll("accept") });
    expect(await store.review(proposalId).didApply([{ uri, version: 1 }])).toEqual({
      verified: false,
      mismatched: [uri],
    });
    expect(store.open(proposalId)).toMatchObject({ state: "pending", hunks: Array(3).fill({ state: "pending" }) });
    const again = await store.review(proposalId).decide({ hunks: decideAll("accept") });
    expect(again.edit).toEqual(accepted.edit);
    applyInEditor(again.edit);
    expect(await store.review(proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
    expect((await outcome).state).toBe("applied");
  });

  it("waits for text sync that is behind what the client says", async () => {
    const { proposal, outcome } = openAndPropose();
    const { edit } = await store.review(proposal.proposalId).decide({ hunks: decideAll("accept") });
    const told = store.review(proposal.proposalId).didApply([{ uri, version: 2 }]);
    applyInEditor(edit);
    expect(await told).toEqual({ verified: true, mismatched: [] });
    expect((await outcome).state).toBe("applied");
  });

  it("knows the hunks that went in when the editor changed other lines on the way, and reports those changes", async () => {
    const { proposal, outcome } = openAndPropose();
    const { edit } = await store.review(proposal.proposalId).decide({ hunks: decideAll("accept") });
    applyInEditor(edit);
    type((documents.get(uri)?.text ?? "").replace("two", "2").replace("SEVEN", "seven!"));
    const told = await store.review(proposal.proposalId).didApply([{ uri, version: 3 }]);
    expect(told).toEqual({ verified: false, mismatched: [uri] });
    expect(store.open(proposal.proposalId).hunks[2]).toMatchObject({ state: "conflict", currentText: "seven!\n" });
    await store.review(proposal.proposalId).decide({ hunks: [{ id: "h3", decision: "reject" }] });
    const text = describeOutcome(await outcome);
    expect(text).toContain("UNCERTAIN: 2 of 3 hunks are known to be applied");
    expect(text).toContain(
      "h3 (a.ts:7): NOT confirmed: it was accepted, but the text there is neither the old nor the approved one. " +
        "The person left it at that. Read it again.",
    );
    expect(text).toContain("a.ts: other places changed too since you read it.");
  });

  it("reports an accepted hunk that was undone, or changed, before the rest was decided", async () => {
    const { proposal, outcome } = openAndPropose();
    const { proposalId } = proposal;
    for (const id of ["h1", "h2"]) {
      applyInEditor((await store.review(proposalId).decide({ hunks: [{ id, decision: "accept" }] })).edit);
      expect((await store.review(proposalId).didApply()).verified).toBe(true);
    }
    type("one\ntwo\nthree\nvier\nfive\nsix\nseven\n");
    await store.review(proposalId).decide({ hunks: [{ id: "h3", decision: "reject" }] });
    const settled = await outcome;
    expect(settled.state).toBe("rejected");
    expect(describeOutcome(settled)).toMatchInlineSnapshot(`
      "NOT APPLIED: none of 3 hunks.
      - hunk h1 (a.ts:1): NOT applied any more: it was accepted and applied, then undone
      - hunk h2 (a.ts:4): NOT there any more: it was applied, then the text at that place was changed. Read it again.
      - hunk h3 (a.ts:7): NOT applied, the person rejected it: no reason given
      a.ts: changed in the editor, not saved to disk yet."
    `);
  });

  it("tells what was applied before the turn was cancelled", async () => {
    const abort = new AbortController();
    const { proposal, outcome } = openAndPropose(abort.signal);
    const { proposalId } = proposal;
    applyInEditor((await store.review(proposalId).decide({ hunks: [{ id: "h1", decision: "accept" }] })).edit);
    await store.review(proposalId).didApply();
    await store.review(proposalId).decide({ hunks: [{ id: "h2", decision: "accept" }] });
    abort.abort();
    expect(describeOutcome(await outcome)).toMatchInlineSnapshot(`
      "WITHDRAWN: 1 of 3 hunks were applied before. The turn was cancelled before the rest was decided.
      - hunk h1 (a.ts:1): applied
      - hunk h2 (a.ts:4): accepted, but nobody confirmed that it was applied. Read the file.
      - hunk h3 (a.ts:7): NOT applied, not decided"
    `);
  });

  it("verifies two edits of one document that are confirmed together", async () => {
    const { proposal, outcome } = openAndPropose();
    const { proposalId } = proposal;
    for (const id of ["h3", "h1", "h2"]) {
      applyInEditor((await store.review(proposalId).decide({ hunks: [{ id, decision: "accept" }] })).edit);
    }
    expect(await store.review(proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
    expect((await outcome).state).toBe("applied");
    expect(await store.review(proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
  });

  it("is settled as rejected, with the reasons, when nothing was accepted", async () => {
    const { proposal, outcome } = openAndPropose();
    const result = await store.review(proposal.proposalId).decide({
      hunks: ["h1", "h2", "h3"].map((id) => ({ id, decision: "reject" as const, reason: "no" })),
      message: "try another way",
      then: "stop",
    });
    expect(result).toEqual({ edit: null, conflicts: [], remaining: [] });
    const settled = await outcome;
    expect(settled).toMatchObject({ state: "rejected", then: "stop" });
    expect(await store.review(proposal.proposalId).didApply()).toEqual({ verified: false, mismatched: [] });
    expect(describeOutcome(settled)).toContain("The person says: try another way");
  });

  it("waits a moment for the edit that the editor applies while the turn is cancelled", async () => {
    const abort = new AbortController();
    const { proposal, outcome } = openAndPropose(abort.signal);
    const { proposalId } = proposal;
    const { edit } = await store.review(proposalId).decide({ hunks: [{ id: "h1", decision: "accept" }] });
    abort.abort();
    const late = store.review(proposalId).decide({ hunks: [{ id: "h2", decision: "accept" }] });
    await expect(late).rejects.toMatchObject({ code: "alreadyDecided" });
    applyInEditor(edit);
    await store.review(proposalId).didApply();
    const { state, hunks } = await outcome;
    expect([state, ...hunks.map(({ applied }) => applied)]).toEqual(["withdrawn", true, false, false]);
  });

  it("is withdrawn when the turn is cancelled, and cannot be decided afterwards", async () => {
    const abort = new AbortController();
    const { proposal, outcome } = openAndPropose(abort.signal);
    abort.abort();
    expect((await outcome).state).toBe("withdrawn");
    await expect(
      store.review(proposal.proposalId).decide({ hunks: [{ id: "h1", decision: "accept" }] }),
    ).rejects.toMatchObject({ code: "alreadyDecided" });
    expect(documents.get(uri)?.text).toBe(base);
  });

  it("records nothing of a request that names an unknown or decided hunk", async () => {
    const { proposal } = openAndPropose();
    const { proposalId } = proposal;
    const accept = { id: "h1", decision: "accept" as const };
    await expect(
      store.review(proposalId).decide({ hunks: [accept, { id: "h9", decision: "accept" }] }),
    ).rejects.toMatchObject({
      code: "unknownProposal",
    });
    await expect(store.review(proposalId).decide({ hunks: [accept, accept] })).rejects.toMatchObject({
      code: "alreadyDecided",
    });
    expect(store.open(proposalId).hunks.map((hunk) => hunk.state)).toEqual(["pending", "pending", "pending"]);
    expect(() => store.review("nope")).toThrow(expect.objectContaining({ code: "unknownProposal" }));
  });

  it("creates a file that does not exist, and conflicts with one that somebody else made meanwhile", async () => {
    const document = { uri, path: "a.ts", base: null, target: "new\n" };
    const abort = new AbortController();
    const outcome = store.propose({ title: "Create", why: "w", documents: [document] }, abort.signal);
    const proposal = announced.at(-1);
    expect(proposal?.hunks).toMatchObject([{ kind: "create", oldText: "", newText: "new\n" }]);
    writeFileSync(path.join(folder, "a.ts"), "somebody else's\n");
    const result = await store.review(proposal?.proposalId ?? "").decide({ hunks: [{ id: "h1", decision: "accept" }] });
    expect(result).toEqual({ edit: null, conflicts: ["h1"], remaining: ["h1"] });
    abort.abort();
    expect(describeOutcome(await outcome)).toContain("h1 (create a.ts): NOT applied, not decided: a.ts exists by now.");
  });

  it("gives the text with exactly the accepted hunks, for any texts and any order of decisions", async () => {
    const texts = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 20 }).map((lines) => lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.array(fc.boolean(), { minLength: 20 }), async (from, to, accepts) => {
        const changes = changesBetween(from, to);
        documents.open({ uri, languageId: "typescript", version: 1, text: from });
        const outcome = store.propose(
          {
            title: "t",
            why: "w",
            documents: [{ uri, path: "a.ts", base: { text: from, version: 1, sha256: "" }, target: to }],
          },
          new AbortController().signal,
        );
        const proposal = announced.at(-1);
        if (proposal === undefined || changes.length === 0) return;
        const kept: number[] = [];
        for (const index of changes.keys()) {
          const accept = accepts[index] ?? false;
          if (accept) kept.push(index);
          const { edit } = await store
            .review(proposal.proposalId)
            .decide({ hunks: [{ id: `h${index + 1}`, decision: accept ? "accept" : "reject" }] });
          applyInEditor(edit);
          if (edit !== null) await store.review(proposal.proposalId).didApply();
        }
        await outcome;
        const expected = changes
          .filter((_, index) => kept.includes(index))
          .reduceRight(
            (current, { start, end, newText }) => current.slice(0, start) + newText + current.slice(end),
            from,
          );
        expect(documents.get(uri)?.text).toBe(expected);
      }),
    );
  });
});
