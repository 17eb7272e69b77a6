/**
 * Lets instances and subclasses of an old class follow the new definition. The old prototype is emptied and gets the
 * new one as its prototype, so that old instances and subclasses find the new methods. Subclasses construct with the
 * new class. The statics are those of the new class, and fields with an unchanged text keep their values.
 */
import type { ClassPlan, PrivateUser } from "../../wire/class-plan.ts";
import type { ClassChange } from "../../../redefine/installation.ts";
import { captured, uncurried } from "../../shared/captured.ts";
import type { HeapQuery } from "./heap-query.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { installDispatchers } from "./private-dispatch.ts";
import { markReplaced } from "../look/prototypes.ts";
import type { PrivateFamilies } from "./private-families.ts";

type Class = ((...args: never[]) => unknown) & { prototype: object };

export interface ClassRedefinition {
  /** Undefined when there is nothing to carry over, because one of the two is no class. */
  readonly adopt: (old: unknown, fresh: unknown, plan: ClassPlan, count?: boolean) => Promise<ClassChange | undefined>;
  /**
   * Carries over what the old function had: the prototype of an old-style constructor, and properties that were put on
   * a function.
   */
  readonly carry: (old: unknown, fresh: unknown) => readonly string[];
  /** A member of the present class was replaced: instances of older definitions get the new member too. */
  readonly replaced: (owner: unknown, member: PrivateUser, keys: readonly PropertyKey[]) => void;
  /** Joins the class and its older definitions to one family. */
  readonly gather: (family: string, owner: object) => void;
}

const { ownKeys, deleteProperty, setPrototypeOf, apply, get, set } = Reflect;
const { defineProperty, getPrototypeOf, getOwnPropertyDescriptor } = captured;
const objectPrototype = Object.prototype;
const isInstance = Function.prototype[Symbol.hasInstance];
const hasInstanceSymbol = Symbol.hasInstance;
const OWN_OF_FUNCTIONS = /^(?:length|name|prototype|arguments|caller)$/;
/** Defines a property on the object itself; false when the object refuses. */
const defineOn = Reflect.defineProperty;

export function createClassRedefinition(
  scopes: ModuleScopes,
  families: Pick<PrivateFamilies, "join">,
  query: HeapQuery["query"],
): ClassRedefinition {
  const generations = new WeakMap<object, readonly Class[]>();
  const olderThan = generations.get.bind(generations);
  const remember = generations.set.bind(generations);

  const gather: ClassRedefinition["gather"] = (family, owner) =>
    families.join(family, [owner, ...(olderThan(owner as Class) ?? [])].map(scopes.brandOf));

  const adopt: ClassRedefinition["adopt"] = async (old, fresh, plan, count = false) => {
    if (!isClass(old) || !isClass(fresh) || old === fresh) return undefined;
    const older = [...(olderThan(old) ?? []), old];
    remember(fresh, older);
    if (plan.family !== undefined) gather(plan.family, fresh);
    const problems: string[] = [];
    const kept = carryStatics(old, fresh, plan);
    kept.push(...carryPrivateStatics(scopes, old, fresh, plan));
    // Older prototypes may still have functions from earlier redefinitions, which choose by the instance; these are
    // removed too.
    const settled = older.map((generation) => settle(generation.prototype, fresh.prototype));
    if (settled.includes(false)) {
      problems.push(`Instances made before keep the old methods: the prototype of the old ${old.name} is frozen.`);
    }
    markReplaced(old.prototype, nameOf(old));
    for (const generation of older) installDispatchers(scopes, generation, fresh, plan.members);
    defineOn(old, hasInstanceSymbol, { value: instanceTest(old, fresh), configurable: true, writable: true });
    setPrototypeOf(old, fresh);
    const heirs = (await query(old))?.filter((heir) => isClass(heir) && !older.includes(heir)) as Class[] | undefined;
    if (heirs === undefined) problems.push("Subclasses could not be looked for: they construct with the old class.");
    for (const heir of heirs ?? []) if (getPrototypeOf(heir) === old) setPrototypeOf(heir, fresh);
    const found = count ? await query(older[0]?.prototype ?? old.prototype) : undefined;
    const prototypes = [...older, ...(heirs ?? [])].map((each) => each.prototype);
    const instances = found?.filter((each) => !prototypes.includes(each as object)).length;
    return { instances, subclasses: (heirs ?? []).map((heir) => nameOf(heir)), kept, problems };
  };

  const carry: ClassRedefinition["carry"] = (old, fresh) => {
    if (typeof old !== "function" || typeof fresh !== "function" || old === fresh) return [];
    if (isClassText(old) || isClassText(fresh)) return [];
    const before = getOwnPropertyDescriptor(old, "prototype")?.value as object | undefined;
    const writable = getOwnPropertyDescriptor(fresh, "prototype")?.writable === true;
    if (before !== undefined && writable && isConstructorLike(before)) {
      set(fresh, "prototype", before);
      const link = getOwnPropertyDescriptor(before, "constructor");
      if (link?.value === old) defineOn(before, "constructor", { ...link, value: fresh });
    }
    const carried: string[] = [];
    for (const key of ownKeys(old)) {
      if (typeof key === "string" && OWN_OF_FUNCTIONS.test(key)) continue;
      if (getOwnPropertyDescriptor(fresh, key) !== undefined) continue;
      defineOn(fresh, key, getOwnPropertyDescriptor(old, key) as PropertyDescriptor);
      carried.push(captured.String(key));
    }
    return carried;
  };
  const replaced: ClassRedefinition["replaced"] = (owner, member, keys) => {
    if (!isClass(owner)) return;
    for (const generation of olderThan(owner) ?? []) {
      for (const key of keys) deleteProperty(generation.prototype, key);
      if (member.uses.length > 0) installDispatchers(scopes, generation, owner, [member]);
    }
  };
  return { adopt, carry, replaced, gather };
}

