/** How the end of a command and what it printed are told. */
import type { KeptOutput } from "../../sandbox/layer/kept-output.ts";
import { foldedLines, indented } from "../answers/quoted-text.ts";

export interface Ended {
  readonly code: number;
  readonly durationMs: number;
  /** The time that was allowed, where the command took all of it. */
  readonly stoppedAfterMs: number | undefined;
  /** The call was cancelled. */
  readonly isCancelled?: boolean;
}

export function endWords({ code, durationMs, stoppedAfterMs, isCancelled = false }: Ended): string {
  if (isCancelled) return "Cancelled, and stopped with everything it started.";
  if (stoppedAfterMs !== undefined) return `Stopped after ${stoppedAfterMs} ms, with everything it started.`;
  const took = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  return `Exit code ${code}, ${took}.`;
}

/** What many short lines may take once they are indented. */
const MOST = { head: 3_000, tail: 9_500 } as const;
const INDENTED = "  ".length;

/** Whole lines of the beginning and the end. `left` is how many characters the text says to be without. */
function bounded(lines: readonly string[], left: number): { readonly shown: readonly string[]; readonly left: number } {
  const lengthOf = (some: readonly string[]): number => some.reduce((sum, line) => sum + line.length + 1, 0);
  if (lengthOf(lines) <= MOST.head + MOST.tail) return { shown: lines, left };
  const within = (some: readonly string[], most: number): number => {
    let length = 0;
    const end = some.findIndex((line) => (length += line.length + 1) > most);
    return end < 0 ? some.length : Math.max(end, 1);
  };
  const head = within(lines, MOST.head);
  const tail = within(lines.slice(head).toReversed(), MOST.tail);
  const between = lines.slice(head, lines.length - tail);
  const missing = left + lengthOf(between) - INDENTED * between.length;
  const gap = `  … ${missing} characters left out …`;
  return { shown: [...lines.slice(0, head), gap, ...lines.slice(lines.length - tail)], left: missing };
}

export function printedLines({ text, left }: ReturnType<KeptOutput["text"]>): { lines: string[]; isWhole: boolean } {
  const printed = bounded(indented(foldedLines(text.trimEnd())).split("\n"), left);
  const lines = text.trim() === "" ? ["It printed nothing."] : ["printed:", ...printed.shown];
  const isWhole = printed.left === 0;
  if (!isWhole) lines.push("Show less with grep, head or tail to see what was left out.");
  return { lines, isWhole };
}
