/** Pieces of a hunk as hunks of their own, which the person decides each by itself. */
import { given } from "../../base/given.ts";
import { AgentqError, InvalidParamsError } from "../../base/errors.ts";
import { lineBreaksIn } from "../../base/line-breaks.ts";
import type { HunkDecision } from "../../protocol/proposal-shapes.ts";
import { isOpen, raise, stateOf } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import { cutByLines, cutSmaller, type Piece } from "../texts/cut-hunk.ts";
import { rangeAfter, type TextChange } from "../texts/hunks.ts";
import type { Tracked } from "../tracked-proposal.ts";

const LINES = "/hunks/lines";
const NO_CONFLICT = "a hunk that is not in conflict: such a hunk is tried again, merged with an edit or rejected";

export interface Decided {
  readonly hunk: TrackedHunk;
  readonly decision: HunkDecision;
}

interface Part {
  readonly hunk: TrackedHunk;
  readonly isTaken: boolean;
}

/** What a decision takes of a hunk, in the order of the text: only the hunk itself where that is taken whole. */
export function partsBy(hunk: TrackedHunk, lines: NonNullable<HunkDecision["lines"]>): readonly Part[] {
  if (hunk.now.is === "conflict") throw refused(LINES, NO_CONFLICT, lines);
  if (hunk.kind !== "edit") {
    throw refused(LINES, `no lines for a hunk that is a ${hunk.kind}: it is accepted or rejected whole`, lines);
  }
  if (lines.old === undefined && lines.new === undefined) throw refused(LINES, "old, new or both", lines);
  checkIndexes("old", lines.old, hunk.oldText);
  checkIndexes("new", lines.new, hunk.newText);
  const pieces = cutByLines(hunk, lines);
  if (typeof pieces === "string") throw refused(LINES, pieces, lines);
  if (!pieces.some(({ isTaken }) => isTaken))
    throw refused(LINES, `lines of hunk ${hunk.id} that change something`, lines);
  if (pieces.every(({ isTaken }) => isTaken)) return [{ hunk, isTaken: true }];
  const parts = partsOf(hunk, pieces);
  return pieces.flatMap(({ isTaken }, index) => {
    const part = parts[index];
    return part === undefined ? [] : [{ hunk: part, isTaken }];
  });
}

/**
 * Replaces each hunk of which only some lines are accepted by its pieces, and answers the decisions about the pieces.
 * The rest waits for decisions of its own.
 */
export function cutChosen(tracked: Tracked, decided: readonly Decided[]): Decided[] {
  return decided.flatMap(({ hunk, decision: { lines, ...decision } }) => {
    if (lines === undefined) return [{ hunk, decision }];
    const parts = partsBy(hunk, lines);
    if (parts.length > 1) {
      tracked.cut = [...tracked.cut, hunk];
      replace(
        tracked,
        hunk,
        parts.map((part) => part.hunk),
      );
    }
    return parts.flatMap((part) => (part.isTaken ? [{ hunk: part.hunk, decision }] : []));
  });
}

/** Cuts a hunk that waits into smaller ones. */
export function cutPending(tracked: Tracked, id: string): readonly TrackedHunk[] {
  checkPending(tracked);
  const hunk = openHunk(tracked, id);
  if (hunk.now.is !== "pending") throw refused("/hunkId", NO_CONFLICT, id);
  const pieces = hunk.kind === "edit" ? cutSmaller(hunk) : [];
  if (pieces.length < 2) {
    const why = hunk.kind === "edit" ? "has one changed line" : `is a ${hunk.kind}`;
    throw refused("/hunkId", `a hunk with several changed lines (${id} ${why})`, id);
  }
  const parts = partsOf(hunk, pieces);
  replace(tracked, hunk, parts);
  return parts;
}

/** Throws where nothing can be decided any more. */
export function checkPending(tracked: Tracked): void {
  const { id, now } = tracked;
  const state = now.is === "settled" ? now.outcome.state : now.is;
  if (state !== "open") throw new AgentqError("alreadyDecided", `Proposal ${id} is already ${state}.`);
}

/** A hunk about which the person still decides. */
export function openHunk(tracked: Tracked, id: string): TrackedHunk {
  const hunk = tracked.hunks.find((candidate) => candidate.id === id);
  if (hunk === undefined) throw new AgentqError("unknownProposal", `Proposal ${tracked.id} has no hunk "${id}".`);
  if (!isOpen(hunk)) throw decidedAlready(hunk);
  return hunk;
}