function isClassText(value: object): boolean {
  return uncurried.startsWith(uncurried.functionText(value), "class");
}

function isClass(value: unknown): value is Class {
  return typeof value === "function" && isClassText(value);
}

function isConstructorLike(prototype: object): boolean {
  return getPrototypeOf(prototype) !== objectPrototype || ownKeys(prototype).length > 1;
}

/**
 * Empties the old prototype, so that nothing in it hides a member of the new one, and makes the new one its prototype.
 */
function settle(old: object, fresh: object): boolean {
  for (const key of ownKeys(old)) if (!deleteProperty(old, key)) return false;
  return setPrototypeOf(old, fresh);
}

/**
 * Makes the old class read and write the statics of the new class. Answers the names of the fields that kept their
 * values.
 */
function carryStatics(old: Class, fresh: Class, plan: ClassPlan): string[] {
  const kept: string[] = [];
  for (const key of ownKeys(old)) {
    if ((typeof key === "string" && OWN_OF_FUNCTIONS.test(key)) || key === hasInstanceSymbol) continue;
    const own = getOwnPropertyDescriptor(old, key) as PropertyDescriptor;
    const isField = "value" in own && own.enumerable === true;
    const name = captured.String(key);
    const isNew = getOwnPropertyDescriptor(fresh, key) === undefined;
    if (isField && (isNew ? !plan.drop.includes(name) : plan.keep.includes(name)) && defineOn(fresh, key, own)) {
      kept.push(name);
    }
    if (!deleteProperty(old, key) || !isField) continue;
    defineProperty(old, key, {
      get: () => get(fresh, key) as unknown,
      set: (value: unknown) => void set(fresh, key, value),
      configurable: true,
      enumerable: true,
    });
  }
  return kept;
}

function carryPrivateStatics(scopes: ModuleScopes, old: Class, fresh: Class, plan: ClassPlan): string[] {
  const from = scopes.brandOf(old);
  const to = scopes.brandOf(fresh);
  if (from === undefined || to === undefined) return [];
  return plan.keepPrivate
    .filter((name) => {
      const read = from.evaluator(`(c)=>c.#${name}`) as (owner: object) => unknown;
      const write = to.evaluator(`(c,v)=>{c.#${name}=v}`) as (owner: object, value: unknown) => void;
      write(fresh, read(old));
      return true;
    })
    .map((name) => `#${name}`);
}

/**
 * Makes instances of the new class also instances of the old class. A subclass of the old class is tested by itself.
 */
function instanceTest(old: Class, fresh: Class): (this: unknown, value: unknown) => boolean {
  return function (this: unknown, value: unknown): boolean {
    const asked = this === old ? fresh : (this as Class);
    return apply<Class, [unknown], boolean>(isInstance, asked, [value]);
  };
}

function nameOf(heir: Class): string {
  const name = getOwnPropertyDescriptor(heir, "name")?.value as unknown;
  return typeof name === "string" && name !== "" ? name : "(anonymous class)";
}
