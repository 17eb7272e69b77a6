/** All definitions of a class as one family: the `#names` of an instance can be read whichever definition made it. */
import { captured, shieldedMap } from "../../shared/captured.ts";
import type { Brand } from "../modules/module-scopes.ts";

export interface PrivateFamilies {
  /**
   * Joins the definitions of a family, given with the newest first. Does nothing when one of them has no private names.
   */
  readonly join: (family: string, brands: readonly (Brand | undefined)[]) => void;
  /**
   * An object with the private names of `value` as properties, with their `#`; undefined and null are returned as they
   * are. `isCalled`: a property that is called gets `value` as `this`.
   */
  readonly other: (family: string, value: unknown, isCalled?: boolean) => unknown;
  /** The value of `#name in value`. */
  readonly bears: (family: string, name: string, value: unknown) => boolean;
}

interface Access {
  readonly has: (value: unknown) => boolean;
  readonly get: (value: unknown) => unknown;
  readonly set: (value: unknown, content: unknown) => void;
}

interface Family {
  readonly accesses: ReadonlyMap<string, readonly Access[]>;
  /** The prototype of the views: a property for each private name. */
  readonly names: object;
}

/** Private names begin with `#`, so they differ from these names. */
interface View {
  readonly value: unknown;
  readonly isCalled: boolean;
}

const { apply } = Reflect;
const { defineProperty } = captured;

export function createPrivateFamilies(): PrivateFamilies {
  const families = shieldedMap<string, Family>();
  return {
    join: (family, brands) => {
      const accesses = shieldedMap<string, Access[]>();
      for (const brand of brands) {
        for (const name of brand?.names.instance ?? []) {
          const known = accesses.get(name) ?? [];
          const code = `({has:o=>#${name} in o,get:o=>o.#${name},set:(o,v)=>{o.#${name}=v}})`;
          known[known.length] = brand?.evaluator(code) as Access;
          accesses.set(name, known);
        }
      }
      const names = { __proto__: null } as object;
      accesses.forEach((known, name) => void defineProperty(names, `#${name}`, propertyOf(known)));
      families.set(family, { accesses, names });
    },
    other: (family, value, isCalled = false) => {
      if (value === undefined || value === null) return value;
      return { __proto__: families.get(family)?.names, value, isCalled };
    },
    bears: (family, name, value) => accessTo(families.get(family)?.accesses.get(name) ?? [], value).has(value),
  };
}

function propertyOf(accesses: readonly Access[]): PropertyDescriptor {
  return {
    get(this: View) {
      const { value, isCalled } = this;
      const found = accessTo(accesses, value).get(value);
      if (!isCalled || typeof found !== "function") return found;
      return (...args: unknown[]) => apply(found, value, args) as unknown;
    },
    set(this: View, content: unknown) {
      accessTo(accesses, this.value).set(this.value, content);
    },
  };
}

/** When no definition knows the value, the newest definition's access throws the language's own error. */
function accessTo(accesses: readonly Access[], value: unknown): Access {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  const newest = accesses[0] as Access;
  if (!isObject) return newest;
  for (let index = 0; index < accesses.length; index++) {
    const access = accesses[index] as Access;
    if (access.has(value)) return access;
  }
  return newest;
}
