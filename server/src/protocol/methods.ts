/** The names of `agentq/*` methods, and the parameters clients send as JSON Schemas: one source for types and checks. */
import type { Range } from "vscode-languageserver-protocol";
import type { BufferText, EditorBuffers } from "./buffer-shapes.ts";
import { mcpRequestParams } from "./mcp-methods.ts";
import { contextRef, contextRequestParams, range, shownDiagnostic } from "./context-methods.ts";
import type { AddedContext, ContextList } from "./context-shapes.ts";
import { queueRequestParams, type QueuedPrompt } from "./queue-methods.ts";
import { modelRequestParams } from "./model-methods.ts";
import type { ModelChoice, ModelList } from "./model-shapes.ts";
import type { ModelMetrics, Spending } from "./spend-shapes.ts";
import { replRequestParams } from "./repl-methods.ts";
import type { SchemaType } from "./schema-type.ts";
import { sessionRequestParams } from "./session-methods.ts";
import type { ExportedSession, FoundInSession, SessionInfo, Transcript } from "./session-shapes.ts";
import type {
  AgentEvaluation,
  CompletionAnswer,
  ChangeDecision,
  EvalResult,
  EvaluationChange,
  HistoryItem,
  ReplStatus,
  RestartAnswer,
  ValuePage,
} from "./repl-shapes.ts";
import type {
  Approval,
  AuditEntry,
  Check,
  DecideResult,
  DiagnosticLine,
  ExplainedDecision,
  JsonSchema,
  Page,
  Proposal,
  RememberedCall,
  TestVerdict,
  ToolInfo,
  ToolMetrics,
  ToolResult,
  TurnEvent,
} from "./shapes.ts";
import type { McpServerStatus, Status } from "./status.ts";

export const PROTOCOL_VERSION = 1;

const nothing = { type: "object", properties: {}, additionalProperties: false } as const;

const someHunks = {
  type: "object",
  properties: { proposalId: { type: "string" }, hunkIds: { type: "array", items: { type: "string" } } },
  required: ["proposalId"],
  additionalProperties: false,
} as const;

const lineIndexes = { type: "array", items: { type: "integer", minimum: 0 } } as const;

const chosenLines = {
  type: "object",
  properties: { old: lineIndexes, new: lineIndexes },
  additionalProperties: false,
} as const;

/** What may be said of a hunk when it is decided, or asked about. */
const decided = {
  id: { type: "string" },
  decision: { enum: ["accept", "edit", "reject"] },
  newText: { type: "string" },
  currentText: { type: "string" },
  lines: chosenLines,
} as const;

const decidedHunks = {
  type: "array",
  items: { type: "object", properties: decided, required: ["id", "decision"], additionalProperties: false },
} as const;

