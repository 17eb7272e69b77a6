/** What an edit that a client says it applied has really done: told by the texts and files themselves. */
import { rebaseDocument } from "./rebase-document.ts";
import type { ComposedDocument } from "./compose-decision.ts";
import { takeBack } from "./decisions.ts";
import type { Look } from "./files-now.ts";
import { toConflict } from "./follow-base.ts";
import type { TrackedHunk } from "../proposal.ts";
import { noteSeen } from "./seen-places.ts";
import { standingBesideOld, standingsIn } from "../texts/standing.ts";
import type { Tracked } from "../tracked-proposal.ts";

const UNCONFIRMED = "it was accepted, but the text there now is neither the old nor the approved one.";
const STILL_THERE = "it was accepted, but the file is still there, with another text.";
const HALF_MOVED = "it was accepted, but the file stands at both places, or nobody can say where.";

/** All documents of the edits that wait to be confirmed: one may take the place that another one leaves. */
export type Awaited = readonly ComposedDocument[];

/**
 * Records which hunks are applied; false when a part of the document is not as it was approved. A hunk that was not
 * applied is pending again, and one that was applied otherwise is a conflict, so that the person can decide anew.
 */
export function verify(tracked: Tracked, apply: ComposedDocument, awaited: Awaited, look: Look): boolean {
  const { document, whole } = apply;
  const moved = look.whyMoved(document.at.uri) ?? look.whyMoved(apply.at.uri);
  if (moved !== undefined) {
    const ids = new Set([...apply.places.map(({ id }) => id), whole?.id]);
    for (const hunk of tracked.hunks) if (ids.has(hunk.id)) toConflict(hunk, moved, "unconfirmed");
    return false;
  }
  if (whole?.kind === "delete") return verifyDeletion(whole, awaited, look);
  if (isStillTaken(apply, awaited, look)) {
    const ids = new Set(apply.places.map(({ id }) => id));
    for (const hunk of tracked.hunks) if (ids.has(hunk.id)) takeBack(hunk);
    return false;
  }
  const isInPlace = whole === undefined || verifyMove(whole, awaited, look);
  return verifyText(tracked, apply, look) && isInPlace;
}

function verifyDeletion(hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { uri } = document.at;
  hunk.applied = !look.isThere(uri) || isTaken(document.at.uri, hunk, awaited, look);
  if (hunk.applied) return true;
  const now = look.textOf(uri);
  const isUntouched = document.bytes === undefined ? now?.text === document.base : now?.sha256 === document.sha256;
  if (isUntouched) takeBack(hunk);
  else toConflict(hunk, STILL_THERE, "unconfirmed");
  return false;
}

function verifyMove(hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { at, movedTo = at } = document;
  const hasArrived = look.isThere(movedTo.uri);
  const isLeft = !look.isThere(at.uri) || (hasArrived && isTaken(at.uri, hunk, awaited, look));
  if (hasArrived && isLeft) {
    hunk.applied = true;
    document.at = movedTo;
    return true;
  }
  if (!hasArrived && !isLeft) takeBack(hunk);
  else toConflict(hunk, HALF_MOVED, "unconfirmed");
  return false;
}

/** Whether the file that was to move is still at the place of the new file, whatever its text. */
function isStillTaken({ document, at }: ComposedDocument, awaited: Awaited, look: Look): boolean {
  return awaited.some((other) => {
    const isMove = other.whole?.kind === "rename" && other.document !== document;
    return isMove && !document.existed && other.document.at.uri === at.uri && !look.isThere(other.at.uri);
  });
}

/** Whether another document of the same edit has the place now. */
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
  const doubled = standingBesideOld(expected, places, now ?? expected);
  const applied = are("new").filter(({ id }) => !doubled.has(id));
  for (const hunk of applied) hunk.applied = true;
  if (now !== undefined) noteSeen(own, { places, expected }, now);
  rebaseDocument(document, new Set(applied), own);
  for (const hunk of are("old").filter(({ id }) => !doubled.has(id))) takeBack(hunk);
  for (const hunk of own.filter(({ id }) => doubled.has(id) || standings.get(id) === "other"))
    toConflict(hunk, UNCONFIRMED, "unconfirmed");
  return applied.length === places.length;
}
