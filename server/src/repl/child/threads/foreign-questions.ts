/** Questions about modules that did not come from the image's main thread, until they are answered. */
import type { ThreadNeed } from "../wire/thread-questions.ts";
import type { BridgeAnswer } from "../wire/wire.ts";

export class ForeignQuestions {
  readonly #send: (request: number, need: ThreadNeed) => void;
  readonly #waiting = new Map<number, (answer: BridgeAnswer) => void>();
  /** The number of the last question. The numbers are negative, because those of the main thread are positive. */
  #last = 0;

  constructor(send: (request: number, need: ThreadNeed) => void) {
    this.#send = send;
  }

  ask(need: ThreadNeed, answered: (answer: BridgeAnswer) => void): void {
    this.#waiting.set(--this.#last, answered);
    this.#send(this.#last, need);
  }

  /** False when the question was not asked here. */
  answered(request: number, answer: BridgeAnswer): boolean {
    const tell = this.#waiting.get(request);
    this.#waiting.delete(request);
    tell?.(answer);
    return tell !== undefined;
  }
}
