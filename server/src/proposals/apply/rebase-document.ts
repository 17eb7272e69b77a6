/** Moves what the hunks of a document refer to past the hunks that were applied. */
import { raise } from "../hunk-state.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import { applyChanges, type Stretch } from "../texts/hunks.ts";
import { inTextOrder } from "./compose-edit.ts";

/**
 * Moves a document's base past the hunks that were applied, so that all its hunks refer to the text that is there now.
 * Other people's edits stay out of the base: they are found again when the rest is composed. Hunks never overlap; pieces
 * of one hunk may touch, and then stand in the order of `own`. `applied` has the text that went in for each.
 */
export function rebaseDocument(
  document: TrackedDocument,
  applied: ReadonlyMap<TrackedHunk, string>,
  own: readonly TrackedHunk[],
): void {
  const order = own.toSorted((a, b) => inTextOrder(a.now.change, b.now.change));
  let shift = 0;
  const made = order.flatMap((hunk, index) => {
    const newText = applied.get(hunk);
    if (newText === undefined) return [];
    const change = { ...hunk.now.change, ...(hunk.now.is === "accepted" ? hunk.now.wide : undefined), newText };
    const before = shift;
    shift += change.newText.length - (change.end - change.start);
    return [{ index, hunk, change, before, after: shift }];
  });
  for (const [index, hunk] of order.entries()) {
    const { change: now } = hunk.now;
    const mine = made.find((each) => each.hunk === hunk || isOver(each.change, now));
    if (mine === undefined) {
      raise(hunk, { is: "shifted", by: made.findLast((each) => each.index < index)?.after ?? 0 });
      continue;
    }
    // A person's own text that replaced more than its hunk covers the other hunks' places too: those hunks find that
    // text there.
    const { change, before, after } = mine;
    const [from, to] = [change.start + before, change.end + after];
    const [start, end] =
      mine.hunk === hunk ? [from, to] : [Math.min(from, now.start + before), Math.max(to, now.end + after)];
    raise(hunk, { is: "rebased", change: { ...now, start, end } });
  }
  const changes = made.map(({ change }) => change);
  document.base = applyChanges(document.base, changes);
}

/** Whether a change took a stretch along that is not its own; what only touches it is not. */
function isOver(change: Stretch, { start, end }: Stretch): boolean {
  return start === end ? change.start < start && start < change.end : change.start < end && start < change.end;
}
