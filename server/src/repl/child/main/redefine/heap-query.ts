/**
 * Finds every living object that inherits from a given object. Only the inspector can do that, and only the control
 * worker has an inspector: the main thread asks over the port, and the evaluation waits for the answer.
 */
import { captured, shieldedMap } from "../../shared/captured.ts";

export interface HeapQuery {
  /** Undefined when the inspector did not answer in time. */
  readonly query: (prototype: object) => Promise<readonly unknown[] | undefined>;
  /** For the control worker: the object that a question is about, and the answer. */
  readonly asked: (question: number) => unknown;
  readonly found: (question: number, objects?: readonly unknown[]) => void;
}

const PATIENCE_MS = 20_000;

export function createHeapQuery(post: (message: { t: "query"; question: number }) => void): HeapQuery {
  type Question = { readonly prototype: object; readonly answer: (objects: readonly unknown[] | undefined) => void };
  const open = shieldedMap<number, Question>();
  let questions = 0;
  const found: HeapQuery["found"] = (question, objects) => {
    const asked = open.get(question);
    open.delete(question);
    asked?.answer(objects);
  };
  return {
    asked: (question) => open.get(question)?.prototype,
    found,
    query: (prototype) => {
      const question = ++questions;
      return new captured.Promise((resolve) => {
        const timer = captured.setTimeout(() => found(question, undefined), PATIENCE_MS);
        open.set(question, {
          prototype,
          answer: (objects) => {
            captured.clearTimeout(timer);
            resolve(objects);
          },
        });
        post({ t: "query", question });
      });
    },
  };
}
