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
import { Sight, type SightPorts } from "./sight.ts";

interface Model {
  readonly port: ModelPort;
  readonly name: string;
}

/** Contract: `model` answers why there is no model instead of throwing; `sendEvent` and `logBug` must not throw. */
export interface SessionPorts extends ContextPorts, SightPorts, InstructionPorts {
  readonly model: () => Model | { readonly unavailable: string };
  readonly tools: () => Promise<ToolRunner>;
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

/** A message of the person's, with which a turn began. */
export interface TurnStart {
  readonly id: string;
  readonly text: string;
  readonly at: string;
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

  /** Throws when there is no such conversation. */
  check(sessionId: string): void {
    this.#known(sessionId);
  }

  /** The turns of a conversation, or of all, oldest first. */
  turns(sessionId?: string): (TurnStart & { readonly sessionId: string })[] {
    const all = [...this.#sessions.values()].filter(({ id }) => sessionId === undefined || id === sessionId);
    return all.flatMap(({ id, turns }) => turns.map((turn) => ({ ...turn, sessionId: id })));
  }

  /** The turn that runs. */
  turnOf(sessionId: string | undefined): TurnStart | undefined {
    const turn = sessionId === undefined ? undefined : this.#sessions.get(sessionId)?.turn;
    return turn && { id: turn.id, text: turn.text, at: turn.at };
  }

  /** Starts a turn and answers at once; while a turn of the session runs, the text waits for its next boundary. */
  async prompt({ sessionId, text, context = [], active }: RequestParams<"agentq/prompt">): Promise<PromptResult> {
    const known = sessionId === undefined ? undefined : this.#known(sessionId);
    const model = this.#ports.model();
    if ("unavailable" in model) throw new AgentqError("modelUnavailable", model.unavailable);
    const prompt: Prompt = {
      text,
      active: this.#ports.activePlace(active),
      ...(await promptText(text, context, this.#ports)),
    };
    const session = known ?? this.#create();
    await session.sight.glimpsed(context.flatMap(({ uri }) => uri ?? []));
    if (session.turn === undefined) return { sessionId: session.id, turnId: this.#start(session, [prompt], model) };
    session.queued.push(prompt);
    return { sessionId: session.id, turnId: session.turn.id, queued: true };
  }

  /** Stops the model's stream, running tools and open questions of the session. What was done stays. */
  cancel(sessionId: string): boolean {
    const session = this.#known(sessionId);
    if (session.turn === undefined) return false;
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

  #known(sessionId: string): Session {
    const known = this.#sessions.get(sessionId);
    if (known === undefined) throw new AgentqError("unknownSession", `There is no session ${sessionId}.`);
    return known;
  }

  #create(): Session {
    const id = randomUUID();
    const instructions = new Instructions(id, this.#ports);
    const sight = new Sight(this.#ports, (uri) => instructions.touched(fileURLToPath(uri)));
    const session = {
      id,
      messages: [],
      toldNotes: new Set<string>(),
      queued: [],
      sight,
      instructions,
      system: undefined,
      turn: undefined,
      turns: [],
    };
    this.#sessions.set(id, session);
    return session;
  }

  #start(session: Session, prompts: readonly Prompt[], model: Model): string {
    const start = { id: randomUUID(), text: spoken(prompts), at: new Date().toISOString() };
    const turn: Turn = { ...start, abort: new AbortController(), stopRequested: false, dropped: [] };
    session.turn = turn;
    session.turns.push(start);
    // The answer to the request goes out before the turn's first event.
    setImmediate(() => void this.#run(session, turn, prompts, model));
    return turn.id;
  }

  async #run(session: Session, turn: Turn, prompts: readonly Prompt[], model: Model): Promise<void> {
    const events = new EventStream(session.id, turn.id, this.#ports.sendEvent);
    events.emit({ kind: "turnStarted", text: turn.text });
    warnOfMissing(events, prompts);
    const end = await this.#runSafely(session, turn, prompts, { model, events });
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
          model: model.port,
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
    this.#start(session, session.queued.splice(0), model);
  }
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
