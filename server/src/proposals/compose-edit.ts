/** From decisions to the edit the client applies: against the documents as they are now, not as they were. */
import type { TextDocumentEdit, CreateFile, WorkspaceEdit } from "vscode-languageserver-protocol";
import { applyChanges, changesBetween, loneCarriageReturnLine, mapThrough, rangeOf, type TextChange } from "./hunks.ts";
import type { TrackedDocument, TrackedHunk } from "./proposal.ts";
import type { HunkPlace } from "./standing.ts";

export interface CurrentText {
  readonly text: string;
  readonly version: number | null;
}

export interface ComposedDocument {
  readonly uri: string;
  /** What the document must read once the client has applied the edit. */
  readonly expected: string;
  /** Where the accepted hunks stand in `expected`. */
  readonly places: readonly HunkPlace[];
  readonly edit: readonly (TextDocumentEdit | CreateFile)[];
}

export interface Composition {
  readonly document: ComposedDocument | undefined;
  /** Accepted hunks whose place the document no longer has. */
  readonly conflicts: readonly string[];
  /** Why these hunks conflict, where the reason is not text that changed. */
  readonly why?: string;
}

/** Composes the accepted hunks of one document. `current` is null when the document does not exist. */
export function composeDocument(
  document: TrackedDocument,
  accepted: readonly TrackedHunk[],
  current: CurrentText | null,
): Composition {
  if (!document.existed) return composeCreation(document, accepted, current);
  if (current === null) return { document: undefined, conflicts: accepted.map((hunk) => hunk.id) };
  const line = loneCarriageReturnLine(current.text);
  if (line !== undefined) {
    const why = `line ${line} has a carriage return without a line feed by now, so editors count lines differently.`;
    return { document: undefined, conflicts: accepted.map((hunk) => hunk.id), why };
  }
  const moved = changesBetween(document.base, current.text);
  const conflicts: string[] = [];
  const changes: { id: string; change: TextChange }[] = [];
  for (const hunk of accepted) {
    const place = mapThrough(hunk.change, moved);
    if (place === undefined) conflicts.push(hunk.id);
    else changes.push({ id: hunk.id, change: { ...place, newText: textOf(hunk) } });
  }
  if (changes.length === 0) return { document: undefined, conflicts };
  const ordered = changes.toSorted((a, b) => a.change.start - b.change.start);
  const edit: TextDocumentEdit = {
    textDocument: { uri: document.uri, version: current.version },
    edits: ordered.map(({ change }) => ({
      range: rangeOf(current.text, change.start, change.end),
      newText: change.newText,
    })),
  };
  const expected = applyChanges(
    current.text,
    ordered.map(({ change }) => change),
  );
  return {
    document: { uri: document.uri, expected, places: placesAfter(current.text, ordered), edit: [edit] },
    conflicts,
  };
}

function placesAfter(before: string, ordered: readonly { id: string; change: TextChange }[]): HunkPlace[] {
  let shift = 0;
  return ordered.map(({ id, change: { start, end, newText } }) => {
    const place = { id, start: start + shift, end: start + shift + newText.length, oldText: before.slice(start, end) };
    shift += newText.length - (end - start);
    return place;
  });
}

export function workspaceEditOf(documents: readonly ComposedDocument[]): WorkspaceEdit | null {
  if (documents.length === 0) return null;
  return { documentChanges: documents.flatMap((document) => [...document.edit]) };
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

function composeCreation(
  document: TrackedDocument,
  accepted: readonly TrackedHunk[],
  current: CurrentText | null,
): Composition {
  const hunk = accepted[0];
  // Somebody made the file meanwhile: an empty buffer the editor opened for it is not a conflict, any text is.
  if (hunk === undefined || (current !== null && current.text !== "")) {
    return { document: undefined, conflicts: accepted.map(({ id }) => id) };
  }
  const newText = textOf(hunk);
  const create: CreateFile = { kind: "create", uri: document.uri, options: { ignoreIfExists: true } };
  const insert: TextDocumentEdit = {
    textDocument: { uri: document.uri, version: current?.version ?? null },
    edits: [{ range: rangeOf("", 0, 0), newText }],
  };
  return {
    document: {
      uri: document.uri,
      expected: newText,
      places: [{ id: hunk.id, start: 0, end: newText.length, oldText: "" }],
      edit: [create, insert],
    },
    conflicts: [],
  };
}
