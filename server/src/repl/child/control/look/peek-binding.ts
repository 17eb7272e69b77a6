/**
 * Looks at a binding of a module, also during an evaluation. Looking runs none of the user's code, so it needs no tick
 * first. Proxies are shown by their targets, which only the inspector can read.
 */
import type { Runtime } from "node:inspector";
import { shortened } from "../../shared/cut.ts";
import { PROXY_MARK } from "../../shared/print/proxy-mark.ts";
import { kernelCall } from "../../wire/kernel-call.ts";
import type { PeekAnswer } from "../../wire/wire.ts";
import { callForObject, callHeld, createAsk, Overtaken, type Ask } from "../inspector/inspector-call.ts";
import type { Inspector } from "../inspector/inspector-post.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import { proxyLine } from "./probe.ts";

const PEEK_MS = 120;
const MAX_LINE = 120;
let count = 0;

export async function peekBinding(inspector: Inspector, url: string, path: readonly string[]): Promise<PeekAnswer> {
  if (inspector.isStopping()) return { kind: "busy" };
  const since = performance.now();
  const params = { expression: kernelCall("peek", url, path), returnByValue: true, silent: true };
  const reply = await withTimeLimit(PEEK_MS, inspector.post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
  if (reply === undefined) return { kind: "busy" };
  const text = reply.result?.result.value as unknown;
  const answer = typeof text === "string" ? (JSON.parse(text) as PeekAnswer) : ({ kind: "absent" } as const);
  if (answer.kind !== "value" || !answer.text.includes("[Proxy]")) return answer;
  const left = PEEK_MS - (performance.now() - since);
  return { kind: "value", text: (await withTimeLimit(left, textWithProxies(inspector, url, path))) ?? answer.text };
}

/** The text with its proxies shown; undefined when an interrupt began, or when the value is gone. */
async function textWithProxies(
  { post, isStopping }: Inspector,
  url: string,
  path: readonly string[],
): Promise<string | undefined> {
  const ask = createAsk(post, isStopping, `peek${++count}`);
  try {
    return await askWithProxies(ask, kernelCall("peekProxies", url, path));
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  } finally {
    void post("Runtime.releaseObjectGroup", { objectGroup: ask.group });
  }
}

async function askWithProxies(ask: Ask, expression: string): Promise<string | undefined> {
  const params = { expression, objectGroup: ask.group, silent: true };
  const reply = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", params);
  const objectId = reply?.exceptionDetails === undefined ? reply?.result.objectId : undefined;
  if (objectId === undefined) return undefined;
  const marked = await callHeld<string>(ask, { objectId }, "function(){return this[0]}");
  if (marked === undefined) return undefined;
  const parts = marked.split(PROXY_MARK);
  let text = parts[0] ?? "";
  for (let index = 1; index < parts.length; index++) {
    const proxy = await callForObject(ask, { objectId }, "function(at){return [this[at]]}", { value: index });
    const line = typeof proxy === "object" ? await proxyLine(ask, proxy) : undefined;
    text += `${shortened(line ?? "Proxy (revoked)", MAX_LINE)}${parts[index] ?? ""}`;
  }
  return text;
}
