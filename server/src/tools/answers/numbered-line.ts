/** A line of a file as every answer shows it that quotes files. */

/** A longer line is cut; no file that people write has one. */
const MAX_LINE = 500;

/** `line` begins at 1; `last` is the last line that is shown: the numbers are aligned to the width of its number. */
export function numberedLine(line: number, text: string, last: number): string {
  return `${String(line).padStart(String(last).length)}  ${isCutLine(text) ? `${text.slice(0, MAX_LINE)}… (${text.length} characters)` : text}`;
}

export function isCutLine(text: string): boolean {
  return text.length > MAX_LINE;
}
