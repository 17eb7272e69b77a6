/** What the person said while a turn of a conversation runs: it waits for the next boundary, on the disk too. */
import { randomUUID } from "node:crypto";
import type { Said } from "../agent/loop.ts";
import { given } from "../base/given.ts";
import { AgentqError } from "../base/errors.ts";
import type { QueuedPrompt } from "../protocol/queue-methods.ts";
import type { ContextRef } from "../protocol/shapes.ts";
import type { QueuedRow } from "../storage/queue-rows.ts";
import type { ActivePlace } from "../surroundings/where-the-person-is.ts";
import type { KeptSessions } from "./kept-sessions.ts";

/** What the person said at once, with what they attached. */
export interface Prompt extends Said {
  readonly context: readonly ContextRef[];
  readonly active: ActivePlace | undefined;
  readonly missing: readonly string[];
}

interface Waiting {
  readonly id: string;
  readonly at: string;
  readonly prompt: Prompt;
}

/** A prompt as it is kept. Who goes on with it attaches the same again. */
type Body = Pick<Prompt, "text" | "context">;

const SENT = "That message does not wait any more: it was sent, or taken back.";

export class PromptQueue {
  readonly #session: string;
  readonly #kept: KeptSessions;
  readonly #onChange: () => void;
  #waiting: Waiting[] = [];
  /** Those of cancelled turns, in the words in which they were said: keys are not kept. */
  #held: Waiting[] = [];
  /** Their turn is about to begin, and then they are kept with it. */
  readonly #sending = new Set<string>();

  constructor(session: string, kept: KeptSessions, onChange: () => void) {
    this.#session = session;
    this.#kept = kept;
    this.#onChange = onChange;
  }

  add(prompt: Prompt): string {
    const waiting = { id: randomUUID(), at: new Date().toISOString(), prompt };
    this.#waiting.push(waiting);
    this.#kept.try((rows) => rows.queue.add(this.#session, this.#row(waiting)));
    this.#onChange();
    return waiting.id;
  }

  list(): QueuedPrompt[] {
    const own = [...this.#held, ...this.#waiting];
    const rows = this.#kept.try((kept) => kept.queue.list(this.#session)) ?? own.map((each) => this.#row(each));
    return rows.filter(({ id }) => !this.#sending.has(id)).map((row) => this.#toWire(row));
  }

  /** What the model hears now. It is kept until the event is that tells of it. */
  take(): (Prompt & { readonly promptId: string })[] {
    const taken = this.#waiting.splice(0);
    for (const { id } of taken) this.#sending.add(id);
    if (taken.length > 0) this.#onChange();
    return taken.map(({ id, prompt }) => ({ ...prompt, promptId: id }));
  }

  /** None of it is sent any more: it waits for somebody who takes it back. */
  hold(): QueuedPrompt[] {
    if (this.#waiting.length === 0) return [];
    this.#held.push(...this.#waiting.splice(0));
    this.#onChange();
    return this.list();
  }

  /** Those that were to begin a turn which could not begin. */
  giveBack(prompts: readonly (Prompt & { readonly promptId: string })[]): void {
    const at = new Date().toISOString();
    for (const { promptId: id, ...prompt } of prompts) {
      this.#sending.delete(id);
      this.#held.push({ id, at, prompt });
    }
    this.#onChange();
  }

  /** The context of a prompt that waits. Throws when it does not wait any more. */
  contextOf(id: string): readonly ContextRef[] {
    const found = this.list().find(({ promptId }) => promptId === id);
    if (found === undefined) throw new AgentqError("alreadyDecided", SENT);
    return found.context ?? [];
  }

  /** Throws when it does not wait any more. */
  edit(id: string, prompt: Prompt): QueuedPrompt {
    this.contextOf(id);
    for (const list of [this.#waiting, this.#held]) {
      const index = list.findIndex((each) => each.id === id);
      const found = list[index];
      if (found === undefined) continue;
      const { active, place } = found.prompt;
      list[index] = { ...found, prompt: { ...prompt, active, ...given({ place }) } };
    }
    const isThere = this.#kept.try((rows) => rows.queue.edit(id, this.#body(prompt)));
    if (isThere === false) throw new AgentqError("alreadyDecided", SENT);
    this.#onChange();
    const edited = this.list().find(({ promptId }) => promptId === id);
    if (edited === undefined) throw new AgentqError("alreadyDecided", SENT);
    return edited;
  }

  /** Those that still waited, all or of these ids: they are with the person now. */
  takeBack(ids?: readonly string[]): QueuedPrompt[] {
    const wanted = this.list().filter(({ promptId }) => ids?.includes(promptId) ?? true);
    const taken = wanted.filter(({ promptId }) => this.#kept.try((rows) => rows.queue.delete(promptId)) ?? true);
    const gone = new Set(taken.map(({ promptId }) => promptId));
    this.#waiting = this.#waiting.filter(({ id }) => !gone.has(id));
    this.#held = this.#held.filter(({ id }) => !gone.has(id));
    if (gone.size > 0) this.#onChange();
    return taken;
  }

  #row({ id, at, prompt }: Waiting): QueuedRow {
    return { id, at, body: this.#body(prompt) };
  }

  #body({ text, context }: Prompt): string {
    const body: Body = { text, context };
    return JSON.stringify(this.#kept.withoutKeys(body));
  }

  #toWire({ id, at, body }: QueuedRow): QueuedPrompt {
    const isWaiting = this.#waiting.some((each) => each.id === id);
    const own = [...this.#waiting, ...this.#held].find((each) => each.id === id)?.prompt;
    const { text, context } = own ?? (JSON.parse(body) as Body);
    return {
      promptId: id,
      text,
      at,
      ...(context.length === 0 ? {} : { context }),
      ...(isWaiting ? {} : { held: true as const }),
    };
  }
}
