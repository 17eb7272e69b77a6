/** Where the applied hunks of a document stand in it now. */
import type { TrackedHunk } from "../proposal.ts";
import { applyChanges, type TextChange } from "../texts/hunks.ts";
import { movedPlaces, type HunkPlace } from "../texts/standing.ts";

/** An edit of one document: where its hunks stand in the text that was approved. */
export interface AppliedEdit {
  readonly places: readonly HunkPlace[];
  readonly expected: string;
}

/** Notes where hunks stand in the document as it is now: those that just went in, and the earlier ones. */
export function noteSeen(hunks: readonly TrackedHunk[], edit: AppliedEdit, now: string): void {
  const applied = hunks.filter((hunk) => hunk.applied);
  const isNew = new Set(edit.places.map(({ id }) => id));
  const note = (places: readonly HunkPlace[]): void => {
    for (const place of places) {
      const hunk = applied.find(({ id }) => id === place.id);
      if (hunk !== undefined) hunk.seen = { text: now, place };
    }
  };
  note(movedPlaces(edit.places, edit.expected, now));
  const earlier = applied.filter(({ id, seen }) => !isNew.has(id) && seen?.text !== now);
  for (const [text, own] of Map.groupBy(earlier, (hunk) => hunk.seen?.text ?? "")) {
    const places = own.flatMap(({ seen }) => seen?.place ?? []);
    const exact = throughEdit(places, text, edit);
    const found = movedPlaces(exact, edit.expected, now);
    const isFound = new Set(found.map(({ id }) => id));
    const others = places.filter(({ id }) => !isFound.has(id));
    note([...found, ...movedPlaces(others, text, now)]);
  }
}

/**
 * Where places of an earlier text stand in the text that was approved. What the edit did is known, so nothing is guessed
 * from a difference where hunks touch each other or their lines are alike.
 */
function throughEdit(places: readonly HunkPlace[], text: string, { places: made, expected }: AppliedEdit): HunkPlace[] {
  const undone = made.map(({ start, end, oldText }) => ({ start, end, newText: oldText }));
  const before = applyChanges(expected, undone);
  const changes = changesOf(made);
  return movedPlaces(places, text, before).flatMap((place) => {
    const isHit = changes.some(({ start, end }) => start < place.end && place.start < end);
    // Text that comes to where an earlier hunk took text out comes after it: the pieces of a hunk stand in this order.
    const ahead = changes.filter((change) => change.end <= place.start && !isAtPoint(change, place));
    const shift = ahead.reduce((sum, { start, end, newText }) => sum + newText.length - (end - start), 0);
    return isHit ? [] : [{ ...place, start: place.start + shift, end: place.end + shift }];
  });
}

/** The changes of an edit, which refer to the text before it. */
function changesOf(made: readonly HunkPlace[]): TextChange[] {
  let shift = 0;
  return made.map(({ start, end, oldText }) => {
    const from = start - shift;
    shift += end - start - oldText.length;
    // Only the length of the new text counts here.
    return { start: from, end: from + oldText.length, newText: " ".repeat(end - start) };
  });
}

function isAtPoint(change: TextChange, place: HunkPlace): boolean {
  return change.start === change.end && place.start === place.end && change.start === place.start;
}
