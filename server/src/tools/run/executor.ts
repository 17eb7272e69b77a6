/** Runs every tool call: the model's, the person's, another program's. No error leaves it. */
import { untilAborted } from "../../base/abort.ts";
import type { ModelToolSchema } from "../../model/model-port.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { AuditEntry, ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import { approvalWords, checkedDecision, denialWords, type ApprovalDecision } from "../consent/approval-decision.ts";
import { CallRecord, toolContext, type CallContext } from "./call-record.ts";
import { Changes } from "./changes.ts";
import { explain, messageOf, refusalWords } from "./failure-words.ts";
import { ordered } from "./ordered-run.ts";
import type { Policy, Ruling, Verdict } from "../policy/policy.ts";
import type { ToolRegistry } from "./registry.ts";
import type { Refusal, ToolHook } from "./tool-hook.ts";
import { ToolFailure, type ApprovalNeed, type Tool } from "../tool.ts";
import { upToDate, type Answered, type CurrentResult, type RunAgain } from "./up-to-date.ts";
import { takenArguments } from "./valid-arguments.ts";

/**
 * Contract: asks the person and resolves with the answer; anything that is no answer is taken as a No. `because` is
 * why the person is asked, where it is not the safety of the tool.
 */
export type AskApproval = (
  call: ToolCall,
  tool: Tool,
  context: CallContext,
  because?: string,
) => Promise<ApprovalDecision>;

export interface ExecutorPorts {
  readonly registry: ToolRegistry;
  readonly askApproval: AskApproval;
  /** The person's rules; none without it. A throw of a rule denies the call. */
  readonly policy?: Pick<Policy, "denied" | "verdict">;
  /** Gets an entry when the call begins and again, with the same id, when more is known about the call. */
  readonly audit: (entry: AuditEntry) => void;
  /** Where a bug's stack goes; the caller only gets its message. */
  readonly logBug: (error: unknown) => void;
  /** Why no tool touches what the arguments name, for the record. */
  readonly whyClosed?: (args: ToolCall["arguments"]) => string | undefined;
  readonly hooks?: readonly ToolHook[];
  /** What happens besides the calls of this executor is told there. */
  readonly changes?: Changes;
  /** Brings the registry up to date with tools that change while the server runs. Contract: never rejects. */
  readonly refresh?: () => Promise<void>;
  /** The tools that a conversation is told of; those of the registry without it. Contract: never rejects. */
  readonly offered?: (sessionId: string | undefined) => Promise<ModelToolSchema[]>;
}

export class ToolExecutor {
  readonly #ports: ExecutorPorts;
  readonly #running = new Set<{ readonly callId: string; readonly tool: Tool }>();
  readonly #changes: Changes;

  constructor(ports: ExecutorPorts) {
    this.#ports = ports;
    this.#changes = ports.changes ?? new Changes();
  }

