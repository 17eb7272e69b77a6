/**
 * The shapes that travel in `agentq/*` messages. Positions are LSP positions: 0-based lines, UTF-16 characters. See
 * docs/protocol.md for their meaning.
 */
import type { Range, WorkspaceEdit } from "vscode-languageserver-protocol";

export type SafetyLevel = "safe" | "cautious" | "dangerous";

/** A JSON Schema: draft 2020-12, or 2019-09 or 07 where `$schema` says so. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly nextCursor?: string;
}

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
}

/** One of the places that a tool has found: a call, a mention, a type. At most 2,000 go with an answer, whatever its page holds. */
export interface FoundPlace {
  readonly uri: string;
  /** Empty: where the name begins. */
  readonly range: Range;
  /** One line for people: what stands there, and in which declaration. */
  readonly text: string;
}

export interface ContextRef {
  readonly kind:
    | "file"
    | "folder"
    | "selection"
    | "symbol"
    | "buffer"
    | "diagnostics"
    | "replValue"
    | "diff"
    | "image"
    | "text";
  readonly uri?: string;
  readonly range?: Range;
  readonly symbol?: string;
  readonly text?: string;
  readonly label?: string;
}

export type HunkState = "pending" | "accepted" | "edited" | "rejected" | "conflict";

export interface Hunk {
  readonly id: string;
  readonly uri: string;
  /** Where the hunk stands in the document that `Proposal.documents` names: `oldText`, or in a conflict `currentText`. */
  readonly range: Range;
  readonly oldText: string;
  readonly newText: string;
  /**
   * `delete` and `rename` are about the whole file at `uri`: a delete has all of its text as `oldText`, a rename has no text
   * and is decided beside the hunks of the file's text, which stand at the file's old place. An `entry` is what no text
   * says, told by its title: bytes, a mode, a symbolic link, a folder as it is. The server puts an accepted one in its place.
   */
  readonly kind: "edit" | "create" | "delete" | "rename" | "entry";
  /** With kind `rename`: where the file is to stand. */
  readonly newUri?: string;
  readonly title: string;
  /** Hunks without which this one brings errors in, as far as the compiler can tell. */
  readonly requires?: readonly string[];
  /** Left out when all hunks are accepted at once, and then rejected: such a hunk is accepted by itself. */
  readonly defaultDecision?: "reject";
  readonly state: HunkState;
  /** With state `conflict`: a sentence, where the reason is not text that changed at the hunk's place. */
  readonly conflict?: string;
  /** With state `conflict`: what stands at `range` in place of `oldText`. Absent where that is no text, or too long. */
  readonly currentText?: string;
}

export interface DiagnosticLine {
  readonly uri?: string;
  readonly range?: Range;
  readonly severity: "error" | "warning" | "information" | "hint";
  /** What kind of note this is, for a client that treats the kind in a way of its own: `filesChanged`, `leftOpen`. */
  readonly code?: string;
  readonly message: string;
}

/** The errors that come and go, compared with the moment at which the proposal was made. */
export interface Check {
  readonly state: "running" | "done" | "unavailable";
  readonly introduced: readonly DiagnosticLine[];
  readonly resolved: readonly DiagnosticLine[];
  /** Why the check is unavailable; of a check that is done, what was left out. */
  readonly reason?: string;
}

/** What the tests say of proposed text. */
export interface TestVerdict {
  readonly state: "running" | "done" | "unavailable";
  readonly passed: number;
  /** Tests that did not end are among them. */
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedTest[];
  /** URIs of the test files that ran. */
  readonly files: readonly string[];
  /** Why the verdict is unavailable; of one that is done, what it does not cover. */
  readonly reason?: string;
}

export interface FailedTest {
  /** Titles from the outermost suite inwards, with " > " between them. */
  readonly name: string;
  readonly uri: string;
  readonly range?: Range;
  readonly message: string;
}

export interface DocumentStamp {
  readonly uri: string;
  /** The editor's version of an open document, null for one read from disk. */
  readonly version: number | null;
  /** Hex SHA-256 of the UTF-8 text, null for a document that does not exist. */
  readonly sha256: string | null;
}

export type ProposalState = "pending" | "applied" | "partiallyApplied" | "rejected" | "withdrawn";

