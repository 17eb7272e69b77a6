/** The proxies in what is shown of a peeked value, told by what stands behind them: only the inspector hands that over. */
import { headOf } from "../../shared/cut.ts";
import type { Runtime } from "node:inspector";
import { callForObject, callHeld, createAsk, Overtaken } from "../inspector/inspector-call.ts";
import type { Post } from "../inspector/inspector-post.ts";
import { proxyLine } from "./probe.ts";
import { PROXY_MARK } from "../../shared/print/proxy-mark.ts";

const MAX_LINE = 120;
let count = 0;

/** The text with its proxies told; undefined when an interrupt came between, or when the value is gone. */
export async function peekWithProxies(
  post: Post,
  isStopping: () => boolean,
  url: string,
  path: readonly string[],
): Promise<string | undefined> {
  const group = `peek${++count}`;
  const ask = createAsk(post, isStopping, group);
  try {
    const expression = `__agentq.peekProxies(${JSON.stringify(url)},${JSON.stringify(path)})`;
    const reply = await ask<Runtime.EvaluateReturnType>("Runtime.evaluate", {
      expression,
      objectGroup: group,
      silent: true,
    });
    const objectId = reply?.exceptionDetails === undefined ? reply?.result.objectId : undefined;
    if (objectId === undefined) return undefined;
    const marked = await callHeld<string>(ask, { objectId }, "function(){return this[0]}");
    if (marked === undefined) return undefined;
    const parts = marked.split(PROXY_MARK);
    let text = parts[0] ?? "";
    for (let index = 1; index < parts.length; index++) {
      const proxy = await callForObject(ask, { objectId }, "function(at){return [this[at]]}", { value: index });
      const line = typeof proxy === "object" ? await proxyLine(ask, proxy) : undefined;
      text += `${shortened(line ?? "Proxy (revoked)")}${parts[index] ?? ""}`;
    }
    return text;
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  } finally {
    void post("Runtime.releaseObjectGroup", { objectGroup: group });
  }
}

function shortened(line: string): string {
  return line.length > MAX_LINE ? `${headOf(line, MAX_LINE)}…` : line;
}