export function decidedAlready(hunk: TrackedHunk): AgentqError {
  return new AgentqError("alreadyDecided", `Hunk ${hunk.id} is already decided (${stateOf(hunk)}).`);
}

/** Of a hunk of which no line was applied in the end, the whole waits again, as it was before lines were chosen. */
export function joinUnapplied(tracked: Tracked): void {
  const awaited = new Set(tracked.now.awaited.flatMap(({ places }) => places.map(({ id }) => id)));
  for (const hunk of tracked.cut) {
    const { id, planned } = hunk;
    const parts = tracked.hunks.filter((part) => part.id.startsWith(`${id}.`));
    if (parts.some((part) => awaited.has(part.id))) continue;
    tracked.cut = tracked.cut.filter((each) => each !== hunk);
    const [first] = parts;
    if (first === undefined || parts.some(({ now }) => now.is !== "pending")) continue;
    const moved = first.now.change.start - first.planned.start;
    raise(hunk, { is: "rebased", change: { ...planned, start: planned.start + moved, end: planned.end + moved } });
    const others = new Set(parts);
    tracked.hunks = tracked.hunks.flatMap((each) => (each === first ? [hunk] : others.has(each) ? [] : [each]));
    renameRequired(tracked, (required) => (required.startsWith(`${id}.`) ? [id] : [required]));
  }
}

function partsOf(hunk: TrackedHunk, pieces: readonly Piece[]): TrackedHunk[] {
  const { id, document, kind, isLeftOut } = hunk;
  const { requires, change, range: whole } = hunk.now;
  let [offset, above, at] = [0, 0, whole.start];
  return pieces.map((piece, index) => {
    const between = hunk.oldText.slice(offset, piece.start);
    const oldText = hunk.oldText.slice(piece.start, piece.end);
    const range = rangeAfter(at, between, oldText);
    const line = above + lineBreaksIn(between, 0, between.length);
    [offset, above, at] = [piece.end, line + lineBreaksIn(oldText, 0, oldText.length), range.end];
    return {
      id: `${id}.${index + 1}`,
      partOf: hunk.partOf ?? id,
      document,
      kind,
      isLeftOut,
      title: titleOf(hunk, line),
      oldText,
      newText: piece.newText,
      planned: changeOf(hunk.planned, piece),
      now: { is: "pending", change: changeOf(change, piece), range, ...given({ requires }) },
    };
  });
}

function changeOf({ start }: TextChange, piece: Piece): TextChange {
  return { start: start + piece.start, end: start + piece.end, newText: piece.newText };
}

/** A title ends with the hunk's first line. */
function titleOf({ title }: TrackedHunk, above: number): string {
  return title.replace(/:(\d+)$/, (_, line: string) => `:${Number(line) + above}`);
}

function replace(tracked: Tracked, hunk: TrackedHunk, parts: readonly TrackedHunk[]): void {
  tracked.hunks = tracked.hunks.flatMap((each) => (each === hunk ? parts : [each]));
  const ids = parts.map(({ id }) => id);
  renameRequired(tracked, (id) => (id === hunk.id ? ids : [id]));
}

function renameRequired(tracked: Tracked, rename: (id: string) => readonly string[]): void {
  for (const hunk of tracked.hunks) {
    const { requires } = hunk.now;
    if (requires !== undefined) raise(hunk, { is: "required", requires: [...new Set(requires.flatMap(rename))] });
  }
}

function checkIndexes(side: "old" | "new", indexes: readonly number[] | undefined, text: string): void {
  if (indexes === undefined) return;
  const count = text === "" ? 0 : text.split(/(?<=\n)/).length;
  const path = `/hunks/lines/${side}`;
  const wrong = indexes.find((index) => !Number.isInteger(index) || index < 0 || index >= count);
  if (wrong !== undefined) {
    const expected = count === 0 ? "no lines: that side has none" : `indexes from 0 to ${count - 1}`;
    throw refused(path, expected, wrong);
  }
  const seen = new Set<number>();
  const twice = indexes.find((index) => seen.size === seen.add(index).size);
  if (twice !== undefined) throw refused(path, "each line once", twice);
}

export function refused(path: string, expected: string, received: unknown): InvalidParamsError {
  return new InvalidParamsError([{ path, expected, received }]);
}