export interface Proposal {
  readonly proposalId: string;
  readonly sessionId?: string;
  readonly toolCallId?: string;
  readonly title: string;
  readonly why: string;
  readonly edit: WorkspaceEdit;
  readonly documents: readonly DocumentStamp[];
  readonly hunks: readonly Hunk[];
  readonly check: Check;
  /** There when the tests run by themselves. */
  readonly tests?: TestVerdict;
  readonly state: ProposalState;
}

export type ToolCallState = "preparing" | "running" | "waitingApproval" | "done";

/** `cut`: the server ended while the turn ran, or the conversation was forked within the turn. */
export type TurnEndReason =
  | "endTurn"
  | "cancelled"
  | "stopped"
  | "maxTokens"
  | "maxRounds"
  | "refusal"
  | "budget"
  | "error"
  | "cut";

export type TurnEvent =
  | {
      readonly kind: "turnStarted";
      readonly text: string;
      /** The text is a command, which the server answers by itself: the model hears of neither. */
      readonly isCommand?: true;
      /** What went along, by names such as `src/cart.ts:12-15`. */
      readonly attached?: readonly string[];
      /** Of what had waited since the turn before. */
      readonly promptIds?: readonly string[];
    }
  /** What the person said during the turn, handed to the model now. */
  | {
      readonly kind: "queuedPrompt";
      readonly text: string;
      readonly promptId?: string;
      readonly attached?: readonly string[];
    }
  /** The server's own answer to a command, as Markdown, in the command's own turn or in the one that runs. */
  | { readonly kind: "commandAnswer"; readonly asked: string; readonly text: string; readonly failed?: true }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | {
      readonly kind: "toolCall";
      readonly toolCallId: string;
      readonly name: string;
      readonly state: ToolCallState;
      readonly arguments?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "toolResult"; readonly toolCallId: string; readonly name: string; readonly result: ToolResult }
  | {
      readonly kind: "usage";
      /** The model that replied. */
      readonly model?: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheWriteTokens: number;
      /**
       * The model's context window in tokens; absent where nobody knows it. The four counts together are what of it is
       * full now.
       */
      readonly contextWindow?: number;
      /** The request was not the conversation's own: it wrote a summary of it. */
      readonly purpose?: "summary";
      /** Of the request, in dollars; absent where nobody knows the price. */
      readonly cost?: number;
      /** Of the conversation so far, in dollars; absent where a request of the conversation has no price. */
      readonly sessionCost?: number;
    }
  /** From now on the model is sent less of the conversation, which itself stays as it is. */
  | {
      readonly kind: "compacted";
      /** What became of it, in a sentence for the person. */
      readonly message: string;
      /** `server`: the context was nearly full, or the model's server refused a request as too long. */
      readonly by: "person" | "server";
      /** How much of the context is full now and was before: estimates. Absent where nothing was counted yet. */
      readonly tokens?: number;
      readonly tokensBefore?: number;
      readonly contextWindow?: number;
      /** How many of the person's turns are told by the summary alone. */
      readonly turns: number;
      /** How many results of tools are shortened. */
      readonly results: number;
      /** What the model reads in the place of those turns, as Markdown. Absent where only results were shortened. */
      readonly summary?: string;
    }
  /** The last `compacted` is taken back; `tokens` is an estimate. */
  | { readonly kind: "compactionUndone"; readonly tokens?: number; readonly contextWindow?: number }
  | { readonly kind: "retrying"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly message: string }
  | { readonly kind: "turnEnded"; readonly reason: TurnEndReason; readonly message?: string };

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

export interface HunkDecision {
  readonly id: string;
  readonly decision: "accept" | "edit" | "reject";
  /** The person's own text, with decision `edit`. */
  readonly newText?: string;
  /**
   * With decision `edit`: what stood at the hunk's place when the person wrote `newText`. Where another text stands by then,
   * the hunk is a conflict.
   */
  readonly currentText?: string;
  /** The person's words for the model, with decision `reject`. */
  readonly reason?: string;
  /**
   * With decision `accept`: only these lines of a hunk of kind `edit`, as indexes from 0 into the lines of its `oldText` that
   * go and of its `newText` that come. A side that is absent follows from the other one. The rest of the hunk waits on.
   */
  readonly lines?: { readonly old?: readonly number[]; readonly new?: readonly number[] };
}

export interface DecideResult {
  /** What the client must apply to its own buffers now; null when nothing was accepted. */
  readonly edit: WorkspaceEdit | null;
  readonly conflicts: readonly string[];
  readonly remaining: readonly string[];
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

/** In milliseconds, of the last 1,000. */
export interface Times {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
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
