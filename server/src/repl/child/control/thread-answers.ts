/** Hands the questions of the project's threads to the server. Whatever stands in a question is the project's word. */
import { BroadcastChannel } from "node:worker_threads";
import { THREAD_CHANNEL, type ThreadAnswer, type ThreadNeed, type ThreadQuestion } from "../wire/thread-questions.ts";
import type { BridgeAnswer } from "../wire/wire.ts";

export class ThreadAnswers {
  readonly #channel = new BroadcastChannel(THREAD_CHANNEL);
  readonly #asked = new Map<number, Pick<ThreadQuestion, "thread" | "number" | "bell">>();
  /** The numbers of the main thread's questions go up. */
  #last = 0;

  constructor(ask: (request: number, need: ThreadNeed) => void) {
    this.#channel.addEventListener("message", (event) => {
      const { thread = 0, number = 0, need, bell } = (event as MessageEvent).data as Partial<ThreadQuestion>;
      if (!(bell instanceof Int32Array && bell.buffer instanceof SharedArrayBuffer) || !isThreadNeed(need)) return;
      this.#asked.set(--this.#last, { thread, number, bell });
      ask(this.#last, need);
    });
  }

  /** False for an answer that is the main thread's. */
  answered(request: number, answer: BridgeAnswer): boolean {
    const question = this.#asked.get(request);
    if (question === undefined) return false;
    this.#asked.delete(request);
    const { thread, number, bell } = question;
    const reply: ThreadAnswer = { thread, number, answer };
    this.#channel.postMessage(reply);
    Atomics.add(bell, 0, 1);
    Atomics.notify(bell, 0);
    return true;
  }
}

function isThreadNeed(need: Partial<ThreadNeed> | undefined): need is ThreadNeed {
  return need?.op === "threadResolve" || need?.op === "threadLoad";
}
