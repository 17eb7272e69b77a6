/** A file's text with the hunks that wait in it, and where each of them stands on both sides. */
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Hunk } from "../../server/src/protocol/proposal-shapes.ts";

/** Lines from 0; `last` is the line that a hunk's text ends on. A hunk that takes lines away stands on the line above them. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

export interface Place {
  readonly before: Lines;
  readonly after: Lines;
}

export interface Composed {
  readonly text: string;
  /** By the ids of the hunks. */
  readonly places: ReadonlyMap<string, Place>;
}

interface Piece {
  readonly hunk: Hunk;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * Contract: `hunks` are those of one file that wait. One in conflict is shown over what is there now. One whose old text
 * does not stand at its place, because the server has not told of a change yet, has a place and leaves the text as it is.
 */
export function compose(text: string, hunks: readonly Hunk[], own: (hunk: Hunk) => string | undefined): Composed {
  const document = TextDocument.create("", "", 0, text);
  const pieces = hunks
    .map((hunk) => pieceOf(hunk, document, own(hunk) ?? hunk.newText))
    // Insertions stay in the order of the proposal.
    .sort((one, other) => one.start - other.start || one.end - other.end);
  let result = "";
  let at = 0;
  const spans: { readonly piece: Piece; readonly start: number }[] = [];
  for (const piece of pieces) {
    // Hunks of a file do not overlap; whatever does waits for the server's word.
    const { start, end, newText } = piece.start >= at ? piece : { start: at, end: at, newText: "" };
    result += text.slice(at, start);
    spans.push({ piece: { ...piece, start, end, newText }, start: result.length });
    result += newText;
    at = end;
  }
  result += text.slice(at);
  const after = TextDocument.create("", "", 0, result);
  const places = spans.map(({ piece, start }): [string, Place] => [
    piece.hunk.id,
    {
      before: linesOf(document, piece.start, piece.end),
      after: linesOf(after, start, start + piece.newText.length),
    },
  ]);
  return { text: result, places: new Map(places) };
}

/** The hunk at a line of one side, or undefined between hunks. */
export function hunkAt(places: Composed["places"], line: number, side: keyof Place): string | undefined {
  for (const [id, place] of places) {
    const { first, last } = place[side];
    if (first <= line && line <= last) return id;
  }
  return undefined;
}

function pieceOf(hunk: Hunk, document: TextDocument, newText: string): Piece {
  const text = document.getText();
  const whole = { hunk, start: 0, end: text.length };
  if (hunk.kind === "rename" || hunk.kind === "entry") return { ...whole, end: 0, newText: "" };
  if (hunk.kind === "create") return { ...whole, newText };
  if (hunk.kind === "delete") return { ...whole, newText: "" };
  const start = document.offsetAt(hunk.range.start);
  const end = document.offsetAt(hunk.range.end);
  const stands = text.slice(start, end);
  const expected = hunk.state === "conflict" ? hunk.currentText : hunk.oldText;
  return { hunk, start, end, newText: stands === expected ? newText : stands };
}

function linesOf(document: TextDocument, start: number, end: number): Lines {
  const first = document.positionAt(start);
  if (start === end) {
    const line = first.character === 0 ? Math.max(0, first.line - 1) : first.line;
    return { first: line, last: line };
  }
  const last = document.positionAt(end);
  return { first: first.line, last: last.character === 0 && last.line > first.line ? last.line - 1 : last.line };
}
