/** From decisions to the text edit of one document: against the document as it is now, not as it was. */
import type { TextDocumentEdit } from "vscode-languageserver-protocol";
import { applyChanges, moveThrough, rangeOf, rangesIn, type Stretch, type TextChange } from "../texts/hunks.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";
import type { HunkPlace } from "../texts/standing.ts";
import { mayTake, placeNow, sinceBase, textOf, whyNoPlaces } from "./place-now.ts";

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
  /** Where the accepted hunks stand in `expected`. */
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
    if (mayTake(hunk, now)) placed.push({ hunk, base: now.base, change: { ...now.place, newText: textOf(hunk) } });
    else conflicts.push(hunk);
  }
  const ordered: Placed[] = [];
  for (const each of placed.toSorted((a, b) => a.base.start - b.base.start || a.base.end - b.base.end)) {
    // Of two texts for one place, the second is written once the person has seen the first one there.
    if (areApart(ordered.at(-1)?.base, each.base)) ordered.push(each);
    else conflicts.push(each.hunk);
  }
  if (ordered.length === 0) return { text: undefined, conflicts };
  return { text: composed(document, current, ordered), conflicts };
}

/** The text of a file that came to the place where one was to be made, replaced by the person's own text. */
export function composeOverFile(document: TrackedDocument, hunk: TrackedHunk, current: CurrentText): ComposedText {
  const change = { start: 0, end: current.text.length, newText: textOf(hunk) };
  return composed(document, current, [{ hunk, base: { start: 0, end: 0 }, change }]);
}

interface Placed {
  readonly hunk: TrackedHunk;
  readonly change: TextChange;
  readonly base: Stretch;
}

function areApart(before: Stretch | undefined, next: Stretch): boolean {
  return before === undefined || (before.end <= next.start && before.start < next.start) || before.end < next.start;
}

function composed(document: TrackedDocument, current: CurrentText, ordered: readonly Placed[]): ComposedText {
  const rangeIn = rangesIn(current.text);
  const edit: TextDocumentEdit = {
    textDocument: { uri: document.at.uri, version: current.version },
    edits: ordered.map(({ change }) => ({ range: rangeIn(change), newText: change.newText })),
  };
  const expected = applyChanges(
    current.text,
    ordered.map(({ change }) => change),
  );
  return { expected, places: placesAfter(current.text, ordered), edit };
}

/** The text of a document that does not exist yet. */
export function composeNewText(document: TrackedDocument, hunk: TrackedHunk, version: number | null): ComposedText {
  const newText = textOf(hunk);
  return {
    expected: newText,
    places: [{ id: hunk.id, start: 0, end: newText.length, oldText: "", base: { start: 0, end: 0 } }],
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
  const changes = applied
    .map((hunk) => ({ ...hunk.change, ...hunk.wide, newText: textOf(hunk), hunk }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  for (const hunk of others) {
    // What a person's own text has taken along is no place of another hunk any more, only its neighbourhood.
    hunk.change = { ...hunk.change, ...moveThrough(hunk.change, changes).after };
    if (hunk.wide !== undefined) hunk.wide = moveThrough(hunk.wide, changes).after;
  }
  for (const { hunk, newText, ...stretch } of changes) {
    const rest = changes.filter((change) => change.hunk !== hunk);
    const { start } = moveThrough(stretch, rest).after;
    hunk.change = { ...hunk.change, start, end: start + newText.length };
    delete hunk.wide;
  }
  document.base = applyChanges(document.base, changes);
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
