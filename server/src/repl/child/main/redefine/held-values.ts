/**
 * Finds out whether anything still holds the values that an installation replaced. Bindings can be read; a function's
 * own variables, timers and listeners cannot. But a value that nothing holds is gone after a garbage collection.
 */
import { captured, shieldedMap, uncurried } from "../../shared/captured.ts";
import { collectGarbage } from "../upkeep/collect-garbage.ts";

export interface Replaced {
  readonly name: string;
  readonly value: object;
}

export interface HeldValues {
  /** Watches the values that the evaluation replaced. To be called when all names have their new values. */
  readonly watch: (id: number, replaced: readonly Replaced[]) => void;
  /**
   * A `HeldReport` as text; undefined when the heap is so large that a collection would stop the program for long. To
   * be asked once, after the end of the evaluation: until then, the evaluation itself holds the replaced values.
   */
  readonly held: (id: number) => string | undefined;
}

/** Whether the old value still exists, by name. */
export type HeldReport = Readonly<Record<string, boolean | undefined>>;

/** A collection takes up to two milliseconds for each megabyte. */
const MOST_BYTES = 100 * 2 ** 20;
const MOST_WATCHED = 16;

const { memoryUsage } = process;
const RealWeakRef = WeakRef;

export function createHeldValues(): HeldValues {
  type Watched = { readonly name: string; readonly ref: object };
  const watched = shieldedMap<number, readonly Watched[]>();
  return {
    watch: (id, replaced) => {
      const refs: Watched[] = [];
      for (const { name, value } of replaced) refs[refs.length] = { name, ref: new RealWeakRef(value) };
      // Nobody asks about the values of a form that was stopped.
      if (watched.size === MOST_WATCHED) watched.clear();
      if (refs.length > 0) watched.set(id, refs);
    },
    held: (id) => {
      const mine = watched.get(id);
      watched.delete(id);
      if (mine === undefined || memoryUsage().heapUsed > MOST_BYTES) return undefined;
      collectGarbage();
      const isHeld: Record<string, boolean> = { __proto__: null } as never;
      for (const { name, ref } of mine) isHeld[name] = uncurried.deref(ref) !== undefined;
      return captured.stringify(isHeld satisfies HeldReport);
    },
  };
}
