/**
 * Searches for a replaced value in the bindings of the loaded modules, and in plain containers up to a few steps from
 * there. None of the user's code runs: getters, proxies and namespaces are left out.
 */
import { types } from "node:util";
import type { Holder, HolderModule } from "../../../redefine/installation.ts";
import { captured, shieldedSet, uncurried } from "../../shared/captured.ts";
import { eachEntry } from "../../shared/entries.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { isHolder } from "../../shared/print/value-facts.ts";

export interface Found {
  readonly holders: readonly Holder[];
  readonly isCut: boolean;
}

const { isMap, isProxy, isModuleNamespaceObject, isGeneratorFunction, isGeneratorObject } = types;
const { ownKeys } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf } = captured;
// Reads names of forms in the global scope as a form reads them. This `eval` gets nothing but names.
// oxlint-disable-next-line no-eval
const realEval = globalThis.eval;
/** Up to this depth everything is searched, within a limit of values; deeper only as long as it costs little. */
const SURE_DEPTH = 3;
const MAX_DEPTH = 12;
const MAX_NODES = 50_000;
const MAX_DEEP_NODES = 20_000;
const MAX_ENTRIES = 2000;
const MAX_HOLDERS = 50;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

interface Looked {
  readonly value: object;
  readonly path: string;
  readonly what: string;
}

/** `skip` leaves out the binding that shall hold the value. */
export function findBindingHolders(
  scopes: ModuleScopes,
  modules: readonly HolderModule[],
  wanted: unknown,
  skip: (path: string, name: string) => boolean,
): Found {
  const holders: Holder[] = [];
  const seen = shieldedSet<unknown>();
  let left = MAX_NODES;
  let deepLeft = MAX_DEEP_NODES;
  const isSpent = (): boolean => left <= 0 || deepLeft <= 0;
  // The nearest values are searched first.
  let level: Looked[] = [];
  let next: Looked[] = [];
  // A generator that has begun continues with the code of its beginning.
  const begun = isGeneratorFunction(wanted) ? getOwnPropertyDescriptor(wanted, "prototype")?.value : undefined;
  // Nothing tells which function a bound function calls, except its name.
  const boundName = typeof wanted === "function" ? `bound ${nameOf(wanted)}` : undefined;
  let sought = wanted;
  const look = (value: unknown, path: string, what: string, depth: number): void => {
    if (value === sought) return void holders.push({ path, what });
    if (begun !== undefined && isGeneratorObject(value) && getPrototypeOf(value) === begun)
      return void holders.push({ path, what: `${what} (a generator that it began)` });
    if (
      depth <= SURE_DEPTH &&
      boundName !== undefined &&
      typeof value === "function" &&
      isNativeNamed(value, boundName)
    )
      return void holders.push({ path, what: `${what} (bound to a function of that name)` });
    if (!isHolder(value) || seen.has(value) || isProxy(value) || isModuleNamespaceObject(value)) return;
    seen.add(value);
    next[next.length] = { value, path, what };
  };
  const lookInto = ({ value, path, what }: Looked, depth: number): void => {
    entriesOf(value, (key, entry) => {
      if (depth < SURE_DEPTH) left--;
      else deepLeft--;
      if (!isSpent() && holders.length < MAX_HOLDERS) look(entry, path, `${what}${key}`, depth + 1);
    });
  };
  for (const module of modules) {
    const names = module.names.filter((name) => IDENTIFIER.test(name));
    const reads = readers(scopes, module.url, names);
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (left <= 0 || holders.length >= MAX_HOLDERS || skip(module.path, name)) continue;
      try {
        look(reads[index]?.(), module.path, name, 0);
      } catch {
        // The name is not initialised yet, so it holds nothing.
      }
    }
  }
  for (let depth = 0; depth < MAX_DEPTH && next.length > 0; depth++) {
    level = next;
    next = [];
    for (let at = 0; at < level.length && !isSpent(); at++) lookInto(level[at] as Looked, depth);
  }
  level = [];
  next = [];
  // V8 may keep the variables of this call after it has returned.
  sought = undefined;
  return { holders, isCut: left <= 0 || holders.length >= MAX_HOLDERS };
}

function nameOf(value: object): string {
  const name = getOwnPropertyDescriptor(value, "name")?.value as unknown;
  return typeof name === "string" ? name : "";
}

function isNativeNamed(value: object, name: string): boolean {
  return nameOf(value) === name && uncurried.includes(uncurried.functionText(value), "[native code]");
}

/** A function for each name that reads the name. One evaluation makes them all. */
export function readers(scopes: ModuleScopes, url: string, names: readonly string[]): readonly (() => unknown)[] {
  const isReal = getOwnPropertyDescriptor(globalThis, "eval")?.value === realEval;
  if (names.length === 0 || !isReal) return [];
  const code = `[${names.map((name) => `()=>${name}`).join(",")}]`;
  try {
    return (url === "" ? realEval(code) : scopes.within(url, code)) as (() => unknown)[];
  } catch {
    return [];
  }
}

function entriesOf(value: object, visit: (key: string, entry: unknown) => void): void {
  const hasKeys = isMap(value);
  eachEntry(value, (entry, key, index) => {
    if (index === MAX_ENTRIES) return false;
    if (!hasKeys) visit(".has(…)", entry);
    else {
      if (typeof key === "object" || typeof key === "function") visit(".has(…)", key);
      visit(`.get(${typeof key === "string" ? captured.stringify(key) : "…"})`, entry);
    }
    return true;
  });
  const isList = captured.isArray(value);
  if (ArrayBuffer.isView(value)) return;
  const keys = isList && value.length > MAX_ENTRIES ? indices() : ownKeys(value);
  const size = keys.length < MAX_ENTRIES ? keys.length : MAX_ENTRIES;
  for (let index = 0; index < size; index++) {
    const key = keys[index] as string | symbol;
    const own = getOwnPropertyDescriptor(value, key);
    if (own === undefined || !("value" in own) || (typeof value === "function" && key === "prototype")) continue;
    if (key === "constructor") continue;
    visit(accessor(key), own.value);
  }
}

function indices(): string[] {
  return Array.from({ length: MAX_ENTRIES }, (_, index) => String(index));
}

function accessor(key: string | symbol): string {
  if (typeof key === "symbol") return `[${captured.String(key)}]`;
  if (/^\d+$/.test(key)) return `[${key}]`;
  return IDENTIFIER.test(key) ? `.${key}` : `[${captured.stringify(key)}]`;
}
