/**
 * What a call brings along from its caller, what its tool gets of that, and the record of the call while it goes on: its time,
 * its line in the audit log, and in the end its result.
 */
import { randomUUID } from "node:crypto";
import { cutText } from "../../base/cut-text.ts";
import { whyTooLarge } from "../../base/json-limits.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { AuditEntry, ToolCall, ToolResult, ToolResultMetadata } from "../../protocol/tool-shapes.ts";
import type { ApprovalDecision } from "../consent/approval-decision.ts";
import type { ReviewedHunk, Tool, ToolAnswer, ToolContext } from "../tool.ts";
import type { Origin } from "./changes.ts";
import { given } from "../../base/given.ts";

export interface CallContext {
  readonly sessionId?: string;
  readonly caller: "model" | "person";
  readonly signal: AbortSignal;
  /** As `ToolContext.host`. */
  readonly host?: string;
  /** Why the caller's arguments could not be taken at all, as a sentence: the call is refused with it. */
  readonly unusable?: string;
  /** Called when the call starts to wait for a person. */
  readonly onWaiting?: () => void;
  /** Called when the person has approved the call, which then goes on. */
  readonly onApproved?: () => void;
  /** As `ToolContext.stopped`. */
  readonly stopped?: AbortSignal;
  /** As `ToolContext.untilEarlier`. */
  readonly untilEarlier?: ToolContext["untilEarlier"];
  /** Runs in place of the tool, where another server judges the call, asks the person and sets the deadline. */
  readonly elsewhere?: Tool["run"];
  /** The caller takes data beside the text, as a person's editor does. */
  readonly asData?: boolean;
  /** Called with what the call reads for its answer, as `ToolContext.onRead`. */
  readonly onRead?: ToolContext["onRead"];
}

export function toolContext(
  call: ToolCall,
  { caller, host, sessionId, stopped, onWaiting, untilEarlier, onRead }: CallContext,
  record: CallRecord,
  signal: AbortSignal,
): ToolContext {
  return {
    callId: call.id,
    caller,
    signal,
    ...given({ host, sessionId, stopped, untilEarlier }),
    onWaiting: () => {
      record.waits();
      onWaiting?.();
    },
    onReviewed: (hunks) => record.reviewed(hunks),
    onRead: (read) => {
      record.reads.set(read.uri, read.sha256);
      onRead?.(read);
    },
  };
}

interface RecordPorts {
  /** Contract: must not throw. */
  readonly audit: (entry: AuditEntry) => void;
}

type FailedOutcome = Exclude<AuditEntry["outcome"], "running" | "run" | "interrupted">;

/** Room for the difference to a file that an edit did not fit, and for a stack. */
const MAX_ERROR = 8_000;

export class CallRecord {
  /** How the answer came about, for the order of answers and changes. */
  origin: Origin = { kind: "none" };
  /**
   * The documents on which the answer depends, with the hashes of their texts; empty when the answer depends on
   * anything else too.
   */
  readonly reads = new Map<string, string>();
  /** The person's answer to the call; undefined while they were not asked. */
  approved: boolean | undefined;
  readonly #call: ToolCall;
  readonly #ports: RecordPorts;
  readonly #isForProgram: boolean;
  readonly #started = performance.now();
  #waitedMs = 0;
  #waitingSince: number | undefined;
  #tool: Tool | undefined;
  #entry: AuditEntry;
  #isClosed = false;

