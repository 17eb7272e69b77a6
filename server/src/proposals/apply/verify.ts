/** What an edit that a client says it applied has really done: told by the texts and files themselves. */
import { rebaseDocument } from "./compose-edit.ts";
import type { ComposedDocument } from "./compose-decision.ts";
import { takeBack } from "./decisions.ts";
import type { Look } from "./files-now.ts";
import type { TrackedHunk } from "../proposal.ts";
import { noteSeen } from "./seen-places.ts";
import { standingsIn } from "../texts/standing.ts";
import type { Tracked } from "../tracked-proposal.ts";

/** All documents of the edits that wait to be confirmed: one may take the place that another one leaves. */
export type Awaited = readonly ComposedDocument[];

/**
 * Records what stands and what does not; false when a part of the document is not as it was approved. What was not
 * applied at all is pending again, so that the person can decide anew.
 */
export function verify(tracked: Tracked, apply: ComposedDocument, awaited: Awaited, look: Look): boolean {
  const { document, whole } = apply;
  const moved = look.whyMoved(document.at.uri) ?? look.whyMoved(apply.at.uri);
  if (moved !== undefined) {
    tracked.mismatched.add(document.at.path);
    return false;
  }
  if (whole?.kind === "delete") return verifyDeletion(tracked, whole, awaited, look);
  const isInPlace = whole === undefined || verifyMove(tracked, whole, awaited, look);
  return verifyText(tracked, apply, look) && isInPlace;
}

function verifyDeletion(tracked: Tracked, hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { uri, path } = document.at;
  hunk.applied = !look.isThere(uri) || isTaken(document.at.uri, hunk, awaited, look);
  if (hunk.applied) return true;
  const now = look.textOf(uri);
  const isUntouched = document.bytes === undefined ? now?.text === document.base : now?.sha256 === document.sha256;
  if (isUntouched) takeBack(hunk);
  else tracked.mismatched.add(path);
  return false;
}

function verifyMove(tracked: Tracked, hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { at, movedTo = at } = document;
  const hasArrived = look.isThere(movedTo.uri);
  const isLeft = !look.isThere(at.uri) || isTaken(at.uri, hunk, awaited, look);
  if (hasArrived && isLeft) {
    hunk.applied = true;
    document.at = movedTo;
    return true;
  }
  if (!hasArrived && !isLeft) takeBack(hunk);
  else tracked.mismatched.add(at.path);
  return false;
}

/** Whether another document of the same edit stands at the place now. */
function isTaken(uri: string, { document }: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const taker = awaited.find((other) => other.document !== document && other.at.uri === uri);
  return taker !== undefined && look.textOf(uri)?.text === taker.expected;
}

function verifyText(tracked: Tracked, apply: ComposedDocument, look: Look): boolean {
  const { document, places } = apply;
  const expected = apply.expected ?? "";
  const now = look.textOf(document.at.uri)?.text;
  if (places.length === 0) {
    if (now === expected) return true;
    tracked.mismatched.add(document.at.path);
    return false;
  }
  const own = tracked.hunks.filter((hunk) => hunk.document === document && hunk.kind !== "rename");
  const standings = standingsIn(expected, places, now);
  const are = (standing: string): TrackedHunk[] => own.filter(({ id }) => standings.get(id) === standing);
  const applied = are("new");
  for (const hunk of applied) hunk.applied = true;
  if (now !== undefined) noteSeen(own, { places, expected }, now);
  rebaseDocument(document, new Set(applied), own);
  const old = are("old");
  for (const hunk of old) takeBack(hunk);
  if (applied.length + old.length < places.length) tracked.mismatched.add(document.at.path);
  return applied.length === places.length;
}
