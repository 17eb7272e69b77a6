/** The shapes of conversations that are kept, as they travel in `agentq/*` messages. */
import type { Page } from "./shapes.ts";
import type { TurnEvent } from "./turn-shapes.ts";

export interface SessionInfo {
  readonly sessionId: string;
  /** What the person called it, else its first words. */
  readonly name: string;
  /** The beginning of what the person said first. */
  readonly firstWords: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly turns: number;
  /**
   * How full its model's context was after the last request, in tokens, or is as an estimate since something was left out. Absent before
   * the first count.
   */
  readonly context?: { readonly tokens: number; readonly isEstimate?: true; readonly contextWindow?: number };
  /** There in plan mode. */
  readonly mode?: "plan";
  /** The conversation that this one answered, and its call. */
  readonly parent?: { readonly sessionId?: string; readonly toolCallId: string };
  /** There while a turn runs: in this server, or in another one of the workspace, in which case it can only be read. */
  readonly running?: "here" | "elsewhere";
}

/** An event that an editor was shown. Pieces of one text are one event. */
export interface TranscriptItem {
  /** For `agentq/forkSession`. */
  readonly itemId: string;
  readonly turnId: string;
  readonly at: string;
  readonly event: TurnEvent;
}

/** Oldest first; `total` counts all events of the conversation. */
export interface Transcript extends Page<TranscriptItem> {
  readonly session: SessionInfo;
  /** With `lastTurns`: how many turns come before the first item. */
  readonly earlierTurns: number;
}

export interface FoundInSession {
  readonly session: SessionInfo;
  readonly itemId: string;
  readonly turnId: string;
  readonly at: string;
  readonly by: "person" | "agent";
  /** The words around what was found, which is between « and ». */
  readonly snippet: string;
}

export interface ExportedSession {
  readonly content: string;
}