  /** The tools that the model may use now. */
  async schemas(sessionId?: string): Promise<ModelToolSchema[]> {
    await Promise.all([this.#ports.refresh?.(), this.#ports.registry.settled()]);
    return this.#ports.offered?.(sessionId) ?? this.#ports.registry.toolsToSchema();
  }

  safetyOf(name: string): SafetyLevel | undefined {
    return this.#ports.registry.getTool(name)?.safety;
  }

  /** The files that a call proposes to change, as `Tool.filesOf`. */
  filesOf({ name, arguments: args }: Pick<ToolCall, "name" | "arguments">): readonly string[] | undefined {
    try {
      return this.#ports.registry.getTool(name)?.filesOf?.(args);
    } catch (error) {
      this.#logBug(error);
      return undefined;
    }
  }

  /** The tools whose calls have that id and run now: models make the ids, and may give one to several calls. */
  runningTools(callId: string | undefined): Tool[] {
    return [...this.#running].filter((each) => each.callId === callId).map(({ tool }) => tool);
  }

  /** The answers of one reply as they may be shown: see the law in `up-to-date.ts`. */
  upToDate(answers: readonly Answered[], again: RunAgain): Promise<CurrentResult[]> {
    return upToDate(this.#changes, answers, again);
  }

  /** Find, validate, ask where needed, run under signal and deadline, format, measure, record. Never rejects. */
  async execute(call: ToolCall, context: CallContext): Promise<ToolResult> {
    const record = new CallRecord(call, context, {
      audit: (entry) => this.#safely(() => this.#ports.audit(entry)),
    });
    try {
      const result = await this.#execute(call, context, record);
      return this.#changes.note(result, record.origin);
    } catch (error) {
      this.#logBug(error);
      return this.#changes.note(record.failed("failed", `${call.name} failed: ${messageOf(error)}`), record.origin);
    }
  }

  async #execute(asked: ToolCall, context: CallContext, record: CallRecord): Promise<ToolResult> {
    const { registry } = this.#ports;
    const tool = await this.#found(asked.name, context.signal);
    if (tool === undefined) {
      return record.failed("unknown", `Unknown tool "${asked.name}". ${registry.whatWasMeant(asked.name)}`);
    }
    record.found(tool);
    const refuse = (why: Refusal, message: string): ToolResult => {
      this.#hook((hook) => hook.refused?.(asked, tool, why, context));
      return record.failed(why, message);
    };
    if (context.unusable !== undefined) return refuse("invalid", context.unusable);
    const unavailable = tool.unavailable();
    if (unavailable !== undefined) return refuse("unavailable", unavailable);
    const taken = await takenArguments(tool, asked.arguments);
    if ("invalid" in taken) return refuse("invalid", taken.invalid);
    const call = { ...asked, arguments: taken.args };
    this.#safely(() => record.reachesFor(this.#ports.whyClosed?.(call.arguments)));
    record.begun();
    const denied = this.#denied(tool, call);
    if (denied !== undefined) return refuse("denied", refusalWords(denied));
    const need = await this.#need(call, tool, context, record);
    if ("refused" in need) return refuse("denied", `NOT RUN: ${need.refused}`);
    const verdict = this.#verdict({ call, tool, context, need });
    if ("refused" in verdict) return refuse("denied", `NOT RUN: ${verdict.refused}`);
    const run = need.run ?? tool.run;
    if (!verdict.ask) {
      if (verdict.ruling !== undefined) record.because(verdict.ruling.because);
      return this.#run({ call, tool, context, record, run });
    }
    const because = verdict.ruling?.because ?? (need.ask ? need.because : undefined);
    const about = need.ask && need.about !== undefined ? { ...call, arguments: need.about } : call;
    const answer = await this.#ask({ call: about, tool, context, record, because });
    record.decided(answer);
    if (answer.decision === "denied") return refuse("denied", denialWords(answer));
    this.#safely(() => context.onApproved?.());
    const words = approvalWords(answer);
    if (answer.decision === "approved") {
      return this.#run({ call, tool, context, record, run, words });
    }
    const instead = await takenArguments(tool, answer.arguments);
    if ("invalid" in instead) return refuse("invalid", words + instead.invalid);
    const changed = { ...call, arguments: instead.args };
    const deniedNow = this.#denied(tool, changed);
    if (deniedNow !== undefined) return refuse("denied", words + refusalWords(deniedNow));
    record.approved = true;
    return this.#run({ call: changed, tool, context, record, run: runOf(tool, context), words });
  }

  /** The tool, which knows how dangerous it is here unless the call is cancelled before: then nothing of it begins. */
  async #found(name: string, signal: AbortSignal): Promise<Tool | undefined> {
    const { registry } = this.#ports;
    const tool = registry.getTool(name);
    if (tool?.isJudgedLate === true) await untilAborted(registry.settled(), signal).catch(() => undefined);
    return tool;
  }

  /** The rule that forbids the call. A policy that fails forbids every call. */
  #denied(tool: Tool, call: ToolCall): Ruling | undefined {
    try {
      return this.#ports.policy?.denied(tool, call.arguments);
    } catch (error) {
      this.#logBug(error);
      return { because: POLICY_FAILED };
    }
  }

  #verdict({ call, tool, context, need }: Judged): Verdict | { readonly refused: string } {
    try {
      return this.#ports.policy?.verdict(call, tool, need, context.caller === "model") ?? defaultVerdict(need);
    } catch (error) {
      this.#logBug(error);
      return { refused: `${POLICY_FAILED}. Nothing happened.` };
    }
  }

