/**
 * Holds the value of an expression in an array of one element on the main thread: only the array's id is sent, never
 * the value. V8 evaluates the expression with `throwOnSideEffect`, so nothing changes, and gives up after a fifth of a
 * second.
 */
import { inKernel, kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import { callForObject, callKernel, UNSEEN, type Ask, type Held } from "../inspector/inspector-call.ts";
import type { ValueRoot } from "../../wire/inquiry.ts";
import type { Lent } from "../../main/look/lent-names.ts";
import type { Failure } from "../../wire/value-path.ts";

const LIMIT_MS = 200;
/** Reading a name takes no time, but a busy machine or a garbage collection may delay it. */
const NAME_LIMIT_MS = 1500;
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export async function holdRoot(ask: Ask, root: ValueRoot): Promise<Held | Failure> {
  const { chain } = root;
  if (chain !== undefined) {
    // A walk can also read what an evaluation cannot: V8 regards the names of a module namespace as getters with side
    // effects.
    const base = await hold(ask, { ...root, expression: chain.base });
    if ("why" in base) return base;
    const found = await walkOn(ask, base, chain.steps);
    if (!("why" in found)) return found;
  }
  return hold(ask, root);
}

async function hold(ask: Ask, { expression, names, module = "" }: ValueRoot): Promise<Held | Failure> {
  let code = `[(${expression}\n)]`;
  let isLent = false;
  if (names.length > 0) {
    // V8 regards `eval`, which reaches a module's scope, and the getter of an import as side effects. So these names
    // are read first and passed to the expression as arguments.
    const answer = await callKernel<string>(ask, kernelCall("lend", module, names));
    const { problem, lent } = JSON.parse(answer ?? '{"lent":[]}') as Lent;
    if (problem !== undefined) return { why: "missing", reason: problem };
    isLent = lent.length > 0;
    if (isLent) code = `((${lent.join(",")})=>${code})(${lent.map((_, at) => `${inKernel("lent")}[${at}]`).join(",")})`;
  }
  const limit = NAME.test(expression) ? NAME_LIMIT_MS : LIMIT_MS;
  const reply = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
    expression: code,
    objectGroup: ask.group,
    throwOnSideEffect: true,
    timeout: limit,
    silent: true,
  });
  if (isLent) await callKernel(ask, kernelCall("lend", "", []));
  if (reply === undefined) return { why: "slow", reason: `It took longer than ${limit} ms.` };
  const { objectId } = reply.result;
  if (reply.exceptionDetails === undefined && objectId !== undefined) return { objectId };
  const thrown = reply.exceptionDetails?.exception?.description?.split("\n")[0] ?? reply.exceptionDetails?.text ?? "";
  if (thrown.includes("Possible side-effect")) {
    return { why: "effect", reason: "It may have an effect, and looking runs nothing that has one." };
  }
  return { why: "error", reason: thrown.replace(/^Uncaught /, "") };
}

/** Follows steps that the main thread can follow without the inspector. */
export async function walkOn(ask: Ask, held: Held, steps: readonly string[]): Promise<Held | Failure> {
  const next = await callForObject(ask, held, `function(p){return ${inKernel("walk")}(this[0],p)}`, { value: steps });
  if (next === undefined) return UNSEEN;
  return typeof next === "string" ? (JSON.parse(next) as Failure) : next;
}
