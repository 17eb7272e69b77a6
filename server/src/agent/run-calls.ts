/** Runs the tool calls of one reply: which of them run together, and what the model reads of each. */
import type { ModelToolSchema, ToolUseBlock, UserBlock } from "../model/model-port.ts";
import { cutText } from "../base/cut-text.ts";
import type { SafetyLevel } from "../protocol/shapes.ts";
import type { ToolCall, ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { CallContext } from "../tools/run/call-record.ts";
import type { Answered, CurrentResult, RunAgain } from "../tools/run/up-to-date.ts";
import { given } from "../base/given.ts";
import { resultText } from "./result-text.ts";
import { resultBlocks, type CallAnswer, type StartedCalls, type ToTexts } from "./unanswered-calls.ts";

/**
 * The tools as the loop sees them; `ToolExecutor` is one. Contract: `execute` never rejects; a failed call is a result
 * with `success: false`.
 */
export interface ToolRunner {
  schemas(sessionId: string): ModelToolSchema[] | Promise<ModelToolSchema[]>;
  safetyOf(name: string): SafetyLevel | undefined;
  /** The files that a call proposes to change; undefined where nobody knows, and for calls that propose nothing. */
  filesOf(call: Pick<ToolCall, "name" | "arguments">): readonly string[] | undefined;
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /** What may be shown, in the order of the answers: no answer from before a change that is shown before it. */
  upToDate(answers: readonly Answered[], again: RunAgain): Promise<CurrentResult[]>;
}

export interface CallPorts {
  readonly tools: ToolRunner;
  /** Events of one moment. */
  readonly emit: (...events: readonly TurnEvent[]) => void;
  /** Aborts once the person asked to end the turn after the running tool calls. */
  readonly stopped: AbortSignal;
}

export interface CallInput {
  readonly sessionId: string;
  /** Notes of results that the conversation holds already; the answers of calls add to them. */
  readonly toldNotes: Set<string>;
}

const MAX_QUOTED = 500;
/** More calls of one reply are not run. */
export const MAX_CALLS = 100;

/** A call that changes nothing: a safe one, or one that cannot run at all. */
export function isSafe({ tools }: CallPorts, call: ToolUseBlock): boolean {
  return call.invalid !== undefined || (tools.safetyOf(call.name) ?? "safe") === "safe";
}

/**
 * Whether a call may run beside the calls right before it: safe ones beside each other, and proposals that change
 * different files, so that the person has all of them before they decide.
 */
function mayRunBeside(ports: CallPorts, group: readonly ToolUseBlock[], next: ToolUseBlock): boolean {
  if (group.every((call) => isSafe(ports, call))) return group.length === 0 || isSafe(ports, next);
  const all = [...group, next].map((call) => (call.invalid === undefined ? ports.tools.filesOf(call) : undefined));
  const files = all.flatMap((own) => [...new Set(own)]);
  return all.every((own) => own !== undefined) && new Set(files).size === files.length;
}

/**
 * Runs the calls in the model's order, so that no answer is computed before a change that precedes it. Some consecutive
 * calls run together. Every call gets its result.
 */
export async function runCalls(
  input: CallInput,
  ports: CallPorts,
  { calls, started: early }: { readonly calls: readonly ToolUseBlock[]; readonly started: StartedCalls },
  signal: AbortSignal,
): Promise<UserBlock[]> {
  const started = new Map<string, Promise<ToolResult | undefined>>(early);
  const answers: CallAnswer[] = [];
  /** The person is shown proposals in the model's order: a call starts when the one before it waits for them, or is over. */
  let isShown = Promise.resolve();
  const runBehind = async (
    call: ToolUseBlock,
    earlier: readonly Promise<unknown>[],
  ): Promise<ToolResult | undefined> => {
    const before = isShown;
    const { promise, resolve } = Promise.withResolvers<void>();
    isShown = promise;
    await before;
    if (ports.stopped.aborted) return undefined;
    return runCall(input, ports, call, { signal, earlier, onWaiting: resolve }).finally(resolve);
  };
  const startFrom = (index: number): void => {
    const group: ToolUseBlock[] = [];
    for (const next of calls.slice(index, MAX_CALLS)) {
      if (!mayRunBeside(ports, group, next)) break;
      const earlier = group.flatMap(({ id }) => started.get(id) ?? []);
      group.push(next);
      if (started.has(next.id)) continue;
      started.set(next.id, isSafe(ports, next) ? runCall(input, ports, next, { signal }) : runBehind(next, earlier));
    }
  };
  for (const [index, call] of calls.entries()) {
    if (!ports.stopped.aborted) startFrom(index);
    const result = await started.get(call.id);
    const why = ports.stopped.aborted
      ? "the person stopped the turn before this call."
      : `only the first ${MAX_CALLS} calls of a reply are run.`;
    answers.push(result === undefined ? { call, notRun: `NOT RUN: ${why}` } : { call, result });
  }
  return resultBlocks(answers, toTexts(input, ports, signal));
}

/** What a call has to do with the others of its reply. */
interface Beside {
  readonly signal: AbortSignal;
  /** Calls before this one that run beside it: what this one answers is true behind them. */
  readonly earlier?: readonly Promise<unknown>[];
  readonly onWaiting?: () => void;
}

export async function runCall(
  input: CallInput,
  ports: CallPorts,
  call: ToolUseBlock,
  { signal, earlier = [], onWaiting }: Beside,
): Promise<ToolResult> {
  const { id, name } = call;
  const card = { kind: "toolCall", toolCallId: id, name, arguments: call.arguments } as const;
  const untilEarlier = async (): Promise<void> => {
    ports.emit({ ...card, state: "running" });
    await Promise.all(earlier);
  };
  ports.emit({ ...card, state: "running" });
  const result = await ports.tools.execute(
    { id, name, arguments: call.arguments },
    {
      sessionId: input.sessionId,
      caller: "model",
      signal,
      stopped: ports.stopped,
      onWaiting: () => {
        ports.emit({ ...card, state: "waitingApproval" });
        onWaiting?.();
      },
      onApproved: () => ports.emit({ ...card, state: "running" }),
      ...(earlier.length === 0 ? {} : { untilEarlier }),
      ...given({ unusable: whyUnusable(call) }),
    },
  );
  ports.emit({ ...card, state: "done" }, { kind: "toolResult", toolCallId: id, name, result });
  return result;
}

function whyUnusable({ name, invalid }: ToolUseBlock): string | undefined {
  if (invalid === undefined) return undefined;
  return `The arguments of ${name} were ${invalid.reason}; nothing was run. You sent: ${cutText(invalid.sent, MAX_QUOTED)}`;
}

/** Without a signal no call is run again: the turn is over. */
export function toTexts(input: CallInput, ports: CallPorts, signal?: AbortSignal): ToTexts {
  return async (answers) => {
    const again: RunAgain = async (call) => {
      const own = answers.find((each) => each.call === call);
      const isOver = own === undefined || signal === undefined || signal.aborted;
      return isOver ? undefined : runCall(input, ports, own.call, { signal });
    };
    const results = await ports.tools.upToDate(answers, again);
    return results.map((result) => ({ text: resultText(result, input.toldNotes), isError: !result.success }));
  };
}
