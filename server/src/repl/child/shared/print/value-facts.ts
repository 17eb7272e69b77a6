/**
 * The facts about a value: its kind, its class, its size, its own properties. Nothing here runs anything that user code
 * can have put there: no getter, no proxy trap, no iterator, no `toString`.
 */
import { types } from "node:util";
import { captured, uncurried } from "../captured.ts";
import { shortened } from "../cut.ts";

// Copied before user code runs, because user code can write to the object.
const t = { ...types };

export type Kind =
  | "string"
  | "bigint"
  | "proxy"
  | "function"
  /** Any other value that is not an object. */
  | "primitive"
  | "array"
  | "map"
  | "set"
  | "typedArray"
  | "error"
  | "date"
  | "regexp"
  | "promise"
  | "weak"
  | "buffer"
  | "dataView"
  | "boxed"
  | "iterator"
  | "module"
  | "object";

export function kindOf(value: unknown): Kind {
  if (typeof value === "string" || typeof value === "bigint") return typeof value as "string" | "bigint";
  if (t.isProxy(value)) return "proxy";
  if (typeof value === "function") return "function";
  return typeof value === "object" && value !== null ? objectKind(value) : "primitive";
}

/** Each object is of at most one of these kinds. */
function objectKind(value: object): Kind {
  if (captured.isArray(value)) return "array";
  if (t.isMap(value)) return "map";
  if (t.isSet(value)) return "set";
  if (t.isTypedArray(value)) return "typedArray";
  if (t.isNativeError(value)) return "error";
  if (t.isDate(value)) return "date";
  if (t.isRegExp(value)) return "regexp";
  if (t.isPromise(value)) return "promise";
  if (t.isModuleNamespaceObject(value)) return "module";
  if (t.isWeakMap(value) || t.isWeakSet(value)) return "weak";
  if (t.isAnyArrayBuffer(value)) return "buffer";
  if (t.isDataView(value)) return "dataView";
  if (t.isBoxedPrimitive(value)) return "boxed";
  return t.isMapIterator(value) || t.isSetIterator(value) ? "iterator" : "object";
}

const NAME = 100;
const TAG = Symbol.toStringTag;

/** A short name of the value's run-time type: `number`, `Array(3)`, `Invoice`, `class Invoice`. */
export function typeOf(value: unknown): string {
  const kind = kindOf(value);
  if (kind === "proxy") return "Proxy";
  if (kind === "module") return "Module";
  if (value === null) return "null";
  if (typeof value === "function") return isClass(value) ? `class ${calledName(value)}` : "function";
  if (typeof value !== "object") return typeof value;
  const name = shownClass(value) ?? "Object";
  const size = sizeOf(value, kind);
  return size === undefined ? name : `${name}(${size})`;
}

/** The number of elements or entries; undefined for a value that has none. */
export function sizeOf(value: object, kind: Kind): number | undefined {
  if (kind === "array") return (value as readonly unknown[]).length;
  if (kind === "map") return uncurried.mapSize(value);
  if (kind === "set") return uncurried.setSize(value);
  return kind === "typedArray" ? uncurried.typedLength(value) : undefined;
}

/** Whether the value can have properties. */
export function isHolder(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

export function isClass(value: object): boolean {
  return uncurried.startsWith(uncurried.functionText(value), "class");
}

/**
 * The class whose prototype the value has, searched in at most `maxSteps` prototypes. A proxy among them ends the
 * search, because its traps would run.
 */
export function classOf(value: object, maxSteps = Infinity): object | undefined {
  let proto = captured.getPrototypeOf(value) as object | null;
  for (let steps = 0; proto !== null && !t.isProxy(proto) && steps < maxSteps; steps++) {
    const constructor = dataOf(proto, "constructor");
    if (typeof constructor === "function" && !t.isProxy(constructor)) return constructor;
    proto = captured.getPrototypeOf(proto) as object | null;
  }
  return undefined;
}

/** The class that a class extends; undefined when there is none. */
export function parentOf(value: object): object | undefined {
  const parent = captured.getPrototypeOf(value) as unknown;
  return typeof parent === "function" && !t.isProxy(parent) ? parent : undefined;
}

/** The tag of a value that is no instance of a class; empty when there is none. */
export function tagOf(value: object, maxSteps = Infinity): string {
  let proto: object | null = value;
  for (let steps = 0; proto !== null && !t.isProxy(proto) && steps < maxSteps; steps++) {
    const tag = dataOf(proto, TAG);
    if (typeof tag === "string" && tag !== "") return tag;
    proto = captured.getPrototypeOf(proto) as object | null;
  }
  return "";
}

/** The function's own name; empty when it has none. */
export function nameOf(value: object): string {
  const name = dataOf(value, "name");
  return typeof name === "string" ? name : "";
}

/** The function's name as it is shown. */
export function calledName(value: object): string {
  return shortened(nameOf(value), NAME) || "(anonymous)";
}

/** The name of the value's class as it is shown; undefined for an object without a class. */
export function shownClass(value: object): string | undefined {
  const found = classOf(value);
  return found === undefined ? undefined : calledName(found);
}

/** The value of an own data property; undefined when there is none. */
export function dataOf(owner: object, key: PropertyKey): unknown {
  return captured.getOwnPropertyDescriptor(owner, key)?.value as unknown;
}