  /** Whether the person must be asked: yes when the tool cannot tell. */
  async #need(call: ToolCall, tool: Tool, context: CallContext, record: CallRecord): Promise<ApprovalNeed> {
    const { needsApproval } = tool;
    if (context.elsewhere !== undefined) return { ask: false, run: context.elsewhere };
    if (needsApproval === undefined || tool.asksItself) return { ask: tool.safety === "dangerous" && !tool.asksItself };
    try {
      const need = needsApproval(call.arguments, toolContext(call, context, record, context.signal));
      return await untilAborted(need, context.signal);
    } catch (error) {
      if (context.signal.aborted) return { refused: "the call was cancelled." };
      this.#logBug(error);
      return { ask: true };
    } finally {
      record.waited();
    }
  }

  async #ask({ call, tool, context, record, because }: Question): Promise<ApprovalDecision> {
    record.waits();
    this.#safely(() => context.onWaiting?.());
    try {
      return checkedDecision(await untilAborted(this.#ports.askApproval(call, tool, context, because), context.signal));
    } catch (error) {
      if (context.signal.aborted) {
        return { decision: "denied", because: "the call was cancelled before the person answered." };
      }
      this.#logBug(error);
      return { decision: "denied", because: "asking the person failed." };
    } finally {
      record.waited();
    }
  }

  async #run({ call, tool, context, record, run, words = "" }: Run): Promise<ToolResult> {
    // Nothing begins for a caller who is gone.
    if (context.signal.aborted) return record.failed("failed", `${words}NOT RUN: the call was cancelled.`);
    this.#hook((hook) => hook.before?.(call, tool, context));
    const limitMs = context.elsewhere === undefined ? tool.timeoutMs : null;
    const deadline = limitMs === null ? undefined : AbortSignal.timeout(limitMs);
    const signal = deadline === undefined ? context.signal : AbortSignal.any([context.signal, deadline]);
    const running = { callId: call.id, tool };
    try {
      this.#running.add(running);
      const work = async (): Promise<unknown> => run(call.arguments, toolContext(call, context, record, signal));
      const answer = await ordered(this.#changes, { work, callId: call.id, tool, record, signal });
      const result = record.succeeded({ ...answer, content: words + answer.content });
      this.#hook((hook) => hook.after?.(call, tool, result));
      return result;
    } catch (error) {
      if (!(error instanceof ToolFailure) && !signal.aborted) this.#logBug(error);
      const ended = { cancelled: context.signal, deadline, isChange: record.origin.kind === "change" };
      const result = record.failed("failed", words + explain(error, tool, ended));
      this.#hook((hook) => hook.error?.(call, tool, error, result));
      return result;
    } finally {
      this.#running.delete(running);
      record.waited();
    }
  }

  #hook(call: (hook: ToolHook) => void): void {
    for (const hook of this.#ports.hooks ?? []) this.#safely(() => call(hook));
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#logBug(error);
    }
  }

  #logBug(error: unknown): void {
    try {
      this.#ports.logBug(error);
    } catch {
      // There is nobody left to tell.
    }
  }
}

interface Judged {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly context: CallContext;
  readonly need: Exclude<ApprovalNeed, { refused: string }>;
}

interface Question extends Omit<Judged, "need"> {
  readonly record: CallRecord;
  /** Why the person is asked, where it is not the safety of the tool. */
  readonly because: string | undefined;
}

interface Run extends Omit<Judged, "need"> {
  readonly record: CallRecord;
  readonly run: Tool["run"];
  /** What the person said about the call, for its caller. */
  readonly words?: string;
}

/** For arguments that the person has changed. */
function runOf(tool: Tool, { elsewhere }: CallContext): Tool["run"] {
  return elsewhere ?? tool.run;
}

const POLICY_FAILED = "the policy in the editor's settings could not be applied";

/** Without a policy the safety or the tool's own check decides. */
function defaultVerdict(need: Judged["need"]): Verdict {
  if (need.ask) return { ask: true };
  return { ask: false, ...(need.because === undefined ? {} : { ruling: { because: need.because } }) };
}
