/** Whether hunks that went into a text still stand in it. Pure: two texts and places in the first. */
import { applyChanges, changesBetween, mapThrough } from "./hunks.ts";

/** Where a hunk's new text stands in a text, and what stood there before. */
export interface HunkPlace {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly oldText: string;
}

/** `new`: the text that was approved; `old`: what stood there before; `other`: neither, or nobody can say. */
export type Standing = "new" | "old" | "other";

export interface Standings {
  readonly of: ReadonlyMap<string, Standing>;
  /** The text surely differs at places that none of the hunks touches. */
  readonly changedElsewhere: boolean;
}

/** Compares `withHunks`, in which every hunk stands at its place, with the text as it is; undefined where there is none. */
export function standingsIn(withHunks: string, places: readonly HunkPlace[], now: string | undefined): Standings {
  const all = (standing: Standing): Standings => ({
    of: new Map(places.map(({ id }) => [id, standing])),
    changedElsewhere: false,
  });
  if (now === withHunks) return all("new");
  const isWhole = places.every(({ oldText }) => oldText === "");
  if (now === undefined) return all(isWhole ? "old" : "other");
  if (now === without(withHunks, places)) return all("old");
  // Asked before the difference, which of two equal lines takes the wrong one for the one that is gone.
  const undone = places.find((place) => isWithout(withHunks, place, now));
  const gone = undone === undefined ? notStanding(withHunks, places, now) : [undone];
  const rest = without(withHunks, gone);
  const back = new Set(standing(rest, oldPlaces(gone), now).map(({ id }) => id));
  const of = new Map<string, Standing>(places.map(({ id }) => [id, "new"]));
  for (const { id } of gone) of.set(id, back.has(id) ? "old" : "other");
  return { of, changedElsewhere: rest !== now && gone.every(({ id }) => back.has(id)) };
}

function notStanding(text: string, places: readonly HunkPlace[], now: string): HunkPlace[] {
  const kept = new Set(standing(text, places, now));
  return places.filter((place) => !kept.has(place));
}

/** Those whose stretch of `text` is left as it is by what turns `text` into `now`. */
function standing(text: string, places: readonly HunkPlace[], now: string): HunkPlace[] {
  const edits = changesBetween(text, now);
  return places.filter((place) => mapThrough(place, edits) !== undefined);
}

function without(text: string, places: readonly HunkPlace[]): string {
  return applyChanges(
    text,
    places.map(({ start, end, oldText }) => ({ start, end, newText: oldText })),
  );
}

function isWithout(text: string, place: HunkPlace, now: string): boolean {
  const { start, end, oldText } = place;
  return now.length === text.length - (end - start) + oldText.length && now === without(text, [place]);
}

/** Where the old texts stand once they are back. */
function oldPlaces(places: readonly HunkPlace[]): HunkPlace[] {
  let shift = 0;
  return places
    .toSorted((a, b) => a.start - b.start)
    .map((place) => {
      const start = place.start + shift;
      shift += place.oldText.length - (place.end - place.start);
      return { ...place, start, end: start + place.oldText.length };
    });
}
