/** Merges what two writers made of one text. */
import { applyChanges, changesBetween, mapThrough, type TextChange } from "./hunks.ts";

/** Undefined where both changed the same place in different ways. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  const theirChanges = changesBetween(base, theirs);
  const ourChanges = changesBetween(base, ours).filter((change) => !theirChanges.some((each) => isSame(each, change)));
  const placed: TextChange[] = [];
  for (const { newText, ...stretch } of ourChanges) {
    const place = mapThrough(stretch, theirChanges);
    if (place === undefined) return undefined;
    placed.push({ ...place, newText });
  }
  return applyChanges(theirs, placed);
}

function isSame(a: TextChange, b: TextChange): boolean {
  return a.start === b.start && a.end === b.end && a.newText === b.newText;
}
