/** A review that another server left, as it goes on: its documents are not what they were, and somebody may have been applying an edit. */
import { applyChanges } from "../texts/hunks.ts";
import { standingsIn } from "../texts/standing.ts";
import { inTextOrder } from "../apply/compose-edit.ts";
import { takeBack } from "../apply/decisions.ts";
import type { Look } from "../apply/files-now.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";

/** The applied hunks whose old text is in the documents again: an editor ended with unsaved text. */
export function lostHunks(tracked: Tracked, look: Look): TrackedHunk[] {
  return tracked.hunks.filter(({ id, applied, kind, seen, document }) => {
    const now = look.textOf(document.at.uri)?.text;
    // A file that is not there has lost no text: the editor may have been moving the file.
    if (!applied || kind !== "edit" || seen === undefined || now === undefined) return false;
    return standingsIn(seen.text, [seen.place], now).get(id) === "old";
  });
}

/** The person decides about such hunks again. */
export function takeOut(tracked: Tracked, lost: readonly TrackedHunk[]): void {
  for (const hunk of lost) {
    const { document, change, seen } = hunk;
    const oldText = seen?.place.oldText ?? hunk.oldText;
    const shift = oldText.length - (change.end - change.start);
    const own = tracked.hunks.filter((other) => other.document === document);
    // Pieces of one hunk may have one place: their order tells which of them come after this one.
    const ordered = own.toSorted((a, b) => inTextOrder(a.change, b.change));
    const behind = ordered.slice(ordered.indexOf(hunk) + 1).filter((other) => other.change.start >= change.end);
    document.base = applyChanges(document.base, [{ start: change.start, end: change.end, newText: oldText }]);
    for (const other of behind) {
      other.change = { ...other.change, start: other.change.start + shift, end: other.change.end + shift };
    }
    hunk.change = { start: change.start, end: change.start + oldText.length, newText: hunk.newText };
    hunk.applied = false;
    delete hunk.seen;
    takeBack(hunk);
  }
}
