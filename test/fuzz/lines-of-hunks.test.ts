/** Random lines of random hunks: what was taken stands in the text, the rest waits, and no order makes a difference. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { undoOf } from "../../server/src/proposals/after/after-review.ts";
import { isOpen, wasApplied } from "../../server/src/proposals/hunk-state.ts";
import type { TrackedHunk } from "../../server/src/proposals/proposal.ts";
import { Review } from "../../server/src/proposals/review.ts";
import { applyChanges } from "../../server/src/proposals/texts/hunks.ts";
import { linesOf } from "../../server/src/proposals/texts/line-rows.ts";
import { createTracked } from "../../server/src/proposals/tracked-proposal.ts";
import { InvalidParamsError } from "../../server/src/base/errors.ts";
import type { HunkDecision } from "../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../server/src/workspace/documents.ts";

const uri = "file:///project/a.ts";
const TYPED = "// typed\n";
/** What is typed above this line is at no hunk's place. */
const TOP = "// top\n";
const word = fc.constantFrom("a", "b", "c", "", "}", "  return one;", "  return two;", "const x = f(one);", "é😀");
const line = fc.tuple(word, fc.constantFrom("\n", "\n", "\n", "\r\n")).map((parts) => parts.join(""));
const text = fc.tuple(fc.array(line, { maxLength: 12 }), word).map(([lines, last]) => TOP + lines.join("") + last);
/** As an edit of a text: mostly the same lines, some of them replaced by several. */
const texts = text.chain((base) =>
  fc.tuple(
    fc.constant(base),
    fc.oneof(
      text,
      fc.array(fc.tuple(fc.nat(12), fc.array(line, { maxLength: 4 }), fc.nat(4)), { maxLength: 3 }).map((edits) => {
        const lines = linesOf(base);
        for (const [at, come, gone] of edits) lines.splice(1 + (at % lines.length), gone, ...come);
        return lines.join("");
      }),
    ),
  ),
);
const step = fc.record({
  what: fc.constantFrom("lines", "lines", "lines", "split", "accept", "reject"),
  hunk: fc.nat(20),
  old: fc.option(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), { nil: undefined }),
  new: fc.option(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), { nil: undefined }),
  client: fc.constantFrom("applies", "applies", "applies", "does nothing"),
  types: fc.constantFrom(false, false, false, false, true),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** An editor with one open file, and the review of a proposal for it. */
class Reviewed {
  readonly #documents = new Documents();
  readonly review: Review;
  readonly base: string;
  #typed = "";
  conflicts = 0;

  constructor(base: string, target: string) {
    this.base = base;
    this.#documents.open({ uri, languageId: "typescript", version: 1, text: base });
    const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
    const ports = { documents: this.#documents, whyMoved: () => undefined, onChanged: () => undefined };
    this.review = new Review(createTracked("p", { title: "t", why: "w", documents: [document] }), ports);
    void this.review.run(() => undefined, new AbortController().signal);
  }

  get text(): string {
    return this.#documents.get(uri)?.text ?? "";
  }

  get pending(): TrackedHunk[] {
    return this.review.tracked.hunks.filter(({ now }) => now.is === "pending");
  }

  get open(): TrackedHunk[] {
    return this.review.tracked.hunks.filter(isOpen);
  }

  /** The text that the applied pieces make of the text of the beginning. */
  get expected(): string {
    const applied = this.review.tracked.hunks.filter(wasApplied);
    return (
      this.#typed +
      applyChanges(
        this.base,
        applied.map(({ planned }) => planned),
      )
    );
  }

  get typed(): string {
    return this.#typed;
  }

  type(): void {
    this.#typed += TYPED;
    this.#set(TYPED + this.text);
  }

  /** Types a line above another one, at the place of a hunk perhaps. */
  typeAt(row: number, typed: string): void {
    const lines = linesOf(this.text);
    lines.splice(row % Math.max(lines.length, 1), 0, typed);
    this.#set(lines.join(""));
  }

  async decide(hunks: readonly HunkDecision[], client: Step["client"]): Promise<void> {
    const { edit, conflicts } = await this.review.decide({ hunks });
    this.conflicts += conflicts.length;
    if (edit === null) return;
    if (client === "applies") this.#apply(edit);
    const version = this.#documents.get(uri)?.version ?? null;
    expect((await this.review.didApply([{ uri, version }])).mismatched).toEqual(client === "applies" ? [] : [uri]);
  }

  #set(next: string): void {
    this.#documents.change(uri, (this.#documents.get(uri)?.version ?? 0) + 1, [{ text: next }]);
  }

  #apply(edit: WorkspaceEdit): void {
    const [change] = (edit.documentChanges ?? []) as TextDocumentEdit[];
    this.#set(
      TextDocument.applyEdits(TextDocument.create(uri, "ts", 1, this.text), (change?.edits ?? []) as TextEdit[]),
    );
  }
}

function decisionOf({ what, old, new: now }: Step, hunk: TrackedHunk): HunkDecision {
  if (what !== "lines") return { id: hunk.id, decision: what as "accept" };
  const some = (lines: string, bits: boolean[] | undefined): number[] | undefined =>
    bits === undefined ? undefined : linesOf(lines).flatMap((_, index) => (bits[index % 12] === true ? index : []));
  const [goes, comes] = [some(hunk.oldText, old), some(hunk.newText, now)];
  const lines = { ...(goes === undefined ? {} : { old: goes }), ...(comes === undefined ? {} : { new: comes }) };
  return { id: hunk.id, decision: "accept", lines };
}

