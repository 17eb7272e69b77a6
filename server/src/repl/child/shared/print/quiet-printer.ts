/**
 * Prints a value without running anything that user code can have put there: no getter, no proxy trap, no iterator, no
 * `inspect.custom`, no `toString`. What cannot be told that way is not told. Bounded in depth, items and characters.
 */
import { headOf } from "../cut.ts";
import { types } from "node:util";
import { captured, uncurried } from "../captured.ts";
import { PROXY_MARK } from "./proxy-mark.ts";

// Taken before user code runs: the object itself can be written to.
const { isDate, isMap, isModuleNamespaceObject, isNativeError, isPromise, isProxy, isRegExp, isSet, isTypedArray } =
  types;

const TAG = Symbol.toStringTag;
const MAX_TRAPS = 12;
const MAX_MET = 6;
interface QuietLimits {
  readonly characters: number;
  readonly depth: number;
  readonly items: number;
  readonly string: number;
}

const SHORT: QuietLimits = { characters: 400, depth: 2, items: 6, string: 80 };
const LONG: QuietLimits = { characters: 3000, depth: 4, items: 30, string: 300 };
const MAX_NAME = 80;
/** Of the printing under way; there is only one, as nothing else runs meanwhile. */
let limits = SHORT;
/** Proxies that are told later, where that is asked for. */
let met: object[] | undefined;

export function printQuietly(value: unknown, maxCharacters = SHORT.characters): string {
  limits = SHORT;
  return bounded(show(value, 0), maxCharacters);
}

/** The text, and after it the proxies that stand in it as marks, in their order. */
export function printWithProxies(value: unknown): unknown[] {
  limits = SHORT;
  const proxies: object[] = [];
  met = proxies;
  const text = bounded(show(value, 0), SHORT.characters);
  met = undefined;
  const printed: unknown[] = [text];
  for (let index = 0; index < proxies.length; index++) printed[index + 1] = proxies[index];
  return printed;
}

/** The same at more length, for a value that is an answer of its own. */
export function printQuietlyAtLength(value: unknown): string {
  limits = LONG;
  return bounded(show(value, 0), LONG.characters);
}

