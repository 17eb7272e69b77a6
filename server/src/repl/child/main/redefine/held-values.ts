/**
 * Whether anything still holds what an installation replaced. Bindings can be read; variables that only a function sees, timers
 * and listeners cannot. But after a collection of garbage, what nothing holds is gone.
 */
import { captured, shieldedMap, uncurried } from "../../shared/captured.ts";
import { collectGarbage } from "../upkeep/collect-garbage.ts";

export interface Replaced {
  readonly name: string;
  readonly value: object;
}

export interface HeldValues {
  /** Watches what that evaluation replaced. To be called when all names have their new values. */
  readonly watch: (id: number, replaced: readonly Replaced[]) => void;
  /**
   * The text of a `HeldReport`; undefined where the heap is so large that the program would be blocked for long. To
   * be asked once, and only when the evaluation is over: until then the evaluation holds what it replaced.
   */
  readonly held: (id: number) => string | undefined;
}

/** By name, whether the old value is still there. */
export type HeldReport = Readonly<Record<string, boolean | undefined>>;

/** A collection takes up to two milliseconds a megabyte. */
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
      // Nobody asks about a form that was stopped.
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
