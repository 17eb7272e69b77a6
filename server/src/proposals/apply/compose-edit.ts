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
  const ordered = changes.toSorted((a, b) => a.change.start - b.change.start);
  const edit: TextDocumentEdit = {
    textDocument: { uri: document.at.uri, version: current.version },
    edits: ordered.map(({ change }) => ({
      range: rangeOf(current.text, change.start, change.end),
      newText: change.newText,
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
 * Moves a document's base past the hunks that were applied, so that all other hunks refer to the text that is there
 * now. Other people's edits stay out of the base: they are found again when the rest is composed.
 */
export function rebaseDocument(
  document: TrackedDocument,
  applied: readonly TrackedHunk[],
  others: readonly TrackedHunk[],
): void {
  const changes = applied.map((hunk) => ({ ...hunk.change, newText: textOf(hunk) }));
  for (const hunk of [...applied, ...others]) {
    const rest = changes.filter(({ start }) => start !== hunk.change.start);
    // Hunks of one proposal are separated by shared lines, so mapping one through the others cannot fail.
    const place = mapThrough(hunk.change, rest) ?? hunk.change;
    hunk.change = { ...hunk.change, ...place };
  }
  for (const hunk of applied) hunk.change = { ...hunk.change, end: hunk.change.start + textOf(hunk).length };
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
