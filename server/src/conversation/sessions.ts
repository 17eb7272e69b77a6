/** Conversations: who talks about what, which turn runs, what waits for its boundary. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { runTurn, type Said, type TurnEnd, type ToolRunner } from "../agent/loop.ts";
import type { ModelMessage, ModelPort, UserBlock } from "../model/model-port.ts";
import { AgentqError, errorText } from "../protocol/errors.ts";
import type { NotificationParams, PromptResult, RequestParams } from "../protocol/methods.ts";
import type { ActivePlace } from "../surroundings/where-the-person-is.ts";
import { promptText, type ContextPorts } from "./context-text.ts";
import { EventStream } from "./event-stream.ts";
import { Instructions, type InstructionPorts, type Notify } from "./instructions.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import { SessionRecord } from "./session-record.ts";
import { Sight, type SightPorts } from "./sight.ts";
import { stateOf, storedTurns, takeUpSession, type TakenUpSession, type TurnStart } from "./take-up-session.ts";

interface Model {
  readonly port: ModelPort;
  readonly name: string;
}

/** Contract: `model` answers why there is no model instead of throwing; `sendEvent` and `logBug` must not throw. */
export interface SessionPorts extends ContextPorts, SightPorts, InstructionPorts {
  readonly model: () => Model | { readonly unavailable: string };
  readonly tools: () => Promise<ToolRunner>;
  readonly keptSessions: KeptSessions;
  /** Resolves when it is clear whether conversations are kept. Never rejects. */
  readonly storage: () => Promise<unknown>;
  /** A turn of the conversation begins, and its tools are there. */
  readonly onTurn?: (sessionId: string) => void;
  /**
   * Asked once for a conversation: the model's provider keeps the beginning of requests as long as it stays the same.
   */
  readonly system: () => string;
  /** The place that a client named, as it is told; undefined for one that is not told. */
  readonly activePlace: (active: RequestParams<"agentq/prompt">["active"]) => ActivePlace | undefined;
  /** Asks the person whether a turn goes on after so many requests. Never rejects; false where nobody can be asked. */
  readonly mayGoOn: (sessionId: string, requests: number, signal: AbortSignal) => Promise<boolean>;
  readonly sendEvent: (params: NotificationParams["agentq/event"]) => void;
  readonly logBug: (error: unknown) => void;
}

interface Turn extends TurnStart {
  readonly abort: AbortController;
  stopRequested: boolean;
  /** What was said during the turn and not sent any more, because the turn was cancelled. */
  readonly dropped: string[];
}

interface Prompt extends Said {
  readonly active: ActivePlace | undefined;
  readonly missing: readonly string[];
}

interface Session {
  readonly id: string;
  readonly messages: ModelMessage[];
  readonly toldNotes: Set<string>;
  readonly queued: Prompt[];
  readonly sight: Sight;
  readonly instructions: Instructions;
  system: string | undefined;
  turn: Turn | undefined;
  readonly turns: TurnStart[];
  readonly record: SessionRecord;
}

const MAX_TOKENS = 16_000;
const MAX_ROUNDS = 50;
const ELSEWHERE =
  "The conversation runs in another server of this workspace, such as another editor's. It can be read here; say that again when its turn has ended.";

