/** Which applied hunks somebody has taken back: by an undo, by a rewind, by hand. Pure but for what is noted in the hunks. */
import type { FilesNow } from "../apply/compose-decision.ts";
import { standsThere } from "../entries/entry.ts";
import { known, raise, wasApplied } from "../hunk-state.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import { mayHaveTurned, standingsIn } from "../texts/standing.ts";
import { isPending } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";

/** Those of the documents in which there is something to take back, or was. */
export function documentsChanged({ hunks }: Tracked, among: Iterable<TrackedDocument>): ReadonlySet<TrackedDocument> {
  const wanted = new Set(among);
  return new Set(hunks.flatMap((hunk) => (isFollowed(hunk) && wanted.has(hunk.document) ? hunk.document : [])));
}

/**
 * Notes in the hunks of some documents, which `look` has the places of, whether they are taken back by now. Answers whether
 * that is news. A quick look misses hunks whose neighbouring lines were changed together with them.
 */
export function noteTakenBack(
  tracked: Tracked,
  documents: ReadonlySet<TrackedDocument>,
  look: FilesNow,
  isQuick: boolean,
): boolean {
  const hunks = tracked.hunks.filter((hunk) => isFollowed(hunk) && documents.has(hunk.document));
  const takenBack = hunksTakenBack(hunks, look, isQuick);
  const news = hunks.filter((hunk) => takenBack.has(hunk) !== (known(hunk).later === "undone"));
  for (const hunk of news) {
    raise(hunk, { is: takenBack.has(hunk) ? "takenBack" : "stands" });
    // A call that waits hears all when the review ends.
    if (!isPending(tracked)) raise(hunk, { is: "turned", wasInPlace: takenBack.has(hunk) });
  }
  return news.length > 0;
}

/** `look` has the places of the hunks' documents. */
export function hunksTakenBack(
  hunks: readonly TrackedHunk[],
  look: FilesNow,
  isQuick = false,
): ReadonlySet<TrackedHunk> {
  const takenBack = new Set(hunks.filter((hunk) => hunk.kind !== "edit" && isTakenBack(hunk, look)));
  const edits = hunks.filter(({ kind }) => kind === "edit");
  for (const [{ at }, own] of Map.groupBy(edits, ({ document }) => document)) {
    const now = look.textOf(at.uri)?.text;
    if (now === undefined) continue;
    for (const [text = "", seen] of Map.groupBy(own, (hunk) => known(hunk).seen?.text)) {
      const places = seen.flatMap((hunk) => known(hunk).seen?.place ?? []);
      const noted = new Set(seen.flatMap((hunk) => (known(hunk).later === "undone" ? hunk.id : [])));
      const isSame = isQuick && !mayHaveTurned(text, places, now, (id) => noted.has(id));
      const standings = isSame ? undefined : standingsIn(text, places, now);
      for (const hunk of seen) {
        if (standings === undefined ? noted.has(hunk.id) : standings.get(hunk.id) === "old") takenBack.add(hunk);
      }
    }
  }
  return takenBack;
}

/** An edit that was undone by hand before the end of the review may come back; a file's place is not followed then. */
function isFollowed(hunk: TrackedHunk): boolean {
  return wasApplied(hunk) || (hunk.kind === "edit" && known(hunk).later === "undone");
}

function isTakenBack({ kind, document }: TrackedHunk, look: FilesNow): boolean {
  switch (kind) {
    case "edit":
      return false;
    case "create":
      return !look.isThere(document.at.uri);
    case "delete":
      return look.textOf(document.from.uri)?.text === document.base;
    case "entry":
      return isEntryBack(document, look);
    case "rename":
      return !look.isThere(document.movedTo?.uri ?? document.at.uri) && look.isThere(document.from.uri);
  }
}

function isEntryBack({ entry, at }: TrackedDocument, look: FilesNow): boolean {
  const now = look.entryOf?.(at.uri);
  return entry !== undefined && now !== "unknown" && standsThere(entry.before, now);
}
