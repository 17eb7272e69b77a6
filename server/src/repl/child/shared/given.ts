/** The same as the server's `given.ts`, with functions that user code cannot replace. */
import { captured } from "./captured.ts";

/** The properties of `values` that have a value: `{ ...given({ x }) }` has `x`, or no such property. */
export function given<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  let kept: Partial<Values> = {};
  const keys = captured.keys(values) as (keyof Values)[];
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as keyof Values;
    // An assignment would call setters that user code may have put on `Object.prototype`.
    if (values[key] !== undefined) kept = { ...kept, [key]: values[key] };
  }
  return kept as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}
