/** The source line that an answer shows of a place. */
import type { SourceFile } from "typescript/unstable/ast";
import type { LspPosition } from "../../places.ts";

const MAX = 120;
/** So much of a long line comes before the place. */
const BEFORE = 40;

/** The trimmed line; of a very long one the part around the place, with `…` where it was cut. */
export function lineText(source: SourceFile, { line, character }: LspPosition): string {
  const starts = source.getLineStarts();
  const whole = source.text.slice(starts[line] ?? 0, starts[line + 1] ?? source.text.length);
  const indent = whole.length - whole.trimStart().length;
  return excerpt(whole.trim(), character - indent);
}

export function excerpt(text: string, at: number): string {
  if (text.length <= MAX) return text;
  const latest = text.length - MAX + 1;
  const from = Math.max(0, Math.min(at - BEFORE, latest));
  if (from <= 1) return `${text.slice(0, evenly(text, MAX - 1))}…`;
  const to = from === latest ? text.length : evenly(text, from + MAX - 2);
  return `…${text.slice(evenly(text, from), to)}${to < text.length ? "…" : ""}`;
}

/** Not between the halves of one character. */
function evenly(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
}