/** Parameters of every client-to-server request, by method name. */
export const requestParams = {
  "agentq/status": nothing,
  "agentq/listTools": {
    type: "object",
    properties: {
      maxSafety: { enum: ["safe", "cautious", "dangerous"] },
      categories: { type: "array", items: { type: "string" } },
    },
    additionalProperties: false,
  },
  "agentq/callTool": {
    type: "object",
    properties: {
      name: { type: "string" },
      arguments: { type: "object", additionalProperties: true },
      sessionId: { type: "string" },
    },
    required: ["name", "arguments"],
    additionalProperties: false,
  },
  "agentq/prompt": {
    type: "object",
    properties: {
      sessionId: { type: "string" },
      newSessionId: {
        type: "string",
        pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        description: "Without sessionId: the id of the conversation that begins, a UUID of the client's.",
      },
      text: { type: "string", minLength: 1 },
      context: { type: "array", items: contextRef, maxItems: 50 },
      active: {
        type: "object",
        properties: {
          uri: { type: "string" },
          range,
          visible: range,
          diagnostics: { type: "array", items: shownDiagnostic, maxItems: 20 },
        },
        required: ["uri"],
        additionalProperties: false,
      },
    },
    required: ["text"],
    additionalProperties: false,
  },
  "agentq/cancel": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    required: ["sessionId"],
    additionalProperties: false,
  },
  ...contextRequestParams,
  ...queueRequestParams,
  ...modelRequestParams,
  ...sessionRequestParams,
  ...replRequestParams,
  ...mcpRequestParams,
  "agentq/listProposals": {
    type: "object",
    properties: { state: { enum: ["pending", "applied", "partiallyApplied", "rejected", "withdrawn"] } },
    additionalProperties: false,
  },
  "agentq/openProposal": {
    type: "object",
    properties: { proposalId: { type: "string" } },
    required: ["proposalId"],
    additionalProperties: false,
  },
  "agentq/checkSubset": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: decidedHunks,
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/undoProposal": someHunks,
  "agentq/reopenProposal": someHunks,
  "agentq/exportProposal": someHunks,
  "agentq/listTurns": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    additionalProperties: false,
  },
  "agentq/rewind": {
    type: "object",
    properties: { sessionId: { type: "string" }, turnId: { type: "string" } },
    required: ["sessionId"],
    additionalProperties: false,
  },
  "agentq/decide": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: {
        type: "array",
        items: {
          type: "object",
          properties: { ...decided, reason: { type: "string" } },
          required: ["id", "decision"],
          additionalProperties: false,
        },
      },
      message: { type: "string" },
      then: { enum: ["continue", "stop"] },
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/splitHunk": {
    type: "object",
    properties: { proposalId: { type: "string" }, hunkId: { type: "string" } },
    required: ["proposalId", "hunkId"],
    additionalProperties: false,
  },
  "agentq/testSubset": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: decidedHunks,
      workDoneToken: { type: ["string", "integer"] },
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/didApply": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      documents: {
        type: "array",
        items: {
          type: "object",
          properties: {
            uri: { type: "string" },
            version: { type: ["integer", "null"] },
            sha256: { type: ["string", "null"] },
          },
          required: ["uri"],
          additionalProperties: false,
        },
      },
    },
    required: ["proposalId", "documents"],
    additionalProperties: false,
  },
  "agentq/answerApproval": {
    type: "object",
    properties: {
      approvalId: { type: "string" },
      decision: { enum: ["approved", "denied", "modified"] },
      arguments: { type: "object", additionalProperties: true },
      message: { type: "string" },
      remember: { enum: ["none", "session", "workspace"] },
      then: { enum: ["continue", "stop"] },
    },
    required: ["approvalId", "decision"],
    additionalProperties: false,
  },
  "agentq/listRemembered": nothing,
  "agentq/forgetRemembered": {
    type: "object",
    properties: { id: { type: "string" } },
    additionalProperties: false,
  },
  "agentq/explainDecision": {
    type: "object",
    properties: {
      tool: { type: "string" },
      arguments: { type: "object", additionalProperties: true },
      sessionId: { type: "string" },
    },
    required: ["tool", "arguments"],
    additionalProperties: false,
  },
  "agentq/auditLog": {
    type: "object",
    properties: { sessionId: { type: "string" }, cursor: { type: "string", pattern: "^\\d{1,9}$" } },
    additionalProperties: false,
  },
  "agentq/metrics": nothing,
  "agentq/spending": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    additionalProperties: false,
  },
} as const;

const editorBuffer = {
  type: "object",
  properties: {
    id: { type: "string", maxLength: 1_000 },
    name: { type: "string", maxLength: 5_000 },
    kind: { type: "string", maxLength: 200 },
    uri: { type: "string", maxLength: 20_000 },
    lines: { type: "integer", minimum: 0, maximum: 100_000_000 },
    modified: { type: "boolean" },
    isCurrent: { type: "boolean" },
    isVisible: { type: "boolean" },
  },
  required: ["id", "name", "kind", "lines"],
} as const;

/** Parameters of the server's own requests, to a client that announced `buffers`, by method name. */
export const clientRequestParams = {
  "agentq/listBuffers": nothing,
  "agentq/readBuffer": {
    type: "object",
    properties: {
      id: { type: "string" },
      start: { type: "integer", minimum: 0, description: "Counted from 0." },
      end: { type: "integer", minimum: 0, description: "Exclusive; beyond the last line there is nothing." },
    },
    required: ["id", "start", "end"],
    additionalProperties: false,
  },
} as const;

