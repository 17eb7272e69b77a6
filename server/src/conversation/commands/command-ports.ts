/** What commands may ask of the rest of the house; `composition/prompts.ts` fills it. */
import type { LaterResult, RewindResult, TurnInfo, Proposal } from "../../protocol/proposal-shapes.ts";
import type { ToolInfo, ToolResult } from "../../protocol/tool-shapes.ts";
import type { Spending } from "../../protocol/spend-shapes.ts";
import type { ModelChoices } from "../model-choices.ts";
import type { ContextPorts } from "../context/context-ports.ts";
import type { SessionContexts } from "../context/session-contexts.ts";
import type { Mode } from "../plan-mode.ts";
import type { StoredSessions } from "../stored-sessions.ts";

export interface CommandPorts {
  /** A tool, called as the person calls one. Contract: never rejects. */
  readonly callTool: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    call: { readonly sessionId: string | undefined; readonly signal: AbortSignal },
  ) => Promise<ToolResult>;
  readonly listTools: () => Promise<readonly ToolInfo[]>;
  readonly contexts: Pick<SessionContexts, "list" | "add" | "remove" | "clear">;
  /** Looks up what is mentioned. */
  readonly context: ContextPorts;
  readonly stored: Pick<StoredSessions, "list" | "open" | "export" | "fork">;
  /** The person's messages to the model, oldest first. */
  readonly turns: (sessionId: string) => Promise<readonly TurnInfo[]>;
  readonly rewind: (sessionId: string, turnId: string) => Promise<RewindResult>;
  /** Both answer what became of it. */
  readonly compact: (sessionId: string, wish: string | undefined, signal: AbortSignal) => Promise<string>;
  readonly undoCompaction: (sessionId: string) => Promise<string>;
  readonly spending: (sessionId: string | undefined) => Spending;
  /** Whether the mode was another one before. */
  readonly setMode: (sessionId: string, mode: Mode) => Promise<boolean>;
  readonly models: Pick<ModelChoices, "list" | "choose">;
  readonly proposals: () => Promise<readonly Proposal[]>;
  readonly undo: (proposalId: string) => Promise<LaterResult>;
  /** Writes a page of the person's own beside their other programs' state; answers its path. */
  readonly writePage: (name: string, text: string) => Promise<string>;
  /** What people wrote into files and is no command: a sentence for each. */
  readonly brokenPrompts: () => Promise<readonly string[]>;
  readonly allCommands: () => Promise<
    readonly { readonly name: string; readonly takes?: string; readonly summary: string }[]
  >;
}
