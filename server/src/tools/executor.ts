/** Runs every tool call: the model's, the person's, another program's. No error leaves it. */
import { describeProblem } from "../protocol/errors.ts";
import { problemsWith } from "../protocol/json-schema.ts";
import type { AuditEntry, SafetyLevel, ToolCall, ToolResult, ToolResultMetadata } from "../protocol/shapes.ts";
import type { ToolRegistry } from "./registry.ts";
import { ToolFailure, type ApprovalNeed, type Tool, type ToolAnswer, type ToolContext } from "./tool.ts";

/** What a person answers to a dangerous call. */
export type ApprovalDecision =
  /** `because` says why nobody was asked this time. */
  | { readonly decision: "approved"; readonly message?: string; readonly because?: string }
  | { readonly decision: "denied"; readonly message?: string }
  | { readonly decision: "modified"; readonly arguments: Readonly<Record<string, unknown>>; readonly message?: string };

/** Contract: asks the person and resolves with the answer; `denied` when nobody can be asked. Must not throw. */
export type AskApproval = (call: ToolCall, tool: Tool, context: CallContext) => Promise<ApprovalDecision>;

/** Contract: `before` and `after` see every run, `error` every failed one. What a hook throws is ignored. */
export interface ToolHook {
  readonly before?: (call: ToolCall, tool: Tool) => void;
  readonly after?: (call: ToolCall, tool: Tool, result: ToolResult) => void;
  readonly error?: (call: ToolCall, tool: Tool, error: unknown) => void;
}

export interface CallContext {
  readonly sessionId?: string;
  readonly caller: "model" | "person";
  readonly signal: AbortSignal;
  /** Called when the call starts to wait for a person. */
  readonly onWaiting?: () => void;
}

export interface ExecutorPorts {
  readonly registry: ToolRegistry;
  readonly askApproval: AskApproval;
  readonly audit: (entry: AuditEntry) => void;
  /** Where a bug's stack goes; the caller only gets its message. */
  readonly logBug: (error: unknown) => void;
  readonly hooks?: readonly ToolHook[];
}

export class ToolExecutor {
  readonly #ports: ExecutorPorts;

  constructor(ports: ExecutorPorts) {
    this.#ports = ports;
  }

  /** Find, validate, ask where needed, run under signal and deadline, format, measure, log. Never rejects. */
  async execute(call: ToolCall, context: CallContext): Promise<ToolResult> {
    const started = performance.now();
    const tool = this.#ports.registry.getTool(call.name);
    if (tool === undefined) {
      const known = this.#ports.registry.names().join(", ");
      return failure(call, "safe", started, `Unknown tool "${call.name}". The tools are: ${known}.`);
    }
    const unavailable = tool.unavailable();
    if (unavailable !== undefined) return failure(call, tool.safety, started, unavailable);
    const invalid = await invalidArguments(tool, call.arguments);
    if (invalid !== undefined) return this.#refuse(call, tool, context, started, "invalid", invalid);
    let current = call;
    let approved: boolean | undefined;
    let because: string | undefined;
    const need = await this.#need(call, tool, context);
    if ("refused" in need) return this.#refuse(call, tool, context, started, "denied", `NOT RUN: ${need.refused}`);
    if (need.ask) {
      context.onWaiting?.();
      const answer = await this.#ask(call, tool, context);
      if (answer.decision === "denied") {
        const words = answer.message === undefined ? "" : ` The person says: ${answer.message}`;
        const refused = `NOT RUN: the person did not approve this call. Nothing happened.${words}`;
        return this.#refuse(call, tool, context, started, "denied", refused, false);
      }
      approved = true;
      if (answer.decision === "approved") because = answer.because;
      if (answer.decision === "modified") {
        current = { ...call, arguments: answer.arguments };
        const problem = await invalidArguments(tool, current.arguments);
        if (problem !== undefined) return this.#refuse(current, tool, context, started, "invalid", problem, approved);
      }
    }
    if ("because" in need) because = need.because;
    const run = ("run" in need ? need.run : undefined) ?? tool.run;
    return this.#run({ call: current, tool, context, started, run, because, approved });
  }