export type ClientRequestMethod = keyof typeof clientRequestParams;
export type ClientRequestParams<Method extends ClientRequestMethod> = SchemaType<(typeof clientRequestParams)[Method]>;

export interface ClientRequestResults {
  "agentq/listBuffers": EditorBuffers;
  /** An error where there is no such buffer. */
  "agentq/readBuffer": BufferText;
}

/** What a client may answer; anything else counts as no answer. */
export const clientRequestResults: Readonly<Record<ClientRequestMethod, JsonSchema>> = {
  "agentq/listBuffers": {
    type: "object",
    properties: { buffers: { type: "array", items: editorBuffer, maxItems: 10_000 } },
    required: ["buffers"],
  },
  "agentq/readBuffer": {
    type: "object",
    properties: {
      buffer: editorBuffer,
      version: { type: "integer" },
      lines: { type: "array", items: { type: "string" } },
    },
    required: ["buffer", "version", "lines"],
  },
};

export type RequestMethod = keyof typeof requestParams;
export type RequestParams<Method extends RequestMethod> = SchemaType<(typeof requestParams)[Method]>;

export interface RequestResults {
  "agentq/status": Status;
  "agentq/listTools": Page<ToolInfo>;
  "agentq/callTool": ToolResult;
  "agentq/prompt": PromptResult;
  "agentq/addContext": AddedContext;
  "agentq/listContext": ContextList;
  "agentq/removeContext": ContextList;
  "agentq/clearContext": ContextList;
  "agentq/cancel": CancelResult;
  "agentq/listQueue": Page<QueuedPrompt>;
  "agentq/editQueued": QueuedPrompt;
  "agentq/takeBackQueued": Page<QueuedPrompt>;
  "agentq/listModels": ModelList;
  "agentq/chooseModel": ModelChoice;
  "agentq/listSessions": Page<SessionInfo>;
  "agentq/openSession": Transcript;
  "agentq/renameSession": SessionInfo;
  "agentq/deleteSession": { readonly deleted: true };
  "agentq/searchSessions": Page<FoundInSession>;
  "agentq/exportSession": ExportedSession;
  "agentq/forkSession": SessionInfo;
  "agentq/evaluate": EvalResult;
  /** The top-level form at the position; null where there is none, or where the document does not parse. */
  "agentq/formAt": {
    readonly range: Range | null;
    /** The form declares what `agentq/evaluate` can install. */
    readonly declares?: boolean;
  };
  "agentq/interrupt": {
    readonly interrupted: boolean;
    /** What a finished evaluation had left open, which the interrupt has ended. */
    readonly ended?: string;
  };
  "agentq/restartRepl": RestartAnswer;
  "agentq/lockRepl": ReplStatus;
  "agentq/replHistory": Page<HistoryItem>;
  "agentq/inspectValue": ValuePage;
  "agentq/completeInRepl": CompletionAnswer;
  "agentq/keepEvaluationChanges": ChangeDecision;
  "agentq/revertEvaluationChanges": ChangeDecision;
  "agentq/restartMcpServer": McpServerStatus;
  "agentq/listProposals": Page<Proposal>;
  "agentq/openProposal": Proposal;
  /** What the compiler would say with exactly the accepted hunks in the documents as they are now. */
  "agentq/checkSubset": Check;
  "agentq/undoProposal": LaterResult;
  "agentq/reopenProposal": LaterResult;
  "agentq/exportProposal": ExportResult;
  "agentq/listTurns": Page<TurnInfo>;
  "agentq/rewind": RewindResult;
  "agentq/decide": DecideResult;
  /** The ids of the hunks that stand in the place of the one that was cut. */
  "agentq/splitHunk": { readonly hunkIds: readonly string[] };
  "agentq/testSubset": TestVerdict;
  "agentq/didApply": DidApplyResult;
  "agentq/answerApproval": { readonly accepted: boolean };
  "agentq/listRemembered": Page<RememberedCall>;
  "agentq/forgetRemembered": { readonly forgotten: number };
  "agentq/explainDecision": ExplainedDecision;
  "agentq/auditLog": Page<AuditEntry>;
  "agentq/metrics": Metrics;
  "agentq/spending": Spending;
}

