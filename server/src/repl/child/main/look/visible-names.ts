/** The names that can follow a dot, or can be used alone, with their kinds. Nothing runs to find them. */
import { KERNEL_NAME } from "../../wire/kernel-name.ts";
import { types } from "node:util";
import { captured, uncurried } from "../../shared/captured.ts";
import type { RawName } from "../../wire/inquiry.ts";

const { isModuleNamespaceObject, isProxy, isTypedArray } = types;
const MAX_NAMES = 2000;

/** Own and inherited names of a value. A proxy has no names here, because its traps would run. */
export function membersOf(value: unknown): { members: readonly RawName[]; isCut: boolean } {
  const members: RawName[] = [];
  const seen = { __proto__: null } as unknown as Record<string, true>;
  let owner = holderOf(value);
  for (let depth = 0; owner !== null && !isProxy(owner) && depth < 50; depth++) {
    if (members.length >= MAX_NAMES) return { members, isCut: true };
    gather(owner, depth, members, seen);
    owner = captured.getPrototypeOf(owner) as object | null;
  }
  return { members, isCut: owner !== null && isProxy(owner) };
}

/** The names of the global object and of the objects it inherits from, without those that every object has. */
export function globalNames(): readonly RawName[] {
  const names: RawName[] = [];
  gather(globalThis, 1, names, { __proto__: null } as unknown as Record<string, true>);
  const kept: RawName[] = [];
  for (let index = 0; index < names.length; index++) {
    const each = names[index] as RawName;
    if (!uncurried.startsWith(each.name, KERNEL_NAME)) kept[kept.length] = each;
  }
  return kept;
}

/** The own names of an array and of a typed array are indices, which are left out. */
function gather(owner: object, depth: number, into: RawName[], seen: Record<string, true>): void {
  // The prototype of arrays is an array too, and has names.
  const isRow = depth === 0 && (captured.isArray(owner) || isTypedArray(owner));
  const names = isRow ? (isTypedArray(owner) ? [] : ["length"]) : captured.getOwnPropertyNames(owner);
  for (let index = 0; index < names.length && into.length < MAX_NAMES; index++) {
    const name = names[index] as string;
    if (seen[name] === true) continue;
    seen[name] = true;
    into[into.length] = { name, depth, ...kindOf(owner, name, depth) };
  }
}

function kindOf(owner: object, name: string, depth: number): Pick<RawName, "kind" | "type"> {
  let descriptor: PropertyDescriptor | undefined;
  try {
    descriptor = captured.getOwnPropertyDescriptor(owner, name);
  } catch {
    return { kind: "property" };
  }
  if (descriptor === undefined) return { kind: "property" };
  if (descriptor.get !== undefined || descriptor.set !== undefined) return { kind: "getter" };
  const value = descriptor.value as unknown;
  if (typeof value !== "function" || isProxy(value)) {
    return {
      kind: isModuleNamespaceObject(value) ? "module" : "property",
      type: value === null ? "null" : typeof value,
    };
  }
  if (uncurried.startsWith(uncurried.functionText(value), "class")) return { kind: "class" };
  return { kind: depth > 0 || owner !== globalThis ? "method" : "function" };
}

function holderOf(value: unknown): object | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object" || typeof value === "function") return value;
  return prototypes[typeof value as keyof typeof prototypes];
}

const prototypes = {
  string: String.prototype,
  number: Number.prototype,
  boolean: Boolean.prototype,
  bigint: BigInt.prototype,
  symbol: Symbol.prototype,
} as const;
