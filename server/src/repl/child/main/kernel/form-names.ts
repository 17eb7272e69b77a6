/**
 * The objects and functions that replace names in a form, where evaluated code would behave otherwise than the
 * language.
 */
import { captured, shieldedMap } from "../../shared/captured.ts";

export interface FormNames {
  /** A write to a property of this object replaces an assignment to a constant. */
  readonly fixed: object;
  /** A property of this object replaces a name that the form uses before its declaration. */
  readonly tooEarly: object;
  /**
   * A write to a property of this object replaces an assignment to an undeclared name: a separate script makes the name
   * a global.
   */
  readonly bare: object;
  /** Returns the value. Throws when the form that declares the name failed before it gave the name a value. */
  readonly set: (value: unknown, name: string, form: string) => unknown;
  readonly same: (value: unknown) => unknown;
}

const RealTypeError = TypeError;
const RealReferenceError = ReferenceError;
// oxlint-disable-next-line no-eval
const sloppily = globalThis.eval;
const setters = shieldedMap<string, (value: unknown) => void>();

const refuseEarly = (_: object, name: string | symbol): never => {
  throw new RealReferenceError(`Cannot access '${captured.String(name)}' before initialization`);
};

export const formNames: FormNames = {
  fixed: new Proxy(Object.freeze({ __proto__: null }), {
    set: () => {
      throw new RealTypeError("Assignment to constant variable.");
    },
  }),
  tooEarly: new Proxy(Object.freeze({ __proto__: null }), { get: refuseEarly, set: refuseEarly }),
  bare: new Proxy(Object.freeze({ __proto__: null }), {
    set: (_, name, value) => {
      const key = captured.String(name);
      const set =
        setters.get(key) ?? (sloppily(`(__agentq$value) => { ${key} = __agentq$value }`) as (value: unknown) => void);
      setters.set(key, set);
      set(value);
      return true;
    },
  }),
  set: (value, name, form) => {
    if (value !== undefined) return value;
    throw new RealReferenceError(`${name} has no value: form ${form} failed before it gave it one. Declare it again.`);
  },
  same: (value) => value,
};
