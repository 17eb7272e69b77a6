/** How the end of a command and what it printed are told. */
import type { KeptOutput } from "../../sandbox/kept-output.ts";
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

export function printedLines({ text, left }: ReturnType<KeptOutput["text"]>): string[] {
  const lines = text.trim() === "" ? ["It printed nothing."] : ["printed:", indented(foldedLines(text.trimEnd()))];
  return left > 0 ? [...lines, "Show less with grep, head or tail to see what was left out."] : lines;
}
