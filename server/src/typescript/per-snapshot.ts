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
