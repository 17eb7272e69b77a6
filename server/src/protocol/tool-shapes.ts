/** The shapes of tools, their calls, what is asked before a call and what is kept of calls, as they travel in `agentq/*` messages. */
import type { ModelMetrics } from "./spend-shapes.ts";
import type { Range } from "vscode-languageserver-protocol";
import type { HunkState, TestVerdict } from "./proposal-shapes.ts";
import type { EvalResult } from "./repl-shapes.ts";
import type { DiagnosticLine, JsonSchema, Page, SafetyLevel, Times } from "./shapes.ts";

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly safety: SafetyLevel;
  readonly categories: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly available: boolean;
  readonly unavailableReason?: string;
  /** False for a tool that programs and people call and models are not told about; else absent. */
  readonly isOffered?: false;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolResultMetadata {
  readonly executionTimeMs: number;
  readonly safetyLevel: SafetyLevel;
  /** What the person answered, where they were asked; of a proposal, whether they accepted any of it. */
  readonly approved?: boolean;
  /** What ran in place of the call's own arguments, by the person's word. */
  readonly modifiedArguments?: Readonly<Record<string, unknown>>;
  /** False when part of the truth is missing; `notes` then says which part and why. */
  readonly complete: boolean;
  /** True when the answer was cut to its budget; `nextCursor` reads on. */
  readonly truncated?: boolean;
  readonly nextCursor?: string;
  readonly notes?: readonly string[];
}

/** `content` when `success`, `error` when not; never both, never neither. `content` is "" beside an `error`. */
export interface ToolResult {
  readonly id: string;
  readonly success: boolean;
  readonly content: string;
  readonly error?: string;
  readonly metadata: ToolResultMetadata;
  /** What the text tells of, for lists of an editor: of calls by a person or a program alone (`agentq/callTool`). */
  readonly places?: readonly FoundPlace[];
  /** The same of a run of tests. */
  readonly tests?: TestVerdict;
  /** The same of a page of the compiler's errors, whose `code` is `TS2304`. */
  readonly diagnostics?: readonly DiagnosticLine[];
  /** The same of a form. */
  readonly evaluation?: EvalResult;
}

/** One of the places that a tool has found: a call, a mention, a type. At most 2,000 go with an answer, whatever its page holds. */
export interface FoundPlace {
  readonly uri: string;
  /** Empty: where the name begins. */
  readonly range: Range;
  /** One line for people: what is there, and in which declaration. */
  readonly text: string;
}

export interface Approval {
  readonly approvalId: string;
  readonly sessionId?: string;
  /** Absent for a question that belongs to no call. */
  readonly toolCallId?: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
  readonly risk: string;
  /** The question, where it is another one than whether the tool may be called with these arguments. */
  readonly question?: string;
  /** What the answers to such a question are called. */
  readonly answers?: {
    readonly approved: string;
    readonly denied: string;
    /** There when a yes can hold for good: `approved` with `remember: "workspace"`. */
    readonly always?: string;
  };
}

/** A cautious or dangerous call, or one of a tool that does not exist, from the moment it begins. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly sessionId?: string;
  /** Empty for a request. */
  readonly toolCallId: string;
  /** The name of a request, such as `agentq/decide`, where the client's decision was refused or not true. */
  readonly tool: string;
  /** Absent for a tool that does not exist, and for a request. */
  readonly safety?: SafetyLevel;
  readonly caller: "model" | "person";
  /** As the caller gave them, without keys and with long texts cut; empty where they were too large to be taken. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The person's answer, where they gave one to this very call, and what ran by their word instead. */
  readonly decision?: "approved" | "denied" | "modified";
  readonly modifiedArguments?: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** What they decided about the hunks of a proposal. */
  readonly hunks?: readonly {
    readonly path: string;
    readonly title: string;
    readonly state: HunkState;
    readonly applied: boolean;
    /** Why the hunk is a conflict, or why the person rejected it. */
    readonly why?: string;
  }[];
  /** `interrupted`: the server ended while the call ran. */
  readonly outcome: "running" | "run" | "failed" | "denied" | "invalid" | "unavailable" | "unknown" | "interrupted";
  readonly detail?: string;
  /** Without the time that the person took. */
  readonly durationMs?: number;
}

/** A call that runs unasked because the person approved the same tool with the same arguments before. */
export interface RememberedCall {
  readonly id: string;
  readonly at: string;
  /** `session`: for the rest of that conversation. `workspace`: for good, in this workspace. */
  readonly scope: "session" | "workspace";
  readonly sessionId?: string;
  readonly tool: string;
  /** Without keys and with long texts cut: the call itself is compared as it was. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What would become of a call that was made now. */
export interface ExplainedDecision {
  /** `review`: the call proposes an edit, which the person decides hunk by hunk. */
  readonly decision: "run" | "ask" | "review" | "refuse";
  /** One sentence: what decides. */
  readonly because: string;
  /** The rule of the person's policy that decides, as they wrote it. */
  readonly rule?: string;
}

/** How the calls of one tool went since the server began. */
export interface ToolMetrics {
  readonly tool: string;
  /** All of them, those that did not run included. */
  readonly calls: number;
  /** Calls that ran and failed, and those whose arguments were wrong or whose tool was not available. */
  readonly failures: number;
  /** Calls that the person or their policy refused, and those that nobody could be asked about. */
  readonly denials: number;
  /** Of calls that ran, without the time that the person took; of the last 1,000. Absent when none ran. */
  readonly timeMs?: Times;
  /** Characters of the answers of calls that succeeded. Absent when none did. */
  readonly answerSize?: { readonly median: number; readonly largest: number; readonly total: number };
}

export interface Metrics extends Page<ToolMetrics> {
  /** When the server began to count. */
  readonly since: string;
  readonly model: ModelMetrics;
}
