/** The names of `agentq/*` methods, and the parameters clients send as JSON Schemas: one source for types and checks. */
import type { Range } from "vscode-languageserver-protocol";
import { mcpRequestParams } from "./mcp-methods.ts";
import { contextRef, contextRequestParams, range, shownDiagnostic } from "./context-methods.ts";
import type { AddedContext, ContextList } from "./context-shapes.ts";
import { queueRequestParams, type QueuedPrompt } from "./queue-methods.ts";
import { modelRequestParams } from "./model-methods.ts";
import type { ModelChoice, ModelList } from "./model-shapes.ts";
import type { Spending } from "./spend-shapes.ts";
import { replRequestParams } from "./repl-methods.ts";
import type { SchemaType } from "../schema/schema-type.ts";
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
  RunningProcesses,
  RestartAnswer,
  ValuePage,
} from "./repl-shapes.ts";
import { nothing } from "./no-parameters.ts";
import { proposalRequestParams } from "./proposal-methods.ts";
import type {
  Check,
  DecideResult,
  DidApplyResult,
  ExportResult,
  HunksChanged,
  LaterResult,
  Proposal,
  RewindResult,
  TestVerdict,
  TurnInfo,
} from "./proposal-shapes.ts";
import { toolRequestParams } from "./tool-methods.ts";
import type { DiagnosticLine, Page } from "./shapes.ts";
import type {
  Approval,
  AuditEntry,
  ExplainedDecision,
  Metrics,
  RememberedCall,
  ToolInfo,
  ToolResult,
} from "./tool-shapes.ts";
import type { TurnEvent } from "./turn-shapes.ts";
import type { McpServerStatus, Status } from "./status.ts";

export const PROTOCOL_VERSION = 1;

/** Parameters of every client-to-server request, by method name. */
export const requestParams = {
  "agentq/status": nothing,
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
      toolChoice: {
        type: "string",
        minLength: 1,
        description:
          '"auto" (the default): the model calls what it likes; "required": its first reply calls a tool; the name of a tool: its first reply calls that one; "none": it calls no tool in the whole turn.',
      },
      mode: {
        enum: ["default", "plan"],
        description: "The conversation's mode from now on: in plan mode nothing is changed or run.",
      },
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
  ...toolRequestParams,
  ...proposalRequestParams,
  ...contextRequestParams,
  ...queueRequestParams,
  ...modelRequestParams,
  ...sessionRequestParams,
  ...replRequestParams,
  ...mcpRequestParams,
  "agentq/spending": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    additionalProperties: false,
  },
} as const;

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
  "agentq/listProcesses": RunningProcesses;
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
  /** The ids of the hunks that replace the one that was cut. */
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
  /** In place of `agentq/proposalChanged`, to a client that announced `hunkChanges`. */
  "agentq/hunksChanged": HunksChanged;
  "agentq/approval": Approval;
  "agentq/approvalChanged": { readonly approvalId: string; readonly state: "answered" | "withdrawn" };
  "agentq/replOutput": {
    readonly evalId?: string;
    readonly stream: "stdout" | "stderr";
    readonly text: string;
    /** The output came after the evaluation was over. */
    readonly late?: true;
    /** The running program that the output is of; absent for the REPL's own process. */
    readonly process?: string;
  };
  "agentq/agentEvaluation": AgentEvaluation;
  "agentq/lateNotes": {
    readonly evalId: string;
    /** Notes like those of an `EvalResult`. */
    readonly notes: readonly DiagnosticLine[];
  };
  "agentq/replState": ReplStatus;
  /** A running program has come or gone. All of them. */
  "agentq/processesChanged": RunningProcesses;
  "agentq/evaluationChanges": {
    readonly evalId: string;
    readonly by: "person" | "agent";
    readonly changes: readonly EvaluationChange[];
    readonly message: string;
  };
  "agentq/statusChanged": Status;
}

export type NotificationMethod = keyof NotificationParams;

/** Any notification of the server. */
export type SomeNotification = {
  [Method in NotificationMethod]: { readonly method: Method; readonly params: NotificationParams[Method] };
}[NotificationMethod];
