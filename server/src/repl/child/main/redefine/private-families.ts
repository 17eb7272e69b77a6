/** All definitions of a class under one name: `#names` of an instance, whichever of them made it. */
import { captured, shieldedMap } from "../../shared/captured.ts";
import type { Brand } from "../modules/module-scopes.ts";

export interface PrivateFamilies {
  /** The definitions of a family, the newest first. Nothing is done where one has no private names. */
  readonly join: (family: string, brands: readonly (Brand | undefined)[]) => void;
  /**
   * An object that has the private names of `value` as properties, `#` included; undefined and null are handed back.
   * `isCalled`: what is found there is called with `value` as `this`.
   */
  readonly other: (family: string, value: unknown, isCalled?: boolean) => unknown;
  /** `#name in value` */
  readonly bears: (family: string, name: string, value: unknown) => boolean;
}

interface Access {
  readonly has: (value: unknown) => boolean;
  readonly get: (value: unknown) => unknown;
  readonly set: (value: unknown, content: unknown) => void;
}

interface Family {
  readonly accesses: ReadonlyMap<string, readonly Access[]>;
  /** What the views inherit: a property for each name. */
  readonly names: object;
}

/** Private names begin with `#`, so none of them can be the name of one of these properties. */
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

/** Where no definition knows the value, the newest definition's access throws what the language throws. */
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
