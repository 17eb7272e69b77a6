/** One run of a tool's function on the clock of changes: what may change something is known, what looks is up to date. */
import { untilAborted } from "../../base/abort.ts";
import type { Change, Changes, Origin } from "./changes.ts";
import { toAnswer } from "../tool-content.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { isWorthAnotherRun, whileRunning } from "./up-to-date.ts";

interface OrderedRun {
  readonly work: () => Promise<unknown>;
  readonly callId: string;
  readonly tool: Tool;
  /** Learns how the answer came about. */
  readonly record: { origin: Origin; readonly reads: Map<string, string> };
  readonly signal: AbortSignal;
}

/** How long a tool may take to say what it has done when its call is cancelled: what was applied, which files changed. */
const LAST_WORDS_MS = 2_000;

/** Rejects as the work does, or with the signal's reason. */
export function ordered(changes: Changes, run: OrderedRun): Promise<ToolAnswer> {
  return isSafe(run.tool) ? look(changes, run) : change(changes, run);
}

/**
 * What the work may change is taken as changing until the work is over, also where nobody waits for the end any more.
 */
async function change(changes: Changes, { work, callId, tool, record, signal }: OrderedRun): Promise<ToolAnswer> {
  const own = { callId, what: tool.name };
  record.origin = { kind: "change", change: own };
  const end = changes.begin(own, tool.asksItself);
  const running = work();
  running.then(end, end);
  return toAnswer(await untilAborted(running, signal, tool.saysItsEnd() ? LAST_WORDS_MS : 0));
}

/** An answer during which something changed is computed once more, and says so where that happens again. */
async function look(changes: Changes, { work, record, signal }: OrderedRun): Promise<ToolAnswer> {
  await untilAborted(changes.glanceAtDisk(), signal);
  const started = performance.now();
  let from = changes.now();
  const reads = (): Map<string, string> | undefined => (record.reads.size > 0 ? new Map(record.reads) : undefined);
  const missed = (): readonly Change[] => changes.endedSince(from, reads());
  const once = async (): Promise<unknown> => {
    record.reads.clear();
    from = changes.now();
    try {
      return await untilAborted(work(), signal);
    } finally {
      record.origin = { kind: "look", from, to: changes.now(), reads: reads() };
    }
  };
  const isOld = (): boolean => isWorthAnotherRun(missed(), performance.now() - started);
  const first = await once().catch((error: unknown) => {
    if (!isOld() || signal.aborted) throw error;
  });
  const answer = toAnswer(isOld() ? await once() : first);
  const notes = whileRunning([...missed(), ...changes.running()]);
  if (notes.length === 0) return answer;
  if (record.origin.kind === "look") record.origin = { ...record.origin, notes };
  return { ...answer, notes: [...(answer.notes ?? []), ...notes] };
}

/** A tool that cannot tell may change something. */
function isSafe(tool: Tool): boolean {
  try {
    return tool.safety === "safe";
  } catch {
    return false;
  }
}
