/** What names in a form are rewritten to, where the language itself would answer otherwise in evaluated code. */
import { captured, shieldedMap } from "../../shared/captured.ts";

export interface FormNames {
  /** An assignment to a constant writes to a property of this. */
  readonly fixed: object;
  /** A name is read or written as a property of this where the form uses it before its declaration. */
  readonly tooEarly: object;
  /** An assignment to an undeclared name writes to a property of this: a script of its own makes a global of it. */
  readonly bare: object;
  /** The value, unless the form that declares the name failed before it gave it one. */
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
