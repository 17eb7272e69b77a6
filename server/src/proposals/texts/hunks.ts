/** From two texts to hunks and back. Pure: positions and strings only, no document, no editor. */
import { createRequire } from "node:module";
import type { Position, Range } from "vscode-languageserver-protocol";
import { linePath } from "./line-path.ts";
import { hashedLines } from "./hashed-lines.ts";
import { lineBreaksIn } from "../../protocol/line-breaks.ts";

/** One replaced stretch of whole lines. Offsets count UTF-16 units in the base text. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * The changes that turn `base` into `target`, in order, never touching each other: at least one line both texts share
 * stands between two of them. They are the fewest; of texts with thousands of other lines they are near that.
 */
export function changesBetween(base: string, target: string): TextChange[] {
  if (base === target) return [];
  const [own, other] = [hashedLines(base), hashedLines(target)];
  const { gone, added } = linePath(own, other);
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
    changes.push({ start, end, newText: target.slice(other.starts[fromY], other.starts[y]) });
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

/**
 * Where a stretch of `base` stands after `edits` were made to it, or undefined when an edit changed the stretch itself.
 * An insertion exactly where another text was inserted has no certain place, so it counts as changed.
 */
export function mapThrough(
  stretch: { readonly start: number; readonly end: number },
  edits: readonly TextChange[],
): { readonly start: number; readonly end: number } | undefined {
  let shift = 0;
  for (const edit of edits) {
    const overlaps =
      stretch.start === stretch.end
        ? (edit.start < stretch.start && stretch.start < edit.end) ||
          (edit.start === edit.end && edit.start === stretch.start)
        : edit.start < stretch.end && stretch.start < edit.end;
    const inside = edit.start === edit.end && stretch.start < edit.start && edit.start < stretch.end;
    if (overlaps || inside) return undefined;
    if (edit.end <= stretch.start) shift += edit.newText.length - (edit.end - edit.start);
  }
  return { start: stretch.start + shift, end: stretch.end + shift };
}

export function rangeOf(text: string, start: number, end: number): Range {
  const lineStarts = lineStartsOf(text);
  return { start: positionAt(lineStarts, start), end: positionAt(lineStarts, end) };
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
