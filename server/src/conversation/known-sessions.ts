/** The conversations that this server has begun or taken up. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { InvalidParamsError } from "../base/errors.ts";
import { SentView } from "./compaction/sent-view.ts";
import { Instructions } from "./instructions.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { SessionRecord } from "./session-record.ts";
import { unknownSession, type Session, type SessionPorts } from "./session.ts";
import { Sight } from "./sight.ts";
import { storedTurns, takeUpSession, type TakenUpSession, type TurnStart } from "./take-up-session.ts";

export class KnownSessions {
  readonly #ports: SessionPorts;
  readonly #sessions = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<TakenUpSession | undefined>>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#sessions.size;
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** One that this server has begun or taken up already. */
  get(sessionId: string): Session | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Throws when there is no such conversation. */
  async check(sessionId: string): Promise<void> {
    if (this.#sessions.has(sessionId)) return;
    await this.#ports.storage();
    if (this.#ports.keptSessions.try((rows) => rows.session(sessionId)) === undefined) throw unknownSession(sessionId);
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

  /** A new one, which these words of the person's begin. Throws where the id is another one's. */
  create(words: string, id: string = randomUUID()): Session {
    if (this.#sessions.has(id) || this.#ports.keptSessions.try((rows) => rows.session(id)) !== undefined) {
      throw new InvalidParamsError([
        { path: "/newSessionId", expected: "an id that no conversation has", received: id },
      ]);
    }
    const record = new SessionRecord(this.#ports.keptSessions, id);
    record.create(words);
    return this.#add(id, { record });
  }

  /** Also one that another server began, or has gone on with. Throws when there is no such conversation. */
  async open(sessionId: string): Promise<Session> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined && (known.turn !== undefined || !known.record.isOutdated())) return known;
    const opening = this.#opening.get(sessionId) ?? takeUpSession(this.#ports.keptSessions, sessionId);
    this.#opening.set(sessionId, opening);
    const found = await opening.finally(() => this.#opening.delete(sessionId));
    const meanwhile = this.#sessions.get(sessionId);
    if (meanwhile !== undefined && meanwhile !== known) return meanwhile;
    if (found !== undefined) return this.#add(sessionId, found);
    this.#sessions.delete(sessionId);
    throw unknownSession(sessionId);
  }

  /** What waits in a conversation, also in one that nobody has taken up here. */
  queue(sessionId: string): PromptQueue {
    return this.#sessions.get(sessionId)?.queue ?? this.#newQueue(sessionId);
  }

  #newQueue(sessionId: string): PromptQueue {
    const queue: PromptQueue = new PromptQueue(sessionId, this.#ports.keptSessions, () =>
      this.#ports.send("agentq/queueChanged", { sessionId, items: queue.list() }),
    );
    return queue;
  }

  #add(id: string, found: Pick<TakenUpSession, "record"> & Partial<TakenUpSession>): Session {
    const instructions = new Instructions(id, this.#ports, found.instructions);
    const touched = (uri: string): void => instructions.touched(fileURLToPath(uri));
    const session = {
      id,
      messages: found.messages ?? [],
      sent: found.sent ?? new SentView(),
      toldNotes: new Set<string>(),
      queue: this.#newQueue(id),
      sight: new Sight(this.#ports, touched, found.takenUp),
      instructions,
      choice: found.choice ?? this.#ports.models.choice,
      mode: found.mode ?? "default",
      system: found.system,
      turn: undefined,
      turns: found.turns ?? [],
      record: found.record,
    };
    this.#sessions.set(id, session);
    return session;
  }
}
