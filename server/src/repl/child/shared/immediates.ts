/**
 * The image's own queue of immediates. Node's queue does not survive a termination in one of its callbacks: the later
 * immediates are lost, or Node fails at the same immediate again and again. So Node gets one immediate at a time, which
 * is alone in Node's queue when it runs.
 */
import { AsyncResource } from "node:async_hooks";
import timersPromises from "node:timers/promises";
import { captured, shieldedSet, uncurried } from "./captured.ts";

/* oxlint-disable no-underscore-dangle */
interface Turn {
  /** Removes the turn from the queue, and runs it. A turn that was terminated before it began is still in the queue. */
  readonly run: () => void;
  /** The async context of the turn's code; undefined for the image's own turns, which may run in any context. */
  readonly context: AsyncResource | undefined;
}
interface Given {
  readonly turn: Turn;
  readonly node: unknown;
}
type Callback = (this: unknown, ...args: unknown[]) => unknown;

// A termination cannot interrupt one of these calls, and user code can replace none of them.
const turns = shieldedSet<Turn>();
const { setImmediate: giveToNode, clearImmediate: clearOfNode } = captured;
const promised = timersPromises.setImmediate as (value: unknown, options?: unknown) => Promise<unknown>;
const { apply } = Reflect;
const Context = AsyncResource;
const Signal = AbortSignal;
const runInContext = AsyncResource.prototype.runInAsyncScope;

/** The immediate that Node has, and its turn. */
let given: Given | undefined;
/** The iterator over the queue. It also reaches turns that are added meanwhile. */
let cursor: object | undefined;

/** Node's own modules use Node's queue too: up to this many times, their immediates go first. */
const MAX_PASSED = 8;
let passed = 0;

function add(turn: Turn): void {
  turns.add(turn);
  if (given === undefined) giveNext();
}

/** At every call, the inspector may run a question that adds a turn; so `given` is correct before each call. */
function giveNext(): void {
  given = undefined;
  const turn = next();
  if (turn !== undefined) give(turn);
}

function next(): Turn | undefined {
  for (let round = 0; round < 2; round++) {
    const from = (cursor ??= uncurried.setValues(turns));
    const step = uncurried.nextValue(from) as IteratorResult<Turn, undefined>;
    if (step.done !== true) return step.value;
    cursor = undefined;
  }
  return undefined;
}

function give(turn: Turn): void {
  given = undefined;
  const { context } = turn;
  // This call can throw when the stack is full.
  const node: unknown =
    context === undefined ? giveToNode(pass) : apply(runInContext, context, [giveToNode, undefined, pass]);
  given = { turn, node };
}

function pass(this: unknown): void {
  if (given === undefined || given.node !== this) return;
  const { turn } = given;
  if (!turns.has(turn)) return giveNext();
  if (isBeside(this as Linked) && ++passed < MAX_PASSED) return give(turn);
  passed = 0;
  // The next turn is given to Node first, because a termination may end everything that comes after this turn.
  if (uncurried.setSize(turns) > 1) giveNext();
  else given = undefined;
  turn.run();
}

/** To be called after a termination: the immediate that Node had may be lost. */
export function reviveImmediates(): void {
  cursor = undefined;
  giveNext();
}

/** For the image itself. A termination may end `run` before it has finished; then it runs again. */
export function soon(run: () => void): void {
  const turn: Turn = {
    context: undefined,
    run: () => {
      run();
      turns.delete(turn);
    },
  };
  add(turn);
}

/** The handle that `setImmediate` returns, with the members of Node's own. */
class Immediate {
  /** The mark of Node's own immediates. */
  _destroyed = false;
  #isRef = true;
  readonly #turn: Turn;

  constructor(callback: Callback, args: unknown[]) {
    const begin = (): void => {
      this._destroyed = true;
      turns.delete(this.#turn);
      apply(callback, this, args);
    };
    this.#turn = { run: begin, context: new Context("AgentQImmediate") };
    add(this.#turn);
  }

  ref(): this {
    this.#isRef = true;
    return this;
  }
  unref(): this {
    this.#isRef = false;
    return this;
  }
  hasRef(): boolean {
    return this.#isRef && !this._destroyed;
  }
  [Symbol.dispose](): void {
    Immediate.clear(this);
  }

  static clear(handle: unknown): void {
    if (typeof handle !== "object" || handle === null || !(#turn in handle)) {
      return clearOfNode(handle as NodeJS.Immediate);
    }
    handle._destroyed = true;
    turns.delete(handle.#turn);
  }
}

/** For a callback that is no function, Node's own `setImmediate` throws the error. */
export const keptImmediate = ((callback: Callback, ...args: unknown[]): unknown =>
  typeof callback === "function" ? new Immediate(callback, args) : giveToNode(callback)) as typeof setImmediate;

export const clearKeptImmediate = Immediate.clear;

/** `setImmediate` of node:timers/promises. Node's own reports wrong arguments and a signal that is already aborted. */
export function promisedImmediate(value?: unknown, options: unknown = {}): Promise<unknown> {
  if (!areOptions(options) || options.signal?.aborted === true) return promised(value, options);
  const { signal, ref = true } = options;
  return new captured.Promise((resolve) => {
    const aborted = (): void => {
      clearKeptImmediate(immediate);
      resolve(promised(value, options));
    };
    const immediate = keptImmediate(() => {
      signal?.removeEventListener("abort", aborted);
      resolve(value);
    });
    if (!ref) immediate.unref();
    signal?.addEventListener("abort", aborted);
  });
}

interface Options {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function areOptions(options: unknown): options is Options {
  if (typeof options !== "object" || options === null || captured.isArray(options)) return false;
  const { signal, ref = true } = options as { readonly signal?: unknown; readonly ref?: unknown };
  return (signal === undefined || signal instanceof Signal) && typeof ref === "boolean";
}

/** The links of an immediate to its neighbours in Node's queue: a termination takes all of them away. */
interface Linked {
  readonly _idleNext: unknown;
  readonly _idlePrev: unknown;
}

function isBeside({ _idleNext, _idlePrev }: Linked): boolean {
  return (_idleNext ?? _idlePrev ?? null) !== null;
}
