/** A person who types while they review: whatever is decided in whatever order, no line of theirs is lost. */
import fc from "fast-check";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../server/src/workspace/documents.ts";

const uri = "file:///project/a.ts";
const line = fc.tuple(fc.constantFrom("a", "b", "c", "", "}", "déjà 😀"), fc.constantFrom("\n", "\n", "\r\n"));
const lines = fc.array(
  line.map((parts) => parts.join("")),
  { maxLength: 14 },
);
const changes = fc.array(
  fc.tuple(
    fc.nat(20),
    fc.nat(2),
    lines.map((some) => some.slice(0, 2)),
  ),
  {
    minLength: 1,
    maxLength: 4,
  },
);

const step = fc.record({
  does: fc.constantFrom("types", "types", "types", "accepts", "accepts", "merges", "rejects", "accepts all", "looks"),
  at: fc.nat(40),
  /** Lines that the person takes away there: their own lines stay, or this walk would say nothing. */
  gone: fc.nat(2),
  hunk: fc.nat(6),
  /** What happens between the decision and `agentq/didApply`. */
  then: fc.constantFrom("applies", "applies", "applies and types", "does nothing", "tells nothing of an undo"),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What the person typed is marked, so that it can be found again. */
const MARK = "// mine ";

class Person {
  readonly documents = new Documents();
  told: Proposal | undefined;
  #typed = 0;
  readonly store = new ProposalStore({
    documents: this.documents,
    whyMoved: () => undefined,
    onProposal: (proposal) => (this.told = proposal),
    onChanged: (proposal) => (this.told = proposal),
  });

  constructor(base: string) {
    this.documents.open({ uri, languageId: "typescript", version: 1, text: base });
  }

  get text(): string {
    return this.documents.get(uri)?.text ?? "";
  }

  set text(text: string) {
    this.documents.change(uri, (this.documents.get(uri)?.version ?? 0) + 1, [{ text }]);
  }

  get open(): Hunk[] {
    return (this.told?.hunks ?? []).filter(({ state }) => state === "pending" || state === "conflict");
  }

  own(): string[] {
    return this.text.split(/\r?\n/).filter((each) => each.startsWith(MARK));
  }

  type({ at, gone }: Step): void {
    const all = this.text.split(/(?<=\n)/);
    const place = at % (all.length + 1);
    const end = all.slice(place, place + gone).some((each) => each.startsWith(MARK)) ? 0 : gone;
    // A line without an end stays the last one.
    all.splice(
      place,
      place === all.length ? 0 : Math.min(end, all.length - 1 - place),
      `${MARK}${(this.#typed += 1)}\n`,
    );
    const text = all.join("");
    this.text = all.length > 1 && place === all.length - 1 ? withOwnLineApart(all) : text;
  }

  async decide(hunks: readonly HunkDecision[], then: Step["then"]): Promise<void> {
    const { proposalId = "" } = this.told ?? {};
    const { edit } = await this.store.review(proposalId).decide({ hunks });
    if (edit === null) return;
    if (then !== "does nothing") {
      const before = this.text;
      this.text = applied(this.text, edit);
      if (then === "tells nothing of an undo") this.text = before;
    }
    if (then === "applies and types") this.type({ at: 3, gone: 0, hunk: 0, does: "types", then });
    const { version = 0 } = this.documents.get(uri) ?? {};
    await this.store.review(proposalId).didApply([{ uri, version }]);
  }

  decision({ does, hunk }: Step): HunkDecision[] {
    const { open } = this;
    const chosen = open[hunk % Math.max(open.length, 1)];
    if (chosen === undefined) return [];
    const { id, currentText, newText, oldText } = chosen;
    if (does === "accepts all") return open.map((each) => ({ id: each.id, decision: "accept" }));
    if (does === "accepts") return [{ id, decision: "accept" }];
    if (does === "rejects") return [{ id, decision: "reject" }];
    // The person merges what they were shown.
    const merged = [currentText ?? "", currentText === undefined ? newText : `merged ${id}\n`].join("");
    return [{ id, decision: "edit", newText: merged, currentText: currentText ?? oldText }];
  }
}

function withOwnLineApart(all: readonly string[]): string {
  return all.map((each, index) => (index < all.length - 1 && !each.endsWith("\n") ? `${each}\n` : each)).join("");
}

function applied(text: string, edit: WorkspaceEdit): string {
  const edits = ((edit.documentChanges ?? []) as TextDocumentEdit[]).flatMap((each) => each.edits as TextEdit[]);
  return TextDocument.applyEdits(TextDocument.create(uri, "typescript", 1, text), edits);
}

/** The client was told where the hunks stand: the texts it was told stand there. */
function expectTrue({ told, text, documents }: Person): void {
  if (told?.documents[0]?.version !== documents.get(uri)?.version) return;
  const document = TextDocument.create(uri, "typescript", 1, text);
  for (const { state, range, oldText, currentText } of told?.hunks ?? []) {
    if (state === "pending") expect(document.getText(range)).toBe(oldText);
    if (state === "conflict" && currentText !== undefined) expect(document.getText(range)).toBe(currentText);
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("loses no line that the person typed during the review, and shows every hunk where it stands", async () => {
  await fc.assert(
    fc.asyncProperty(lines, changes, fc.array(step, { maxLength: 14 }), async (some, edits, steps) => {
      const base = some.join("");
      const all = [...some];
      for (const [at, gone, put] of edits) all.splice(at % (all.length + 1), gone, ...put);
      const target = all.join("");
      if (base === target) return;
      const person = new Person(base);
      const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
      const cancel = new AbortController();
      const settled = person.store.propose({ title: "t", why: "w", documents: [document] }, cancel.signal);
      for (const each of steps) {
        if (person.told?.state !== "pending") break;
        const before = person.own();
        if (each.does === "types") person.type(each);
        else if (each.does === "looks") {
          await vi.advanceTimersByTimeAsync(500);
          await turn();
          expectTrue(person);
        } else await person.decide(person.decision(each), each.then);
        for (const own of before) expect(person.own()).toContain(own);
      }
      const left = person.open.map(({ id }) => ({ id, decision: "reject" as const }));
      if (left.length > 0) await person.decide(left, "applies");
      cancel.abort();
      await vi.advanceTimersByTimeAsync(5_000);
      const { hunks } = await settled;
      for (const hunk of hunks)
        if (hunk.applied && hunk.newText !== "") expect(person.text).toContain(hunk.editedText ?? hunk.newText);
    }),
  );
});
