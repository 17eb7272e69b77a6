/** One run of a tool's function on the clock of changes: what may change something is known, what looks is up to date. */
import { untilAborted } from "../abort.ts";
import type { Changes, Origin } from "./changes.ts";
import { toAnswer } from "./tool-content.ts";
import type { Tool, ToolAnswer } from "./tool.ts";
import { whileRunning } from "./up-to-date.ts";

interface OrderedRun {
  readonly work: () => Promise<unknown>;
  readonly callId: string;
  readonly tool: Tool;
  /** Learns how the answer came about. */
  readonly record: { origin: Origin };
  readonly signal: AbortSignal;
}

/** How long a review may take to say what was applied before its call was cancelled. */
const REVIEW_GRACE_MS = 2_000;

/** Rejects as the work does, or with the signal's reason. */
export function ordered(changes: Changes, run: OrderedRun): Promise<ToolAnswer> {
  return isSafe(run.tool) ? look(changes, run) : change(changes, run);
}

/** What the work may change counts until the work is over, also where nobody waits for the end any more. */
async function change(changes: Changes, { work, callId, tool, record, signal }: OrderedRun): Promise<ToolAnswer> {
  const own = { callId, what: tool.name };
  record.origin = { kind: "change", change: own };
  const end = changes.begin(own, tool.asksItself);
  const running = work();
  running.then(end, end);
  return toAnswer(await untilAborted(running, signal, tool.asksItself ? REVIEW_GRACE_MS : 0));
}

/** An answer during which something changed is computed once more, and says so where that happens again. */
async function look(changes: Changes, { work, record, signal }: OrderedRun): Promise<ToolAnswer> {
  let from = changes.now();
  const isOld = (): boolean => changes.endedSince(from).length > 0;
  const once = async (): Promise<unknown> => {
    from = changes.now();
    try {
      return await untilAborted(work(), signal);
    } finally {
      record.origin = { kind: "look", from, to: changes.now() };
    }
  };
  const first = await once().catch((error: unknown) => {
    if (!isOld() || signal.aborted) throw error;
  });
  const answer = toAnswer(isOld() ? await once() : first);
  const busy = [...changes.endedSince(from), ...changes.running()];
  return busy.length === 0 ? answer : { ...answer, notes: [...(answer.notes ?? []), ...whileRunning(busy)] };
}

/** A tool that cannot tell may change something. */
function isSafe(tool: Tool): boolean {
  try {
    return tool.safety === "safe";
  } catch {
    return false;
  }
}
