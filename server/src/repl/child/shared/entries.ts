/** What maps and sets hold, read without an iterator that user code can have replaced. */
import { types } from "node:util";
import { uncurried } from "./captured.ts";

// Taken before user code runs: the object itself can be written to.
const { isMap, isSet } = types;

/** Visits the entries of a map, or the elements of a set, which have no key, until the answer is false. */
export function eachEntry(value: object, visit: (item: unknown, key: unknown, index: number) => boolean): void {
  const hasKeys = isMap(value);
  if (!hasKeys && !isSet(value)) return;
  const iterator = hasKeys ? uncurried.mapEntries(value) : uncurried.setValues(value);
  const step = hasKeys ? uncurried.nextEntry : uncurried.nextValue;
  let next = step(iterator);
  for (let index = 0; next.done !== true; index++) {
    const pair = next.value as readonly unknown[];
    if (!(hasKeys ? visit(pair[1], pair[0], index) : visit(next.value, undefined, index))) return;
    next = step(iterator);
  }
}
