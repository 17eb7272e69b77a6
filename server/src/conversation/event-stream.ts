/** Numbers a turn's events without gaps and joins streamed text into frames, so that editors redraw at their own pace. */
import type { NotificationParams } from "../protocol/methods.ts";
import type { TurnEvent } from "../protocol/shapes.ts";

const FRAME_MS = 25;

export class EventStream {
  readonly #sessionId: string;
  readonly #turnId: string;
  readonly #send: (params: NotificationParams["agentq/event"]) => void;
  #seq = 0;
  #held: { kind: "text" | "thinking"; text: string } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sessionId: string, turnId: string, send: (params: NotificationParams["agentq/event"]) => void) {
    this.#sessionId = sessionId;
    this.#turnId = turnId;
    this.#send = send;
  }

  emit(event: TurnEvent): void {
    if (event.kind !== "text" && event.kind !== "thinking") {
      this.flush();
      this.#sendNow(event);
      return;
    }
    if (this.#held !== undefined && this.#held.kind !== event.kind) this.flush();
    if (this.#held === undefined) {
      this.#held = { kind: event.kind, text: event.text };
      this.#timer = setTimeout(() => this.flush(), FRAME_MS);
    } else {
      this.#held.text += event.text;
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#sendNow(held);
  }

  #sendNow(event: TurnEvent): void {
    this.#send({ sessionId: this.#sessionId, turnId: this.#turnId, seq: this.#seq, event });
    this.#seq += 1;
  }
}
