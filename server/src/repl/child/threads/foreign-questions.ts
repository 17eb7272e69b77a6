/** Questions about modules that others than the image's main thread asked, until they are answered. */
import type { ThreadNeed } from "../wire/thread-questions.ts";
import type { BridgeAnswer } from "../wire/wire.ts";

export class ForeignQuestions {
  readonly #send: (request: number, need: ThreadNeed) => void;
  readonly #waiting = new Map<number, (answer: BridgeAnswer) => void>();
  /** The numbers of the main thread's questions go up. */
  #last = 0;

  constructor(send: (request: number, need: ThreadNeed) => void) {
    this.#send = send;
  }

  ask(need: ThreadNeed, answered: (answer: BridgeAnswer) => void): void {
    this.#waiting.set(--this.#last, answered);
    this.#send(this.#last, need);
  }

  /** False where nobody here asked. */
  answered(request: number, answer: BridgeAnswer): boolean {
    const tell = this.#waiting.get(request);
    this.#waiting.delete(request);
    tell?.(answer);
    return tell !== undefined;
  }
}
