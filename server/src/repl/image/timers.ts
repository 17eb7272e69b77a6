/**
 * Remembers which evaluation made which timer, so that an interrupted evaluation's own endless `await sleep()` loop
 * really stops while every other evaluation's timers go on.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { captured, shieldedMap, shieldedSet } from "./captured.ts";

type Callback = (...args: unknown[]) => unknown;
interface Owned {
  readonly controller: AbortController;
  readonly handles: Set<unknown>;
}

/** Returns `cancel(id)`: clears the evaluation's timers and refuses the ones it still tries to make. */
export function trackTimers(currentId: () => number): (id: number) => void {
  const owners = shieldedMap<number, Owned>();
  const cancelled = shieldedSet<number>();
  const owned = (id: number): Owned => {
    let entry = owners.get(id);
    if (entry === undefined) {
      entry = { controller: new AbortController(), handles: shieldedSet<unknown>() };
      owners.set(id, entry);
    }
    return entry;
  };
  const clear = (handle: unknown): void => {
    captured.clearTimeout(handle as NodeJS.Timeout);
    captured.clearImmediate(handle as NodeJS.Immediate);
  };

  const track = (make: (callback: Callback, ...rest: unknown[]) => unknown, once: boolean) =>
    function (callback: Callback, ...rest: unknown[]): unknown {
      const id = currentId();
      if (id === 0 || typeof callback !== "function") return make(callback, ...rest);
      const handles = owned(id).handles;
      const run = function (this: unknown, ...args: unknown[]): unknown {
        if (once) handles.delete(handle);
        return callback.apply(this, args);
      };
      const handle = make(run, ...rest);
      if (cancelled.has(id)) clear(handle);
      else handles.add(handle);
      return handle;
    };

  /** The promise versions of node:timers/promises end with an AbortError, so that `finally` blocks run. */
  const abortable = (make: Callback, optionsAt: number): Callback =>
    function (...args: unknown[]): unknown {
      const id = currentId();
      if (id === 0) return make(...args);
      const given = (args[optionsAt] ?? {}) as { signal?: AbortSignal };
      const own = owned(id).controller.signal;
      args[optionsAt] = { ...given, signal: given.signal === undefined ? own : AbortSignal.any([given.signal, own]) };
      for (let index = 0; index < optionsAt; index++) args[index] ??= undefined;
      return make(...args);
    };

  const later = abortable(timersPromises.setTimeout as Callback, 2);
  const soon = abortable(timersPromises.setImmediate as Callback, 1);
  const wrapped = {
    setTimeout: Object.assign(track(captured.setTimeout as never, true), { [promisify.custom]: later }),
    setInterval: track(captured.setInterval as never, false),
    setImmediate: Object.assign(track(captured.setImmediate as never, true), { [promisify.custom]: soon }),
  };
  for (const [name, value] of Object.entries(wrapped)) {
    captured.defineProperty(value, "name", { value: name, configurable: true });
    captured.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  }
  Object.assign(timers, wrapped);
  Object.assign(timersPromises, { setTimeout: later, setImmediate: soon });
  syncBuiltinESMExports();

  return (id) => {
    cancelled.add(id);
    const entry = owners.get(id);
    if (entry === undefined) return;
    entry.handles.forEach(clear);
    entry.handles.clear();
    entry.controller.abort();
    owners.delete(id);
  };
}
