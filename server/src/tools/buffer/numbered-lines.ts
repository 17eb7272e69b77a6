/** Lines of a text with their numbers, as many as a model should read at once. */
import { isCutLine, numberedLine } from "../answers/numbered-line.ts";
import { ToolFailure, type ToolAnswer } from "../tool.ts";
import type { LineRange } from "./line-ranges.ts";

export const MAX_LINES = 400;
const MAX_CHARACTERS = 24_000;

/** `whole` are the lines that the answer shows whole, counted from 1, ascending. */
export interface NumberedLines {
  readonly answer: ToolAnswer;
  readonly whole: readonly number[];
}

/** The lines of a text. What follows the last line break is a line only when it is not empty. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** `head` is the first line of the answer, and `name` what has the lines. Throws a `ToolFailure` for lines that are not there. */
export function numberedLines(
  { head, name }: { readonly head: string; readonly name: string },
  lines: readonly string[],
  ranges: readonly LineRange[],
): NumberedLines {
  const wholeLines = new Set<number>();
  const whole = (): number[] => [...wholeLines].toSorted((a, b) => a - b);
  const shown: string[] = [];
  let characters = 0;
  const lastOfAll = Math.max(...ranges.map(({ end }) => Math.min(end ?? lines.length, lines.length)));
  for (const [index, { start, end }] of ranges.entries()) {
    if ((start > lines.length && lines.length > 0) || (end !== undefined && end < start)) {
      throw new ToolFailure(`${name} has ${lines.length} lines; there are no lines ${start}-${end ?? "end"}.`);
    }
    if (index > 0) shown.push("…");
    const last = Math.min(end ?? lines.length, lines.length);
    for (let line = start; line <= last; line += 1) {
      if (shown.length >= MAX_LINES || characters >= MAX_CHARACTERS) {
        const content = [head, ...shown, goOn(line, last, ranges.slice(index + 1))].join("\n");
        return { answer: { content, truncated: true }, whole: whole() };
      }
      const text = lines[line - 1] ?? "";
      const numbered = numberedLine(line, text, lastOfAll);
      shown.push(numbered);
      if (!isCutLine(text)) wholeLines.add(line);
      characters += numbered.length;
    }
  }
  return { answer: { content: [head, ...shown].join("\n"), truncated: false }, whole: whole() };
}

function goOn(line: number, last: number, more: readonly LineRange[]): string {
  const others = more.map(({ start, end }) => `, ${start}-${end ?? "end"}`).join("");
  return `… lines ${line}-${last}${others} not shown; call again with start: ${line}.`;
}
