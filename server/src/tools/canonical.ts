/** One text for the same JSON, in whatever order its properties come. */
import { isObject } from "../base/is-object.ts";

export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
