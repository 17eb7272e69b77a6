/**
 * A trial: V8 evaluates an expression and gives it up before it has a side effect. The value is kept for the evaluation
 * that follows, which must not run the expression a second time: `Date.now() > later && remove()` may give two answers.
 */
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import { callHeld, callKernel, UNSEEN, type Ask } from "../inspector/inspector-call.ts";
import type { InquiryAnswer, ValueRoot } from "../../wire/inquiry.ts";
import type { Lent } from "../../main/look/lent-names.ts";

const LIMIT_MS = 200;

export async function runTrial(ask: Ask, { expression, names, module = "" }: ValueRoot): Promise<InquiryAnswer> {
  const answer = await callKernel<string>(ask, kernelCall("lend", module, names));
  const { problem, isPartial, lent } = JSON.parse(answer ?? '{"lent":[],"problem":"?"}') as Lent;
  if (problem !== undefined || isPartial === true) return { kind: "refused", why: "missing", reason: problem ?? "" };
  const values = lent.map((_, at) => `${inKernel("lent")}[${at}]`).join(",");
  const reply = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
    expression: `((${lent.join(",")})=>[(${expression}\n)])(${values})`,
    objectGroup: ask.group,
    throwOnSideEffect: true,
    timeout: LIMIT_MS,
    silent: true,
  });
  await callKernel(ask, kernelCall("lend", "", []));
  const objectId = reply?.exceptionDetails === undefined ? reply?.result.objectId : undefined;
  if (objectId === undefined) return { kind: "refused", why: "effect", reason: "It may have an effect, or it throws." };
  const token = await callHeld<string>(ask, { objectId }, `function(){return ${inKernel("holdTrial")}(this[0])}`);
  return token === undefined ? { kind: "refused", ...UNSEEN } : { kind: "tried", token };
}
