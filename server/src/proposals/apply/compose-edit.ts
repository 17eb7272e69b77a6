/** From decisions to the text edit of one document: against the document as it is now, not as it was. */
import type { TextDocumentEdit } from "vscode-languageserver-protocol";
import { applyChanges, rangeOf, rangesIn, type Stretch, type TextChange } from "../texts/hunks.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import type { HunkPlace } from "../texts/standing.ts";
import { textOf } from "../hunk-state.ts";
import { mayTake, placeNow, sinceBase, whyNoPlaces } from "./place-now.ts";

export interface CurrentText {
  readonly text: string;
  readonly version: number | null;
}

/** `base` is what the hunk replaces in the document's base. */
export interface ComposedPlace extends HunkPlace {
  readonly base: Stretch;
}

/** The text edit of one document. */
export interface ComposedText {
  /** What the document must read once the edit is made. */
  readonly expected: string;
  /** The places of the accepted hunks in `expected`. */
  readonly places: readonly ComposedPlace[];
  readonly edit: TextDocumentEdit;
}

export interface TextComposition {
  readonly text: ComposedText | undefined;
  /** Accepted hunks whose place the document no longer has. */
  readonly conflicts: readonly TrackedHunk[];
  /** Why these hunks conflict, where the reason is not text that changed. */
  readonly why?: string;
}

/** Composes the accepted hunks of one document that exists. */
export function composeText(
  document: TrackedDocument,
  accepted: readonly TrackedHunk[],
  current: CurrentText | null,
): TextComposition {
  if (current === null) return { text: undefined, conflicts: accepted };
  const why = whyNoPlaces(current.text);
  if (why !== undefined) return { text: undefined, conflicts: accepted, why };
  const since = sinceBase(document, current.text);
  const conflicts: TrackedHunk[] = [];
  const placed: Placed[] = [];
  for (const hunk of accepted) {
    const now = placeNow(hunk, current.text, since);
    const change = { ...now.place, newText: textOf(hunk) };
    if (mayTake(hunk, now)) placed.push({ hunk, base: now.base, change, isUntouched: now.isUntouched });
    else conflicts.push(hunk);
  }
  const ordered: Placed[] = [];
  for (const each of placed.toSorted((a, b) => inTextOrder(a.base, b.base))) {
    // Where two texts are meant for one place, the second is written once the person has seen the first one there.
    if (areApart(ordered.at(-1), each)) ordered.push(each);
    else conflicts.push(each.hunk);
  }
  if (ordered.length === 0) return { text: undefined, conflicts };
  return { text: composed(document, current, ordered), conflicts };
}

/** The text of a file that came to the place where one was to be made, replaced by the person's own text. */
export function composeOverFile(document: TrackedDocument, hunk: TrackedHunk, current: CurrentText): ComposedText {
  const change = { start: 0, end: current.text.length, newText: textOf(hunk) };
  return composed(document, current, [{ hunk, base: { start: 0, end: 0 }, change, isUntouched: false }]);
}

interface Placed {
  readonly hunk: TrackedHunk;
  readonly change: TextChange;
  readonly base: Stretch;
  readonly isUntouched: boolean;
}

function areApart(before: Placed | undefined, next: Placed): boolean {
  if (before === undefined || (before.isUntouched && next.isUntouched)) return true;
  return (
    before.base.end < next.base.start || (before.base.end === next.base.start && before.base.start < next.base.end)
  );
}

function composed(document: TrackedDocument, current: CurrentText, ordered: readonly Placed[]): ComposedText {
  const rangeIn = rangesIn(current.text);
  const edit: TextDocumentEdit = {
    textDocument: { uri: document.at.uri, version: current.version },
    edits: joined(ordered.map(({ change }) => change)).map((change) => ({
      range: rangeIn(change),
      newText: change.newText,
    })),
  };
  const expected = applyChanges(
    current.text,
    ordered.map(({ change }) => change),
  );
  return { expected, places: placesAfter(current.text, ordered), edit };
}

/** The text of a document that does not exist yet. */
export function composeNewText(
  document: TrackedDocument,
  hunk: TrackedHunk,
  blank: CurrentText | undefined,
): ComposedText {
  const [newText, before] = [textOf(hunk), blank?.text ?? ""];
  return {
    expected: newText,
    places: [{ id: hunk.id, start: 0, end: newText.length, oldText: "", base: { start: 0, end: 0 } }],
    edit: {
      textDocument: { uri: document.at.uri, version: blank?.version ?? null },
      edits: [{ range: rangeOf(before, 0, before.length), newText }],
    },
  };
}

function placesAfter(before: string, ordered: readonly Placed[]): ComposedPlace[] {
  let shift = 0;
  return ordered.map(({ hunk: { id }, base, change: { start, end, newText } }) => {
    const oldText = before.slice(start, end);
    const place = { id, start: start + shift, end: start + shift + newText.length, oldText, base };
    shift += newText.length - (end - start);
    return place;
  });
}

export function inTextOrder(a: Stretch, b: Stretch): number {
  return a.start - b.start || a.end - b.end;
}

/** Changes that touch as one: not every client keeps the order of two insertions at one place. */
function joined(ordered: readonly TextChange[]): TextChange[] {
  const all: TextChange[] = [];
  for (const change of ordered) {
    const last = all.at(-1);
    if (last?.end === change.start) {
      all[all.length - 1] = { start: last.start, end: change.end, newText: last.newText + change.newText };
    } else all.push(change);
  }
  return all;
}
