/** One conversation's way to the disk: each message and each event as it happens. */
import type { ModelMessage } from "../model/model-port.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { SessionRows } from "../storage/session-rows.ts";
import type { View } from "./compaction/view.ts";
import type { KeptSessions } from "./kept-sessions.ts";

/** Streamed text comes in pieces, which are joined to one item when the text is complete. */
interface Streamed {
  readonly kind: "text" | "thinking";
  readonly turn: string;
  readonly first: number;
  last: number;
  text: string;
}

interface ShownEvent {
  readonly turnId: string;
  readonly event: TurnEvent;
}

export interface Known {
  /** How many messages of the history are written. */
  readonly messages: number;
  /** The last item that this server knows of. */
  readonly last: number;
}

export class SessionRecord {
  readonly #kept: KeptSessions;
  readonly #id: string;
  #messages: number;
  #last: number;
  #streamed: Streamed | undefined;
  #system: string | undefined;
  #state = "";

  constructor(kept: KeptSessions, id: string, { messages, last }: Known = { messages: 0, last: 0 }) {
    this.#kept = kept;
    this.#id = id;
    this.#messages = messages;
    this.#last = last;
  }

  create(words: string): void {
    const at = new Date().toISOString();
    this.#kept.try((rows) => rows.create({ id: this.#id, words: this.#kept.withoutKeys(words) }, at));
  }

  /** From now on these are the conversation's first words: those before were commands. */
  callBy(words: string): void {
    this.#kept.try((rows) => rows.reword(this.#id, this.#kept.withoutKeys(words)));
  }

  /** Why this server may not run a turn of the conversation now; undefined when it may. */
  hold(): ReturnType<SessionRows["hold"]> {
    return this.#kept.try((rows) => rows.hold(this.#id, this.#last));
  }

  release(): void {
    this.#kept.try((rows) => rows.letGo(this.#id, rows.server));
  }

  /** Whether another server has gone on with the conversation, or deleted it. */
  isOutdated(): boolean {
    return this.#kept.try((rows) => rows.log.last(this.#id) !== this.#last) ?? false;
  }

  /** What the model's provider is sent before the history: the same text as long as the conversation lasts. */
  system(text: string): void {
    if (this.#system === text) return;
    this.#system = text;
    this.#kept.try((rows) => rows.setSystem(this.#id, text));
  }

  state(state: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#kept.try((rows) => rows.setState(this.#id, state));
  }

  /** Those of the history that are not written yet. */
  messages(turn: string, history: readonly ModelMessage[]): void {
    if (this.#messages >= history.length) return;
    this.#kept.try((rows) => rows.atOnce(() => this.#addMessages(rows, turn, history)));
  }

  /** What the model is sent from now on; undefined takes the last view back. */
  view(turn: string, view: View | undefined): void {
    const body = JSON.stringify(view ?? null);
    const at = new Date().toISOString();
    this.#kept.try((rows) =>
      rows.atOnce(() => {
        this.#last = rows.log.append({ session: this.#id, kind: "view", turn, body }, at);
      }),
    );
  }

  /** All of them, and the messages that are there by then, in one write: the disk waits for each write. */
  events(events: readonly ShownEvent[], history: readonly ModelMessage[]): void {
    this.#kept.try((rows) =>
      rows.atOnce(() => {
        for (const { turnId, event } of events) {
          // Text is told while its message is not there yet.
          if (!isPiece(event)) this.#addMessages(rows, turnId, history);
          this.#addEvent(rows, turnId, event);
        }
      }),
    );
  }

  #addMessages(rows: SessionRows, turn: string, history: readonly ModelMessage[]): void {
    const added = history.slice(this.#messages);
    this.#messages = Math.max(this.#messages, history.length);
    const at = new Date().toISOString();
    for (const message of added) this.#last = rows.log.append(this.#kept.messageItem(this.#id, turn, message), at);
  }

  #addEvent(rows: SessionRows, turn: string, event: TurnEvent): void {
    const streamed = this.#streamed;
    if (streamed !== undefined && (streamed.kind !== event.kind || streamed.turn !== turn)) this.#join(rows, streamed);
    const { words, ...item } = this.#kept.eventItem(this.#id, turn, event);
    for (const id of promptIds(event)) rows.queue.delete(id);
    const at = new Date().toISOString();
    const seq = rows.log.append({ ...item, words: isPiece(event) ? undefined : words }, at);
    this.#last = seq;
    if (!isPiece(event)) return;
    if (this.#streamed === undefined) {
      this.#streamed = { kind: event.kind, turn, first: seq, last: seq, text: event.text };
    } else {
      this.#streamed.last = seq;
      this.#streamed.text += event.text;
    }
  }

  #join(rows: SessionRows, { kind, turn, first, last, text }: Streamed): void {
    this.#streamed = undefined;
    const item = this.#kept.eventItem(this.#id, turn, { kind, text });
    rows.log.join(this.#id, { first, last }, item);
    // The pieces that came after the first are gone.
    if (this.#last === last) this.#last = first;
  }
}

type Piece = Extract<TurnEvent, { readonly kind: "text" | "thinking" }>;

function isPiece(event: TurnEvent): event is Piece {
  return event.kind === "text" || event.kind === "thinking";
}

/** What waited, and is kept with the turn from this event on. */
function promptIds(event: TurnEvent): readonly string[] {
  if (event.kind === "turnStarted") return event.promptIds ?? [];
  return event.kind === "queuedPrompt" && event.promptId !== undefined ? [event.promptId] : [];
}