  /** What the tool cannot decide is asked. */
  async #need(call: ToolCall, tool: Tool, context: CallContext): Promise<ApprovalNeed> {
    const { needsApproval } = tool;
    if (needsApproval === undefined || tool.asksItself) return { ask: tool.safety === "dangerous" && !tool.asksItself };
    try {
      return await raceAbort(needsApproval(call.arguments, toolContext(call, context, context.signal)), context.signal);
    } catch (error) {
      if (context.signal.aborted) return { refused: "the call was cancelled." };
      this.#ports.logBug(error);
      return { ask: true };
    }
  }

  async #run({ call, tool, context, started, run, because, approved }: Run): Promise<ToolResult> {
    this.#hook((hook) => hook.before?.(call, tool));
    const deadline = tool.timeoutMs === null ? undefined : AbortSignal.timeout(tool.timeoutMs);
    const signal = deadline === undefined ? context.signal : AbortSignal.any([context.signal, deadline]);
    try {
      const answer = format(await raceAbort(run(call.arguments, toolContext(call, context, signal)), signal));
      const result: ToolResult = {
        id: call.id,
        success: true,
        content: answer.content,
        metadata: { ...metadata(tool.safety, started, approved), ...completeness(answer) },
      };
      this.#audit(call, tool, context, "run", because);
      this.#hook((hook) => hook.after?.(call, tool, result));
      return result;
    } catch (error) {
      this.#hook((hook) => hook.error?.(call, tool, error));
      if (!(error instanceof ToolFailure) && !signal.aborted) this.#ports.logBug(error);
      const message = explain(error, tool, context.signal, deadline);
      this.#audit(call, tool, context, "failed", message);
      return failure(call, tool.safety, started, message, approved);
    }
  }

  async #ask(call: ToolCall, tool: Tool, context: CallContext): Promise<ApprovalDecision> {
    try {
      return await raceAbort(this.#ports.askApproval(call, tool, context), context.signal);
    } catch {
      return { decision: "denied", message: "The call was cancelled before it was approved." };
    }
  }

  #refuse(
    call: ToolCall,
    tool: Tool,
    context: CallContext,
    started: number,
    outcome: "denied" | "invalid",
    message: string,
    approved?: boolean,
  ): ToolResult {
    this.#audit(call, tool, context, outcome, message);
    return failure(call, tool.safety, started, message, approved);
  }

  #audit(call: ToolCall, tool: Tool, context: CallContext, outcome: AuditEntry["outcome"], detail?: string): void {
    if (tool.safety === "safe") return;
    this.#ports.audit({
      at: new Date().toISOString(),
      ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
      toolCallId: call.id,
      tool: tool.name,
      safety: tool.safety,
      arguments: call.arguments,
      outcome,
      ...(detail === undefined ? {} : { detail }),
    });
  }

  #hook(call: (hook: ToolHook) => void): void {
    for (const hook of this.#ports.hooks ?? []) {
      try {
        call(hook);
      } catch (error) {
        this.#ports.logBug(error);
      }
    }
  }
}

interface Run {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly context: CallContext;
  readonly started: number;
  readonly run: Tool["run"];
  readonly because: string | undefined;
  readonly approved: boolean | undefined;
}

function toolContext(call: ToolCall, { caller, sessionId, onWaiting }: CallContext, signal: AbortSignal): ToolContext {
  return {
    callId: call.id,
    caller,
    signal,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(onWaiting === undefined ? {} : { onWaiting }),
  };
}

async function invalidArguments(tool: Tool, args: unknown): Promise<string | undefined> {
  const problems = await problemsWith(tool.inputSchema, args);
  if (problems.length === 0) return undefined;
  const all = problems.map((problem) => `- ${describeProblem(problem)}`).join("\n");
  return `The arguments of ${tool.name} are not valid; nothing was run.\n${all}`;
}

function format(answer: ToolAnswer | string | null | undefined | void): ToolAnswer {
  if (answer === undefined || answer === null) return { content: "nil" };
  return typeof answer === "string" ? { content: answer } : answer;
}

function completeness(answer: ToolAnswer): Partial<ToolResultMetadata> & { complete: boolean } {
  return {
    complete: answer.complete ?? true,
    ...(answer.truncated === undefined ? {} : { truncated: answer.truncated }),
    ...(answer.nextCursor === undefined ? {} : { nextCursor: answer.nextCursor }),
    ...(answer.notes === undefined ? {} : { notes: answer.notes }),
  };
}

function metadata(safetyLevel: SafetyLevel, started: number, approved?: boolean): ToolResultMetadata {
  return {
    executionTimeMs: Math.round((performance.now() - started) * 10) / 10,
    safetyLevel,
    complete: true,
    ...(approved === undefined ? {} : { approved }),
  };
}

function failure(call: ToolCall, safety: SafetyLevel, started: number, error: string, approved?: boolean): ToolResult {
  return {
    id: call.id,
    success: false,
    content: "",
    error,
    metadata: { ...metadata(safety, started, approved), complete: false },
  };
}

function explain(error: unknown, tool: Tool, cancelled: AbortSignal, deadline: AbortSignal | undefined): string {
  if (cancelled.aborted) return `${tool.name} was cancelled.`;
  if (deadline?.aborted === true)
    return `${tool.name} did not finish within ${(tool.timeoutMs ?? 0) / 1000} s and was stopped.`;
  if (error instanceof ToolFailure) return error.message;
  return `${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** A tool that ignores its signal must not hold the turn: its late result is dropped. */
function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  return promise;
}
