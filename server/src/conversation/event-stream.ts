/** Numbers a turn's events without gaps and joins streamed text into frames, so that editors redraw at their own pace. */
import type { NotificationParams } from "../protocol/methods.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";

export type NumberedEvent = NotificationParams["agentq/event"];

interface Held {
  readonly kind: "text" | "thinking";
  text: string;
}

const FRAME_MS = 25;

export class EventStream {
  readonly #sessionId: string;
  readonly #turnId: string;
  readonly #send: (batch: readonly NumberedEvent[]) => void;
  #seq = 0;
  #held: Held | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `send` gets what belongs to one moment at once, and must not throw. */
  constructor(sessionId: string, turnId: string, send: (batch: readonly NumberedEvent[]) => void) {
    this.#sessionId = sessionId;
    this.#turnId = turnId;
    this.#send = send;
  }

  /** Events of one moment: they are kept and sent together. */
  emit(...events: readonly TurnEvent[]): void {
    const whole: TurnEvent[] = [];
    for (const event of events) {
      if (event.kind !== "text" && event.kind !== "thinking") whole.push(...this.#takeHeld(), event);
      else whole.push(...this.#hold(event));
    }
    this.#sendNow(whole);
  }

  flush(): void {
    this.#sendNow(this.#takeHeld());
  }

  /** Answers what was held of another kind. */
  #hold({ kind, text }: Held): readonly TurnEvent[] {
    const before = this.#held !== undefined && this.#held.kind !== kind ? this.#takeHeld() : [];
    if (this.#held === undefined) {
      this.#held = { kind, text };
      this.#timer = setTimeout(() => this.flush(), FRAME_MS);
    } else {
      this.#held.text += text;
    }
    return before;
  }

  #takeHeld(): readonly TurnEvent[] {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? [] : [held];
  }

  #sendNow(events: readonly TurnEvent[]): void {
    if (events.length === 0) return;
    const [sessionId, turnId, first] = [this.#sessionId, this.#turnId, this.#seq];
    this.#seq += events.length;
    this.#send(events.map((event, index) => ({ sessionId, turnId, seq: first + index, event })));
  }
}
