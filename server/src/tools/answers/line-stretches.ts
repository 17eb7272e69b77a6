/** Whole lines of a text as stretches of neighbouring lines. */
import type { Stretch } from "../../proposals/texts/hunks.ts";

/** `lines` are indexes from 0 that ascend; lines that follow one another make one stretch. */
export function lineStretches(text: string, lines: readonly number[]): Stretch[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const stretches: Stretch[] = [];
  for (const line of lines) {
    const [start = 0, end = text.length] = [starts[line], starts[line + 1]];
    const before = stretches.at(-1);
    if (before?.end === start) stretches[stretches.length - 1] = { start: before.start, end };
    else stretches.push({ start, end });
  }
  return stretches;
}
