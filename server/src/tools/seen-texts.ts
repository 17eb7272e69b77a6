/**
 * Which text of each file a conversation read last: a whole new text is written against that text, not against the
 * current one. `LastSeen` of `conversation/` reports what has changed and takes a change as known once its lines were
 * named; here a text is known only when the model has all of it.
 */
import type { HunkOutcome, ProposalOutcome, ProposedDocument } from "../proposals/proposal.ts";
import { applyChanges, changesBetween, type Stretch } from "../proposals/texts/hunks.ts";
import { mergeTexts } from "../proposals/texts/merge-texts.ts";

/** In characters, for all conversations together. */
const MAX_KEPT = 40_000_000;

export class SeenTexts {
  /** The text that was seen longest ago first. */
  readonly #texts = new Map<string, string>();
  #length = 0;

  get(conversation: string | undefined, uri: string): string | undefined {
    return this.#texts.get(keyOf(conversation, uri));
  }

  note(conversation: string | undefined, uri: string, text: string): void {
    const key = keyOf(conversation, uri);
    this.#drop(key);
    this.#texts.set(key, text);
    this.#length += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= MAX_KEPT || oldest === key) break;
      this.#drop(oldest);
    }
  }

  /**
   * Only these stretches of `text`, as it is now, were read. What is known of the rest stays known as it was; where
   * nothing was known yet, nothing contradicts the text of now.
   */
  noteStretches(
    conversation: string | undefined,
    uri: string,
    { text, stretches }: { readonly text: string; readonly stretches: readonly Stretch[] },
  ): void {
    this.note(conversation, uri, textAsKnown(this.get(conversation, uri) ?? text, text, stretches));
  }

  /** The answer tells what was applied; what else changed in the documents meanwhile was not seen. */
  noteReview(
    conversation: string | undefined,
    documents: readonly ProposedDocument[],
    { hunks }: Pick<ProposalOutcome, "hunks">,
  ): void {
    for (const [index, document] of documents.entries()) {
      const own = hunks.filter((hunk) => hunk.document === index);
      // The answer reports text that was undone or overwritten since, and such a text has to be read again.
      if (own.some(({ later }) => later !== undefined)) continue;
      this.#noteTexts(conversation, document, own);
      const whole = own.find(({ applied, kind }) => applied && isWhole(kind, document));
      if (whole === undefined) continue;
      const known = this.get(conversation, document.uri);
      this.#drop(keyOf(conversation, document.uri));
      if (document.movedTo !== undefined && known !== undefined) this.note(conversation, document.movedTo.uri, known);
    }
  }

  #noteTexts(conversation: string | undefined, document: ProposedDocument, hunks: readonly HunkOutcome[]): void {
    const { uri, base, target } = document;
    if (target === null) return;
    const before = base?.text ?? "";
    const changes = base === null ? [{ start: 0, end: 0, newText: target }] : changesBetween(before, target);
    const texts = hunks.filter(({ kind }) => kind === "edit" || kind === "create");
    if (changes.length !== texts.length || !texts.some(({ applied }) => applied)) return;
    const applied = changes.flatMap((change, index) => {
      const hunk = texts[index];
      return hunk?.applied === true ? [{ ...change, newText: hunk.editedText ?? change.newText }] : [];
    });
    const after = applyChanges(before, applied);
    const seen = this.get(conversation, uri);
    const known = seen === undefined || seen === before ? after : mergeTexts(before, after, seen);
    if (known !== undefined) this.note(conversation, uri, known);
  }

  #drop(key: string): void {
    this.#length -= this.#texts.get(key)?.length ?? 0;
    this.#texts.delete(key);
  }
}

function isWhole(kind: HunkOutcome["kind"], { bytes }: ProposedDocument): boolean {
  return kind === "delete" || kind === "rename" || (kind === "entry" && bytes !== undefined);
}

/** What somebody knows who knew `before` and has read these stretches of the text of `now`. */
export function textAsKnown(before: string, now: string, stretches: readonly Stretch[]): string {
  if (now === "") return now;
  const isRead = ({ start, end }: Stretch): boolean => stretches.some((each) => covers(each, start, end, now));
  return applyChanges(
    now,
    changesBetween(now, before).filter((change) => !isRead(change)),
  );
}

/** Lines that are gone show where lines on both sides are read, or at an end of the text. */
function covers(read: Stretch, start: number, end: number, text: string): boolean {
  if (start < end) return read.start <= start && end <= read.end;
  return (read.start < start || start === 0) && (start < read.end || start === text.length) && read.end >= start;
}

function keyOf(conversation: string | undefined, uri: string): string {
  return `${conversation ?? ""}\n${uri}`;
}
