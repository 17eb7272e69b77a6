/** Places in a text as people, compilers and stacks write them: `src/a.ts:12:3`, `src/a.ts:10-40,80-95`, `src/a.ts#L10-L40`. */

/** Lines counted from 1, `end` inclusive; without an end to the last line. */
export interface LineRange {
  readonly start: number;
  readonly end?: number | undefined;
}

export interface PlaceInFile {
  readonly path: string;
  readonly ranges: readonly LineRange[];
}

const RANGE = String.raw`L?\d{1,9}(?:[-–]L?\d{1,9})?`;
const PLACE = new RegExp(
  `^(?<path>.+?)(?::|#)(?:(?<line>\\d{1,9}):\\d{1,9}|(?<ranges>${RANGE}(?:, ?${RANGE})*))$`,
  "u",
);
/** How many lines around a single line are shown with it. */
const BEFORE = 10;
const AFTER = 30;

/** Undefined for a text that ends in no line. */
export function placeInFile(text: string): PlaceInFile | undefined {
  const { path, line, ranges } = PLACE.exec(text.trim())?.groups ?? {};
  if (path === undefined) return undefined;
  return { path, ranges: (line ?? ranges ?? "").split(",").map(rangeOf) };
}

function rangeOf(text: string): LineRange {
  const [first = 1, last] = text.match(/\d+/gu)?.map(Number) ?? [];
  if (last !== undefined) return { start: first, end: last };
  return { start: Math.max(1, first - BEFORE), end: first + AFTER };
}