export interface Metrics extends Page<ToolMetrics> {
  /** When the server began to count. */
  readonly since: string;
  readonly model: ModelMetrics;
}

export interface PromptResult {
  readonly sessionId: string;
  readonly turnId: string;
  /** True when a turn is running: the text is taken at its next boundary. */
  readonly queued?: boolean;
  /** The id of the text that waits. */
  readonly promptId?: string;
}

export interface CancelResult {
  readonly cancelled: boolean;
  /** What waited for the turn's next boundary, and waits for the person now. */
  readonly queued?: readonly QueuedPrompt[];
}

export interface DidApplyResult {
  /** True when every document's text is what was approved. */
  readonly verified: boolean;
  /** Documents whose text differs from what was approved. */
  readonly mismatched: readonly string[];
}

/** A hunk that could not come along, and a sentence why. */
export interface LeftHunk {
  readonly id: string;
  readonly why: string;
}

export interface LaterResult {
  /** The new proposal, which `agentq/proposal` announces; absent when there is nothing to propose. */
  readonly proposalId?: string;
  readonly left: readonly LeftHunk[];
}

export interface ExportResult {
  /** For `git apply` in the workspace folder; empty when none of the hunks changes a text. */
  readonly patch: string;
  readonly left: readonly LeftHunk[];
}

/** A message of the person's, and what the agent did to the files in its turn. */
export interface TurnInfo {
  readonly sessionId: string;
  readonly turnId: string;
  readonly text: string;
  readonly at: string;
  /** How many hunks were applied of what was proposed in the turn. */
  readonly applied: number;
}

/** A hunk that a rewind could not take back, and a sentence why. */
export interface UnrewoundHunk extends LeftHunk {
  readonly proposalId: string;
  readonly title: string;
}

export interface RewindResult {
  /** The new proposal, which `agentq/proposal` announces; absent when there is nothing to take back. */
  readonly proposalId?: string;
  readonly left: readonly UnrewoundHunk[];
  /** A sentence: what a rewind does not take back. */
  readonly note: string;
}

/** Server-to-client notifications, by method name. */
export interface NotificationParams {
  "agentq/event": {
    readonly sessionId: string;
    readonly turnId: string;
    readonly seq: number;
    readonly event: TurnEvent;
  };
  /** An event of a conversation that answers another one: `parent` is the call that waits for the answer. */
  "agentq/delegated": {
    readonly sessionId: string;
    readonly turnId: string;
    readonly seq: number;
    readonly event: TurnEvent;
    readonly parent: { readonly sessionId?: string; readonly toolCallId: string };
  };
  /** Everything that waits now. */
  "agentq/queueChanged": { readonly sessionId: string; readonly items: readonly QueuedPrompt[] };
  /** A conversation has got a name of a model's. */
  "agentq/sessionChanged": SessionInfo;
  "agentq/proposal": Proposal;
  "agentq/proposalChanged": Proposal;
  "agentq/approval": Approval;
  "agentq/approvalChanged": { readonly approvalId: string; readonly state: "answered" | "withdrawn" };
  "agentq/replOutput": {
    readonly evalId?: string;
    readonly stream: "stdout" | "stderr";
    readonly text: string;
    /** The output came after the evaluation was over. */
    readonly late?: true;
  };
  "agentq/agentEvaluation": AgentEvaluation;
  "agentq/lateNotes": {
    readonly evalId: string;
    /** Notes like those of an `EvalResult`. */
    readonly notes: readonly DiagnosticLine[];
  };
  "agentq/replState": ReplStatus;
  "agentq/evaluationChanges": {
    readonly evalId: string;
    readonly by: "person" | "agent";
    readonly changes: readonly EvaluationChange[];
    readonly message: string;
  };
  "agentq/statusChanged": Status;
}

export type NotificationMethod = keyof NotificationParams;
