/**
 * A bounded printer: key, item, depth and character budgets hold for every value, so that neither a million-element
 * array nor an object with 200,000 keys costs more than its first lines. Getters are not invoked; the traps of
 * proxies are not run; a class's own `util.inspect.custom` is honoured, and a throwing one is reported in place.
 */
import { headOf } from "../cut.ts";
import { inspect, types } from "node:util";
import { captured, shieldedSet, uncurried } from "../captured.ts";
import { append, isIndex, more, WIDTH, wrap } from "./printer-lines.ts";
import { proxyText } from "./proxy-text.ts";

export interface PrintLimits {
  readonly characters: number;
  readonly depth: number;
  readonly items: number;
}

export const PREVIEW_LIMITS: PrintLimits = { characters: 4000, depth: 5, items: 50 };

const MAX_PROXY = 600;
const ITERATED = { depth: 1, customInspect: false, maxArrayLength: 20, breakLength: WIDTH };
const NAMED_ARRAY = 1000;
/** Properties of errors that say more than the message, and are not enumerable. */
const UNSEEN = ["cause", "errors"];
const WEAK_REF = WeakRef.prototype;
const custom = inspect.custom;
const TAG = Symbol.toStringTag;
const { min } = Math;
const { isNaN } = Number;
// `test` asks the pattern for its `exec`, and user code can replace the one of all patterns.
const identifier = Object.assign(/^[A-Za-z_$][\w$]*$/, { exec: RegExp.prototype.exec });
const test = RegExp.prototype.test.call.bind(RegExp.prototype.test) as (pattern: RegExp, text: string) => boolean;

interface Printing {
  readonly limits: PrintLimits;
  readonly path: Set<object>;
  left: number;
}

export function print(value: unknown, limits: PrintLimits = PREVIEW_LIMITS): string {
  const printing: Printing = { limits, path: shieldedSet<object>(), left: limits.characters };
  const text = show(value, 0, printing);
  return text.length <= limits.characters ? text : `${headOf(text, limits.characters)}… (cut)`;
}

