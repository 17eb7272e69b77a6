/** The function that stands in the place of a traced one, and the way back. */
import { captured } from "../../shared/captured.ts";
import type { MadeCall } from "./call-form.ts";

export type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** The reports of one call. */
export interface TracedCall {
  readonly returned: (result: unknown) => void;
  readonly failed: (how: string, error: unknown) => void;
  readonly left: () => void;
}

const { apply, construct, setPrototypeOf } = Reflect;
const targets = new WeakMap<object, unknown>();
const [targetOf, rememberTarget] = [targets.get.bind(targets), targets.set.bind(targets)];

/** The original of a traced function; undefined for any other value. */
export function untraced(value: unknown): unknown {
  return typeof value === "function" ? targetOf(value) : undefined;
}

/** Each call adds one frame to the stack, because stacks of errors have few frames. */
export function tracedFunction(target: Callable, begin: (traced: Callable, call: MadeCall) => TracedCall): Callable {
  const traced = function (this: unknown, ...args: unknown[]): unknown {
    const isNew = new.target !== undefined;
    const call = begin(traced, { self: this, args, isNew });
    try {
      const result: unknown = isNew
        ? (construct(target, args, new.target === traced ? target : new.target) as unknown)
        : apply(target, this, args);
      call.returned(result);
      return result;
    } catch (error) {
      call.failed("threw", error);
      throw error;
    } finally {
      call.left();
    }
  };
  setPrototypeOf(traced, target);
  for (const key of ["name", "length", "prototype"]) {
    const own = captured.getOwnPropertyDescriptor(target, key);
    if (own !== undefined) captured.defineProperty(traced, key, own);
  }
  rememberTarget(traced, target);
  return traced;
}
