/** The control worker's part of a heap query: see `main/redefine/heap-query.ts`. */
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import type { Inspector } from "./inspector-post.ts";

/** Nothing may be posted while an evaluation is being stopped: the main thread then waits until its time limit. */
export async function answerHeapQuery({ post, isStopping }: Inspector, question: number): Promise<void> {
  const ask = async <T>(method: string, params: object): Promise<T | undefined> =>
    isStopping() ? undefined : (await post<T>(method, params)).result;
  // A group for each question: the next question may be asked before the objects of this one are released.
  const objectGroup = `agentq-query-${question}`;
  const asked = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
    expression: kernelCall("asked", question),
    objectGroup,
  });
  const prototypeObjectId = asked?.result.objectId;
  if (prototypeObjectId !== undefined) {
    const params = { prototypeObjectId, objectGroup };
    const list = await ask<Runtime.QueryObjectsReturnType>("Runtime.queryObjects", params);
    const objectId = list?.objects.objectId;
    const functionDeclaration = `function(){${inKernel("found")}(${question},this)}`;
    if (objectId !== undefined) {
      await ask("Runtime.callFunctionOn", { objectId, functionDeclaration, returnByValue: true });
    }
  }
  await ask("Runtime.evaluate", { expression: kernelCall("found", question), returnByValue: true });
  await ask("Runtime.releaseObjectGroup", { objectGroup });
}
