/** A line of a file as every answer shows it that quotes files. */

/** A longer line is cut; no file that people write has one. */
const MAX_LINE = 500;

/** `line` counts from 1; `last` is the last line that is shown, below which the numbers stand flush. */
export function numberedLine(line: number, text: string, last: number): string {
  return `${String(line).padStart(String(last).length)}  ${isCutLine(text) ? `${text.slice(0, MAX_LINE)}… (${text.length} characters)` : text}`;
}

export function isCutLine(text: string): boolean {
  return text.length > MAX_LINE;
}
