/**
 * Node's queue of immediates does not survive a termination inside of it: what stood behind is lost, or Node stumbles over
 * the same immediate for ever. Immediates that are made here are put back, so that a stop costs nobody else's turn.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { types } from "node:util";
import { captured, shieldedMap, uncurried } from "./captured.ts";

/* oxlint-disable no-underscore-dangle */
/** How Node links its immediates. One that has run or was cleared has no callback any more. */
interface Linked {
  _idleNext: Linked | null;
  _idlePrev: Linked | null;
  _destroyed: boolean;
  _onImmediate: (() => void) | null;
  readonly unref: () => unknown;
}
interface Made {
  immediate: Linked;
  readonly run: () => void;
  /** Runs a function as whoever made it would. */
  readonly inContext: (run: () => void) => void;
}

const make = setImmediate as unknown as (run: (...args: unknown[]) => void, ...args: unknown[]) => Linked;
const pending = shieldedMap<object, Made>();
const SWEEP_AT = 1000;
// Iterating and matching can be replaced like everything else.
const { apply } = Reflect;
const snapshot = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage);
const idle = (): void => {};
let running: Made | undefined;
let isSuspicious = false;

export const keptImmediate = ((callback: (...args: unknown[]) => void, ...args: unknown[]): unknown => {
  if (typeof callback !== "function") return make(callback);
  const run = (): void => {
    // A termination at this function's entry leaves it pending: it has not begun and can be put back.
    pending.delete(made);
    if (isSuspicious || running !== undefined) putBack();
    running = made;
    try {
      apply(callback, undefined, args);
    } finally {
      running = undefined;
    }
  };
  const made: Made = { immediate: make(run), run, inContext: snapshot() };
  pending.set(made, made);
  if (pending.size > SWEEP_AT) forgetCleared();
  return made.immediate;
}) as unknown as typeof setImmediate;

/** To be called when something was terminated: the next immediate looks for what was lost. */
export function suspectImmediates(): void {
  isSuspicious = true;
}

/** True for the error of a Node that stumbles; the immediate is then passed over. */
export function mendStumble(error: unknown): boolean {
  if (!types.isNativeError(error) || !uncurried.includes(captured.String(error.message), "_idleNext")) return false;
  const lost = takeLost();
  if (lost === undefined) return false;
  const { immediate } = lost.made;
  immediate._destroyed = false;
  if (lost.hasBegun) immediate._onImmediate = idle;
  // Node counts it as done once more.
  const first = make(idle);
  const counted = make(idle);
  const last = make(idle);
  counted.unref();
  if (first._idleNext === counted && counted._idleNext === last) {
    first._idleNext = last;
    last._idlePrev = first;
  }
  return true;
}

function putBack(): void {
  isSuspicious = false;
  for (let lost = takeLost(); lost !== undefined; lost = takeLost()) {
    const { made, hasBegun } = lost;
    const behind = made.immediate._idleNext;
    if (!hasBegun) {
      made.immediate = make(() => made.inContext(made.run));
      pending.set(made, made);
    }
    if (behind !== null) queueAgain(behind);
  }
}

/** The one that was ended while it ran, or before it could begin. Nothing of the queue runs but the caller. */
function takeLost(): { readonly made: Made; readonly hasBegun: boolean } | undefined {
  if (running !== undefined) {
    const made = running;
    running = undefined;
    return { made, hasBegun: true };
  }
  let found: Made | undefined;
  pending.forEach((made) => {
    const { _destroyed, _onImmediate } = made.immediate;
    if (found === undefined && _destroyed && _onImmediate !== null) found = made;
  });
  if (found === undefined) return undefined;
  pending.delete(found);
  return { made: found, hasBegun: false };
}

/** Between two new ones, whose places in the queue Node knows. */
function queueAgain(first: Linked): void {
  const before = make(idle);
  const after = make(idle);
  if (before._idleNext !== after) return;
  let last = first;
  while (last._idleNext !== null) last = last._idleNext;
  before._idleNext = first;
  first._idlePrev = before;
  last._idleNext = after;
  after._idlePrev = last;
}

function forgetCleared(): void {
  pending.forEach((made) => {
    if (made.immediate._onImmediate === null) pending.delete(made);
  });
}
