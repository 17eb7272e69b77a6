/**
 * Prints a value without running anything that user code can have put there: no getter, no proxy trap, no iterator, no
 * `inspect.custom`, no `toString`. What cannot be read that way is left out. Depth, items and characters are limited.
 */
import { captured, uncurried } from "../captured.ts";
import { headOf, shortened } from "../cut.ts";
import { eachEntry } from "../entries.ts";
import { PROXY_MARK } from "./proxy-mark.ts";
import { classOf, dataOf, isClass, kindOf, nameOf, parentOf, sizeOf, tagOf, type Kind } from "./value-facts.ts";

const MAX_TRAPS = 12;
const MAX_MET = 6;
const MAX_NAME = 80;
/** User code can make a chain of prototypes of any length. */
const MAX_CHAIN = 20;

interface QuietLimits {
  readonly characters: number;
  readonly depth: number;
  readonly items: number;
  readonly string: number;
}

interface Printing {
  readonly limits: QuietLimits;
  /** Proxies that are printed later; undefined when the caller does not ask for that. */
  readonly met: object[] | undefined;
}

const SHORT: Printing = { limits: { characters: 400, depth: 2, items: 6, string: 80 }, met: undefined };
const LONG: Printing = { limits: { characters: 3000, depth: 4, items: 30, string: 300 }, met: undefined };

export function printQuietly(value: unknown, maxCharacters = SHORT.limits.characters): string {
  return shortened(show(value, 0, SHORT), maxCharacters);
}

/** The same with larger limits, for a value that is an answer on its own. */
export function printQuietlyAtLength(value: unknown): string {
  return shortened(show(value, 0, LONG), LONG.limits.characters);
}

/** The text, followed by the proxies whose marks the text has, in the order of the marks. */
export function printWithProxies(value: unknown): unknown[] {
  const { limits } = SHORT;
  const met: object[] = [];
  const printed: unknown[] = [shortened(show(value, 0, { limits, met }), limits.characters)];
  for (let index = 0; index < met.length; index++) printed[index + 1] = met[index];
  return printed;
}

/** A proxy with its target and traps, which only the inspector can read. */
export function printProxy(target: unknown, handler: unknown): string {
  let traps = "";
  if (typeof handler === "object" && handler !== null && kindOf(handler) !== "proxy") {
    const names = captured.getOwnPropertyNames(handler);
    for (let index = 0; index < names.length && index <= MAX_TRAPS; index++) {
      traps += `${index === 0 ? "" : ", "}${index === MAX_TRAPS ? "…" : shortened(names[index] as string, MAX_NAME)}`;
    }
    const name = nameOfType(handler);
    if (traps === "") traps = name === undefined || name === "Object" ? "empty" : name;
  }
  return `Proxy of ${show(target, 0, SHORT)} (handler: ${traps === "" ? "Proxy" : traps})`;
}

/** The name of the class whose prototype the value has; undefined also for a class without a name. */
export function nameOfType(value: object): string | undefined {
  return className(value, SHORT);
}

function show(value: unknown, depth: number, p: Printing): string {
  const kind = kindOf(value);
  if (kind === "string") return showString(value as string, p);
  if (kind === "bigint") return `${cut(captured.String(value), 40, p)}n`;
  if (kind === "proxy") return showProxy(value as object, p);
  if (kind === "function") return showFunction(value as object, depth, p);
  if (kind === "primitive") return captured.is(value, -0) ? "-0" : captured.String(value);
  return showObject(value as object, kind, depth, p);
}

function showProxy(value: object, { met }: Printing): string {
  if (met === undefined || met.length === MAX_MET) return "[Proxy]";
  met[met.length] = value;
  return PROXY_MARK;
}

function showObject(value: object, kind: Kind, depth: number, p: Printing): string {
  if (kind === "date") {
    const time = uncurried.dateTime(value);
    return time === time ? `Date(${uncurried.isoString(value)})` : "Date(invalid)";
  }
  if (kind === "regexp") return `RegExp(${showString(uncurried.regExpSource(value), p)})`;
  if (kind === "map" || kind === "set") return showEntries(value, kind, depth, p);
  if (kind === "array") return showArray(value, depth, p);
  if (kind === "typedArray") return `${className(value, p) ?? "TypedArray"}(${sizeOf(value, kind)})`;
  if (kind === "promise") return "Promise";
  if (kind === "module") return "[Module]";
  if (kind === "error") return showError(value, p);
  const entries = depth >= p.limits.depth ? undefined : properties(value, depth, p);
  const name = className(value, p);
  const told = name === undefined || name === "Object" ? cut(tagOf(value, MAX_CHAIN), MAX_NAME, p) : name;
  const head = told === "" ? "" : `${told} `;
  if (entries === undefined) return head === "" ? "{…}" : `${head}{…}`;
  return entries.length === 0 ? `${head}{}` : `${head}{ ${join(entries, p)} }`;
}

