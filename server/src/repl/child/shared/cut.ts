/**
 * Where texts are cut: never between the halves of a surrogate pair, which alone are no characters. The same as
 * base/cut-text.ts, by functions that user code cannot replace.
 */
import { uncurried } from "./captured.ts";

export function headOf(text: string, length: number): string {
  return uncurried.slice(text, 0, boundary(text, length));
}

/** The text itself, or its head with a mark that there is more. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length)}…`;
}

/** The place itself, or the one before it. */
export function boundary(text: string, at: number): number {
  const isSplit = isWithin(text, at - 1, 0xd800) && isWithin(text, at, 0xdc00);
  return isSplit ? at - 1 : at;
}

function isWithin(text: string, at: number, first: number): boolean {
  const code = uncurried.charCode(text, at);
  return code >= first && code < first + 0x400;
}
