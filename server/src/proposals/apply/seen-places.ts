/** Where the applied hunks of a document stand in it now. */
import { known, raise, wasApplied } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import { applyChanges } from "../texts/hunks.ts";
import { movedPlaces, type HunkPlace } from "../texts/standing.ts";

/** An edit of one document: the places of its hunks in the approved text. */
export interface AppliedEdit {
  readonly places: readonly HunkPlace[];
  readonly expected: string;
}

/** Notes the places of hunks in the document as it is now: of those that just went in, and of the earlier ones. */
export function noteSeen(hunks: readonly TrackedHunk[], edit: AppliedEdit, now: string): void {
  const applied = hunks.filter(wasApplied);
  const isNew = new Set(edit.places.map(({ id }) => id));
  const note = (places: readonly HunkPlace[]): void => {
    for (const place of places) {
      const hunk = applied.find(({ id }) => id === place.id);
      if (hunk !== undefined) raise(hunk, { is: "seen", text: now, place });
    }
  };
  note(movedPlaces(edit.places, edit.expected, now));
  const earlier = applied.filter((hunk) => !isNew.has(hunk.id) && known(hunk).seen?.text !== now);
  // An edit that the editor did not make led nowhere.
  const isMade = applied.filter(({ id }) => isNew.has(id)).length === isNew.size;
  const order = hunks.map(({ id }) => id);
  for (const [text, own] of Map.groupBy(earlier, (hunk) => known(hunk).seen?.text ?? "")) {
    const places = own.flatMap((hunk) => known(hunk).seen?.place ?? []);
    const exact = isMade ? throughEdit(places, text, edit, order) : [];
    const found = movedPlaces(exact, edit.expected, now);
    const isFound = new Set(found.map(({ id }) => id));
    const others = places.filter(({ id }) => !isFound.has(id));
    note([...found, ...movedPlaces(others, text, now)]);
  }
}

/**
 * Moves places of an earlier text to the approved text. What the edit did is known, so nothing is guessed from a
 * difference where hunks touch each other or their lines are alike. `order` has the ids in the order of the text.
 */
function throughEdit(
  places: readonly HunkPlace[],
  text: string,
  { places: made, expected }: AppliedEdit,
  order: readonly string[],
): HunkPlace[] {
  const undone = made.map(({ start, end, oldText }) => ({ start, end, newText: oldText }));
  const before = applyChanges(expected, undone);
  const changes = changesOf(made);
  return movedPlaces(places, text, before).flatMap((place) => {
    const isHit = changes.some(({ start, end }) => start < place.end && place.start < end);
    const isAhead = ({ id, start, end }: MadeChange): boolean =>
      end <= place.start && (start < place.start || place.start < place.end || isBefore(order, id, place.id));
    const shift = changes.filter(isAhead).reduce((sum, { grown }) => sum + grown, 0);
    return isHit ? [] : [{ ...place, start: place.start + shift, end: place.end + shift }];
  });
}

/** A stretch of the text before an edit, and how much longer the edit made it. */
interface MadeChange {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly grown: number;
}

function changesOf(made: readonly HunkPlace[]): MadeChange[] {
  let shift = 0;
  return made.map(({ id, start, end, oldText }) => {
    const from = start - shift;
    const grown = end - start - oldText.length;
    shift += grown;
    return { id, start: from, end: from + oldText.length, grown };
  });
}

/** The order of two pieces that have one place. */
function isBefore(order: readonly string[], one: string, other: string): boolean {
  return order.indexOf(one) < order.indexOf(other);
}
