/** From decisions to the text edit of one document: against the document as it is now, not as it was. */
import type { TextDocumentEdit } from "vscode-languageserver-protocol";
import {
  applyChanges,
  changesBetween,
  loneCarriageReturnLine,
  mapThrough,
  rangeOf,
  type TextChange,
} from "../texts/hunks.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import type { HunkPlace } from "../texts/standing.ts";

export interface CurrentText {
  readonly text: string;
  readonly version: number | null;
}

/** The text edit of one document. */
export interface ComposedText {
  /** What the document must read once the edit is made. */
  readonly expected: string;
  /** Where the accepted hunks stand in `expected`. */
  readonly places: readonly HunkPlace[];
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
  const line = loneCarriageReturnLine(current.text);
  if (line !== undefined) {
    const why = `line ${line} has a carriage return without a line feed by now, so editors count lines differently.`;
    return { text: undefined, conflicts: accepted, why };
  }
  const moved = changesBetween(document.base, current.text);
  const conflicts: TrackedHunk[] = [];
  const changes: { id: string; change: TextChange }[] = [];
  for (const hunk of accepted) {
    const place = mapThrough(hunk.change, moved);
    if (place === undefined) conflicts.push(hunk);
    else changes.push({ id: hunk.id, change: { ...place, newText: textOf(hunk) } });
  }
  if (changes.length === 0) return { text: undefined, conflicts };
  const ordered = changes.toSorted((a, b) => inTextOrder(a.change, b.change));
  const edit: TextDocumentEdit = {
    textDocument: { uri: document.at.uri, version: current.version },
    edits: joined(ordered.map(({ change }) => change)).map(({ start, end, newText }) => ({
      range: rangeOf(current.text, start, end),
      newText,
    })),
  };
  const expected = applyChanges(
    current.text,
    ordered.map(({ change }) => change),
  );
  return { text: { expected, places: placesAfter(current.text, ordered), edit }, conflicts };
}

/** The text of a document that does not exist yet. */
export function composeNewText(document: TrackedDocument, hunk: TrackedHunk, version: number | null): ComposedText {
  const newText = textOf(hunk);
  return {
    expected: newText,
    places: [{ id: hunk.id, start: 0, end: newText.length, oldText: "" }],
    edit: {
      textDocument: { uri: document.at.uri, version },
      edits: [{ range: rangeOf("", 0, 0), newText }],
    },
  };
}

/**
 * Moves a document's base past the hunks that were applied, so that all its hunks refer to the text that is there now.
 * Other people's edits stay out of the base: they are found again when the rest is composed. Hunks never overlap; pieces
 * of one hunk may touch, and then stand in the order of `own`.
 */
export function rebaseDocument(
  document: TrackedDocument,
  applied: ReadonlySet<TrackedHunk>,
  own: readonly TrackedHunk[],
): void {
  const ordered = own.toSorted((a, b) => inTextOrder(a.change, b.change));
  const changes = ordered.flatMap((hunk) => (applied.has(hunk) ? { ...hunk.change, newText: textOf(hunk) } : []));
  let shift = 0;
  for (const hunk of ordered) {
    const { start, end } = hunk.change;
    const grown = applied.has(hunk) ? textOf(hunk).length - (end - start) : 0;
    hunk.change = { ...hunk.change, start: start + shift, end: end + shift + grown };
    shift += grown;
  }
  document.base = applyChanges(document.base, changes);
}

/** The text that goes in for a decided hunk: the person's own words win over the proposed ones. */
export function textOf(hunk: TrackedHunk): string {
  return hunk.editedText ?? hunk.newText;
}

function placesAfter(before: string, ordered: readonly { id: string; change: TextChange }[]): HunkPlace[] {
  let shift = 0;
  return ordered.map(({ id, change: { start, end, newText } }) => {
    const place = { id, start: start + shift, end: start + shift + newText.length, oldText: before.slice(start, end) };
    shift += newText.length - (end - start);
    return place;
  });
}

function inTextOrder(a: TextChange, b: TextChange): number {
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
