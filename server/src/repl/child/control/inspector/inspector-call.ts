/** How the control worker asks the main thread about a value without receiving the value itself. */
import { kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import type { Post } from "./inspector-post.ts";
import type { Failure } from "../../wire/value-path.ts";

/** An array on the main thread whose only element is the value. */
export interface Held {
  readonly objectId: string;
}

export interface Ask {
  /** Undefined when the inspector refused, or when a time limit ended the question. Throws `Overtaken`. */
  <T>(method: string, params: object): Promise<T | undefined>;
  /** The object group of this inquiry: a late inquiry must not release the objects of the next one. */
  readonly group: string;
}

/**
 * Thrown inside of an inquiry when an interrupt begins: a termination could hit the question in place of the program.
 */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

export const UNSEEN: Failure = { why: "error", reason: "The image could not look." };

export function createAsk(post: Post, isStopping: () => boolean, group: string): Ask {
  const ask = async <T>(method: string, params: object): Promise<T | undefined> => {
    if (isStopping()) throw new Overtaken();
    const { result } = await nudged(post, isStopping, post<T>(method, params));
    return result;
  };
  return Object.assign(ask, { group });
}

const NUDGES_MS = [15, 30, 60, 120, 250, 500, 1000];

/**
 * Node 26 sometimes does not dispatch a message that arrives during the dispatch of another one until a further message
 * comes, so a further message is posted. Other versions of Node get it too, because it also repairs the queue of
 * immediates, in which a form might otherwise wait for ever.
 */
export async function nudged<T>(post: Post, isNeedless: () => boolean, reply: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const nudge = (round: number): void => {
    const wait = NUDGES_MS[round];
    if (wait === undefined) return;
    timer = setTimeout(() => {
      if (!isNeedless()) void post("Runtime.evaluate", { expression: kernelCall("revive"), silent: true });
      nudge(round + 1);
    }, wait);
  };
  nudge(0);
  try {
    return await reply;
  } finally {
    clearTimeout(timer);
  }
}

/** Calls one of the image's own functions with the held array as `this`, and returns a copy of the answer. */
export async function callHeld<T>(
  ask: Ask,
  held: Held,
  declaration: string,
  ...values: readonly Argument[]
): Promise<T | undefined> {
  const reply = await ask<Runtime.CallFunctionOnReturnType>("Runtime.callFunctionOn", {
    functionDeclaration: declaration,
    objectId: held.objectId,
    arguments: values,
    returnByValue: true,
    silent: true,
  });
  return reply?.exceptionDetails === undefined ? (reply?.result.value as T | undefined) : undefined;
}

/** The same for a function whose answer stays on the main thread, unless it is a string. */
export async function callForObject(
  ask: Ask,
  held: Held,
  declaration: string,
  ...values: readonly Argument[]
): Promise<Held | string | undefined> {
  const reply = await ask<Runtime.CallFunctionOnReturnType>("Runtime.callFunctionOn", {
    functionDeclaration: declaration,
    objectId: held.objectId,
    arguments: values,
    objectGroup: ask.group,
    silent: true,
  });
  const result = reply?.exceptionDetails === undefined ? reply?.result : undefined;
  if (result?.objectId !== undefined) return { objectId: result.objectId };
  return result?.type === "string" ? (result.value as string) : undefined;
}

/** Evaluates one of the image's own expressions, and returns a copy of the answer. */
export async function callKernel<T>(ask: Ask, expression: string): Promise<T | undefined> {
  const params = { expression, returnByValue: true, silent: true };
  const reply = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", params);
  return reply?.exceptionDetails === undefined ? (reply?.result.value as T | undefined) : undefined;
}

export type Argument = Pick<Runtime.RemoteObject, "objectId" | "value" | "unserializableValue">;