/** A short name of the value's run-time type: `number`, `Array(3)`, `Invoice`, `class Invoice`. Runs no user code. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (types.isProxy(value)) return "Proxy";
  if (typeof value === "function") return isClass(value) ? `class ${nameOf(value)}` : "function";
  if (typeof value !== "object") return typeof value;
  if (types.isModuleNamespaceObject(value)) return "Module";
  const name = constructorName(value) ?? "Object";
  if (captured.isArray(value)) return `${name}(${value.length})`;
  if (types.isMap(value)) return `${name}(${uncurried.mapSize(value)})`;
  if (types.isSet(value)) return `${name}(${uncurried.setSize(value)})`;
  if (types.isTypedArray(value)) return `${name}(${uncurried.typedLength(value)})`;
  return name;
}

function show(value: unknown, depth: number, p: Printing): string {
  const text = showUnbounded(value, depth, p);
  p.left -= text.length > 40 ? 40 : text.length;
  return text;
}

function showUnbounded(value: unknown, depth: number, p: Printing): string {
  if (typeof value === "string") return showString(value, depth, p);
  if (typeof value === "bigint") return `${cut(captured.String(value), 200)}n`;
  if (typeof value === "symbol") return captured.String(value);
  if (types.isProxy(value)) return showProxy(value as object, p);
  if (typeof value === "function") return showFunction(value, depth, p);
  if (typeof value !== "object" || value === null) return captured.is(value, -0) ? "-0" : captured.String(value);
  if (p.path.has(value)) return "[Circular]";
  if (p.left <= 0) return "…";
  p.path.add(value);
  try {
    return showCustom(value, depth, p) ?? showObject(value, depth, p);
  } catch (error) {
    return `[not printable: ${types.isNativeError(error) ? cut(error.message, 100) : typeof error}]`;
  } finally {
    p.path.delete(value);
  }
}

function showProxy(value: object, p: Printing): string {
  if (p.left <= 0) return "[Proxy]";
  try {
    return proxyText(value, min(p.left, MAX_PROXY));
  } catch {
    return "[Proxy]";
  }
}

function showString(value: string, depth: number, p: Printing): string {
  const limit = depth === 0 ? p.limits.characters : 300;
  if (value.length <= limit) return captured.stringify(value);
  return `${captured.stringify(headOf(value, limit))}… (${value.length} characters)`;
}

function showFunction(value: object, depth: number, p: Printing): string {
  const head = isClass(value)
    ? `[class ${nameOf(value)}${parentName(value)}]`
    : `[${functionKind(value)} ${nameOf(value)}]`;
  const entries = depth < 2 ? properties(value, depth, p) : [];
  return entries.length === 0 ? head : `${head} ${wrap("{", entries, "}", depth)}`;
}

function functionKind(value: object): string {
  const isAsync = types.isAsyncFunction(value);
  // For Node an asynchronous generator is both.
  if (types.isGeneratorFunction(value)) return isAsync ? "AsyncGeneratorFunction" : "GeneratorFunction";
  return isAsync ? "AsyncFunction" : "Function";
}

function showCustom(value: object, depth: number, p: Printing): string | undefined {
  if (types.isModuleNamespaceObject(value)) return undefined;
  const method = (value as { [custom]?: unknown })[custom];
  if (typeof method !== "function" || method === inspect) return undefined;
  const options = { depth: p.limits.depth - depth, breakLength: WIDTH, colors: false, maxArrayLength: p.limits.items };
  const result: unknown = method.call(value, options.depth, { ...options, stylize: captured.String }, inspect);
  if (result === value) return undefined;
  return typeof result === "string" ? cut(result, 2000) : show(result, depth + 1, p);
}

function showObject(value: object, depth: number, p: Printing): string {
  if (types.isDate(value)) return isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (types.isRegExp(value)) return captured.String(value);
  if (types.isNativeError(value)) return showError(value, depth, p);
  if (types.isPromise(value)) return cut(inspect(value, { depth: 0 }), 200);
  if (types.isBoxedPrimitive(value)) return cut(inspect(value), 300);
  if (types.isWeakMap(value) || types.isWeakSet(value)) return `${typeOf(value)} {…}`;
  if (types.isAnyArrayBuffer(value)) return `${typeOf(value)} { byteLength: ${value.byteLength} }`;
  // Copies of what they hold are shown: they themselves do not go on.
  if (types.isMapIterator(value) || types.isSetIterator(value)) return cut(inspect(value, ITERATED), 600);
  if (types.isDataView(value)) return `DataView { byteLength: ${value.byteLength} }`;
  const deep = depth >= p.limits.depth;
  if (captured.isArray(value)) return deep ? `[${typeOf(value)}]` : showArray(value, depth, p);
  if (types.isTypedArray(value)) return `${typeOf(value)} ${wrap("[", typedItems(value, p), "]", depth)}`;
  if (types.isMap(value)) return deep ? `[${typeOf(value)}]` : showMap(value, depth, p);
  if (types.isSet(value)) return deep ? `[${typeOf(value)}]` : showSet(value, depth, p);
  const name = types.isModuleNamespaceObject(value) ? "[Module]" : constructorName(value);
  if (deep) return `[${name ?? "Object"}]`;
  if (name === "WeakRef" && captured.getPrototypeOf(value) === WEAK_REF) {
    return `WeakRef of ${show(uncurried.deref(value), depth + 1, p)}`;
  }
  const entries = properties(value, depth, p);
  const head = name === undefined ? "[Object: null prototype] " : name === "Object" ? tagOf(value) : `${name} `;
  return entries.length === 0 ? `${head}{}` : `${head}${wrap("{", entries, "}", depth)}`;
}

/** `Object [Generator] `: what is no class's says what it is by its tag. */
function tagOf(value: object): string {
  let proto: object | null = value;
  for (; proto !== null && !types.isProxy(proto); proto = captured.getPrototypeOf(proto) as object | null) {
    const tag: unknown = captured.getOwnPropertyDescriptor(proto, TAG)?.value;
    if (typeof tag === "string" && tag !== "") return `Object [${cut(tag, 100)}] `;
  }
  return "";
}

function showError(value: Error, depth: number, p: Printing): string {
  const head = `[${cut(`${captured.String(value.name)}: ${captured.String(value.message)}`, 500)}]`;
  if (depth >= p.limits.depth) return head;
  const entries = properties(value, depth, p);
  for (let index = 0; index < UNSEEN.length; index++) {
    const key = UNSEEN[index] as string;
    const descriptor = captured.getOwnPropertyDescriptor(value, key);
    if (descriptor !== undefined && descriptor.enumerable !== true) {
      entries[entries.length] = `${key}: ${slot(value, key, depth, p)}`;
    }
  }
  return entries.length === 0 ? head : `${head} ${wrap("{", entries, "}", depth)}`;
}

