/** Reads the entries of maps and sets without iterators, which user code can have replaced. */
import { types } from "node:util";
import { uncurried } from "./captured.ts";

// Copied before user code runs, because user code can write to the object.
const { isMap, isSet } = types;

/** Calls `visit` for the entries of a map or the elements of a set, until it returns false. Elements have no key. */
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
