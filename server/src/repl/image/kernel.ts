/** The small frozen object through which evaluated code and the control worker reach the image's services. */
import { AsyncLocalStorage } from "node:async_hooks";
import { types } from "node:util";
import type { Bridge } from "./bridge.ts";
import { captured, shieldedMap, shieldedSet } from "./captured.ts";
import { describeError } from "./describe-error.ts";
import { installModuleHooks } from "./module-hooks.ts";
import { createModuleScopes } from "./module-scopes.ts";
import { captureOutput } from "./output.ts";
import { peek } from "./peek.ts";
import { print, typeOf } from "./printer.ts";
import { survive } from "./survival.ts";
import { trackTimers } from "./timers.ts";
import type { KeptValue } from "./wire.ts";

const MAX_HANDLES = 200;
export const KERNEL_NAME = "__agentq";

export function installKernel(bridge: Bridge, replUrl: string, kernelUrl: string): void {
  const evaluation = new AsyncLocalStorage<number>();
  const getStore = evaluation.getStore.bind(evaluation);
  const enterWith = evaluation.enterWith.bind(evaluation);
  const currentId = (): number => getStore() ?? 0;
  const cancelled = shieldedSet<number>();
  const handles = shieldedMap<string, true>();

  const freshBudget = captureOutput({
    currentId,
    text: (id, stream, text) => bridge.post({ t: "out", id, stream, text }),
    dropped: (id, bytes) => bridge.post({ t: "dropped", id, bytes }),
  });
  const cancelTimers = trackTimers(currentId);
  survive({ currentId, post: bridge.post, isCancelled: (id) => cancelled.has(id) });
  const modules = installModuleHooks(bridge, replUrl, kernelUrl);
  const scopes = createModuleScopes();

  const remember = (handle: string, value: unknown): void => {
    captured.defineProperty(globalThis, handle, { value, writable: true, configurable: true, enumerable: false });
    handles.set(handle, true);
    if (handles.size <= MAX_HANDLES) return;
    let oldest: string | undefined;
    handles.forEach((_, name) => {
      oldest ??= name;
    });
    if (oldest === undefined) return;
    handles.delete(oldest);
    delete (globalThis as Record<string, unknown>)[oldest];
  };
  const keepNow = (id: number, value: unknown, awaited: boolean): string => {
    const handle = value === undefined ? {} : { handle: `$${id}` };
    if (value !== undefined) remember(`$${id}`, value);
    const kept: KeptValue = { ...handle, preview: print(value), type: typeOf(value), ...(awaited ? { awaited } : {}) };
    return captured.stringify(kept);
  };

  const kernel = {
    __proto__: null,
    tick: () => new captured.Promise<void>((resolve) => void captured.setImmediate(resolve)),
    /** The first act of an evaluation; throws when it was interrupted before it began. */
    enter: (id: number) => {
      if (cancelled.has(id)) throw new captured.Error("The evaluation was interrupted before it began.");
      freshBudget();
      enterWith(id);
    },
    /** Keeps the value of an evaluation; what crosses is its preview. A promise is awaited: its value is the answer. */
    keep: (id: number, value: unknown) =>
      types.isPromise(value) ? (async () => keepNow(id, await value, true))() : keepNow(id, value, false),
    cancel: (id: number) => {
      cancelled.add(id);
      cancelTimers(id);
    },
    peek: (url: string, path: readonly string[]) => peek(scopes, url, path),
    error: (thrown: unknown) => captured.stringify(describeError(thrown)),
    root: Object.freeze({
      url: replUrl,
      filename: decodeURIComponent(new URL(replUrl).pathname),
      dirname: process.cwd(),
    }),
    ...modules,
    ...scopes,
  };
  captured.defineProperty(globalThis, KERNEL_NAME, { value: Object.freeze(kernel), enumerable: false });
}
