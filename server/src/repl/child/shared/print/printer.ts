/**
 * A bounded printer: the limits for keys, items, depth and characters hold for every value, so that an array of a
 * million elements or an object with 200,000 keys costs only its first lines. Getters and the traps of proxies are not
 * run. The printer calls a class's own `util.inspect.custom`, and shows its error in place if it throws.
 */
import { inspect, types } from "node:util";
import { captured, shieldedSet, uncurried } from "../captured.ts";
import { headOf, shortened } from "../cut.ts";
import { eachEntry } from "../entries.ts";
import { append, isIndex, more, WIDTH, wrap } from "./printer-lines.ts";
import { proxyText } from "./proxy-text.ts";
import { calledName, isClass, kindOf, parentOf, shownClass, sizeOf, tagOf, typeOf, type Kind } from "./value-facts.ts";

export interface PrintLimits {
  readonly characters: number;
  readonly depth: number;
  readonly items: number;
}

export const PREVIEW_LIMITS: PrintLimits = { characters: 4000, depth: 5, items: 50 };

const MAX_PROXY = 600;
const ITERATED = { depth: 1, customInspect: false, maxArrayLength: 20, breakLength: WIDTH };
const NAMED_ARRAY = 1000;
/** Properties of errors that are not enumerable and say more than the message. */
const UNSEEN = ["cause", "errors"];
const WEAK_REF = WeakRef.prototype;
const custom = inspect.custom;
const { min } = Math;
const { isNaN } = Number;
// `test` calls the pattern's `exec`, which user code can replace on the prototype, so this pattern has its own.
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

function show(value: unknown, depth: number, p: Printing): string {
  const text = showUnbounded(value, depth, p);
  p.left -= text.length > 40 ? 40 : text.length;
  return text;
}

function showUnbounded(value: unknown, depth: number, p: Printing): string {
  const kind = kindOf(value);
  if (kind === "string") return showString(value as string, depth, p);
  if (kind === "bigint") return `${shortened(captured.String(value), 200)}n`;
  if (kind === "primitive") return captured.is(value, -0) ? "-0" : captured.String(value);
  if (kind === "proxy") return showProxy(value as object, p);
  if (kind === "function") return showFunction(value as object, depth, p);
  const object = value as object;
  if (p.path.has(object)) return "[Circular]";
  if (p.left <= 0) return "…";
  p.path.add(object);
  try {
    return showCustom(object, depth, p) ?? showLeaf(object, kind) ?? showObject(object, kind, depth, p);
  } catch (error) {
    return `[not printable: ${types.isNativeError(error) ? shortened(error.message, 100) : typeof error}]`;
  } finally {
    p.path.delete(object);
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
  const parent = parentOf(value);
  const heir = parent === undefined || !isClass(parent) ? "" : ` extends ${calledName(parent)}`;
  const head = isClass(value) ? `[class ${calledName(value)}${heir}]` : `[${functionKind(value)} ${calledName(value)}]`;
  const entries = depth < 2 ? properties(value, depth, p) : [];
  return entries.length === 0 ? head : `${head} ${wrap("{", entries, "}", depth)}`;
}

function functionKind(value: object): string {
  const isAsync = types.isAsyncFunction(value);
  // An asynchronous generator function is also an asynchronous function for Node.
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
  return typeof result === "string" ? shortened(result, 2000) : show(result, depth + 1, p);
}

/** The whole text of a value without members; undefined for a value with members. */
function showLeaf(value: object, kind: Kind): string | undefined {
  switch (kind) {
    case "date": {
      const date = value as Date;
      return isNaN(date.getTime()) ? "Invalid Date" : date.toISOString();
    }
    case "regexp":
      return captured.String(value);
    case "promise":
      return shortened(inspect(value, { depth: 0 }), 200);
    case "boxed":
      return shortened(inspect(value), 300);
    case "weak":
      return `${typeOf(value)} {…}`;
    case "buffer":
      return `${typeOf(value)} { byteLength: ${(value as ArrayBuffer).byteLength} }`;
    case "dataView":
      return `DataView { byteLength: ${(value as DataView).byteLength} }`;
    case "iterator":
      // Copies of the iterator's items are shown: the iterator itself does not advance.
      return shortened(inspect(value, ITERATED), 600);
    default:
      return undefined;
  }
}

function showObject(value: object, kind: Kind, depth: number, p: Printing): string {
  if (kind === "error") return showError(value as Error, depth, p);
  if (kind === "typedArray") {
    return `${typeOf(value)} ${wrap("[", typedItems(value as unknown as ArrayLike<unknown>, p), "]", depth)}`;
  }
  const isDeep = depth >= p.limits.depth;
  if (isDeep && sizeOf(value, kind) !== undefined) return `[${typeOf(value)}]`;
  if (kind === "array") return showArray(value as readonly unknown[], depth, p);
  if (kind === "map" || kind === "set") return showEntries(value, kind, depth, p);
  const name = kind === "module" ? "[Module]" : shownClass(value);
  if (isDeep) return `[${name ?? "Object"}]`;
  if (name === "WeakRef" && captured.getPrototypeOf(value) === WEAK_REF) {
    return `WeakRef of ${show(uncurried.deref(value), depth + 1, p)}`;
  }
  const entries = properties(value, depth, p);
  const head = classHead(value, name);
  return entries.length === 0 ? `${head}{}` : `${head}${wrap("{", entries, "}", depth)}`;
}

/** `Object [Generator] ` for an object without a class that has a tag. */
function classHead(value: object, name: string | undefined): string {
  if (name === undefined) return "[Object: null prototype] ";
  if (name !== "Object") return `${name} `;
  const tag = tagOf(value);
  return tag === "" ? "" : `Object [${shortened(tag, 100)}] `;
}

function showError(value: Error, depth: number, p: Printing): string {
  const head = `[${shortened(`${captured.String(value.name)}: ${captured.String(value.message)}`, 500)}]`;
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
  // Reading names costs time for each element. The match of a pattern has names.
  if (value.length <= NAMED_ARRAY) append(entries, properties(value, depth, p, isIndex));
  const name = shownClass(value);
  return `${name === "Array" || name === undefined ? "" : `${name}(${value.length}) `}${wrap("[", entries, "]", depth)}`;
}

function typedItems(value: ArrayLike<unknown>, p: Printing): string[] {
  const entries: string[] = [];
  const shown = min(value.length, p.limits.items);
  for (let index = 0; index < shown; index++) entries[index] = captured.String(value[index]);
  if (shown < value.length) entries[shown] = more(value.length - shown);
  return entries;
}

function showEntries(value: object, kind: "map" | "set", depth: number, p: Printing): string {
  const entries: string[] = [];
  eachEntry(value, (item, key) => {
    const isFull = entries.length >= p.limits.items || p.left <= 0;
    const name = kind === "set" || isFull ? "" : `${show(key, depth + 1, p)} => `;
    entries[entries.length] = isFull
      ? more((sizeOf(value, kind) ?? 0) - entries.length)
      : `${name}${show(item, depth + 1, p)}`;
    return !isFull;
  });
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
    const name = test(identifier, key) ? key : captured.stringify(shortened(key, 100));
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
