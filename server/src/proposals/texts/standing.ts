/** Whether hunks that went into a text are still in it. Pure: two texts and places in the first. */
import { applyChanges, changesBetween, mapThrough } from "./hunks.ts";

/** The place of a hunk's new text in a text, and the text before. */
export interface HunkPlace {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly oldText: string;
}

/** `new`: the approved text; `old`: the text before; `other`: neither, or nobody can say. */
export type Standing = "new" | "old" | "other";

/**
 * Compares `withHunks`, which has every hunk at its place, with the text as it is; undefined where there is no text.
 */
export function standingsIn(
  withHunks: string,
  places: readonly HunkPlace[],
  now: string | undefined,
): ReadonlyMap<string, Standing> {
  const all = (standing: Standing): Map<string, Standing> => new Map(places.map(({ id }) => [id, standing]));
  if (now === withHunks) return all("new");
  if (now === undefined) return all(places.every(({ oldText }) => oldText === "") ? "old" : "other");
  // Asked before any difference is computed: of two equal lines, a difference may take the wrong one for the missing
  // one.
  const undone = places.find((place) => isWithout(withHunks, place, now));
  if (undone !== undefined) return all("new").set(undone.id, "old");
  const withNew: Version = { text: withHunks, places };
  const withOld = turned(withNew, places);
  if (now === withOld.text) return all("old");
  // Lines that occur more than once fit both versions: the version with fewer changes since is the one that was there.
  const isNewNearer = distance(withNew.text, now) <= distance(withOld.text, now);
  const [near, far] = isNewNearer ? (["new", "old"] as const) : (["old", "new"] as const);
  const first = isNewNearer ? withNew : withOld;
  const found = all("other");
  const left = new Set(places.map(({ id }) => id));
  const stands = movedPlaces(first.places, first.text, now).map(({ id }) => id);
  // Where a hunk took text out, somebody may write new text: that does not bring the old text back.
  const taken = isNewNearer ? places.filter(({ start, end }) => start === end).map(({ id }) => id) : [];
  for (const id of [...stands, ...taken]) {
    found.set(id, near);
    left.delete(id);
  }
  const second = turned(
    first,
    first.places.filter(({ id }) => left.has(id)),
  );
  if (left.size === 0 || distance(second.text, now) >= distance(first.text, now)) return found;
  for (const { id } of movedPlaces(second.places, second.text, now)) if (left.has(id)) found.set(id, far);
  return found;
}

/**
 * A quick look for every pause in a person's typing: whether some hunk may have changed, which `standingsIn` then
 * says for sure. A hunk between changed lines is not found.
 */
export function mayHaveTurned(
  withHunks: string,
  places: readonly HunkPlace[],
  now: string,
  wasOld: (id: string) => boolean,
): boolean {
  let from = 0;
  return places
    .toSorted((a, b) => a.start - b.start)
    .some(({ id, start, end, oldText }) => {
      const before = withHunks.slice(withHunks.lastIndexOf("\n", start - 2) + 1, start);
      const next = withHunks.indexOf("\n", end);
      const after = withHunks.slice(end, next === -1 ? withHunks.length : next + 1);
      const [own, isOld] = [withHunks.slice(start, end), wasOld(id)];
      const at = now.indexOf(before + (isOld ? oldText : own) + after, from);
      if (at === -1) return now.includes(before + (isOld ? own : oldText) + after, from);
      from = at + before.length;
      return false;
    });
}

/** The hunks beside whose new text a line of the old one is left: whoever made the edit replaced other lines. */
export function standingBesideOld(withHunks: string, places: readonly HunkPlace[], now: string): ReadonlySet<string> {
  const edits = changesBetween(withHunks, now);
  const isDoubled = ({ start, end, oldText }: HunkPlace): boolean => {
    const lines = oldText.split(/(?<=\n)/);
    const [first = "", last = ""] = [lines[0], lines.at(-1)];
    const came = (edit: (typeof edits)[number]): boolean =>
      (edit.end === start && isTelling(first) && edit.newText.endsWith(first)) ||
      (edit.start === end && isTelling(last) && edit.newText.startsWith(last));
    return edits.some(came);
  };
  return new Set(places.filter(isDoubled).map(({ id }) => id));
}

/** Blank lines and single brackets occur anywhere. */
function isTelling(line: string): boolean {
  return line.trim().length > 1;
}

/** The places that places of one text have in another; those whose stretch was changed are left out. */
export function movedPlaces(places: readonly HunkPlace[], from: string, to: string): HunkPlace[] {
  if (from === to) return [...places];
  const edits = changesBetween(from, to);
  return places.flatMap((place) => {
    const moved = mapThrough(place, edits);
    return moved === undefined ? [] : [{ ...place, ...moved }];
  });
}

/** A text with hunks in it: the place of each, and the text there in the other version. */
interface Version {
  readonly text: string;
  readonly places: readonly HunkPlace[];
}

/** The text with the other version of these hunks, and all places in it. */
function turned({ text, places }: Version, changed: readonly HunkPlace[]): Version {
  const isChanged = new Set(changed.map(({ id }) => id));
  let shift = 0;
  const after = places
    .toSorted((a, b) => a.start - b.start)
    .map((place) => {
      const start = place.start + shift;
      if (!isChanged.has(place.id)) return { ...place, start, end: place.end + shift };
      shift += place.oldText.length - (place.end - place.start);
      return { ...place, start, end: start + place.oldText.length, oldText: text.slice(place.start, place.end) };
    });
  return { text: without(text, changed), places: after };
}

function distance(from: string, to: string): number {
  return changesBetween(from, to).reduce((sum, { start, end, newText }) => sum + end - start + newText.length, 0);
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