function showArray(value: readonly unknown[], depth: number, p: Printing): string {
  const entries: string[] = [];
  const shown = min(value.length, p.limits.items);
  for (let index = 0; index < shown && p.left > 0; index++) {
    if (!captured.hasOwn(value, index)) {
      entries[entries.length] = "<empty>";
      continue;
    }
    entries[entries.length] = slot(value, captured.String(index), depth, p);
  }
  if (entries.length < value.length) entries[entries.length] = more(value.length - entries.length);
  // Names cost by the element; a match of a pattern has some.
  if (value.length <= NAMED_ARRAY) append(entries, properties(value, depth, p, isIndex));
  const name = constructorName(value);
  return `${name === "Array" || name === undefined ? "" : `${name}(${value.length}) `}${wrap("[", entries, "]", depth)}`;
}

function typedItems(value: ArrayLike<unknown>, p: Printing): string[] {
  const entries: string[] = [];
  const shown = min(value.length, p.limits.items);
  for (let index = 0; index < shown; index++) entries[index] = captured.String(value[index]);
  if (shown < value.length) entries[shown] = more(value.length - shown);
  return entries;
}

function showMap(value: ReadonlyMap<unknown, unknown>, depth: number, p: Printing): string {
  const entries: string[] = [];
  for (const [key, item] of value) {
    if (entries.length >= p.limits.items || p.left <= 0) {
      entries[entries.length] = more(value.size - entries.length);
      break;
    }
    entries[entries.length] = `${show(key, depth + 1, p)} => ${show(item, depth + 1, p)}`;
  }
  append(entries, properties(value, depth, p));
  return `${typeOf(value)} ${wrap("{", entries, "}", depth)}`;
}

function showSet(value: ReadonlySet<unknown>, depth: number, p: Printing): string {
  const entries: string[] = [];
  for (const item of value) {
    if (entries.length >= p.limits.items || p.left <= 0) {
      entries[entries.length] = more(value.size - entries.length);
      break;
    }
    entries[entries.length] = show(item, depth + 1, p);
  }
  append(entries, properties(value, depth, p));
  return `${typeOf(value)} ${wrap("{", entries, "}", depth)}`;
}

function properties(value: object, depth: number, p: Printing, isLeftOut?: (name: string) => boolean): string[] {
  const entries: string[] = [];
  const keys = captured.keys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (isLeftOut?.(key) === true) continue;
    if (entries.length >= p.limits.items || p.left <= 0) {
      entries[entries.length] = more(keys.length - entries.length);
      return entries;
    }
    const name = test(identifier, key) ? key : captured.stringify(cut(key, 100));
    entries[entries.length] = `${name}: ${slot(value, key, depth, p)}`;
  }
  const symbols = captured.getOwnPropertySymbols(value);
  for (let index = 0; index < symbols.length; index++) {
    const key = symbols[index] as symbol;
    if (entries.length >= p.limits.items) break;
    if (captured.getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
    entries[entries.length] = `[${captured.String(key)}]: ${slot(value, key, depth, p)}`;
  }
  return entries;
}

function slot(owner: object, key: string | symbol, depth: number, p: Printing): string {
  if (types.isModuleNamespaceObject(owner)) {
    try {
      return show((owner as Record<string | symbol, unknown>)[key], depth + 1, p);
    } catch {
      return "<uninitialized>";
    }
  }
  const descriptor = captured.getOwnPropertyDescriptor(owner, key);
  if (descriptor === undefined) return "undefined";
  if (descriptor.get !== undefined) return descriptor.set === undefined ? "[Getter]" : "[Getter/Setter]";
  if (descriptor.set !== undefined) return "[Setter]";
  return show(descriptor.value, depth + 1, p);
}

/** A proxy among the prototypes ends the search: asking it would run its traps. */
function constructorName(value: object): string | undefined {
  let proto = captured.getPrototypeOf(value) as object | null;
  for (; proto !== null && !types.isProxy(proto); proto = captured.getPrototypeOf(proto) as object | null) {
    const constructor = captured.getOwnPropertyDescriptor(proto, "constructor")?.value as unknown;
    if (typeof constructor === "function" && !types.isProxy(constructor)) return nameOf(constructor);
  }
  return undefined;
}

function nameOf(value: object): string {
  const name = captured.getOwnPropertyDescriptor(value, "name")?.value as unknown;
  return typeof name === "string" && name !== "" ? cut(name, 100) : "(anonymous)";
}

function parentName(value: object): string {
  const parent = captured.getPrototypeOf(value) as unknown;
  return typeof parent === "function" && !types.isProxy(parent) && isClass(parent) ? ` extends ${nameOf(parent)}` : "";
}

const functionText = Function.prototype.toString;

function isClass(value: object): boolean {
  return functionText.call(value).startsWith("class");
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${headOf(text, limit)}…`;
}
