/** From two texts to hunks and back. Pure: positions and strings only, no document, no editor. */
import { createRequire } from "node:module";
import type { Position, Range } from "vscode-languageserver-protocol";
import { linePath, type LinePath } from "./line-path.ts";
import { hashedLines, type HashedLines } from "./hashed-lines.ts";
import { lineBreaksIn } from "../../base/line-breaks.ts";

/** One replaced stretch of whole lines. Offsets count UTF-16 units in the base text. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * The changes that turn `base` into `target`, in order, never touching each other: at least one line that both texts
 * share is between two of them. They are the fewest possible, or nearly so in texts with thousands of different
 * lines.
 */
export function changesBetween(base: string, target: string): TextChange[] {
  if (base === target) return [];
  const [own, other] = [hashedLines(base), hashedLines(target)];
  return changesAlong(linePath(own, other), own, other);
}

/** The lines that go and those that come in their place, as changes of the first text. */
export function changesAlong({ gone, added }: LinePath, own: HashedLines, other: HashedLines): TextChange[] {
  const changes: TextChange[] = [];
  let [x, y] = [0, 0];
  while (x < gone.length || y < added.length) {
    const [fromX, fromY] = [x, y];
    while (gone[x] === 1) x += 1;
    while (added[y] === 1) y += 1;
    if (x === fromX && y === fromY) {
      x += 1;
      y += 1;
      continue;
    }
    const [start = 0, end = start] = [own.starts[fromX], own.starts[x]];
    changes.push({ start, end, newText: other.text.slice(other.starts[fromY], other.starts[y]) });
  }
  return changes;
}

/** Applies changes that do not overlap, given in any order. */
export function applyChanges(base: string, changes: readonly TextChange[]): string {
  const ordered = changes.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = "";
  let offset = 0;
  for (const change of ordered) {
    result += base.slice(offset, change.start) + change.newText;
    offset = change.end;
  }
  return result + base.slice(offset);
}

/** A part of a text; empty for a place between two characters. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface MovedStretch {
  /** No edit touched the stretch. */
  readonly isWhole: boolean;
  /** The stretch in the text before the edits, with all that the edits that touched the stretch replaced. */
  readonly before: Stretch;
  /** The text that replaces `before` after the edits. */
  readonly after: Stretch;
}

/**
 * The place of a stretch of a text after `edits`, which are in order, were made to the text. An insertion exactly
 * where another text was inserted has no certain place, so it is taken as touched.
 */
export function moveThrough(stretch: Stretch, edits: readonly TextChange[]): MovedStretch {
  let { start, end } = stretch;
  let [isWhole, shift, growth] = [true, 0, 0];
  for (const edit of edits) {
    const longer = edit.newText.length - (edit.end - edit.start);
    if (isTouched(stretch, edit)) {
      isWhole = false;
      start = Math.min(start, edit.start);
      end = Math.max(end, edit.end);
      growth += longer;
    } else if (edit.end <= stretch.start) shift += longer;
  }
  return { isWhole, before: { start, end }, after: { start: start + shift, end: end + shift + growth } };
}

/** Like `moveThrough`; undefined when an edit touched the stretch itself. */
export function mapThrough(stretch: Stretch, edits: readonly TextChange[]): Stretch | undefined {
  const { isWhole, after } = moveThrough(stretch, edits);
  return isWhole ? after : undefined;
}

function isTouched({ start, end }: Stretch, edit: TextChange): boolean {
  if (edit.start === edit.end && start < edit.start && edit.start < end) return true;
  if (start < end) return edit.start < end && start < edit.end;
  return (edit.start < start && start < edit.end) || (edit.start === edit.end && edit.start === start);
}

export function rangeOf(text: string, start: number, end: number): Range {
  return rangesIn(text)({ start, end });
}

/** For several ranges of one text. */
export function rangesIn(text: string): (stretch: Stretch) => Range {
  const lineStarts = lineStartsOf(text);
  return ({ start, end }) => ({ start: positionAt(lineStarts, start), end: positionAt(lineStarts, end) });
}

/** The range of a text that follows another one, which begins at `start`. */
export function rangeAfter(start: Position, before: string, text: string): Range {
  const from = positionAfter(start, before);
  return { start: from, end: positionAfter(from, text) };
}

function positionAfter({ line, character }: Position, text: string): Position {
  const last = text.lastIndexOf("\n");
  if (last === -1) return { line, character: character + text.length };
  return { line: line + text.split("\n").length - 1, character: text.length - last - 1 };
}

/**
 * The line, counted from 1, of the first carriage return that no line feed follows. LSP ends a line there, Neovim and
 * Emacs do not: no position behind it means the same place to server and editor.
 */
export function loneCarriageReturnLine(text: string): number | undefined {
  const at = text.search(/\r(?!\n)/);
  return at === -1 ? undefined : lineBreaksIn(text, 0, at) + 1;
}

/** Gives `text` the line ending that `like` uses throughout; mixed or single-line texts are left alone. */
export function withLineEndingsOf(like: string, text: string): string {
  const crlf = like.split("\r\n").length - 1;
  const all = like.split("\n").length - 1;
  if (all === 0) return text;
  if (crlf === all) return text.replaceAll(/\r?\n/g, "\r\n");
  if (crlf === 0) return text.replaceAll("\r\n", "\n");
  return text;
}

/** Loaded at its first use: starting the server must not pay for it. */
export function loadDiff(): typeof import("diff") {
  return createRequire(import.meta.url)("diff") as typeof import("diff");
}

/** The hunks of one document ask one after the other. */
let latest: { readonly text: string; readonly starts: readonly number[] } = { text: "", starts: [0] };

function lineStartsOf(text: string): readonly number[] {
  if (latest.text === text) return latest.starts;
  const starts = [0];
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) starts.push(index + 1);
  latest = { text, starts };
  return starts;
}

function positionAt(lineStarts: readonly number[], offset: number): Position {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low, character: offset - (lineStarts[low] ?? 0) };
}
