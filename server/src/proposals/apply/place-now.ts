/** The place of a hunk in its document as the document is now, and the text there. */
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import { textOf } from "../hunk-state.ts";
import { changesSince, changesSinceInSteps } from "../texts/changes-since.ts";
import { loneCarriageReturnLine, moveThrough, type Stretch, type TextChange } from "../texts/hunks.ts";

export interface PlaceNow {
  /** The place in the text as it is now, and the text there. */
  readonly place: Stretch;
  readonly text: string;
  /** The document's base at that place: the hunk's stretch, with all that was changed together with it. */
  readonly base: Stretch;
  /** The text that the hunk was made to replace is there. */
  readonly isUntouched: boolean;
}

export function placeNow(hunk: TrackedHunk, now: string, since: readonly TextChange[]): PlaceNow {
  const { isWhole, before, after } = moveThrough(hunk.now.change, since);
  const text = now.slice(after.start, after.end);
  const isUntouched = text === hunk.oldText && (isWhole || text !== "");
  return { place: after, text, base: before, isUntouched };
}

/** Whether an accepted hunk may take the place: nothing is lost there that the person has not seen. */
export function mayTake(hunk: TrackedHunk, { isUntouched, text }: PlaceNow): boolean {
  return isUntouched || isOver(hunk, text) || text === textOf(hunk);
}

/** The person wrote a text of their own in place of exactly this one. */
export function isOver({ now }: TrackedHunk, text: string): boolean {
  return now.is === "accepted" && now.over === text;
}

/** Why nothing can be said of places in a text. */
export function whyNoPlaces(now: string): string | undefined {
  const line = loneCarriageReturnLine(now);
  if (line === undefined) return undefined;
  return `line ${line} has a carriage return without a line feed by now, so editors count lines differently.`;
}

/** What became of the base that the document's hunks refer to. The last answer is remembered. */
export function sinceBase(document: TrackedDocument, now: string): readonly TextChange[] {
  const { base, since } = document;
  if (since?.base === base && since.now === now) return since.changes;
  return remembered(document, { base, now, changes: changesSince(base, now) });
}

/** Computes the answer of `sinceBase` while the event loop goes on. */
export async function prepareSinceBase(document: TrackedDocument, now: string): Promise<void> {
  const { base, since } = document;
  if (since?.base === base && since.now === now) return;
  remembered(document, { base, now, changes: await changesSinceInSteps(base, now) });
}

function remembered(document: TrackedDocument, since: NonNullable<TrackedDocument["since"]>): readonly TextChange[] {
  document.since = since;
  return since.changes;
}