export class Sessions {
  readonly #ports: SessionPorts;
  readonly #sessions = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<TakenUpSession | undefined>>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  count(): number {
    return this.#sessions.size;
  }

  /** Throws when there is no such conversation. */
  async check(sessionId: string): Promise<void> {
    if (this.#sessions.has(sessionId)) return;
    await this.#ports.storage();
    if (this.#ports.keptSessions.try((rows) => rows.session(sessionId)) === undefined) throw unknown(sessionId);
  }

  /** The turns of a conversation, or of all that this server knows of, oldest first. */
  turns(sessionId?: string): (TurnStart & { readonly sessionId: string })[] {
    const ids = sessionId === undefined ? [...this.#sessions.keys()] : [sessionId];
    return ids.flatMap((id) => {
      // Other servers may have gone on with the conversation.
      const stored = storedTurns(this.#ports.keptSessions, id);
      const turns = stored.length > 0 ? stored : (this.#sessions.get(id)?.turns ?? []);
      return turns.map((turn) => ({ ...turn, sessionId: id }));
    });
  }

  /** The turn that runs. */
  turnOf(sessionId: string | undefined): TurnStart | undefined {
    const turn = sessionId === undefined ? undefined : this.#sessions.get(sessionId)?.turn;
    return turn && { id: turn.id, text: turn.text, at: turn.at };
  }

  /** Starts a turn and answers at once; while a turn of the session runs, the text waits for its next boundary. */
  async prompt({ sessionId, text, context = [], active }: RequestParams<"agentq/prompt">): Promise<PromptResult> {
    await this.#ports.storage();
    const known = sessionId === undefined ? undefined : await this.#opened(sessionId);
    const model = this.#ports.model();
    if ("unavailable" in model) throw new AgentqError("modelUnavailable", model.unavailable);
    const prompt: Prompt = {
      text,
      active: this.#ports.activePlace(active),
      ...(await promptText(text, context, this.#ports)),
    };
    const session = known ?? this.#create(text);
    await session.sight.glimpsed(context.flatMap(({ uri }) => uri ?? []));
    if (session.turn === undefined) return { sessionId: session.id, turnId: this.#start(session, [prompt], model) };
    session.queued.push(prompt);
    return { sessionId: session.id, turnId: session.turn.id, queued: true };
  }

  /** Stops the model's stream, running tools and open questions of the session. What was done stays. */
  async cancel(sessionId: string): Promise<boolean> {
    await this.check(sessionId);
    const session = this.#sessions.get(sessionId);
    if (session?.turn === undefined) return false;
    session.turn.dropped.push(...session.queued.splice(0).map(({ text }) => text));
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

  /** Also one that another server began, or has gone on with. */
  async #opened(sessionId: string): Promise<Session> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined && (known.turn !== undefined || !known.record.isOutdated())) return known;
    const opening = this.#opening.get(sessionId) ?? takeUpSession(this.#ports.keptSessions, sessionId);
    this.#opening.set(sessionId, opening);
    const found = await opening.finally(() => this.#opening.delete(sessionId));
    const meanwhile = this.#sessions.get(sessionId);
    if (meanwhile !== undefined && meanwhile !== known) return meanwhile;
    if (found !== undefined) return this.#add(sessionId, found);
    this.#sessions.delete(sessionId);
    throw unknown(sessionId);
  }

  #create(text: string): Session {
    const id = randomUUID();
    const record = new SessionRecord(this.#ports.keptSessions, id);
    record.create(text);
    return this.#add(id, { record });
  }

  #add(id: string, found: Pick<TakenUpSession, "record"> & Partial<TakenUpSession>): Session {
    const instructions = new Instructions(id, this.#ports, found.instructions);
    const touched = (uri: string): void => instructions.touched(fileURLToPath(uri));
    const session = {
      id,
      messages: found.messages ?? [],
      toldNotes: new Set<string>(),
      queued: [],
      sight: new Sight(this.#ports, touched, found.takenUp),
      instructions,
      system: found.system,
      turn: undefined,
      turns: found.turns ?? [],
      record: found.record,
    };
    this.#sessions.set(id, session);
    return session;
  }

  /** Of the servers of a workspace one runs a conversation. */
  #hold({ id, record }: Session): void {
    const why = record.hold();
    if (why === "unknown") throw unknown(id);
    if (why !== undefined) throw new AgentqError("busy", ELSEWHERE);
  }

  #start(session: Session, prompts: readonly Prompt[], model: Model): string {
    this.#hold(session);
    const start = { id: randomUUID(), text: spoken(prompts), at: new Date().toISOString() };
    const turn: Turn = { ...start, abort: new AbortController(), stopRequested: false, dropped: [] };
    session.turn = turn;
    session.turns.push(start);
    // The answer to the request goes out before the turn's first event.
    setImmediate(() => void this.#run(session, turn, prompts, model));
    return turn.id;
  }

  async #run(session: Session, turn: Turn, prompts: readonly Prompt[], model: Model): Promise<void> {
    const events = new EventStream(session.id, turn.id, (params) => this.#send(session, params));
    events.emit({ kind: "turnStarted", text: turn.text });
    warnOfMissing(events, prompts);
    const end = await this.#runSafely(session, turn, prompts, { model, events });
    session.turn = undefined;
    for (const said of turn.dropped) {
      events.emit({ kind: "notice", level: "warning", message: `Not sent, because the turn was cancelled: ${said}` });
    }
    session.record.state(stateOf(this.#ports.keptSessions, session.instructions.known()));
    events.emit({ kind: "turnEnded", ...end });
    session.record.release();
    this.#startQueued(session);
  }

  /** What the client sees, the disk has seen before. */
  #send(session: Session, params: NotificationParams["agentq/event"]): void {
    const { turnId, event } = params;
    // Text is told while its message is not there yet.
    if (event.kind !== "text" && event.kind !== "thinking") session.record.messages(turnId, session.messages);
    session.record.event(turnId, event);
    this.#ports.sendEvent(params);
  }

  async #runSafely(
    session: Session,
    turn: Turn,
    prompts: readonly Prompt[],
    { model, events }: { readonly model: Model; readonly events: EventStream },
  ): Promise<TurnEnd> {
    const { sight, instructions } = session;
    const { signal } = turn.abort;
    const notify: Notify = (level, message) => events.emit({ kind: "notice", level, message });
    try {
      const loading = this.#ports.tools();
      // With the tools comes what the person trusts. A failure is told below, after what they said is kept.
      const loaded = loading.catch(() => undefined);
      const [news, rules] = await Promise.all([
        sight.takeNews(prompts.at(-1)?.active).catch((error: unknown) => this.#ports.logBug(error)),
        loaded
          .then(async () => instructions.takeForPrompt(notify, signal))
          .catch((error: unknown) => this.#ports.logBug(error)),
      ]);
      const said = prompts.map(({ forModel }) => forModel).join("\n\n");
      session.messages.push({ role: "user", content: [...(news ?? []), ...(rules ?? []), said].map(toTextBlock) });
      const tools = await loading;
      this.#ports.onTurn?.(session.id);
      session.system ??= this.#ports.system();
      session.record.system(session.system);
      session.record.state(stateOf(this.#ports.keptSessions, instructions.known()));
      return await runTurn(
        {
          sessionId: session.id,
          modelName: model.name,
          system: session.system,
          messages: session.messages,
          toldNotes: session.toldNotes,
          maxTokens: MAX_TOKENS,
          maxRounds: MAX_ROUNDS,
        },
        {
          model: {
            stream: (request, until) => {
              session.record.messages(turn.id, session.messages);
              return model.port.stream(request, until);
            },
          },
          tools: sight.watching(tools),
          emit: (event) => events.emit(event),
          takeQueued: () => {
            const queued = session.queued.splice(0);
            warnOfMissing(events, queued);
            return queued;
          },
          takeNews: () => instructions.take(notify, signal),
          stopRequested: () => turn.stopRequested,
          mayGoOn: (requests, wanted) => this.#ports.mayGoOn(session.id, requests, wanted),
        },
        signal,
      );
    } catch (error) {
      this.#ports.logBug(error);
      return { reason: "error", message: `The turn failed: ${errorText(error)}` };
    }
  }

  /** What was said too late for the last boundary becomes the next turn. */
  #startQueued(session: Session): void {
    if (session.queued.length === 0 || session.turn !== undefined) return;
    const model = this.#ports.model();
    if ("unavailable" in model) return this.#ports.logBug(new Error(model.unavailable));
    try {
      this.#start(session, session.queued.splice(0), model);
    } catch (error) {
      this.#ports.logBug(error);
    }
  }
}

function unknown(sessionId: string): AgentqError {
  return new AgentqError("unknownSession", `There is no session ${sessionId}.`);
}

function toTextBlock(text: string): UserBlock {
  return { kind: "text", text };
}

function spoken(prompts: readonly Prompt[]): string {
  return prompts.map(({ text }) => text).join("\n\n");
}

function warnOfMissing(events: EventStream, prompts: readonly Prompt[]): void {
  for (const message of prompts.flatMap(({ missing }) => missing)) {
    events.emit({
      kind: "notice",
      level: "warning",
      message: `An attachment is missing: ${message.replace(/\.$/, "")}.`,
    });
  }
}
