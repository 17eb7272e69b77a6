/**
 * Remembers which evaluation made which timer, so that an interrupted evaluation's own endless `await sleep()` loop
 * really stops while every other evaluation's timers go on.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify, types } from "node:util";
import { captured, shieldedMap, shieldedSet } from "../../shared/captured.ts";
import { clearKeptImmediate, keptImmediate, promisedImmediate } from "../../shared/immediates.ts";

type Callback = (...args: unknown[]) => unknown;
interface Owned {
  /** Made when somebody asks for the signal. */
  controller: AbortController | undefined;
  /** Timers, and what ends the promises of node:timers/promises. */
  readonly handles: Set<unknown>;
  /** How many handles there may be before those of cleared timers are taken out. */
  limit: number;
}

export interface Timers {
  /**
   * Clears the evaluation's timers, aborts its signal, and refuses the timers it still tries to make. Answers how many
   * timers that were.
   */
  readonly cancel: (id: number) => number;
  /** How many of its timers are such as go on: intervals, and those that wait for a second or more. */
  readonly lasting: (id: number) => number;
  /** Who made timers that have not run yet; the newest of them, 0 for nobody. */
  readonly newestOwner: () => number;
  readonly isOwner: (id: number) => boolean;
  /** The milliseconds of the newest interval that was made with this function and was not cleared. */
  readonly intervalOf: (callback: object) => number | undefined;
  /** Aborted when that evaluation is stopped. */
  readonly signalOf: (id: number) => AbortSignal;
}

const SWEEP_AT = 64;
const LASTING_MS = 1000;

export interface TimerParts {
  /** Whose timer it is that is made now; 0 for nobody's. */
  readonly openerId: () => number;
  /** Told whose timer is about to run; 0 for nobody's. */
  readonly onRun: (id: number) => void;
  /** Told who made a lasting timer. */
  readonly onLasting: (id: number) => void;
}