function showError(value: object, p: Printing): string {
  const message = dataOf(value, "message");
  return `${className(value, p) ?? "Error"}(${typeof message === "string" ? showString(message, p) : ""})`;
}

/** `class Invoice extends Document (3 parameters), static { count: 2 }`, `function rateOf (1 parameter)`. */
function showFunction(value: object, depth: number, p: Printing): string {
  const isOfClass = isClass(value);
  const parent = isOfClass ? parentOf(value) : undefined;
  const above = parent === undefined ? "" : nameOf(parent);
  const heir = above === "" ? "" : ` extends ${cut(above, MAX_NAME, p)}`;
  const head = `${isOfClass ? "class" : "function"} ${cut(nameOf(value), MAX_NAME, p) || "(anonymous)"}${heir}`;
  if (depth > 0) return `[${head}]`;
  const length = dataOf(value, "length");
  const count = typeof length === "number" ? length : 0;
  const entries = properties(value, depth, p, (key) => key === "name" || key === "length" || key === "prototype");
  const own = entries.length === 0 ? "" : `, own { ${join(entries, p)} }`;
  return `${head} (${count} ${count === 1 ? "parameter" : "parameters"})${own}`;
}

function showArray(value: object, depth: number, p: Printing): string {
  const { limits } = p;
  const length = dataOf(value, "length");
  const count = typeof length === "number" ? length : 0;
  if (depth >= limits.depth) return `Array(${count})`;
  const entries: string[] = [];
  for (let index = 0; index < count && index < limits.items; index++) {
    entries[index] = slot(value, captured.String(index), depth, p) ?? "empty";
  }
  if (count > limits.items) entries[limits.items] = "…";
  return entries.length === 0 ? "Array(0) []" : `Array(${count}) [${join(entries, p)}]`;
}

function showEntries(value: object, kind: "map" | "set", depth: number, p: Printing): string {
  const isMap = kind === "map";
  const head = `${className(value, p) ?? (isMap ? "Map" : "Set")}(${sizeOf(value, kind)})`;
  if (depth >= p.limits.depth) return head;
  const entries: string[] = [];
  eachEntry(value, (item, key) => {
    const isFull = entries.length >= p.limits.items;
    const name = isMap && !isFull ? `${show(key, depth + 1, p)} => ` : "";
    entries[entries.length] = isFull ? "…" : `${name}${show(item, depth + 1, p)}`;
    return !isFull;
  });
  return entries.length === 0 ? `${head} {}` : `${head} { ${join(entries, p)} }`;
}

function properties(value: object, depth: number, p: Printing, leftOut?: (key: string) => boolean): string[] {
  const entries: string[] = [];
  const keys = captured.keys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (leftOut?.(key) === true) continue;
    if (entries.length >= p.limits.items) {
      entries[p.limits.items] = "…";
      break;
    }
    entries[entries.length] = `${cut(key, MAX_NAME, p)}: ${slot(value, key, depth, p) ?? "undefined"}`;
  }
  return entries;
}

/** Undefined when there is no such property. */
function slot(owner: object, key: string, depth: number, p: Printing): string | undefined {
  const descriptor = captured.getOwnPropertyDescriptor(owner, key);
  if (descriptor === undefined) return undefined;
  if (descriptor.get !== undefined || descriptor.set !== undefined) return "[accessor]";
  return show(descriptor.value, depth + 1, p);
}

function className(value: object, p: Printing): string | undefined {
  const found = classOf(value, MAX_CHAIN);
  const name = found === undefined ? "" : nameOf(found);
  return name === "" ? undefined : cut(name, MAX_NAME, p);
}

function showString(value: string, { limits }: Printing): string {
  if (value.length <= limits.string) return captured.stringify(value);
  return `${captured.stringify(headOf(value, limits.string))}… (${value.length} characters)`;
}

function join(entries: readonly string[], { limits }: Printing): string {
  let text = "";
  for (let index = 0; index < entries.length && text.length < limits.characters; index++) {
    text += `${index === 0 ? "" : ", "}${entries[index] as string}`;
  }
  return text;
}

/** Replaces names that have the mark of a proxy: no other text may have it. */
function cut(text: string, limit: number, { met }: Printing): string {
  return met !== undefined && uncurried.includes(text, PROXY_MARK) ? "?" : shortened(text, limit);
}
