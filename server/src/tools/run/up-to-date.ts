/**
 * The law of the answers of one reply: none that was computed before a change is shown after it. Calls may have been
 * started in any order and at any time, and other people may have changed something meanwhile: by calls of their own,
 * in the REPL, by typing, on disk. On disk, the files that the compiler follows matter, and whatever an answer alone
 * depends on.
 */
import { shortened } from "../../base/cut-text.ts";
import type { ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import type { Change, Changes, Origin } from "./changes.ts";

const LONGEST_NAME = 24;
/** The person types while the model asks: an answer that took longer is not computed again for each key. */
const LONG_MS = 2_000;
const ofOrder = Symbol("ofOrder");

/** A result that keeps the law, or says by some of its notes that it does not. Only `upToDate` makes one. */
export type CurrentResult = ToolResult & { readonly [ofOrder]: readonly string[] };

export interface Answered {
  readonly call: Pick<ToolCall, "id" | "name">;
  readonly result: ToolResult;
}

/** Contract: runs the call once more, and never rejects; undefined where calls can no longer be run. */
export type RunAgain = (call: Answered["call"]) => Promise<ToolResult | undefined>;

/** `answers` have the order in which they will be shown; so have the results. */
export async function upToDate(
  changes: Changes,
  answers: readonly Answered[],
  again: RunAgain,
): Promise<CurrentResult[]> {
  const behind = answers.map((_, index) => changesOf(changes, answers.slice(index + 1)));
  const originOf = (result: ToolResult): Origin => changes.originOf(result) ?? { kind: "look", from: -1, to: -1 };
  /** Changes that an answer lacks. Those that are shown later do not make it old. */
  const missed = (result: ToolResult, index: number): readonly Change[] => {
    const origin = originOf(result);
    if (origin.kind !== "look") return [];
    return changes.endedSince(origin.from, origin.reads).filter((change) => behind[index]?.has(change) !== true);
  };
  const results: ToolResult[] = [];
  await changes.lookAtDisk(answers.map(({ result }) => originOf(result)));
  for (const [index, { call, result }] of answers.entries()) {
    // After a change that is shown later, another look would see too much.
    const isOld = isWorthAnotherRun(missed(result, index), result.metadata.executionTimeMs);
    results.push((isOld && behind[index]?.size === 0 ? await again(call) : undefined) ?? result);
  }
  // Nothing is waited for from here on: what is true now is true when it is shown.
  return results.map((result, index) => {
    const origin = changes.originOf(result);
    const seen = origin?.kind === "look" ? origin.to : 0;
    const early = [...(behind[index] ?? [])].filter((change) => seen > 0 && changes.hasBegunBefore(change, seen));
    const late = missed(result, index);
    const current = withNotes(result, origin, [
      ...(late.length === 0 ? [] : [`Computed before ${names(late)}${isTextOnly(late) ? " changed" : ""}: ask again.`]),
      ...(early.length === 0 ? [] : [`Computed after ${names(early)} below began.`]),
    ]);
    if (origin !== undefined) changes.note(current, origin);
    return current;
  });
}

/** Whether an answer that took so long is to be computed again, because it lacks these changes. */
export function isWorthAnotherRun(missed: readonly Change[], tookMs: number): boolean {
  return missed.length > 0 && (tookMs <= LONG_MS || !isTextOnly(missed));
}

/** `Computed while eval_form ran.`, `Computed while tax.ts changed.` */
export function whileRunning(running: readonly Change[]): string[] {
  const happened = isTextOnly(running) ? "changed" : "ran";
  return running.length === 0 ? [] : [`Computed while ${names(running)} ${happened}.`];
}

/** The notes about the order of this one answer, which are worth telling however often they were told before. */
export function notesOfOrder(result: CurrentResult): readonly string[] {
  return result[ofOrder];
}

function isTextOnly(changes: readonly Change[]): boolean {
  return changes.every(({ uri }) => uri !== undefined);
}

function changesOf(changes: Changes, answers: readonly Answered[]): ReadonlySet<Change> {
  return new Set(
    answers.flatMap(({ result }) => {
      const origin = changes.originOf(result);
      return origin?.kind === "change" ? [origin.change] : [];
    }),
  );
}

/** Calls before documents. */
function names(changes: readonly Change[]): string {
  const inOrder = [
    ...changes.filter(({ uri }) => uri === undefined),
    ...changes.filter(({ uri }) => uri !== undefined),
  ];
  const [first = "", ...rest] = new Set(inOrder.map(({ what }) => shortened(what, LONGEST_NAME)));
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}

function withNotes(result: ToolResult, origin: Origin | undefined, notes: readonly string[]): CurrentResult {
  const { metadata } = result;
  const own = origin?.kind === "look" ? (origin.notes ?? []) : [];
  const all = notes.length === 0 ? metadata : { ...metadata, notes: [...(metadata.notes ?? []), ...notes] };
  return { ...result, metadata: all, [ofOrder]: [...own, ...notes] };
}