export function trackTimers({ openerId, onRun, onLasting }: TimerParts): Timers {
  const owners = shieldedMap<number, Owned>();
  const cancelled = shieldedSet<number>();
  const intervals = new WeakMap<object, unknown>();
  const [intervalBy, rememberInterval] = [intervals.get.bind(intervals), intervals.set.bind(intervals)];
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
      if (isOver(each)) entry.handles.delete(each);
    });
    entry.limit = SWEEP_AT + entry.handles.size * 2;
  };
  const drop = (id: number, handle: unknown): void => {
    const entry = owners.get(id);
    entry?.handles.delete(handle);
    if (entry?.handles.size === 0 && entry.controller === undefined) owners.delete(id);
  };
  const clear = (handle: unknown): void => {
    if (isController(handle)) return handle.abort();
    captured.clearTimeout(handle as NodeJS.Timeout);
    clearKeptImmediate(handle);
  };

  const track = (make: (callback: Callback, ...rest: unknown[]) => unknown, once: boolean) =>
    function (callback: Callback, ...rest: unknown[]): unknown {
      const id = openerId();
      if (typeof callback !== "function") return make(callback, ...rest);
      const run = function (this: unknown, ...args: unknown[]): unknown {
        if (once && id !== 0) drop(id, handle);
        onRun(id);
        return callback.apply(this, args);
      };
      const handle = make(run, ...rest);
      if (!once) rememberInterval(callback, handle);
      if (id === 0) return handle;
      if (cancelled.has(id)) clear(handle);
      else {
        hold(id, handle);
        if (isLasting(handle)) onLasting(id);
      }
      return handle;
    };

  /** The promise versions of node:timers/promises end with an AbortError, so that `finally` blocks run. */
  const abortable = (make: Callback, optionsAt: number): Callback =>
    function (...args: unknown[]): unknown {
      const id = openerId();
      if (id === 0) return make(...args);
      const given = (args[optionsAt] ?? {}) as { signal?: AbortSignal };
      const own = new captured.AbortController();
      const signal = given.signal === undefined ? own.signal : AbortSignal.any([given.signal, own.signal]);
      args[optionsAt] = { ...given, signal };
      for (let index = 0; index < optionsAt; index++) args[index] ??= undefined;
      if (cancelled.has(id)) own.abort();
      else hold(id, own);
      return settling(make(...args), () => drop(id, own));
    };

  const later = abortable(timersPromises.setTimeout as Callback, 2);
  const soon = abortable(promisedImmediate, 1);
  const again = abortable(timersPromises.setInterval as Callback, 2);
  const wrapped = {
    setTimeout: Object.assign(track(captured.setTimeout as never, true), { [promisify.custom]: later }),
    setInterval: track(captured.setInterval as never, false),
    setImmediate: Object.assign(track(keptImmediate as never, true), { [promisify.custom]: soon }),
    clearImmediate: clearKeptImmediate,
  };
  for (const [name, value] of Object.entries(wrapped)) {
    captured.defineProperty(value, "name", { value: name, configurable: true });
    captured.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  }
  Object.assign(timers, wrapped);
  Object.assign(timersPromises, { setTimeout: later, setImmediate: soon, setInterval: again });
  syncBuiltinESMExports();

  const count = (id: number, counts: (handle: unknown) => boolean): number => {
    let found = 0;
    owners.get(id)?.handles.forEach((handle) => {
      if (counts(handle)) found++;
    });
    return found;
  };
  const cancel = (id: number): number => {
    cancelled.add(id);
    const entry = owners.get(id);
    if (entry === undefined) return 0;
    const cleared = count(id, keepsRunning);
    entry.handles.forEach(clear);
    entry.handles.clear();
    entry.controller?.abort();
    owners.delete(id);
    return cleared;
  };
  const isOwner = (id: number): boolean => count(id, keepsRunning) > 0;
  const newestOwner = (): number => {
    let newest = 0;
    owners.forEach((_, id) => {
      if (id > newest && isOwner(id)) newest = id;
    });
    return newest;
  };
  const lasting = (id: number): number => {
    owners.get(id)?.handles.forEach((handle) => {
      if (isOver(handle)) drop(id, handle);
    });
    return count(id, isLasting);
  };
  const intervalOf: Timers["intervalOf"] = (callback) => {
    const handle = intervalBy(callback);
    return handle === undefined || isOver(handle) ? undefined : repeatOf(handle);
  };
  return { cancel, signalOf, lasting, isOwner, newestOwner, intervalOf };
}

/** Node marks a timer that was cleared or has run with it; there is no other way to see that, nor how long it waits. */
interface Marked {
  readonly _destroyed?: boolean;
  readonly _repeat?: number | null;
  readonly _idleTimeout?: number;
  readonly hasRef?: () => boolean;
}

/* oxlint-disable no-underscore-dangle */
function isOver(handle: unknown): boolean {
  return (handle as Marked)._destroyed === true;
}

/** Node's own servers have timers too, which keep nothing running. */
function keepsRunning(handle: unknown): boolean {
  return isController(handle) || (!isOver(handle) && (handle as Marked).hasRef?.() === true);
}

function repeatOf(handle: unknown): number | undefined {
  return (handle as Marked)._repeat ?? undefined;
}

function isLasting(handle: unknown): boolean {
  if (isController(handle) || !keepsRunning(handle)) return false;
  const { _idleTimeout = 0 } = handle as Marked;
  return repeatOf(handle) !== undefined || _idleTimeout >= LASTING_MS;
}
/* oxlint-enable no-underscore-dangle */

function isController(handle: unknown): handle is AbortController {
  return typeof (handle as Partial<AbortController>).abort === "function";
}

/** An iterator of `setInterval` is not waited for: it ends with its evaluation. */
function settling(it: unknown, settled: () => void): unknown {
  if (!types.isPromise(it)) return it;
  return (async () => {
    try {
      return await it;
    } finally {
      settled();
    }
  })();
}
