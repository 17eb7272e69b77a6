/** What a trace says of itself: which calls it keeps, and what it has counted. */
import type { Recording, RecordingLimits } from "./recording.ts";

export interface WantedTrace extends RecordingLimits {
  /** A name of the module's scope, and members from there. */
  readonly path: readonly string[];
  /** How the function is called in answers. */
  readonly address: string;
  /** The module's file. */
  readonly filename: string;
  /** Whether a call that has ended is kept. */
  readonly when?: (args: readonly unknown[], result: unknown, error: unknown) => unknown;
}

export interface Counted {
  readonly recording: Recording;
  calls: number;
  thrown: number;
  /** The calls that were timed, and their time. */
  timed: number;
  totalMs: number;
  /** What the condition threw. */
  problem: string;
  readonly isCurrent: () => boolean;
}

const REPLACED = "It was redefined since: calls of the new one were not counted.";

export function keptOf({ count, when }: WantedTrace): string {
  const which = when === undefined ? "" : " that the condition holds for";
  if (count === 1) return `the next call${which} is kept`;
  return count === undefined ? `the latest 60 calls${which} are kept` : `the next ${count} calls${which} are kept`;
}

export function summary({ recording, calls, thrown, timed, totalMs, problem, isCurrent }: Counted): string {
  const failed = thrown === 0 ? "" : `, ${thrown} of them failed`;
  const mean = timed === 0 ? "" : `, ${(totalMs / timed).toFixed(2)} ms each`;
  const head = `${recording.address}: ${calls} ${calls === 1 ? "call" : "calls"}${failed}${mean}.${problem}`;
  if (recording.over !== undefined) return `${head} The trace has ${recording.over}.`;
  return isCurrent() ? head : `${head} ${REPLACED}`;
}