function bounded(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${headOf(text, maxCharacters)}…`;
}

/** A proxy by what stands behind it, which only the inspector can hand over. */
export function printProxy(target: unknown, handler: unknown): string {
  let traps = "";
  if (typeof handler === "object" && handler !== null && !isProxy(handler)) {
    const names = captured.getOwnPropertyNames(handler);
    for (let index = 0; index < names.length && index <= MAX_TRAPS; index++) {
      traps += `${index === 0 ? "" : ", "}${index === MAX_TRAPS ? "…" : cut(names[index] as string, MAX_NAME)}`;
    }
    const name = nameOfType(handler);
    if (traps === "") traps = name === undefined || name === "Object" ? "empty" : name;
  }
  return `Proxy of ${show(target, 0)} (handler: ${traps === "" ? "Proxy" : traps})`;
}

function show(value: unknown, depth: number): string {
  if (typeof value === "string") return showString(value);
  if (typeof value === "bigint") return `${cut(captured.String(value), 40)}n`;
  if (isProxy(value)) return showProxy(value as object);
  if (typeof value === "function") return showFunction(value, depth);
  if (typeof value !== "object" || value === null) return captured.is(value, -0) ? "-0" : captured.String(value);
  return showObject(value, depth);
}

function showProxy(value: object): string {
  if (met === undefined || met.length === MAX_MET) return "[Proxy]";
  met[met.length] = value;
  return PROXY_MARK;
}

function showObject(value: object, depth: number): string {
  if (isDate(value)) {
    const time = uncurried.dateTime(value);
    return time === time ? `Date(${uncurried.isoString(value)})` : "Date(invalid)";
  }
  if (isRegExp(value)) return `RegExp(${showString(uncurried.regExpSource(value))})`;
  if (isMap(value)) return showMap(value, depth);
  if (isSet(value)) return showSet(value, depth);
  if (captured.isArray(value)) return showArray(value, depth);
  if (isTypedArray(value)) return `${nameOfType(value) ?? "TypedArray"}(${uncurried.typedLength(value)})`;
  if (isPromise(value)) return "Promise";
  if (isModuleNamespaceObject(value)) return "[Module]";
  if (isNativeError(value)) return `${nameOfType(value) ?? "Error"}(${messageOf(value)})`;
  const entries = depth >= limits.depth ? undefined : properties(value, depth);
  const name = nameOfType(value);
  const head = name === undefined || name === "Object" ? tagOf(value) : `${name} `;
  if (entries === undefined) return head === "" ? "{…}" : `${head}{…}`;
  return entries.length === 0 ? `${head}{}` : `${head}{ ${join(entries)} }`;
}

/** `class Invoice extends Document (3 parameters), static { count: 2 }`, `function rateOf (1 parameter)`. */
function showFunction(value: object, depth: number): string {
  const isClass = uncurried.startsWith(uncurried.functionText(value), "class");
  const name = dataOf(value, "name");
  const length = dataOf(value, "length");
  const called = typeof name === "string" && name !== "" ? cut(name, MAX_NAME) : "(anonymous)";
  const parent = isClass ? parentName(value) : "";
  const head = `${isClass ? "class" : "function"} ${called}${parent}`;
  if (depth > 0) return `[${head}]`;
  const count = typeof length === "number" ? length : 0;
  const entries = properties(value, depth, (key) => key === "name" || key === "length" || key === "prototype");
  const own = entries.length === 0 ? "" : `, own { ${join(entries)} }`;
  return `${head} (${count} ${count === 1 ? "parameter" : "parameters"})${own}`;
}

function parentName(value: object): string {
  const parent = captured.getPrototypeOf(value) as unknown;
  if (typeof parent !== "function" || isProxy(parent)) return "";
  const name = dataOf(parent, "name");
  return typeof name === "string" && name !== "" ? ` extends ${cut(name, MAX_NAME)}` : "";
}

function showArray(value: object, depth: number): string {
  const length = dataOf(value, "length");
  const count = typeof length === "number" ? length : 0;
  if (depth >= limits.depth) return `Array(${count})`;
  const entries: string[] = [];
  for (let index = 0; index < count && index < limits.items; index++) {
    entries[index] = slot(value, captured.String(index), depth) ?? "empty";
  }
  if (count > limits.items) entries[limits.items] = "…";
  return entries.length === 0 ? "Array(0) []" : `Array(${count}) [${join(entries)}]`;
}

function showMap(value: object, depth: number): string {
  const size = uncurried.mapSize(value);
  const head = `${nameOfType(value) ?? "Map"}(${size})`;
  if (depth >= limits.depth) return head;
  const entries: string[] = [];
  const iterator = uncurried.mapEntries(value);
  for (let next = uncurried.nextEntry(iterator); next.done !== true; next = uncurried.nextEntry(iterator)) {
    if (entries.length >= limits.items) {
      entries[limits.items] = "…";
      break;
    }
    const pair = next.value as readonly unknown[];
    entries[entries.length] = `${show(pair[0], depth + 1)} => ${show(pair[1], depth + 1)}`;
  }
  return entries.length === 0 ? `${head} {}` : `${head} { ${join(entries)} }`;
}

function showSet(value: object, depth: number): string {
  const head = `${nameOfType(value) ?? "Set"}(${uncurried.setSize(value)})`;
  if (depth >= limits.depth) return head;
  const entries: string[] = [];
  const iterator = uncurried.setValues(value);
  for (let next = uncurried.nextValue(iterator); next.done !== true; next = uncurried.nextValue(iterator)) {
    if (entries.length >= limits.items) {
      entries[limits.items] = "…";
      break;
    }
    entries[entries.length] = show(next.value, depth + 1);
  }
  return entries.length === 0 ? `${head} {}` : `${head} { ${join(entries)} }`;
}

function properties(value: object, depth: number, leftOut?: (key: string) => boolean): string[] {
  const entries: string[] = [];
  const keys = captured.keys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (leftOut?.(key) === true) continue;
    if (entries.length >= limits.items) {
      entries[limits.items] = "…";
      break;
    }
    entries[entries.length] = `${cut(key, MAX_NAME)}: ${slot(value, key, depth) ?? "undefined"}`;
  }
  return entries;
}

/** Undefined for a property that is not there. */
function slot(owner: object, key: string, depth: number): string | undefined {
  const descriptor = captured.getOwnPropertyDescriptor(owner, key);
  if (descriptor === undefined) return undefined;
  if (descriptor.get !== undefined || descriptor.set !== undefined) return "[accessor]";
  return show(descriptor.value, depth + 1);
}

/** The name of the class whose prototype the value has, without asking a proxy that may stand among them. */
export function nameOfType(value: object): string | undefined {
  let proto = captured.getPrototypeOf(value) as object | null;
  for (let steps = 0; proto !== null && !isProxy(proto) && steps < 20; steps++) {
    const constructor = dataOf(proto, "constructor");
    if (typeof constructor === "function" && !isProxy(constructor)) {
      const name = dataOf(constructor, "name");
      return typeof name === "string" && name !== "" ? cut(name, MAX_NAME) : undefined;
    }
    proto = captured.getPrototypeOf(proto) as object | null;
  }
  return undefined;
}

/** `Generator `: what is no class's says what it is by its tag. */
function tagOf(value: object): string {
  let proto: object | null = value;
  for (let steps = 0; proto !== null && !isProxy(proto) && steps < 20; steps++) {
    const tag = captured.getOwnPropertyDescriptor(proto, TAG)?.value as unknown;
    if (typeof tag === "string" && tag !== "") return `${cut(tag, MAX_NAME)} `;
    proto = captured.getPrototypeOf(proto) as object | null;
  }
  return "";
}

function messageOf(error: object): string {
  const message = dataOf(error, "message");
  return typeof message === "string" ? showString(message) : "";
}

function dataOf(owner: object, key: string): unknown {
  return captured.getOwnPropertyDescriptor(owner, key)?.value as unknown;
}

function showString(value: string): string {
  if (value.length <= limits.string) return captured.stringify(value);
  return `${captured.stringify(headOf(value, limits.string))}… (${value.length} characters)`;
}

function join(entries: readonly string[]): string {
  let text = "";
  for (let index = 0; index < entries.length && text.length < limits.characters; index++) {
    text += `${index === 0 ? "" : ", "}${entries[index] as string}`;
  }
  return text;
}

function cut(text: string, limit: number): string {
  if (met !== undefined && uncurried.includes(text, PROXY_MARK)) return "?";
  return text.length <= limit ? text : `${headOf(text, limit)}…`;
}
