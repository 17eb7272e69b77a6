/**
 * The image's own queue of immediates. Node's queue does not survive a termination inside of it: the immediates
 * behind the terminated one are lost, or Node stumbles over the same immediate for ever. So Node is given one
 * immediate at a time, which is alone when it runs.
 */
import { AsyncResource } from "node:async_hooks";
import timersPromises from "node:timers/promises";
import { captured, shieldedSet, uncurried } from "./captured.ts";

/* oxlint-disable no-underscore-dangle */
interface Turn {
  /** Takes itself out of the queue: a turn that was ended before it could begin is still in it. */
  readonly run: () => void;
  /** The async context of the turn's code; undefined for the image's own turns, which may run in any. */
  readonly context: AsyncResource | undefined;
}
interface Given {
  readonly turn: Turn;
  readonly node: unknown;
}
type Callback = (this: unknown, ...args: unknown[]) => unknown;

// A termination cannot come between the parts of any of these calls, and user code can replace none of them.
const turns = shieldedSet<Turn>();
const { setImmediate: giveToNode, clearImmediate: clearOfNode } = captured;
const promised = timersPromises.setImmediate as (value: unknown, options?: unknown) => Promise<unknown>;
const { apply } = Reflect;
const Context = AsyncResource;
const Signal = AbortSignal;
const runInContext = AsyncResource.prototype.runInAsyncScope;

/** What Node has been given, and for whom. */
let given: Given | undefined;
/** Goes through the queue and sees also what is added on its way. */
let cursor: object | undefined;

/** Node's own modules use Node's queue too: their immediates are let pass, though not for ever. */
const MAX_PASSED = 8;
let passed = 0;

function add(turn: Turn): void {
  turns.add(turn);
  if (given === undefined) giveNext();
}

/** A question of the inspector's can come at every call and add a turn, so `given` is true before each call. */
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
  // This can throw where the stack is full.
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
  // First of all: nothing that comes after the turn is certain to happen.
  if (uncurried.setSize(turns) > 1) giveNext();
  else given = undefined;
  turn.run();
}

/** To be called when something was terminated: the immediate that Node had been given may be lost. */
export function reviveImmediates(): void {
  cursor = undefined;
  giveNext();
}

/** For the image itself. What runs here may be ended before it is over, and then runs again. */
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

/** What `setImmediate` answers, with the members of Node's own. */
class Immediate {
  /** Node marks its own immediates like this. */
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

/** Node says what is wrong with a callback that is no function. */
export const keptImmediate = ((callback: Callback, ...args: unknown[]): unknown =>
  typeof callback === "function" ? new Immediate(callback, args) : giveToNode(callback)) as typeof setImmediate;

export const clearKeptImmediate = Immediate.clear;

/** `setImmediate` of node:timers/promises. Node says what is wrong with its arguments, and that it was aborted. */
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

/** Beside other immediates in Node's queue, a termination would take the others with it, or this one with them. */
interface Linked {
  readonly _idleNext: unknown;
  readonly _idlePrev: unknown;
}

function isBeside({ _idleNext, _idlePrev }: Linked): boolean {
  return (_idleNext ?? _idlePrev ?? null) !== null;
}
