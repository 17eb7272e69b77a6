/** Replaces functions of Node for good, before user code runs: user code cannot reach the original. */

/** A call of a function, with its `this` and its arguments. */
type Call = (self: unknown, args: readonly unknown[]) => unknown;

const { apply, get } = Reflect;

/** Has no effect when this Node has no such function. */
export function replaceFunction(owner: object, name: string, make: (original: Call) => Call): void {
  const original = get(owner, name) as ((...args: unknown[]) => unknown) | undefined;
  if (original === undefined) return;
  const call = make((self, args) => apply(original, self, args));
  const value = function (this: unknown, ...args: unknown[]): unknown {
    return call(this, args);
  };
  Object.defineProperties(value, { ...Object.getOwnPropertyDescriptors(original), prototype: { value: undefined } });
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
}
