/** A line of a file as every answer shows it that quotes files. */

/** A longer line is cut; no file that people write has one. */
const MAX_LINE = 500;

/** `line` counts from 1. */
export function numberedLine(line: number, text: string): string {
  return `${String(line).padStart(5)}  ${isCutLine(text) ? `${text.slice(0, MAX_LINE)}… (${text.length} characters)` : text}`;
}

export function isCutLine(text: string): boolean {
  return text.length > MAX_LINE;
}
