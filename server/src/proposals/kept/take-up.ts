/** A review that another server left, as it goes on: its documents are not what they were, and somebody may have been applying an edit. */
import { applyChanges, changesBetween, mapThrough } from "../texts/hunks.ts";
import { standingsIn } from "../texts/standing.ts";
import { takeBack } from "../apply/decisions.ts";
import type { Look } from "../apply/files-now.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";

const HALF_APPLIED =
  "the server ended while this was applied, and the text at its place is neither the old nor the approved one.";

/** The applied hunks whose old text stands in the documents: an editor ended with text that was not saved. */
export function lostHunks(tracked: Tracked, look: Look): TrackedHunk[] {
  return tracked.hunks.filter(({ id, applied, kind, seen, document }) => {
    if (!applied || kind !== "edit" || seen === undefined) return false;
    return standingsIn(seen.text, [seen.place], look.textOf(document.at.uri)?.text).get(id) === "old";
  });
}

/** The person decides about such hunks again. */
export function takeOut(tracked: Tracked, lost: readonly TrackedHunk[]): void {
  for (const hunk of lost) {
    const { document, change, oldText } = hunk;
    const shift = oldText.length - (change.end - change.start);
    document.base = applyChanges(document.base, [{ start: change.start, end: change.end, newText: oldText }]);
    for (const other of tracked.hunks) {
      if (other === hunk || other.document !== document || other.change.start < change.end) continue;
      other.change = { ...other.change, start: other.change.start + shift, end: other.change.end + shift };
    }
    hunk.change = { start: change.start, end: change.start + oldText.length, newText: hunk.newText };
    hunk.applied = false;
    delete hunk.seen;
    takeBack(hunk);
  }
}

/** After the edits that were on their way have been looked for: what is neither there nor as it was is for the person to see. */
export function nameHalfApplied(tracked: Tracked): void {
  const awaited = new Set([...tracked.awaitingApply].map(({ document }) => document));
  for (const hunk of tracked.hunks) {
    const isOpen = hunk.state === "accepted" || hunk.state === "edited";
    if (!isOpen || hunk.applied || hunk.later !== undefined || awaited.has(hunk.document)) continue;
    hunk.state = "conflict";
    hunk.conflict = HALF_APPLIED;
  }
}

/** Places the hunks in the documents as they are now, where nobody changed the text of one; else a decision tells. */
export function placeInNow(tracked: Tracked, look: Look): void {
  for (const document of tracked.documents) {
    const now = look.textOf(document.at.uri);
    // Versions count from anew in each server.
    document.version = null;
    const own = tracked.hunks.filter((hunk) => hunk.document === document && hunk.kind !== "rename");
    if (now === undefined || own.some(({ kind }) => kind !== "edit")) continue;
    const edits = changesBetween(document.base, now.text);
    const places = own.map((hunk) => mapThrough(hunk.change, edits));
    if (document.bytes !== undefined || places.includes(undefined)) continue;
    [document.version, document.sha256] = [now.version, now.sha256];
    for (const [index, hunk] of own.entries()) hunk.change = { ...hunk.change, ...places[index] };
    document.base = now.text;
  }
}
