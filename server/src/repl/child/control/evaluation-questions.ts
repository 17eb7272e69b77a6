/**
 * Questions to the kernel about one evaluation. They are answered unless the main thread is busy. V8 keeps every text
 * that it evaluates, so the texts never change: the number of the evaluation is in a shared number, and one question is
 * asked after the other.
 */
import type { Runtime } from "node:inspector";
import { kernelCall } from "../wire/kernel-call.ts";
import { CELL } from "../wire/shared-cells.ts";
import type { Post } from "./inspector/inspector-post.ts";
import { withTimeLimit } from "./inspector/time-limit.ts";

export const ANSWER_MS = 200;
/** Whether values are held is known only after a collection of the whole heap. */
const HELD_ANSWER_MS = 1_000;

export class EvaluationQuestions {
  readonly #post: Post;
  readonly #cells: Int32Array;
  #asked: Promise<unknown> = Promise.resolve();

  constructor(post: Post, cells: Int32Array) {
    this.#post = post;
    this.#cells = cells;
  }

  ask(id: number, question: "left" | "held" | "waits"): Promise<string | undefined> {
    const answer = this.#asked.then(async () => {
      Atomics.store(this.#cells, CELL.asked, id);
      const params = { expression: kernelCall(question), returnByValue: true, silent: true };
      const limitMs = question === "held" ? HELD_ANSWER_MS : ANSWER_MS;
      const reply = await withTimeLimit(limitMs, this.#post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
      const text = reply?.result?.result.value as unknown;
      return typeof text === "string" ? text : undefined;
    });
    this.#asked = answer;
    return answer;
  }
}
