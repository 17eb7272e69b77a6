/** Conversations on the disk: what is written of them, without keys, as JSON; in memory alone where nothing can be written. */
import type { ModelMessage, UserBlock } from "../model/model-port.ts";
import { AgentqError, errorText } from "../base/errors.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { View } from "./compaction/view.ts";
import type { ItemRow, NewItem } from "../storage/session-items.ts";
import type { SessionRows } from "../storage/session-rows.ts";

interface KeepPorts {
  /** A copy without keys; texts of more than `longest` characters are cut, and say so. Contract: never throws. */
  readonly redact: <Value>(value: Value, longest: number) => Value;
  /** Tells the person, once, why conversations are no longer kept. */
  readonly onLost: (reason: string) => void;
}

/** So many characters of each text of a message or an event are kept. */
const LONGEST = 200_000;
const NOT_KEPT = "Conversations of this workspace are not kept";

export class KeptSessions {
  readonly #ports: KeepPorts;
  #rows: SessionRows | undefined;
  #why = "";

  constructor(ports: KeepPorts) {
    this.#ports = ports;
  }

  /** From now on conversations outlive the server. */
  keepIn(rows: SessionRows): void {
    this.#rows = rows;
  }

  /** The server ends: a turn that still runs is cut. */
  end(): void {
    this.#rows = undefined;
  }

  /** Throws a sentence for the person where nothing is kept. */
  get rows(): SessionRows {
    if (this.#rows !== undefined) return this.#rows;
    throw new AgentqError("notKept", `${NOT_KEPT}${this.#why === "" ? "" : `: ${this.#why}`}.`);
  }

  get isKeeping(): boolean {
    return this.#rows !== undefined;
  }

  /** Undefined where nothing is kept, or no longer. */
  try<Value>(use: (rows: SessionRows) => Value): Value | undefined {
    if (this.#rows === undefined) return undefined;
    try {
      return use(this.#rows);
    } catch (error) {
      this.#rows = undefined;
      this.#why = errorText(error);
      this.#ports.onLost(this.#why);
      return undefined;
    }
  }

  withoutKeys<Value>(value: Value): Value {
    return this.#ports.redact(value, LONGEST);
  }

  eventItem(session: string, turn: string, event: TurnEvent): NewItem {
    const kept = this.#ports.redact(event, LONGEST);
    const kind = event.kind === "turnStarted" ? "turn" : "event";
    const isSaid = kept.kind === "turnStarted" || kept.kind === "queuedPrompt" || kept.kind === "text";
    return { session, kind, turn, body: JSON.stringify(kept), ...(isSaid ? { words: kept.text } : {}) };
  }

  /** A block of the provider's own is kept as it came, or, with a key in it or too long, not at all: it could not be changed. */
  messageItem(session: string, turn: string, message: ModelMessage): NewItem {
    const kept =
      message.role === "user"
        ? { ...message, content: message.content.map((block) => this.#userBlock(block)) }
        : { ...message, content: message.content.flatMap((block) => this.#assistantBlock(block)) };
    return { session, kind: "message", turn, body: JSON.stringify(kept) };
  }

  /** A picture is kept as it is: a part of one cannot be shown. */
  #userBlock(block: UserBlock): UserBlock {
    return block.kind === "image" ? block : this.#ports.redact(block, LONGEST);
  }

  #assistantBlock<Block extends { readonly kind: string }>(block: Block): Block[] {
    const kept = this.#ports.redact(block, LONGEST);
    return block.kind === "opaque" && JSON.stringify(kept) !== JSON.stringify(block) ? [] : [kept];
  }
}

export function eventOf({ body }: Pick<ItemRow, "body">): TurnEvent {
  return JSON.parse(body) as TurnEvent;
}

export function messageOf({ body }: Pick<ItemRow, "body">): ModelMessage {
  return JSON.parse(body) as ModelMessage;
}

/** Undefined where the view before was taken back. */
export function viewIn({ body }: Pick<ItemRow, "body">): View | undefined {
  return (JSON.parse(body) as View | null) ?? undefined;
}
