/** Passes the questions of this process's other threads on. The project's code may write anything into a question. */
import { BroadcastChannel } from "node:worker_threads";
import { THREAD_CHANNEL, type ThreadAnswer, type ThreadNeed, type ThreadQuestion } from "../wire/thread-questions.ts";
import type { ForeignQuestions } from "./foreign-questions.ts";

export function answerThreads(questions: ForeignQuestions): void {
  const channel = new BroadcastChannel(THREAD_CHANNEL);
  channel.addEventListener("message", (event) => {
    const { thread = 0, number = 0, need, bell } = (event as MessageEvent).data as Partial<ThreadQuestion>;
    if (!(bell instanceof Int32Array && bell.buffer instanceof SharedArrayBuffer) || !isThreadNeed(need)) return;
    questions.ask(need, (answer) => {
      const reply: ThreadAnswer = { thread, number, answer };
      channel.postMessage(reply);
      Atomics.add(bell, 0, 1);
      Atomics.notify(bell, 0);
    });
  });
}

export function isThreadNeed(need: Partial<ThreadNeed> | undefined): need is ThreadNeed {
  return need?.op === "threadResolve" || need?.op === "threadLoad";
}
