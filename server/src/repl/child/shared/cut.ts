/**
 * Cuts texts, never between the halves of a surrogate pair, because half a pair is no character. The same as
 * base/cut-text.ts, with functions that user code cannot replace.
 */
import { uncurried } from "./captured.ts";

export function headOf(text: string, length: number): string {
  return uncurried.slice(text, 0, boundary(text, length));
}

/** The text itself, or its beginning with a mark that the text goes on. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length)}…`;
}

/** `at`, or the place before it when `at` would split a surrogate pair. */
export function boundary(text: string, at: number): number {
  const isSplit = isWithin(text, at - 1, 0xd800) && isWithin(text, at, 0xdc00);
  return isSplit ? at - 1 : at;
}

function isWithin(text: string, at: number, first: number): boolean {
  const code = uncurried.charCode(text, at);
  return code >= first && code < first + 0x400;
}
