/**
 * An instance of an old class has that class's private names. So a method of the new class that uses private names is
 * compiled once more inside of the old class. The old prototype gets functions that choose the method by the instance.
 */
import type { PrivateUser } from "../../wire/class-plan.ts";
import { captured } from "../../shared/captured.ts";
import type { Brand, ModuleScopes } from "../modules/module-scopes.ts";

const { ownKeys, apply } = Reflect;
const { getPrototypeOf, getOwnPropertyDescriptor } = captured;
const defineOn = Reflect.defineProperty;

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Owner = object & { readonly prototype: object };

export function installDispatchers(
  scopes: ModuleScopes,
  old: Owner,
  fresh: Owner,
  members: readonly PrivateUser[],
): void {
  const brand = scopes.brandOf(old);
  const [name] = brand?.names.instance ?? [];
  if (brand === undefined || name === undefined) return;
  const isOld = brand.evaluator(`(o)=>#${name} in o`) as (value: object) => boolean;
  const hasBrand = (value: unknown): boolean => typeof value === "object" && value !== null && isOld(value);
  const copies = compileInside(brand, fresh, members);
  for (const key of ownKeys(copies)) {
    if (key === "__proto__") continue;
    const copy = getOwnPropertyDescriptor(copies, key) as PropertyDescriptor;
    defineOn(old.prototype, key, dispatcher(old.prototype, key, copy, hasBrand));
  }
}

/** Members that use a name that the old class does not have are left to the new class: on old instances they throw. */
function compileInside(brand: Brand, fresh: Owner, members: readonly PrivateUser[]): object {
  const known = [...brand.names.instance, ...brand.names.static];
  const usable = members.filter(({ uses }) => uses.every((use) => known.includes(use)));
  const text = usable.map(({ code }) => code).join(",\n");
  const make = brand.evaluator(`(__agentq$p)=>({__proto__:__agentq$p,${text}})`) as (parent: object | null) => object;
  return make(getPrototypeOf(fresh.prototype) as object | null);
}

function dispatcher(
  home: object,
  key: PropertyKey,
  copy: PropertyDescriptor,
  hasBrand: (value: unknown) => boolean,
): PropertyDescriptor {
  const choose = (part: "value" | "get" | "set"): Method | undefined => {
    const own = copy[part] as Method | undefined;
    // A setter without private names may belong to a getter that uses some.
    const shown = own ?? (above(home, key)?.[part] as Method | undefined);
    if (shown === undefined) return undefined;
    const chosen = function (this: unknown, ...args: unknown[]): unknown {
      if (own !== undefined && hasBrand(this)) return apply(own, this, args);
      const next = above(home, key)?.[part] as Method | undefined;
      return next === undefined ? undefined : apply(next, this, args);
    };
    for (const label of ["name", "length"]) {
      defineOn(chosen, label, { value: getOwnPropertyDescriptor(shown, label)?.value as unknown, configurable: true });
    }
    return chosen;
  };
  if ("value" in copy) return { value: choose("value"), writable: true, configurable: true, enumerable: false };
  const get = choose("get");
  const set = choose("set");
  return { ...(get ? { get } : {}), ...(set ? { set } : {}), configurable: true, enumerable: false };
}

function above(home: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: unknown = getPrototypeOf(home); at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