  constructor(call: ToolCall, context: Pick<CallContext, "caller" | "sessionId" | "asData">, ports: RecordPorts) {
    this.#call = call;
    this.#ports = ports;
    this.#isForProgram = context.caller === "person" || context.asData === true;
    this.#entry = {
      id: randomUUID(),
      at: new Date().toISOString(),
      ...given({ sessionId: context.sessionId }),
      toolCallId: call.id,
      tool: call.name,
      caller: context.caller,
      arguments: whyTooLarge(call.arguments) === undefined ? call.arguments : {},
      outcome: "running",
    };
  }

  found(tool: Tool): void {
    this.#tool = tool;
  }

  /** A call that names what nobody may read is recorded, whatever the tool makes of the name. */
  reachesFor(closed: string | undefined): void {
    if (closed === undefined) return;
    this.#isClosed = true;
    this.because(closed);
  }

  /** The call is valid, and runs or waits from now on. */
  begun(): void {
    this.#write({});
  }

  /** The person is asked; until `waited` the time is theirs and not the tool's. */
  waits(): void {
    this.#waitingSince ??= performance.now();
  }

  waited(): void {
    if (this.#waitingSince !== undefined) this.#waitedMs += performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
  }

  because(detail: string): void {
    this.#entry = { ...this.#entry, detail };
  }

  decided(answer: ApprovalDecision): void {
    const isAnswered = answer.decision === "modified" || answer.because === undefined;
    const detail = answer.decision === "modified" ? undefined : answer.because;
    // Changed arguments are approved only once they are known to be valid.
    this.approved = answer.decision === "approved";
    this.#write({
      ...(isAnswered ? { decision: answer.decision } : {}),
      ...given({ message: answer.message }),
      ...(answer.decision === "modified" && whyTooLarge(answer.arguments) === undefined
        ? { modifiedArguments: answer.arguments }
        : {}),
      ...given({ detail }),
    });
  }

  /** A proposal is its own approval. */
  reviewed(hunks: readonly ReviewedHunk[]): void {
    this.waited();
    const decided = hunks.filter(({ state }) => state !== "pending");
    if (decided.length > 0) this.approved = decided.some(({ state }) => state !== "rejected");
    this.#write({ hunks });
  }

  succeeded(answer: ToolAnswer): ToolResult {
    this.waited();
    this.#write({ outcome: "run", durationMs: this.#elapsed() });
    return {
      id: this.#call.id,
      success: true,
      content: answer.content,
      metadata: {
        ...this.#metadata(),
        complete: answer.complete ?? true,
        ...given({ truncated: answer.truncated, nextCursor: answer.nextCursor, notes: answer.notes }),
      },
      ...(this.#isForProgram ? answer.lists?.() : {}),
    };
  }

  failed(outcome: FailedOutcome, message: string): ToolResult {
    this.waited();
    const error = cutText(message, MAX_ERROR);
    this.#write({ outcome, detail: error, durationMs: this.#elapsed() });
    return {
      id: this.#call.id,
      success: false,
      content: "",
      error,
      metadata: { ...this.#metadata(), complete: false },
    };
  }

  #metadata(): ToolResultMetadata {
    const { modifiedArguments } = this.#entry;
    return {
      executionTimeMs: this.#elapsed(),
      safetyLevel: this.#safety() ?? "safe",
      complete: true,
      ...given({ approved: this.approved, modifiedArguments }),
    };
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#started - this.#waitedMs) * 10) / 10;
  }

  /**
   * Records cautious and dangerous calls, those of tools that do not exist, every call that somebody decided on, and safe
   * calls that did not run or that named what nobody may read.
   */
  #write(news: Partial<AuditEntry>): void {
    const safety = this.#safety();
    this.#entry = { ...this.#entry, ...given({ safety }), ...news };
    const { decision, outcome } = this.#entry;
    const isPlain = decision === undefined && (outcome === "running" || outcome === "run") && !this.#isClosed;
    if (safety !== "safe" || !isPlain) this.#ports.audit(this.#entry);
  }

  /**
   * The safety at this moment, as an evaluation may become dangerous; a tool that cannot tell is taken as dangerous.
   */
  #safety(): SafetyLevel | undefined {
    try {
      return this.#tool?.safetyOf?.(this.#call.arguments) ?? this.#tool?.safety;
    } catch {
      return "dangerous";
    }
  }
}
