/** What the parts of the composition hand to each other: each service by one name. */
import type { Delegations } from "../conversation/delegate.ts";
import type { KeptSessions } from "../conversation/kept-sessions.ts";
import type { SessionNamer } from "../conversation/session-namer.ts";
import type { Spending } from "../conversation/spending/spending.ts";
import type { ClientPort, Services } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { Lazy } from "../base/lazy.ts";
import type { Keys } from "../model/keys.ts";
import type { Models } from "../model/models.ts";
import type { Programs } from "../repl/attached/programs.ts";
import type { Repl } from "../repl/repl.ts";
import type { BackgroundCommands } from "../sandbox/runs/background.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import type { LateTelemetry } from "../telemetry/late-telemetry.ts";
import type { ProposalTests } from "../tools/edit/proposal-tests.ts";
import type { TurnBaselines } from "../tools/introspection/turn-baselines.ts";
import type { McpServers } from "../tools/mcp/mcp-servers.ts";
import type { PlannedServers } from "../tools/mcp/planned-server.ts";
import type { Changes } from "../tools/run/changes.ts";
import type { ToolExecutor } from "../tools/run/executor.ts";
import type { ToolMetricsHook } from "../tools/run/metrics.ts";
import type { ToolRegistry } from "../tools/run/registry.ts";
import type { Policy } from "../tools/policy/policy.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Variables } from "../base/variables.ts";

type Shared = "documents" | "paths" | "sessions" | "proposals" | "approvals" | "audit" | "decisions" | "remembered";

export interface Parts extends Pick<Services, Shared> {
  readonly version: string;
  /** Those of the server's environment. */
  readonly variables: Variables;
  readonly client: ClientPort;
  readonly setup: ServerSetup;
  /** Called when the status of the server is another one. */
  readonly onChange: () => void;
  readonly logBug: (error: unknown) => void;
  readonly texts: WorkspaceTexts;
  readonly changes: Changes;
  readonly models: Models;
  readonly keys: Keys;
  readonly mcpPlans: PlannedServers;
  readonly keptSessions: KeptSessions;
  /** Opens the database at the first use, and answers how to close it. Never rejects. */
  readonly storage: Lazy<() => void>;
  readonly spending: Spending;
  readonly delegations: Delegations;
  readonly namer: SessionNamer;
  readonly telemetry: LateTelemetry;
  readonly typescript: Lazy<TypeScriptService>;
  readonly sandbox: Lazy<Sandbox>;
  /** The REPL for those who run nothing and ask for no status before they have awaited `repl`. */
  readonly early: Lazy<Repl>;
  /** The REPL once it is known what holds it. */
  readonly repl: Lazy<Repl>;
  readonly programs: Lazy<Programs>;
  readonly tools: Lazy<Tools>;
}

export interface Tools {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly tests: ProposalTests;
  readonly baselines: TurnBaselines;
  /** Brings the tools that the settings name up to date. Never rejects. */
  readonly refreshOwn: () => Promise<void>;
  readonly metrics: ToolMetricsHook;
  readonly policy: Policy;
  readonly background: BackgroundCommands;
  /** Undefined where the settings name no server. */
  readonly mcp: McpServers | undefined;
}
