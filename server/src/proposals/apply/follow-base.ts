/** Hunks that wait follow their documents: to where they stand now, into a conflict, and out of one. */
import { isOpen, raise, wasApplied } from "../hunk-state.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import { rangesIn } from "../texts/hunks.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { composeDecision, type Composition } from "./compose-decision.ts";
import type { Look } from "./files-now.ts";
import { placeNow, sinceBase, whyNoPlaces } from "./place-now.ts";

/** In characters; longer texts are not shown beside a hunk. */
const MAX_SHOWN = 20_000;

const TOO_LONG = "too much changed there to be shown.";
const GONE = "the file does not exist any more, or is no text that can be read.";
const ALREADY = "the proposed text stands there already.";
const GONE_ALREADY = "the file is gone already.";

/** These documents, and those whose files move to a place that another of them has or leaves. */
export function relatedTo(tracked: Tracked, documents: Iterable<TrackedDocument>): ReadonlySet<TrackedDocument> {
  const related = new Set(documents);
  const placesIn = ({ at, movedTo }: TrackedDocument): string[] => [
    at.uri,
    ...(movedTo === undefined ? [] : [movedTo.uri]),
  ];
  const isWhole = new Set(tracked.hunks.filter(({ kind }) => kind !== "edit").map(({ document }) => document));
  const others = [...isWhole].filter((document) => !related.has(document));
  const places = new Set([...related].flatMap(placesIn));
  for (let count = -1; count < related.size;) {
    count = related.size;
    for (const document of others) {
      if (!placesIn(document).some((uri) => places.has(uri))) continue;
      related.add(document);
      for (const uri of placesIn(document)) places.add(uri);
    }
  }
  return related;
}

/**
 * Looks at the hunks of documents, and answers whether a person sees any change. `look` has the places of `relatedTo`. A
 * document whose edit the client applies now is left alone: that edit is no foreign change.
 */
export function followBase(tracked: Tracked, documents: Iterable<TrackedDocument>, look: Look): boolean {
  const awaited = new Set(tracked.now.awaited.map(({ document }) => document));
  const related = [...relatedTo(tracked, documents)].filter((document) => !awaited.has(document));
  const isRelated = new Set(related);
  const own = tracked.hunks.filter(({ document }) => isRelated.has(document));
  const before = own.map(pictureOf);
  for (const [document, hunks] of Map.groupBy(own, (hunk) => hunk.document)) {
    if (document.bytes === undefined) followText(document, hunks.filter(isText), look);
  }
  followFiles(
    own.filter((hunk) => hunk.kind !== "edit" && hunk.kind !== "entry" && isOpen(hunk)),
    look,
  );
  return own.some((hunk, index) => pictureOf(hunk) !== before[index]);
}

/** What came of a decision: hunks that go in, and hunks about which the person has to decide again. */
export function recordComposition(
  tracked: Tracked,
  { composed, conflicts }: Composition,
  documents: Iterable<TrackedDocument>,
  look: Look,
): void {
  for (const { hunk, why } of conflicts) raise(hunk, { is: "refused", why });
  followBase(tracked, documents, look);
  for (const { hunk, why } of conflicts) if (hunk.now.is !== "conflict") raise(hunk, { is: "refused", why });
  const bases = new Map(composed.flatMap(({ places }) => places.map(({ id, base }) => [id, base] as const)));
  for (const hunk of tracked.hunks) {
    const wide = bases.get(hunk.id);
    if (wide !== undefined) raise(hunk, { is: "composed", wide });
  }
}

function isText(hunk: TrackedHunk): boolean {
  return hunk.kind === "edit" || (hunk.kind === "create" && wasApplied(hunk));
}

function followText(document: TrackedDocument, hunks: readonly TrackedHunk[], look: Look): void {
  if (hunks.length === 0) return;
  const now = look.textOf(document.at.uri);
  const whyMoved = look.whyMoved(document.at.uri);
  const why = whyMoved ?? (now === undefined ? GONE : whyNoPlaces(now.text));
  if (why !== undefined || now === undefined) {
    for (const hunk of hunks) raise(hunk, { is: "blocked", why, text: undefined });
    return;
  }
  const since = sinceBase(document, now.text);
  const rangeIn = rangesIn(now.text);
  document.shown = { version: now.version, sha256: now.sha256 };
  for (const hunk of hunks) {
    const { place, text, isUntouched } = placeNow(hunk, now.text, since);
    raise(hunk, { is: "shown", range: rangeIn(place) });
    if (isUntouched) raise(hunk, { is: "free" });
    else block(hunk, text, text === hunk.newText ? ALREADY : undefined);
  }
}

/** Files that are to be made, moved or deleted: tried as if the person accepted all of these hunks now. */
function followFiles(open: readonly TrackedHunk[], look: Look): void {
  const found = new Map(composeDecision(open, look).conflicts.map(({ hunk, why }) => [hunk, why]));
  for (const hunk of open) {
    const { document, kind } = hunk;
    const now = look.textOf(document.at.uri)?.text ?? "";
    const isDone = isDoneAlready(hunk, look);
    const isInWay = isDone || found.has(hunk);
    const why = isDone ? (kind === "create" ? ALREADY : GONE_ALREADY) : found.get(hunk);
    if (isInWay) block(hunk, now, why);
    else raise(hunk, { is: "free" });
    const range = rangesIn(now)({ start: 0, end: isInWay ? now.length : 0 });
    if (kind === "create") raise(hunk, { is: "shown", range });
  }
}

/** Somebody has made or deleted the file by hand, as the proposal would: the accepted hunk is applied then. */
function isDoneAlready({ kind, document, newText }: TrackedHunk, look: Look): boolean {
  const now = look.textOf(document.at.uri)?.text;
  if (kind === "create") return now === newText && newText !== "" && !document.isAfterOther;
  return kind === "delete" && now === undefined && !look.isThere(document.at.uri);
}

/** `now` is the text that is in the hunk's way; only a text that would go or be replaced is shown beside the hunk. */
function block(hunk: TrackedHunk, now: string, why: string | undefined): void {
  const isShown = now.length <= MAX_SHOWN;
  const isReadable = hunk.kind === "edit" || hunk.kind === "create";
  raise(hunk, { is: "blocked", why: isShown ? why : TOO_LONG, text: isShown && isReadable ? now : undefined });
}

/** What a person sees of a hunk that waits. */
function pictureOf({ now: { is, range, trouble } }: TrackedHunk): string {
  return JSON.stringify([is, range, trouble?.why, trouble?.text]);
}
