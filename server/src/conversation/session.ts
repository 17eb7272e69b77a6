/** A conversation as this server holds it while it goes on, and what conversations need of everybody else. */
import type { TurnEnd } from "../agent/loop.ts";
import type { ToolRunner } from "../agent/run-calls.ts";
import type { ModelMessage } from "../model/model-port.ts";
import type { Models } from "../model/models.ts";
import { AgentqError } from "../base/errors.ts";
import type { NotificationParams } from "../protocol/methods.ts";
import type { ModelChoice } from "../protocol/model-shapes.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import type { SentView } from "./compaction/sent-view.ts";
import type { ContextPorts } from "./context/context-ports.ts";
import type { EventStream } from "./event-stream.ts";
import type { InstructionPorts, Instructions } from "./instructions.ts";
import type { Mode } from "./plan-mode.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Spending } from "./spending/spending.ts";
import type { Sight, SightPorts } from "./sight.ts";
import type { TurnStart } from "./take-up-session.ts";
import type { TurnWatch } from "../telemetry/telemetry.ts";

/** Contract: `send` and `logBug` must not throw. */
export interface SessionPorts extends ContextPorts, SightPorts, InstructionPorts {
  readonly paths: WorkspacePaths;
  readonly texts: WorkspaceTexts;
  readonly models: Pick<Models, "choice" | "model" | "small">;
  readonly tools: () => Promise<ToolRunner>;
  readonly spending: Pick<Spending, "metered" | "costs">;
  readonly keptSessions: KeptSessions;
  /** A conversation that fills more of the model's context is compacted by itself: a share, 0.8 for 80 %. */
  readonly compactAt: number;
  readonly proposals: Pick<ProposalStore, "known" | "takeNews">;
  /** Resolves when it is clear whether conversations are kept. Never rejects. */
  readonly storage: () => Promise<unknown>;
  /** A turn of the conversation begins, and its tools are there. */
  readonly onTurn?: (sessionId: string) => void;
  /** Who else looks on at a turn of the conversation, which the model answers. */
  readonly watchTurn?: (sessionId: string, model: string) => TurnWatch | undefined;
  /** A turn that asked the model has ended. Contract: returns at once and never throws. */
  readonly onTurnEnded?: (session: Session, end: TurnEnd) => void;
  /**
   * Asked once for a conversation: the model's provider keeps the beginning of requests as long as it stays the same.
   */
  readonly system: (sessionId: string) => string;
  /** Asked whether a turn goes on after many requests. */
  readonly approvals: Pick<Approvals, "agrees">;
  readonly send: <Method extends "agentq/event" | "agentq/queueChanged">(
    method: Method,
    params: NotificationParams[Method],
  ) => void;
  readonly logBug: (error: unknown) => void;
}

export interface Turn extends TurnStart {
  readonly abort: AbortController;
  readonly events: EventStream;
  /** Aborts once the person asked to end the turn after the running tool calls. */
  readonly stop: AbortController;
}

/** What a turn does between its first event and its last one. Contract: never rejects. */
export type Work = (turn: Turn) => Promise<TurnEnd>;

export interface Session {
  readonly id: string;
  /** The whole history, whatever of it the model is sent. */
  readonly messages: ModelMessage[];
  readonly sent: SentView;
  readonly toldNotes: Set<string>;
  readonly queue: PromptQueue;
  readonly sight: Sight;
  readonly instructions: Instructions;
  /** What answers from the next turn on. */
  choice: ModelChoice;
  mode: Mode;
  system: string | undefined;
  turn: Turn | undefined;
  readonly turns: TurnStart[];
  readonly record: SessionRecord;
}

export function unknownSession(sessionId: string): AgentqError {
  return new AgentqError("unknownSession", `There is no session ${sessionId}.`);
}
