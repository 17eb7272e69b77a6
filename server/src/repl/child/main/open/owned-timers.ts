/** Remembers which evaluation made which timer. */
import { captured, shieldedMap, shieldedSet } from "../../shared/captured.ts";
import { clearKeptImmediate } from "../../shared/immediates.ts";
import { isController, isLasting, isOver, keepsRunning } from "./timer-marks.ts";

interface Owned {
  /** Made at the first use of the signal. */
  controller: AbortController | undefined;
  /** Timers, and the controllers that end the promises of node:timers/promises. */
  readonly handles: Set<unknown>;
  /** The number of handles at which the handles of cleared timers are removed. */
  limit: number;
}

const SWEEP_AT = 64;

export class OwnedTimers {
  readonly #owners = shieldedMap<number, Owned>();
  readonly #cancelled = shieldedSet<number>();

  isCancelled(id: number): boolean {
    return this.#cancelled.has(id);
  }

  hold(id: number, handle: unknown): void {
    const entry = this.#owned(id);
    entry.handles.add(handle);
    if (entry.handles.size < entry.limit) return;
    entry.handles.forEach((each) => {
      if (isOver(each)) entry.handles.delete(each);
    });
    entry.limit = SWEEP_AT + entry.handles.size * 2;
  }

  drop(id: number, handle: unknown): void {
    const entry = this.#owners.get(id);
    entry?.handles.delete(handle);
    if (entry?.handles.size === 0 && entry.controller === undefined) this.#owners.delete(id);
  }

  /**
   * Clears the evaluation's timers, aborts its signal, and refuses its later timers. Answers how many timers were
   * cleared.
   */
  cancel(id: number): number {
    this.#cancelled.add(id);
    const entry = this.#owners.get(id);
    if (entry === undefined) return 0;
    const cleared = this.#count(id, keepsRunning);
    entry.handles.forEach(clear);
    entry.handles.clear();
    entry.controller?.abort();
    this.#owners.delete(id);
    return cleared;
  }

  /** The signal is aborted when that evaluation is stopped. */
  signalOf(id: number): AbortSignal {
    const entry = this.#owned(id);
    entry.controller ??= new captured.AbortController();
    if (this.#cancelled.has(id)) entry.controller.abort();
    return entry.controller.signal;
  }

  /** How many timers of the evaluation last: intervals, and timers that wait for a second or more. */
  lasting(id: number): number {
    this.#owners.get(id)?.handles.forEach((handle) => {
      if (isOver(handle)) this.drop(id, handle);
    });
    return this.#count(id, isLasting);
  }

  isOwner(id: number): boolean {
    return this.#count(id, keepsRunning) > 0;
  }

  /** The newest evaluation with timers that keep the process running; 0 for none. */
  newestOwner(): number {
    let newest = 0;
    this.#owners.forEach((_, id) => {
      if (id > newest && this.isOwner(id)) newest = id;
    });
    return newest;
  }

  #owned(id: number): Owned {
    let entry = this.#owners.get(id);
    if (entry === undefined) {
      entry = { controller: undefined, handles: shieldedSet<unknown>(), limit: SWEEP_AT };
      this.#owners.set(id, entry);
    }
    return entry;
  }

  #count(id: number, counts: (handle: unknown) => boolean): number {
    let found = 0;
    this.#owners.get(id)?.handles.forEach((handle) => {
      if (counts(handle)) found++;
    });
    return found;
  }
}

export function clear(handle: unknown): void {
  if (isController(handle)) return handle.abort();
  captured.clearTimeout(handle as NodeJS.Timeout);
  clearKeptImmediate(handle);
}
