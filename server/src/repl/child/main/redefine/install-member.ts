/** Puts one method or accessor into a living class or object. */
import { captured } from "../../shared/captured.ts";
import type { ClassRedefinition } from "./class-redefinition.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";

export interface MemberSpec {
  readonly owner: string;
  readonly member: string;
  readonly isStatic: boolean;
  readonly code: string;
  readonly uses: readonly string[];
  /** The name of the class's family in the text, when the member reads private names of other objects. */
  readonly family?: string;
  readonly sourceUrl: string;
}

export interface MemberInstaller {
  /**
   * `make` builds an object literal with the member. It is absent when the member uses private names, which cannot be
   * compiled outside of the class.
   */
  readonly method: (owner: unknown, spec: MemberSpec, make?: (parent: object | null) => object) => void;
  /** The present function; for an accessor, its getter or else its setter. */
  readonly member: (owner: unknown, name: PropertyKey, isStatic: boolean, shown: string) => unknown;
}

const { ownKeys } = Reflect;
const { getPrototypeOf, getOwnPropertyDescriptor, isArray } = captured;
const defineOn = Reflect.defineProperty;

export function createMemberInstaller(scopes: ModuleScopes, classes: ClassRedefinition): MemberInstaller {
  const compile: MemberInstaller["method"] = (owner, spec, make) => {
    const home = homeOf(owner, spec);
    if (spec.family !== undefined) classes.gather(spec.family, owner as object);
    const literal = make?.(getPrototypeOf(home) as object | null) ?? insideClass(scopes, owner as object, home, spec);
    for (const key of ownKeys(literal)) {
      const fresh = getOwnPropertyDescriptor(literal, key) as PropertyDescriptor;
      const old = getOwnPropertyDescriptor(home, key);
      const isAccessor = !("value" in fresh);
      const other = isAccessor && old !== undefined && !("value" in old) ? definedHalves(old) : {};
      const halves: PropertyDescriptor = isAccessor ? { ...other, ...definedHalves(fresh) } : fresh;
      const enumerable = typeof owner !== "function";
      if (!defineOn(home, key, { ...halves, configurable: true, enumerable })) {
        throw new captured.Error(`${spec.owner}.${spec.member} cannot be replaced: ${spec.owner} is frozen.`);
      }
    }
    if (!spec.isStatic)
      classes.replaced(owner, { name: spec.member, code: spec.code, uses: spec.uses }, ownKeys(literal));
  };
  return {
    method: compile,
    member: (owner, name, isStatic, shown) => {
      const home = homeOf(owner, { owner: shown, isStatic });
      const own = getOwnPropertyDescriptor(home, name);
      return own?.value ?? own?.get ?? own?.set;
    },
  };
}

function homeOf(owner: unknown, { owner: shown, isStatic }: Pick<MemberSpec, "owner" | "isStatic">): object {
  const isObject = (typeof owner === "object" && owner !== null) || typeof owner === "function";
  if (!isObject || isArray(owner)) throw new captured.Error(`${shown} is no class and no object: it has no methods.`);
  const prototype = typeof owner === "function" ? getOwnPropertyDescriptor(owner, "prototype")?.value : undefined;
  return isStatic || typeof prototype !== "object" || prototype === null ? owner : (prototype as object);
}

/** Compiles the member inside the class: only an evaluator of the class itself can use its private names. */
function insideClass(scopes: ModuleScopes, owner: object, home: object, spec: MemberSpec): object {
  const brand = scopes.brandOf(owner);
  const known = brand === undefined ? [] : [...brand.names.instance, ...brand.names.static];
  const missing = spec.uses.filter((name) => !known.includes(name));
  if (brand === undefined || missing.length > 0) {
    const names = missing.map((name) => `#${name}`).join(", ");
    throw new captured.Error(
      `${spec.owner} declares no ${names}: private names are fixed when a class is defined. Give the whole class instead.`,
    );
  }
  const text = `(__agentq$p)=>({__proto__:__agentq$p,${spec.code}})\n//# sourceURL=${spec.sourceUrl}`;
  return (brand.evaluator(text) as (parent: unknown) => object)(getPrototypeOf(home));
}

function definedHalves({ get, set }: PropertyDescriptor): PropertyDescriptor {
  return { ...(get === undefined ? {} : { get }), ...(set === undefined ? {} : { set }) };
}
