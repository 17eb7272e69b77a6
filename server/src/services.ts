/** What the handlers need of the rest of the house; `compose.ts` builds it, tests may build a smaller one. */
import type { BufferText, EditorBuffers } from "./protocol/buffer-shapes.ts";
import type { ClientRequestParams } from "./protocol/buffer-methods.ts";
import type { NotificationMethod, NotificationParams } from "./protocol/methods.ts";
import type { Status } from "./protocol/status.ts";
import type { Programs } from "./repl/attached/programs.ts";
import type { Repl } from "./repl/repl.ts";
import type { AuditLog } from "./tools/consent/audit-log.ts";
import type { ProposalStore } from "./proposals/proposal-store.ts";
import type { SessionContexts } from "./conversation/context/session-contexts.ts";
import type { Prompts } from "./conversation/prompts.ts";
import type { ModelChoices } from "./conversation/model-choices.ts";
import type { Spending } from "./conversation/spending/spending.ts";
import type { Sessions } from "./conversation/sessions.ts";
import type { StoredSessions } from "./conversation/stored-sessions.ts";
import type { ProposalTests } from "./tools/edit/proposal-tests.ts";
import type { Approvals } from "./tools/consent/approvals.ts";
import type { McpServers } from "./tools/mcp/mcp-servers.ts";
import type { Changes } from "./tools/run/changes.ts";
import type { DecisionRecord } from "./tools/consent/decision-record.ts";
import type { ToolExecutor } from "./tools/run/executor.ts";
import type { ToolMetricsHook } from "./tools/run/metrics.ts";
import type { Policy } from "./tools/policy/policy.ts";
import type { ToolRegistry } from "./tools/run/registry.ts";
import type { RememberedCalls } from "./tools/consent/remembered-calls.ts";
import type { LanguageRelay } from "./typescript/relay/language-relay.ts";
import type { Documents } from "./workspace/documents.ts";
import type { WorkspacePaths } from "./workspace/workspace-paths.ts";

export interface WatchedFileChange {
  readonly uri: string;
  readonly type: 1 | 2 | 3;
}

export interface Services {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly sessions: Sessions;
  readonly prompts: Prompts;
  readonly contexts: SessionContexts;
  readonly storedSessions: StoredSessions;
  readonly modelChoices: ModelChoices;
  readonly spending: Pick<Spending, "tell" | "metrics">;
  readonly proposals: ProposalStore;
  readonly approvals: Approvals;
  /** Told of what the person does that no call does. */
  readonly changes: Pick<Changes, "during">;
  readonly audit: AuditLog;
  readonly decisions: DecisionRecord;
  readonly remembered: RememberedCalls;
  /** Resolves when what outlives the server has been opened, or cannot be. Never rejects. */
  readonly storage: () => Promise<unknown>;
  /** Resolves when the reviews that earlier servers left are announced. Never rejects. */
  readonly keptReviews: () => Promise<void>;
  /** Loaded on first use: they are not needed to answer `initialize`. */
  readonly tools: () => Promise<{
    readonly registry: ToolRegistry;
    readonly executor: ToolExecutor;
    readonly metrics: ToolMetricsHook;
    readonly policy: Policy;
    readonly tests: Pick<ProposalTests, "run">;
    /** Undefined where the settings name no MCP servers. */
    readonly mcp: Pick<McpServers, "restart"> | undefined;
  }>;
  /** The REPL, or that of a running program. Rejects where no such program runs. */
  readonly repl: (process?: string) => Promise<Repl>;
  readonly programs: Pick<Programs, "list" | "lock">;
  /** Starts the compiler. Undefined unless the setup has a `languageClient`. */
  readonly languageRelay: () => Promise<LanguageRelay | undefined>;
  readonly status: () => Promise<Status>;
  /**
   * Starts in the background what the first question will need. Settles as soon as the compiler is at work and this
   * process has time for other things; never rejects, and never takes long.
   */
  readonly warmUp: () => Promise<void>;
  readonly didChangeWatchedFiles: (changes: readonly WatchedFileChange[]) => void;
  /** The workspace consists of these folders from now on. */
  readonly setWorkspaceFolders: (folders: readonly string[]) => void;
  readonly dispose: () => Promise<void>;
}

/** What the services may ask of the editor. */
export interface ClientPort {
  /** As the client calls itself, for sentences. */
  readonly name: () => string;
  /** What the client announced under `capabilities.experimental.agentq`, all false for a plain LSP client. */
  readonly announced: () => { readonly proposals: boolean; readonly approvals: boolean; readonly buffers: boolean };
  /** There for a client that takes proposed edits as a patch, where nobody reviews them. */
  readonly editsAs?: "patch";
  /** Why nobody could be asked about a call, and what to do, where that is another reason than an editor's. */
  readonly whyNobody?: string;
  readonly notify: <Method extends NotificationMethod>(method: Method, params: NotificationParams[Method]) => void;
  /**
   * Asks the person by `window/showMessageRequest`: null when they dismiss it, undefined when the client cannot ask or
   * nobody answers for a while. Aborting `signal` takes the question back. Never rejects.
   */
  readonly choose: <Choice extends string>(
    message: string,
    choices: readonly Choice[],
    signal: AbortSignal,
  ) => Promise<Choice | null | undefined>;
  /** Only for a client that announced `buffers`. Each rejects with a sentence where the editor gives no sensible answer. */
  readonly buffers: {
    readonly list: (signal: AbortSignal) => Promise<EditorBuffers>;
    readonly read: (params: ClientRequestParams<"agentq/readBuffer">, signal: AbortSignal) => Promise<BufferText>;
    readonly reload: (params: ClientRequestParams<"agentq/reloadBuffers">, signal: AbortSignal) => Promise<unknown>;
  };
  /** Shows the person a message by `window/showMessage`. */
  readonly warn: (message: string) => void;
  readonly log: (level: "error" | "warning" | "info" | "log", message: string) => void;
  /** Shows that something takes its time until `end` is called; nothing for a client without progress. */
  readonly progress: (title: string) => { readonly report: (message: string) => void; readonly end: () => void };
  /** Shows work as progress once it takes long, under the client's token where it gave one. Settles as the work does. */
  readonly showLong: <T>(title: string, token: string | number | undefined, work: Promise<T>) => Promise<T>;
}
