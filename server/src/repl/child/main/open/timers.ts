/**
 * Replaces Node's timers with timers that remember which evaluation made them: an endless `await sleep()` loop of an
 * interrupted evaluation stops, and the timers of all other evaluations go on.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify, types } from "node:util";
import { captured } from "../../shared/captured.ts";
import { clearKeptImmediate, keptImmediate, promisedImmediate } from "../../shared/immediates.ts";
import { clear, OwnedTimers } from "./owned-timers.ts";
import { isLasting, isOver, repeatOf } from "./timer-marks.ts";

type Callback = (...args: unknown[]) => unknown;

export interface TimerParts {
  /** The evaluation that makes a timer now; 0 for none. */
  readonly openerId: () => number;
  /** Called with the owner of a timer that is about to run; 0 for none. */
  readonly onRun: (id: number) => void;
  /** Called with the owner of a new lasting timer. */
  readonly onLasting: (id: number) => void;
}

export class Timers {
  readonly #parts: TimerParts;
  readonly owned = new OwnedTimers();
  readonly #intervalBy: (callback: object) => unknown;
  readonly #rememberInterval: (callback: object, handle: unknown) => void;

  constructor(parts: TimerParts) {
    this.#parts = parts;
    const intervals = new WeakMap<object, unknown>();
    this.#intervalBy = intervals.get.bind(intervals);
    this.#rememberInterval = intervals.set.bind(intervals);
  }

  /** The milliseconds of the newest interval of this function that was not cleared. */
  intervalOf(callback: object): number | undefined {
    const handle = this.#intervalBy(callback);
    return handle === undefined || isOver(handle) ? undefined : repeatOf(handle);
  }

  /** Puts the timers in the place of Node's, in all of Node's modules. */
  install(): void {
    const later = this.#abortable(timersPromises.setTimeout as Callback, 2);
    const soon = this.#abortable(promisedImmediate, 1);
    const again = this.#abortable(timersPromises.setInterval as Callback, 2);
    const wrapped = {
      setTimeout: Object.assign(this.#track(captured.setTimeout as never, true), { [promisify.custom]: later }),
      setInterval: this.#track(captured.setInterval as never, false),
      setImmediate: Object.assign(this.#track(keptImmediate as never, true), { [promisify.custom]: soon }),
      clearImmediate: clearKeptImmediate,
    };
    for (const [name, value] of Object.entries(wrapped)) {
      captured.defineProperty(value, "name", { value: name, configurable: true });
      captured.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
    }
    Object.assign(timers, wrapped);
    Object.assign(timersPromises, { setTimeout: later, setImmediate: soon, setInterval: again });
    syncBuiltinESMExports();
  }

  #track(make: (callback: Callback, ...rest: unknown[]) => unknown, once: boolean) {
    const { openerId, onRun } = this.#parts;
    const { owned } = this;
    const made = (id: number, handle: unknown): void => this.#made(id, handle);
    const rememberInterval = this.#rememberInterval;
    return function (callback: Callback, ...rest: unknown[]): unknown {
      const id = openerId();
      if (typeof callback !== "function") return make(callback, ...rest);
      const run = function (this: unknown, ...args: unknown[]): unknown {
        if (once && id !== 0) owned.drop(id, handle);
        onRun(id);
        return callback.apply(this, args);
      };
      const handle = make(run, ...rest);
      if (!once) rememberInterval(callback, handle);
      if (id !== 0) made(id, handle);
      return handle;
    };
  }

  #made(id: number, handle: unknown): void {
    if (this.owned.isCancelled(id)) return clear(handle);
    this.owned.hold(id, handle);
    if (isLasting(handle)) this.#parts.onLasting(id);
  }

  /** A stopped promise of node:timers/promises rejects with an AbortError, so that `finally` blocks run. */
  #abortable(make: Callback, optionsAt: number): Callback {
    const { openerId } = this.#parts;
    const { owned } = this;
    return function (...args: unknown[]): unknown {
      const id = openerId();
      if (id === 0) return make(...args);
      const given = (args[optionsAt] ?? {}) as { signal?: AbortSignal };
      const own = new captured.AbortController();
      const signal = given.signal === undefined ? own.signal : AbortSignal.any([given.signal, own.signal]);
      args[optionsAt] = { ...given, signal };
      for (let index = 0; index < optionsAt; index++) args[index] ??= undefined;
      if (owned.isCancelled(id)) own.abort();
      else owned.hold(id, own);
      return settling(make(...args), () => owned.drop(id, own));
    };
  }
}

/** Calls `settled` once a promise has settled. The iterator of `setInterval` ends together with its evaluation. */
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
