/** Random texts through propose, decide and apply: what was accepted is there, nothing else is, and the model hears so. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { describeOutcome } from "../../server/src/proposals/describe-outcome.ts";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../server/src/workspace/documents.ts";

const uri = "file:///project/a.ts";
const words = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  "}",
  "  return 1;",
  "déjà vu 😀",
  "\u2028",
  "\ud83d",
  "\t",
  "\u202E",
  "\uFEFF",
);
const lineOf = fc.tuple(words, fc.constantFrom("\n", "\n", "\r\n")).map((parts) => parts.join(""));
const text = fc.tuple(fc.array(lineOf, { maxLength: 25 }), words).map(([lines, last]) => lines.join("") + last);

/** As an edit of a text: mostly the same lines. */
const texts = text.chain((base) =>
  fc.tuple(
    fc.constant(base),
    fc.oneof(
      text,
      fc.array(fc.tuple(fc.nat(30), lineOf, fc.nat(2)), { maxLength: 5 }).map((edits) => {
        const lines = base.split(/(?<=\n)/);
        for (const [at, line, gone] of edits) lines.splice(at % (lines.length + 1), gone, line);
        return lines.join("");
      }),
    ),
  ),
);

const step = fc.record({
  decision: fc.constantFrom("accept", "accept", "reject", "edit"),
  own: fc.constantFrom<string>("own 1\n", "own 2\r\n", "own 3\nown 4\n"),
  count: fc.integer({ min: 1, max: 3 }),
  client: fc.constantFrom("applies", "applies", "applies", "tells late", "does nothing", "does nothing and types"),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class Editor {
  readonly documents = new Documents();
  proposal: Proposal | undefined;
  readonly store = new ProposalStore({
    documents: this.documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => (this.proposal = proposal),
    onChanged: (proposal) => (this.proposal = proposal),
  });

  open(base: string): void {
    this.documents.open({ uri, languageId: "typescript", version: 1, text: base });
  }

  get text(): string {
    return this.documents.get(uri)?.text ?? "";
  }

  type(next: string): void {
    this.documents.change(uri, (this.documents.get(uri)?.version ?? 0) + 1, [{ text: next }]);
  }

  /** Editors that count lines as LSP does, and those for which only a line feed ends one, must agree. */
  apply(edit: WorkspaceEdit | null): void {
    for (const change of (edit?.documentChanges ?? []) as TextDocumentEdit[]) {
      expect(change.textDocument.version).toBe(this.documents.get(uri)?.version);
      const edits = change.edits as TextEdit[];
      const byTheBook = TextDocument.applyEdits(TextDocument.create(uri, "typescript", 1, this.text), edits);
      expect(byLineFeeds(this.text, edits)).toBe(byTheBook);
      this.type(byTheBook);
    }
  }
}

function byLineFeeds(base: string, edits: readonly TextEdit[]): string {
  const starts = [0, ...[...base.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const at = ({ line, character }: { line: number; character: number }): number =>
    (starts[line] ?? Number.NaN) + character;
  return edits.reduceRight((result, { range, newText }) => {
    return result.slice(0, at(range.start)) + newText + result.slice(at(range.end));
  }, base);
}

function isPending({ state }: Hunk): boolean {
  return state === "pending" || state === "conflict";
}

it("applies exactly what was accepted, and says so", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(step, { maxLength: 12 }), async ([base, target], steps) => {
      if (base === target) return;
      const editor = new Editor();
      editor.open(base);
      const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
      const settled = editor.store.propose(
        { title: "t", why: "w", documents: [document] },
        new AbortController().signal,
      );
      const first = editor.proposal;
      if (first === undefined) throw new Error("nothing was announced");
      const kept = new Map<string, string>();
      let typed = "";
      const carryOut = async ({ decision, own, count, client }: Step): Promise<void> => {
        const chosen = (editor.proposal?.hunks ?? []).filter(isPending).slice(0, count);
        if (chosen.length === 0) return;
        // What a person's own text does to what they typed themselves is walked through in moving-base.test.ts.
        const hunks = chosen.map(({ id, state }): HunkDecision => ({
          id,
          decision: state === "conflict" && decision === "edit" ? "accept" : (decision as "accept"),
          ...(decision === "edit" ? { newText: own } : {}),
        }));
        const { edit, conflicts } = await editor.store.review(first.proposalId).decide({ hunks });
        // Typing above the text is in nobody's way but a hunk's that stands there.
        for (const id of conflicts)
          expect([typed, first.hunks.find((hunk) => hunk.id === id)?.range.start]).not.toContain("");
        if (client === "does nothing and types") {
          typed += "// typed\n";
          editor.type(`// typed\n${editor.text}`);
        }
        if (edit === null) return;
        const version = editor.documents.get(uri)?.version ?? 0;
        if (client.startsWith("does nothing")) {
          const told = await editor.store.review(first.proposalId).didApply([{ uri, version }]);
          expect(told.verified).toBe(false);
          return;
        }
        const late =
          client === "tells late"
            ? editor.store.review(first.proposalId).didApply([{ uri, version: version + 1 }])
            : undefined;
        editor.apply(edit);
        const told = await (late ?? editor.store.review(first.proposalId).didApply([{ uri, version: version + 1 }]));
        expect(told.mismatched).toEqual([]);
        for (const hunk of chosen) {
          if (!conflicts.includes(hunk.id)) kept.set(hunk.id, decision === "edit" ? own.toWellFormed() : hunk.newText);
        }
      };
      for (const each of steps) await carryOut(each);
      while (editor.proposal?.hunks.some(isPending) === true)
        await carryOut({ decision: "reject", own: "own 1\n", count: 3, client: "applies" });
      const outcome = await settled;
      expect(
        outcome.hunks
          .filter(({ applied }) => applied)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual([...kept.keys()].toSorted());
      expect(editor.text).toBe(typed + withKept(base, first, kept));
      const count = kept.size === 0 ? "(none|0)" : `${kept.size}`;
      expect(describeOutcome(outcome)).toMatch(new RegExp(`${count} of ${first.hunks.length} hunks`));
    }),
  );
});

/** The base with these texts in the place of what their hunks replace. */
function withKept(base: string, { hunks }: Proposal, kept: ReadonlyMap<string, string>): string {
  const document = TextDocument.create(uri, "typescript", 1, base);
  const edits = hunks.flatMap(({ id, range }) => {
    const newText = kept.get(id);
    return newText === undefined ? [] : [{ range, newText }];
  });
  return TextDocument.applyEdits(document, edits);
}