/** A selection that makes no sense is refused, and changes nothing. */
async function take(reviewed: Reviewed, each: Step): Promise<void> {
  if (each.types) reviewed.type();
  const { pending } = reviewed;
  const hunk = pending[each.hunk % Math.max(pending.length, 1)];
  if (hunk === undefined) return;
  const before = { hunks: [...reviewed.review.tracked.hunks], text: reviewed.text };
  try {
    if (each.what === "split") reviewed.review.split(hunk.id);
    else await reviewed.decide([decisionOf(each, hunk)], each.client);
  } catch (error) {
    if (!(error instanceof InvalidParamsError)) throw error;
    expect({ hunks: [...reviewed.review.tracked.hunks], text: reviewed.text }).toEqual(before);
  }
  if (each.client === "does nothing" && each.what === "lines") expect(reviewed.text).toBe(before.text);
}

function wordsOf(content: string): string[] {
  return content.split(/\r?\n/);
}

it("leaves exactly the lines in the text that were taken, in any order, and takes them back", async () => {
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(step, { maxLength: 10 }),
      fc.boolean(),
      async ([base, target], steps, isAccepted) => {
        if (base === target) return;
        const reviewed = new Reviewed(base, target);
        for (const each of steps) {
          await take(reviewed, each);
          expect(reviewed.text).toBe(reviewed.expected);
        }
        const isAnyRejected = reviewed.review.tracked.hunks.some(({ now }) => now.is === "rejected");
        const rest = reviewed.pending.map(({ id }): HunkDecision => ({
          id,
          decision: isAccepted ? "accept" : "reject",
        }));
        // From the end to the beginning of the text: no order may matter.
        if (rest.length > 0) await reviewed.decide(rest.toReversed(), "applies");
        expect(reviewed.text).toBe(reviewed.expected);
        if (isAccepted && !isAnyRejected && reviewed.conflicts === 0) {
          expect(reviewed.text).toBe(reviewed.typed + target);
        }
        const known = new Set([...wordsOf(base), ...wordsOf(target), ...wordsOf(TYPED)]);
        expect(wordsOf(reviewed.text).filter((content) => !known.has(content))).toEqual([]);
        const undone = undoOf(reviewed.review.tracked, undefined, await reviewed.review.look());
        expect(undone.left).toEqual([]);
        expect(undone.documents[0]?.target ?? reviewed.text).toBe(reviewed.typed + base);
      },
    ),
  );
});

it("composes a part of the lines as it would go in, and decides nothing by that", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(step, { maxLength: 4 }), step, async ([base, target], steps, last) => {
      if (base === target) return;
      const reviewed = new Reviewed(base, target);
      for (const each of steps) await take(reviewed, { ...each, client: "applies" });
      const [hunk] = reviewed.pending;
      if (hunk === undefined) return;
      const decision = decisionOf({ ...last, what: "lines" }, hunk);
      const asked = await reviewed.review.subset([decision]).catch((error: unknown) => error);
      const before = reviewed.review.tracked.hunks;
      const decided = await reviewed.decide([decision], "applies").catch((error: unknown) => error);
      if (decided instanceof Error || asked instanceof Error) {
        expect(asked).toBeInstanceOf(InvalidParamsError);
        expect(decided).toBeInstanceOf(InvalidParamsError);
        expect(reviewed.review.tracked.hunks).toBe(before);
      } else {
        expect((asked as { texts: ReadonlyMap<string, string> }).texts.get(uri)).toBe(reviewed.text);
      }
    }),
  );
});

it("loses no line that the person types, wherever the pieces of a hunk stand", async () => {
  const typing = fc.option(fc.nat(20), { nil: undefined });
  const steps = fc.array(fc.tuple(step, typing), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(texts, steps, fc.boolean(), async ([base, target], all, isAccepted) => {
      if (base === target) return;
      const reviewed = new Reviewed(base, target);
      const typed: string[] = [];
      for (const [each, typedAt] of all) {
        if (typedAt !== undefined) {
          typed.push(`// typed ${typed.length}`);
          reviewed.typeAt(typedAt, `${typed.at(-1)}\n`);
        }
        await take(reviewed, { ...each, types: false, client: "applies" });
      }
      const rest = reviewed.open.map(({ id }): HunkDecision => ({ id, decision: isAccepted ? "accept" : "reject" }));
      if (rest.length > 0) await reviewed.decide(rest, "applies");
      const known = new Set([...wordsOf(base), ...wordsOf(target), ...typed]);
      const lines = wordsOf(reviewed.text);
      expect(lines.filter((content) => content.startsWith("// typed")).toSorted()).toEqual(typed.toSorted());
      expect(lines.filter((content) => !known.has(content))).toEqual([]);
      const undone = undoOf(reviewed.review.tracked, undefined, await reviewed.review.look());
      for (const { target: after } of undone.documents) {
        expect(typed.filter((content) => !wordsOf(after ?? "").includes(content))).toEqual([]);
      }
    }),
  );
});
