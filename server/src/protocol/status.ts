/** What `agentq/status` answers: how the server and each of its engines is. */
import type { Thinking } from "./model-settings.ts";
import type { ReplStatus } from "./repl-shapes.ts";

export interface TypeScriptStatus {
  readonly version: string;
  readonly state: "notStarted" | "starting" | "ready" | "restarting" | "dead";
  readonly reason?: string;
  /** tsconfig files of the loaded projects; an inferred project is named by its folder. */
  readonly projects: readonly { readonly name: string; readonly files: number }[];
}

export interface ModelStatus {
  readonly ready: boolean;
  readonly model: string;
  readonly baseUrl: string;
  /** Which of the person's profiles it belongs to. */
  readonly profile: string;
  readonly thinking?: Thinking;
  /** Why not ready and what to type. */
  readonly reason?: string;
}

/** What holds whatever runs for the agent: evaluations, tests and commands. */
export interface WallStatus {
  /** That of the weakest: the operating system's wall, Node's permissions alone, or nothing. */
  readonly level: "walled" | "limited" | "open";
  /** What runs how, in a sentence. */
  readonly detail: string;
  /** Why not everything is walled, and what to type; absent where everything is. */
  readonly missing?: string;
}

/** A command that goes on by itself. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** A server of the Model Context Protocol that the person's settings name. */
export interface McpServerStatus {
  readonly name: string;
  /** `restarting`: it ended, or could not be started, and is started again in a moment. `dead`: only when somebody asks. */
  readonly state: "starting" | "ready" | "restarting" | "dead";
  /** How many of its tools can be called. */
  readonly tools: number;
  /** Why it is not ready. */
  readonly reason?: string;
}

export interface Status {
  readonly version: string;
  readonly node: string;
  readonly workspaceFolders: readonly string[];
  readonly typescript: TypeScriptStatus;
  readonly repl: ReplStatus;
  readonly wall: WallStatus;
  readonly model: ModelStatus;
  readonly sessions: number;
  readonly pendingProposals: number;
  /** Those that run now; absent for none. */
  readonly background?: readonly BackgroundCommand[];
  /** Absent where the settings name none. */
  readonly mcp?: readonly McpServerStatus[];
}
