/** The part of a line that is worth telling. */
import { headOf } from "../base/cut-text.ts";

const LONGEST = 240;
const BEFORE = 80;
const MAX_LINES = 20;

/** `start` counts the bytes before the match; without it the line's beginning is kept. Line ends are left out. */
export function aroundMatch(text: string, start = 0): string {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const [first = "", ...rest] = lines;
  const shown = [cutAround(first, start), ...rest.slice(0, MAX_LINES - 1).map((line) => cutAround(line, 0))];
  if (lines.length > MAX_LINES) shown.push(`… (${lines.length - MAX_LINES} more lines of this match)`);
  return shown.join("\n");
}

function cutAround(line: string, start: number): string {
  if (line.length <= LONGEST) return line;
  const at = Buffer.from(line).subarray(0, start).toString("utf8").length;
  const from = Math.max(0, Math.min(at - BEFORE, line.length - LONGEST));
  // No half of a character that takes two units.
  const begin = /[\uDC00-\uDFFF]/.test(line[from] ?? "") ? from + 1 : from;
  const head = headOf(line.slice(begin), LONGEST);
  return `${begin > 0 ? "…" : ""}${head}${begin + head.length < line.length ? "…" : ""}`;
}
