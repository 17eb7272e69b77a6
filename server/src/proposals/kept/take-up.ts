/** A review that another server left, as it goes on: its documents are not what they were, and somebody may have been applying an edit. */
import { applyChanges } from "../texts/hunks.ts";
import { standingsIn } from "../texts/standing.ts";
import { inTextOrder } from "../apply/compose-edit.ts";
import type { Look } from "../apply/files-now.ts";
import { known, raise, wasApplied } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";

/** The applied hunks whose old text is in the documents again: an editor ended with unsaved text. */
export function lostHunks(tracked: Tracked, look: Look): TrackedHunk[] {
  return tracked.hunks.filter((hunk) => {
    const [seen, now] = [known(hunk).seen, look.textOf(hunk.document.at.uri)?.text];
    // A file that is not there has lost no text: the editor may have been moving the file.
    if (!wasApplied(hunk) || hunk.kind !== "edit" || seen === undefined || now === undefined) return false;
    return standingsIn(seen.text, [seen.place], now).get(hunk.id) === "old";
  });
}

/** The person decides about such hunks again. */
export function takeOut(tracked: Tracked, lost: readonly TrackedHunk[]): void {
  for (const hunk of lost) {
    const {
      document,
      now: { change },
    } = hunk;
    const oldText = known(hunk).seen?.place.oldText ?? hunk.oldText;
    const shift = oldText.length - (change.end - change.start);
    const own = tracked.hunks.filter((other) => other.document === document);
    // Pieces of one hunk may stand at one place: their order tells which of them are behind this one.
    const ordered = own.toSorted((a, b) => inTextOrder(a.now.change, b.now.change));
    const behind = ordered.slice(ordered.indexOf(hunk) + 1).filter(({ now }) => now.change.start >= change.end);
    document.base = applyChanges(document.base, [{ start: change.start, end: change.end, newText: oldText }]);
    for (const other of behind) raise(other, { is: "shifted", by: shift });
    const end = change.start + oldText.length;
    raise(hunk, { is: "lost", change: { start: change.start, end, newText: hunk.newText } });
  }
}
