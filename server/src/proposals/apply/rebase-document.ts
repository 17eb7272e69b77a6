/** Moves what the hunks of a document refer to past the hunks that were applied. */
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import { applyChanges, type Stretch } from "../texts/hunks.ts";
import { inTextOrder } from "./compose-edit.ts";
import { textOf } from "./place-now.ts";

/**
 * Moves a document's base past the hunks that were applied, so that all its hunks refer to the text that is there
 * now. Other people's edits stay out of the base: they are found again when the rest is composed. Hunks never
 * overlap; pieces of one hunk may touch, and then have the order of `own`.
 */
export function rebaseDocument(
  document: TrackedDocument,
  applied: ReadonlySet<TrackedHunk>,
  own: readonly TrackedHunk[],
): void {
  const order = own.toSorted((a, b) => inTextOrder(a.change, b.change));
  let shift = 0;
  const made = order.flatMap((hunk, index) => {
    if (!applied.has(hunk)) return [];
    const change = { ...hunk.change, ...hunk.wide, newText: textOf(hunk) };
    const before = shift;
    shift += change.newText.length - (change.end - change.start);
    return [{ index, hunk, change, before, after: shift }];
  });
  for (const [index, hunk] of order.entries()) {
    const { start, end } = hunk.change;
    const mine = made.find((each) => each.hunk === hunk || isOver(each.change, hunk.change));
    if (mine === undefined) {
      const moved = made.findLast((each) => each.index < index)?.after ?? 0;
      hunk.change = { ...hunk.change, start: start + moved, end: end + moved };
      if (hunk.wide !== undefined) hunk.wide = { start: hunk.wide.start + moved, end: hunk.wide.end + moved };
      continue;
    }
    // A person's own text that replaced more than its hunk covers the other hunks' places too: those hunks find that
    // text there.
    const { change, before, after } = mine;
    const [from, to] = [change.start + before, change.end + after];
    hunk.change =
      mine.hunk === hunk
        ? { ...hunk.change, start: from, end: to }
        : { ...hunk.change, start: Math.min(from, start + before), end: Math.max(to, end + after) };
    delete hunk.wide;
  }
  const changes = made.map(({ change }) => change);
  document.base = applyChanges(document.base, changes);
}

/** Whether a change took a stretch along that is not its own; what only touches it is not. */
function isOver(change: Stretch, { start, end }: Stretch): boolean {
  return start === end ? change.start < start && start < change.end : change.start < end && start < change.end;
}
