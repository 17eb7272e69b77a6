/** Conversations: who talks about what, which turn runs, what waits for its boundary. */
import { randomUUID } from "node:crypto";
import { runTurn, type TurnEnd, type ToolRunner } from "../agent/loop.ts";
import type { ModelMessage, ModelPort } from "../model/model-port.ts";
import { AgentqError } from "../protocol/errors.ts";
import type { NotificationParams, PromptResult } from "../protocol/methods.ts";
import type { ContextRef } from "../protocol/shapes.ts";
import { promptText, type ReadForContext } from "./context-text.ts";
import { EventStream } from "./event-stream.ts";

/** Contract: `model` answers why there is no model instead of throwing; `sendEvent` and `logBug` must not throw. */
export interface SessionPorts {
  readonly model: () => { readonly port: ModelPort; readonly name: string } | { readonly unavailable: string };
  readonly tools: () => Promise<ToolRunner>;
  readonly system: () => string;
  readonly readForContext: ReadForContext;
  readonly sendEvent: (params: NotificationParams["agentq/event"]) => void;
  readonly logBug: (error: unknown) => void;
}

export interface PromptRequest {
  readonly sessionId?: string;
  readonly text: string;
  readonly context?: readonly ContextRef[];
}

interface Turn {
  readonly id: string;
  readonly abort: AbortController;
  stopRequested: boolean;
  /** What was said during the turn and not sent any more, because it was cancelled. */
  readonly dropped: string[];
}

interface Session {
  readonly id: string;
  readonly messages: ModelMessage[];
  readonly queued: string[];
  turn: Turn | undefined;
}

const MAX_TOKENS = 16_000;
const MAX_ROUNDS = 50;

export class Sessions {
  readonly #ports: SessionPorts;
  readonly #sessions = new Map<string, Session>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  count(): number {
    return this.#sessions.size;
  }

  /** Starts a turn and answers at once; while a turn of the session runs, the text waits for its next boundary. */
  async prompt(request: PromptRequest): Promise<PromptResult> {
    const session = this.#sessionFor(request.sessionId);
    const model = this.#ports.model();
    if ("unavailable" in model) throw new AgentqError("modelUnavailable", model.unavailable);
    const text = await promptText(request.text, request.context ?? [], this.#ports.readForContext);
    if (session.turn !== undefined) {
      session.queued.push(text);
      return { sessionId: session.id, turnId: session.turn.id, queued: true };
    }
    const turn: Turn = { id: randomUUID(), abort: new AbortController(), stopRequested: false, dropped: [] };
    session.turn = turn;
    session.messages.push({ role: "user", content: [{ kind: "text", text }] });
    // The answer to the request goes out before the turn's first event.
    setImmediate(() => void this.#run(session, turn, request.text, model));
    return { sessionId: session.id, turnId: turn.id };
  }

  /** Stops the model's stream, running tools and open questions of the session. What was done stays. */
  cancel(sessionId: string): boolean {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new AgentqError("unknownSession", `There is no session ${sessionId}.`);
    if (session.turn === undefined) return false;
    session.turn.dropped.push(...session.queued.splice(0));
    session.turn.abort.abort();
    return true;
  }

  /** Lets the running tool calls finish, then ends the turn. */
  requestStop(sessionId: string): void {
    const turn = this.#sessions.get(sessionId)?.turn;
    if (turn !== undefined) turn.stopRequested = true;
  }

  dispose(): void {
    for (const session of this.#sessions.values()) session.turn?.abort.abort();
  }

  #sessionFor(sessionId: string | undefined): Session {
    if (sessionId !== undefined) {
      const known = this.#sessions.get(sessionId);
      if (known === undefined) throw new AgentqError("unknownSession", `There is no session ${sessionId}.`);
      return known;
    }
    const session: Session = { id: randomUUID(), messages: [], queued: [], turn: undefined };
    this.#sessions.set(session.id, session);
    return session;
  }

  async #run(session: Session, turn: Turn, text: string, model: { port: ModelPort; name: string }): Promise<void> {
    const events = new EventStream(session.id, turn.id, this.#ports.sendEvent);
    events.emit({ kind: "turnStarted", text });
    const end = await this.#runSafely(session, turn, model, events);
    session.turn = undefined;
    for (const said of turn.dropped) {
      events.emit({ kind: "notice", level: "warning", message: `Not sent, because the turn was cancelled: ${said}` });
    }
    events.emit({ kind: "turnEnded", ...end });
    this.#startQueued(session);
  }

  async #runSafely(
    session: Session,
    turn: Turn,
    model: { port: ModelPort; name: string },
    events: EventStream,
  ): Promise<TurnEnd> {
    try {
      const tools = await this.#ports.tools();
      return await runTurn(
        {
          sessionId: session.id,
          modelName: model.name,
          system: this.#ports.system(),
          messages: session.messages,
          maxTokens: MAX_TOKENS,
          maxRounds: MAX_ROUNDS,
        },
        {
          model: model.port,
          tools,
          emit: (event) => events.emit(event),
          takeQueued: () => session.queued.splice(0),
          stopRequested: () => turn.stopRequested,
        },
        turn.abort.signal,
      );
    } catch (error) {
      this.#ports.logBug(error);
      return { reason: "error", message: `The turn failed: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** What was said too late for the last boundary becomes the next turn. */
  #startQueued(session: Session): void {
    if (session.queued.length === 0 || session.turn !== undefined) return;
    const text = session.queued.splice(0).join("\n\n");
    this.prompt({ sessionId: session.id, text }).catch((error: unknown) => this.#ports.logBug(error));
  }
}
