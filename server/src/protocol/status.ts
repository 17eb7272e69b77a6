/** What `agentq/status` answers: how the server and each of its engines is. */
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
  /** Why not ready and what to type. */
  readonly reason?: string;
}

/** A command that goes on by itself. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface Status {
  readonly version: string;
  readonly node: string;
  readonly workspaceFolders: readonly string[];
  readonly typescript: TypeScriptStatus;
  readonly repl: ReplStatus;
  readonly model: ModelStatus;
  readonly sessions: number;
  readonly pendingProposals: number;
  /** Those that run now; absent for none. */
  readonly background?: readonly BackgroundCommand[];
}
