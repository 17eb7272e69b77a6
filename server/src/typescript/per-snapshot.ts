/** What is worked out once for all questions that see the same state. */
import type { Snapshot } from "typescript/unstable/async";
import type { View } from "./view.ts";

/** Contract: `compute` does not heed the view's signal, because other questions wait for the same result. */
export function perSnapshot<Result>(compute: (view: View) => Promise<Result>): (view: View) => Promise<Result> {
  const results = new WeakMap<Snapshot, Promise<Result>>();
  return (view) => {
    const { snapshot } = view.state;
    const known = results.get(snapshot);
    if (known !== undefined) return known;
    const result = compute(view);
    results.set(snapshot, result);
    result.catch(() => results.delete(snapshot));
    return result;
  };
}

/**
 * What is worked out once for each argument, for all questions that see the same state. A question that is given up takes
 * no other one with it: whoever waits for the same result works it out anew.
 */
export function perSnapshotFor<Argument, Result>(
  keyOf: (argument: Argument) => string,
  compute: (view: View, argument: Argument) => Promise<Result>,
): (view: View, argument: Argument) => Promise<Result> {
  const results = new WeakMap<Snapshot, Map<string, Promise<Result>>>();
  return async (view, argument) => {
    const { snapshot } = view.state;
    const known = results.get(snapshot) ?? new Map<string, Promise<Result>>();
    results.set(snapshot, known);
    const key = keyOf(argument);
    for (;;) {
      const others = known.get(key);
      const result = others ?? compute(view, argument);
      known.set(key, result);
      try {
        return await result;
      } catch (error) {
        if (known.get(key) === result) known.delete(key);
        view.signal.throwIfAborted();
        if (others === undefined) throw error;
      }
    }
  };
}
