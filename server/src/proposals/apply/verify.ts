/** What an edit that a client says it applied has really done: told by the texts and files themselves. */
import { setImmediate as giveWay } from "node:timers/promises";
import { rebaseDocument } from "./rebase-document.ts";
import type { ComposedDocument } from "./compose-decision.ts";
import { raise, textOf } from "../hunk-state.ts";
import { lookAtFiles, placesOf, readAt, type Look, type LookPorts } from "./files-now.ts";
import { followBase, relatedTo } from "./follow-base.ts";
import { joinUnapplied } from "./part-hunks.ts";
import { isDue, untilTextCame, type ToldDocument } from "./text-arrival.ts";
import type { TrackedHunk } from "../proposal.ts";
import { noteSeen } from "./seen-places.ts";
import { standingBesideOld, standingsIn } from "../texts/standing.ts";
import { record } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";

const UNCONFIRMED = "it was accepted, but the text there now is neither the old nor the approved one.";
const STILL_THERE = "it was accepted, but the file is still there, with another text.";
const HALF_MOVED = "it was accepted, but the file stands at both places, or nobody can say where.";

/** Documents whose text is verified before others get their turn. */
const AT_ONCE = 25;

/** All documents of the edits that wait to be confirmed: one may take the place that another one leaves. */
type Awaited = readonly ComposedDocument[];

/** Verifies all edits that wait for that, once their texts have come, and answers the URIs of `verify`'s false ones. */
export async function verifyAwaited(
  tracked: Tracked,
  ports: LookPorts,
  told: readonly ToldDocument[],
  limitMs: number,
): Promise<string[]> {
  const { awaited } = tracked.now;
  const followed = relatedTo(tracked, new Set(awaited.map(({ document }) => document)));
  const wanted = [...[...followed].flatMap(placesOf), ...awaited.map(({ document, at }) => readAt(at, document))];
  // What cannot be read is not what was approved.
  const look = await untilTextCame(
    () => lookAtFiles(ports, wanted, () => undefined),
    (now) => awaited.some(({ at: { uri }, expected }) => isDue(uri, now.textOf(uri), expected, told)),
    limitMs,
  );
  const mismatched = new Set<string>();
  for (const [index, apply] of awaited.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await giveWay();
    // Another message may have confirmed this edit meanwhile.
    if (!tracked.now.awaited.includes(apply)) continue;
    record(tracked, { is: "confirmed", edit: apply });
    if (!verify(tracked, apply, awaited, look)) mismatched.add(apply.at.uri);
  }
  joinUnapplied(tracked);
  followBase(tracked, followed, look);
  return [...mismatched];
}

/**
 * Records which hunks are applied; false when a part of the document is not as it was approved. A hunk that was not
 * applied is pending again, and one that was applied otherwise is a conflict, so that the person can decide anew.
 */
function verify(tracked: Tracked, apply: ComposedDocument, awaited: Awaited, look: Look): boolean {
  const { document, whole } = apply;
  const moved = look.whyMoved(document.at.uri) ?? look.whyMoved(apply.at.uri);
  if (moved !== undefined) {
    const ids = new Set([...apply.places.map(({ id }) => id), whole?.id]);
    for (const hunk of tracked.hunks) if (ids.has(hunk.id)) unconfirmed(hunk, moved);
    return false;
  }
  if (whole?.kind === "delete") return verifyDeletion(whole, awaited, look);
  if (isStillTaken(apply, awaited, look)) {
    const ids = new Set(apply.places.map(({ id }) => id));
    for (const hunk of tracked.hunks) if (ids.has(hunk.id)) raise(hunk, { is: "notApplied" });
    return false;
  }
  const isInPlace = whole === undefined || verifyMove(whole, awaited, look);
  return verifyText(tracked, apply, look) && isInPlace;
}

function unconfirmed(hunk: TrackedHunk, why: string): void {
  raise(hunk, { is: "refused", why, kind: "unconfirmed" });
}

function verifyDeletion(hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { uri } = document.at;
  if (!look.isThere(uri) || isTaken(uri, hunk, awaited, look)) {
    raise(hunk, { is: "applied" });
    return true;
  }
  const now = look.textOf(uri);
  const isUntouched = document.bytes === undefined ? now?.text === document.base : now?.sha256 === document.sha256;
  if (isUntouched) raise(hunk, { is: "notApplied" });
  else unconfirmed(hunk, STILL_THERE);
  return false;
}

function verifyMove(hunk: TrackedHunk, awaited: Awaited, look: Look): boolean {
  const { document } = hunk;
  const { at, movedTo = at } = document;
  const hasArrived = look.isThere(movedTo.uri);
  const isLeft = !look.isThere(at.uri) || (hasArrived && isTaken(at.uri, hunk, awaited, look));
  if (hasArrived && isLeft) {
    raise(hunk, { is: "applied" });
    document.at = movedTo;
    return true;
  }
  if (!hasArrived && !isLeft) raise(hunk, { is: "notApplied" });
  else unconfirmed(hunk, HALF_MOVED);
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
    record(tracked, { is: "mismatched", path: document.at.path });
    return false;
  }
  const own = tracked.hunks.filter((hunk) => hunk.document === document && hunk.kind !== "rename");
  const standings = standingsIn(expected, places, now);
  const are = (standing: string): TrackedHunk[] => own.filter(({ id }) => standings.get(id) === standing);
  const doubled = standingBesideOld(expected, places, now ?? expected);
  const applied = are("new").filter(({ id }) => !doubled.has(id));
  // What goes in is wider than the hunk where the person's own text took more along.
  rebaseDocument(document, new Map(applied.map((hunk) => [hunk, textOf(hunk)])), own);
  for (const hunk of applied) raise(hunk, { is: "applied" });
  if (now !== undefined) noteSeen(own, { places, expected }, now);
  for (const hunk of are("old").filter(({ id }) => !doubled.has(id))) raise(hunk, { is: "notApplied" });
  for (const hunk of own)
    if (doubled.has(hunk.id) || standings.get(hunk.id) === "other") unconfirmed(hunk, UNCONFIRMED);
  return applied.length === places.length;
}
