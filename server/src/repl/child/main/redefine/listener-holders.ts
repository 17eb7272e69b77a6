/** Holders of a function that are no bindings: listeners of the process and of its open handles, and intervals. */
import type { Holder } from "../../../redefine/installation.ts";
import { captured } from "../../shared/captured.ts";
import { typeOf } from "../../shared/print/value-facts.ts";

const { ownKeys } = Reflect;
const { getOwnPropertyDescriptor } = captured;
const MAX_OPEN = 1000;

/** Servers and sockets that keep the process running; Node has no public function that lists them. */
type Handles = { readonly _getActiveHandles?: () => readonly unknown[] };
// oxlint-disable-next-line no-underscore-dangle
const openOnes = (process as Handles)._getActiveHandles?.bind(process);

/** `intervalOf` answers the milliseconds of an interval that calls the function and was not cleared. */
export function listenerHolders(wanted: unknown, intervalOf: (callback: object) => number | undefined): Holder[] {
  if (typeof wanted !== "function") return [];
  const holders: Holder[] = [];
  const ms = intervalOf(wanted);
  if (ms !== undefined) holders[0] = { path: "an interval", what: `every ${ms} ms` };
  lookAt(process, "process", wanted, holders);
  const open = openOnes?.() ?? [];
  for (let index = 0; index < open.length && index < MAX_OPEN; index++) {
    const each = open[index];
    if (typeof each === "object" && each !== null) lookAt(each, `an open ${typeOf(each)}`, wanted, holders);
  }
  return holders;
}

function lookAt(emitter: object, path: string, wanted: unknown, holders: Holder[]): void {
  const listeners: unknown = getOwnPropertyDescriptor(emitter, "_events")?.value;
  if (typeof listeners !== "object" || listeners === null) return;
  for (const event of ownKeys(listeners)) {
    const list: unknown = getOwnPropertyDescriptor(listeners, event)?.value;
    const isHeld = captured.isArray(list) ? hasListener(list, wanted) : isListener(list, wanted);
    if (isHeld) holders[holders.length] = { path, what: `its listeners of ${captured.String(event)}` };
  }
}

function hasListener(list: readonly unknown[], wanted: unknown): boolean {
  for (let index = 0; index < list.length; index++) {
    if (isListener(getOwnPropertyDescriptor(list, index)?.value, wanted)) return true;
  }
  return false;
}

/** Node wraps a listener that was added with `once`. */
function isListener(value: unknown, wanted: unknown): boolean {
  if (typeof value !== "function") return false;
  return value === wanted || getOwnPropertyDescriptor(value, "listener")?.value === wanted;
}
