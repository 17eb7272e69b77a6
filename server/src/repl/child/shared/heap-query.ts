/**
 * Finds every living object that inherits from a given one. Only the inspector can, and only the control worker has it:
 * the main thread asks over the port and goes on with an evaluation that waits for the answer.
 */
import type { Runtime } from "node:inspector";
import { captured, shieldedMap } from "./captured.ts";
import type { Controller } from "../control/controller.ts";

export interface HeapQuery {
  /** Undefined when the inspector did not answer in time. */
  readonly query: (prototype: object) => Promise<readonly unknown[] | undefined>;
  /** For the control worker: the object of a question, and its answer. */
  readonly asked: (question: number) => unknown;
  readonly found: (question: number, objects: readonly unknown[] | undefined) => void;
}

type QueryPort = Pick<Controller, "post" | "isStopping">;

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

/** The control worker's part. While an evaluation is being stopped nothing may be posted: the answer is then none. */
export async function answerHeapQuery({ post, isStopping }: QueryPort, question: number): Promise<void> {
  const ask = async <T>(method: string, params: object): Promise<T | undefined> =>
    isStopping() ? undefined : (await post<T>(method, params)).result;
  // The next question may be asked before this one's objects are released.
  const objectGroup = `agentq-query-${question}`;
  const asked = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
    expression: `__agentq.asked(${question})`,
    objectGroup,
  });
  const prototypeObjectId = asked?.result.objectId;
  if (prototypeObjectId !== undefined) {
    const params = { prototypeObjectId, objectGroup };
    const list = await ask<Runtime.QueryObjectsReturnType>("Runtime.queryObjects", params);
    const objectId = list?.objects.objectId;
    const functionDeclaration = `function(){__agentq.found(${question},this)}`;
    if (objectId !== undefined) {
      await ask("Runtime.callFunctionOn", { objectId, functionDeclaration, returnByValue: true });
    }
  }
  await ask("Runtime.evaluate", { expression: `__agentq.found(${question})`, returnByValue: true });
  await ask("Runtime.releaseObjectGroup", { objectGroup });
}
