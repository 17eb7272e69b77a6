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
  /** Made when somebody asks for the signal. */
  controller: AbortController | undefined;
  readonly handles: Set<unknown>;
  /** How many handles there may be before those of cleared timers are taken out. */
  limit: number;
}

export interface Timers {
  /** Clears the evaluation's timers, aborts its signal, and refuses the timers it still tries to make. */
  readonly cancel: (id: number) => void;
  /** Aborted when that evaluation is stopped. */
  readonly signalOf: (id: number) => AbortSignal;
}

const SWEEP_AT = 64;

/** `onRun` is told whose timer is about to run. */
export function trackTimers(currentId: () => number, onRun: (id: number) => void): Timers {
  const owners = shieldedMap<number, Owned>();
  const cancelled = shieldedSet<number>();
  const owned = (id: number): Owned => {
    let entry = owners.get(id);
    if (entry === undefined) {
      entry = { controller: undefined, handles: shieldedSet<unknown>(), limit: SWEEP_AT };
      owners.set(id, entry);
    }
    return entry;
  };
  const signalOf = (id: number): AbortSignal => {
    const entry = owned(id);
    entry.controller ??= new captured.AbortController();
    if (cancelled.has(id)) entry.controller.abort();
    return entry.controller.signal;
  };
  const hold = (id: number, handle: unknown): void => {
    const entry = owned(id);
    entry.handles.add(handle);
    if (entry.handles.size < entry.limit) return;
    entry.handles.forEach((each) => {
      // Node marks a timer that was cleared or has run with it; there is no other way to see that.
      // oxlint-disable-next-line no-underscore-dangle
      if ((each as { readonly _destroyed?: boolean })._destroyed === true) entry.handles.delete(each);
    });
    entry.limit = SWEEP_AT + entry.handles.size * 2;
  };
  const drop = (id: number, handle: unknown): void => {
    const entry = owners.get(id);
    entry?.handles.delete(handle);
    if (entry?.handles.size === 0 && entry.controller === undefined) owners.delete(id);
  };
  const clear = (handle: unknown): void => {
    captured.clearTimeout(handle as NodeJS.Timeout);
    captured.clearImmediate(handle as NodeJS.Immediate);
  };

  const track = (make: (callback: Callback, ...rest: unknown[]) => unknown, once: boolean) =>
    function (callback: Callback, ...rest: unknown[]): unknown {
      const id = currentId();
      if (id === 0 || typeof callback !== "function") return make(callback, ...rest);
      const run = function (this: unknown, ...args: unknown[]): unknown {
        if (once) drop(id, handle);
        onRun(id);
        return callback.apply(this, args);
      };
      const handle = make(run, ...rest);
      if (cancelled.has(id)) clear(handle);
      else hold(id, handle);
      return handle;
    };

  /** The promise versions of node:timers/promises end with an AbortError, so that `finally` blocks run. */
  const abortable = (make: Callback, optionsAt: number): Callback =>
    function (...args: unknown[]): unknown {
      const id = currentId();
      if (id === 0) return make(...args);
      const given = (args[optionsAt] ?? {}) as { signal?: AbortSignal };
      const own = signalOf(id);
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

  const cancel = (id: number): void => {
    cancelled.add(id);
    const entry = owners.get(id);
    if (entry === undefined) return;
    entry.handles.forEach(clear);
    entry.handles.clear();
    entry.controller?.abort();
    owners.delete(id);
  };
  return { cancel, signalOf };
}
