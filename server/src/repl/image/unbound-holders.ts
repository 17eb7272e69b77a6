/** What holds a function without any binding's help: the process's own listeners, and intervals. */
import type { Holder } from "../modules/installation.ts";
import { captured } from "./captured.ts";

const { ownKeys } = Reflect;
const { getOwnPropertyDescriptor } = captured;

/** `intervalOf` tells the milliseconds of an interval that calls a function and was not cleared. */
export function unboundHolders(wanted: unknown, intervalOf: (callback: object) => number | undefined): Holder[] {
  if (typeof wanted !== "function") return [];
  const holders: Holder[] = [];
  const ms = intervalOf(wanted);
  if (ms !== undefined) holders[0] = { path: "an interval", what: `every ${ms} ms` };
  const listeners: unknown = getOwnPropertyDescriptor(process, "_events")?.value;
  if (typeof listeners !== "object" || listeners === null) return holders;
  for (const event of ownKeys(listeners)) {
    const list: unknown = getOwnPropertyDescriptor(listeners, event)?.value;
    const isHeld = captured.isArray(list) ? hasListener(list, wanted) : isListener(list, wanted);
    if (isHeld) holders[holders.length] = { path: "process", what: `its listeners of ${captured.String(event)}` };
  }
  return holders;
}

function hasListener(list: readonly unknown[], wanted: unknown): boolean {
  for (let index = 0; index < list.length; index++) {
    if (isListener(getOwnPropertyDescriptor(list, index)?.value, wanted)) return true;
  }
  return false;
}

/** `once` wraps it. */
function isListener(value: unknown, wanted: unknown): boolean {
  if (typeof value !== "function") return false;
  return value === wanted || getOwnPropertyDescriptor(value, "listener")?.value === wanted;
}
