/**
 * The law of the answers of one reply: none that was computed before a change is shown after it. Calls may have been
 * started in any order and at any time, and other people may have changed something meanwhile.
 */
import { shortened } from "../protocol/cut-text.ts";
import type { ToolCall, ToolResult } from "../protocol/shapes.ts";
import type { Change, Changes } from "./changes.ts";

const LONGEST_NAME = 24;

declare const current: unique symbol;

/** A result that keeps the law, or says that it does not. Only `upToDate` makes one. */
export type CurrentResult = ToolResult & { readonly [current]: true };

export interface Answered {
  readonly call: Pick<ToolCall, "id" | "name">;
  readonly result: ToolResult;
}

/** Contract: runs the call once more, and never rejects; undefined where calls can no longer be run. */
export type RunAgain = (call: Answered["call"]) => Promise<ToolResult | undefined>;

/** `answers` stand in the order in which they will be shown; so do the results. */
export async function upToDate(
  changes: Changes,
  answers: readonly Answered[],
  again: RunAgain,
): Promise<CurrentResult[]> {
  const behind = answers.map((_, index) => changesOf(changes, answers.slice(index + 1)));
  /** Changes that an answer lacks. Those that are shown later do not make it old. */
  const missed = (result: ToolResult, index: number): readonly Change[] => {
    const origin = changes.originOf(result) ?? { kind: "look", from: -1 };
    if (origin.kind !== "look") return [];
    return changes.endedSince(origin.from).filter((change) => behind[index]?.has(change) !== true);
  };
  const results: ToolResult[] = [];
  for (const [index, { call, result }] of answers.entries()) {
    // Behind a change that is shown later, another look would see too much.
    const isWanted = missed(result, index).length > 0 && behind[index]?.size === 0;
    results.push((isWanted ? await again(call) : undefined) ?? result);
  }
  // Nothing is waited for from here on: what is true now is true when it is shown.
  return results.map((result, index) => {
    const origin = changes.originOf(result);
    const seen = origin?.kind === "look" ? origin.to : 0;
    const early = [...(behind[index] ?? [])].filter((change) => seen > 0 && changes.hasBegunBefore(change, seen));
    const late = missed(result, index);
    return withNotes(result, [
      ...(late.length === 0 ? [] : [`Computed before ${names(late)}: ask again.`]),
      ...(early.length === 0 ? [] : [`Computed after ${names(early)} below began.`]),
    ]);
  });
}

/** `Computed while eval_form ran.` */
export function whileRunning(running: readonly Change[]): string[] {
  return running.length === 0 ? [] : [`Computed while ${names(running)} ran.`];
}

function changesOf(changes: Changes, answers: readonly Answered[]): ReadonlySet<Change> {
  return new Set(
    answers.flatMap(({ result }) => {
      const origin = changes.originOf(result);
      return origin?.kind === "change" ? [origin.change] : [];
    }),
  );
}

/** Short: what is long is told once in a conversation. */
function names(changes: readonly Change[]): string {
  const [first = "", ...rest] = new Set(changes.map(({ what }) => shortened(what, LONGEST_NAME)));
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}

function withNotes(result: ToolResult, notes: readonly string[]): CurrentResult {
  const { metadata } = result;
  const marked: ToolResult =
    notes.length === 0
      ? result
      : { ...result, metadata: { ...metadata, notes: [...(metadata.notes ?? []), ...notes] } };
  return marked as CurrentResult;
}
