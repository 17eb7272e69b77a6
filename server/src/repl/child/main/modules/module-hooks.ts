/**
 * Project modules come from the server: it resolves them as TypeScript does, knows unsaved buffers, transpiles, and
 * gives a changed module a new URL. Everything else (built-ins, node_modules) is left to Node.
 */
import { createRequire, isBuiltin, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { Bridge } from "../bridge.ts";
import { types } from "node:util";
import { soon } from "../../shared/immediates.ts";
import { captured, shieldedMap, shieldedSet, uncurried } from "../../shared/captured.ts";
import type { BridgeAnswer } from "../../wire/wire.ts";
import { OWN_FOLDER } from "../../shared/own-folder.ts";

const DEEP_STACK = 40;
const TURNS = 3;
const IMPORTED = ["node", "import"];
/** In Node 22 the `require` of an imported CommonJS module does not ask the hooks; one that is made for it does. */
const MENDS_REQUIRE = process.version.startsWith("v22.");
const OWN_REQUIRE = "$&require=__agentq.requireOf(__filename);";
/** An assignment would throw where user code froze the object. */
const setProperty = Reflect.set;
const globalObject = globalThis;

type Namespace = Readonly<Record<string, unknown>>;

export interface ModuleAccess {
  /** `import.meta.resolve` of the forms. */
  readonly resolve: (specifier: unknown) => string;
  readonly requireOf: (filename: string) => unknown;
  /** Imports as from `parent`, by default from the project root. */
  readonly imp: (specifier: unknown, options?: ImportCallOptions, parent?: string) => Promise<Namespace>;
  /** An import declaration: defines live getters on the global object for `[local, imported]` pairs. */
  readonly bring: (specifier: string, pairs: readonly (readonly [string, string])[]) => Promise<void>;
  /** The present value of one imported name. */
  readonly pick: (namespace: Namespace, imported: string, specifier: string) => unknown;
  /** Loads what `taken` then gives the exports of. */
  readonly take: (specifier: string, parent: string) => Promise<void>;
  /** What a module that was taken exports now under that name. */
  readonly taken: (specifier: string, parent: string, imported: string) => unknown;
  /** Whether it is a getter that `bring` defined: to call it runs nothing of the user's. */
  readonly isImport: (get: unknown) => boolean;
  /** What stands for `module` or `import.meta` in a file that Node loaded by itself. */
  readonly outside: (url: string) => unknown;
  /** Whether this is the first word of a module that was loaded: it has one each time. */
  readonly begins: (url: string) => boolean;
  /** The names that forms imported get the modules that are current now. */
  readonly rebring: () => Promise<void>;
}

export function installModuleHooks(
  bridge: Bridge,
  replUrl: string,
  /** What a module opens while it is loaded is the module's own. */
  asLoading: <T>(load: () => Promise<T>) => Promise<T>,
  /** Whether the module with this URL has begun to run. */
  isBegun: (url: string) => boolean,
): ModuleAccess {
  const isOwn = (url: string | undefined): boolean => url === undefined || url.startsWith(OWN_FOLDER);

  const require = createRequire(replUrl);
  const requireCache = require.cache;
  captured.defineProperty(globalThis, "require", { value: require, writable: true, configurable: true });

  const resolve = (specifier: string, parent: string, conditions: readonly string[]): BridgeAnswer => {
    const answer = bridge.ask({ op: "resolve", specifier, parent, conditions });
    throwIfFailed(answer);
    for (const path of answer.forget ?? []) delete requireCache[path];
    return answer;
  };

  /** Modules whose text was given to Node and that have not begun to run. */
  const toBegin = shieldedSet<string>();
  const begins: ModuleAccess["begins"] = (url) => toBegin.delete(url);

  /** What was loaded as a module of ES; Node keeps the error of one that threw. */
  const loads: string[] = [];
  const noteThrown = async (since: number): Promise<void> => {
    const urls: string[] = [];
    const unbegun: string[] = [];
    const look = async (url: string): Promise<void> => {
      try {
        await import(url);
      } catch {
        urls[urls.length] = url;
      }
    };
    // What an earlier import loaded threw then, and nobody said so: a module may have caught it.
    for (let index = since === loads.length ? 0 : since; index < loads.length; index++) {
      const url = loads[index] as string;
      if (!isBegun(url)) unbegun[unbegun.length] = url;
      // A version that is no longer the present one would be loaded anew.
      else if (resolve(url, replUrl, IMPORTED).url === url) void look(url);
    }
    // One that awaits something is not waited for.
    for (let turn = 0; turn < TURNS; turn++) await new captured.Promise<void>(soon);
    if (urls.length > 0) bridge.ask({ op: "threw", urls, unbegun });
  };

  /** What came with a module: its imports' URLs, each for the one time that it is asked for before the module runs. */
  const ahead = shieldedMap<string, string>();

  registerHooks({
    resolve(specifier, context, next) {
      const parent = isOwn(context.parentURL) ? replUrl : (context.parentURL as string);
      const settled = isBuiltin(specifier) || isInline(specifier);
      if (settled || !parent.startsWith("file:") || parent.includes("/node_modules/")) return next(specifier, context);
      const key = aheadKey(parent, specifier, context.conditions);
      const known = ahead.get(key);
      if (known !== undefined) {
        ahead.delete(key);
        return { url: known, shortCircuit: true };
      }
      const answer = resolve(specifier, parent, [...(context.conditions ?? [])]);
      if (answer.url === undefined) return next(specifier, { ...context, parentURL: parent });
      const format = answer.format === undefined ? {} : { format: answer.format };
      return { url: answer.url, shortCircuit: true, ...format };
    },
    load(url, context, next) {
      if (!url.startsWith("file:") || url.includes("/node_modules/")) return next(url, context);
      // A require has no attributes, whatever the types say.
      const attributes = context.importAttributes as Readonly<Record<string, string>> | undefined;
      const isRequire = context.conditions?.includes("require") ?? false;
      const json = isRequire ? "require" : attributes?.["type"] === "json" ? "attribute" : "plain";
      const conditions = isRequire || context.conditions === undefined ? {} : { conditions: [...context.conditions] };
      const answer = bridge.ask({ op: "load", url, json, ...conditions });
      throwIfFailed(answer);
      for (const [specifier, target] of answer.ahead ?? []) {
        ahead.set(aheadKey(url, specifier, context.conditions), target);
      }
      if (answer.source === undefined || answer.format === undefined) return next(url, context);
      toBegin.add(url);
      if (!isRequire) loads[loads.length] = url;
      const isMended = MENDS_REQUIRE && answer.format === "commonjs" && !isRequire;
      const source = isMended ? answer.source.replace(/^"use strict";|^/, OWN_REQUIRE) : answer.source;
      return { format: answer.format, source, shortCircuit: true };
    },
  });

  const outside: ModuleAccess["outside"] = (url) => requireCache[decodeURIComponent(new URL(url).pathname)] ?? { url };
  /** The CommonJS modules that namespaces were made of. */
  const modules = new WeakMap<Namespace, CommonJs>();
  const [moduleOf, rememberModule] = [modules.get.bind(modules), modules.set.bind(modules)];

  const imp: ModuleAccess["imp"] = async (specifier, options, parent = replUrl) => {
    const name = captured.String(specifier);
    if (isBuiltin(name) || isInline(name)) return import(name, options) as Promise<Namespace>;
    const answer = resolve(name, parent, IMPORTED);
    const since = loads.length;
    let namespace: Namespace;
    try {
      namespace = await asLoading(() => import(answer.url ?? name, options) as Promise<Namespace>);
    } catch (error) {
      await noteThrown(since);
      throw error;
    }
    const loaded = answer.url === undefined ? undefined : outside(answer.url);
    if (isCommonJs(loaded)) rememberModule(namespace, loaded);
    return namespace;
  };

  const resolveUrl: ModuleAccess["resolve"] = (specifier) => {
    const name = captured.String(specifier);
    if (isInline(name)) return name;
    if (isBuiltin(name)) return uncurried.startsWith(name, "node:") ? name : `node:${name}`;
    const { url } = resolve(name, replUrl, IMPORTED);
    // A module that changed has a number behind its path.
    return url?.replace(/\?.*$/, "") ?? pathToFileURL(require.resolve(name)).href;
  };

  const pick: ModuleAccess["pick"] = (namespace, imported, specifier) => {
    if (imported === "*") return namespace;
    const exports = liveExports(moduleOf(namespace), imported);
    if (exports !== undefined) return exports[imported];
    if (!(imported in namespace)) throw missingExport(namespace, imported, specifier);
    const value = namespace[imported];
    return imported === "default" && isCompiledCommonJs(value) ? value["default"] : value;
  };

  const takenModules = shieldedMap<string, Namespace>();
  const take: ModuleAccess["take"] = async (specifier, parent) => {
    takenModules.set(`${parent}\n${specifier}`, await imp(specifier, undefined, parent));
  };
  const taken: ModuleAccess["taken"] = (specifier, parent, imported) =>
    pick(takenModules.get(`${parent}\n${specifier}`) as Namespace, imported, specifier);

  const isThere = (namespace: Namespace, imported: string): boolean =>
    imported in namespace || liveExports(moduleOf(namespace), imported) !== undefined;

  const imports = shieldedSet<unknown>();
  const brought = shieldedMap<string, { readonly specifier: string; namespace: Namespace }>();
  const rebring: ModuleAccess["rebring"] = async () => {
    const entries: { readonly specifier: string; namespace: Namespace }[] = [];
    brought.forEach((entry) => void (entries[entries.length] = entry));
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as (typeof entries)[number];
      entry.namespace = await imp(entry.specifier);
    }
  };
  const bring: ModuleAccess["bring"] = async (specifier, pairs) => {
    const namespace = await imp(specifier);
    const entry = { specifier, namespace };
    for (const [, imported] of pairs) {
      if (imported === "*" || isThere(namespace, imported) || bridge.ask({ op: "isType", name: imported }).yes)
        continue;
      throw missingExport(namespace, imported, specifier);
    }
    for (const [local, imported] of pairs) {
      if (imported !== "*" && !isThere(namespace, imported)) continue;
      const get = (): unknown => pick(entry.namespace, imported, specifier);
      brought.set(local, entry);
      const set = (value: unknown): void => {
        captured.defineProperty(globalObject, local, { value, writable: true, configurable: true, enumerable: true });
      };
      imports.add(get);
      captured.defineProperty(globalObject, local, { get, set, configurable: true, enumerable: true });
    }
  };
  return {
    resolve: resolveUrl,
    requireOf: createRequire,
    imp,
    bring,
    pick,
    take,
    taken,
    rebring,
    outside,
    begins,
    isImport: (get) => imports.has(get),
  };
}

/** A module whose text is its URL is nobody's file. */
function isInline(specifier: string): boolean {
  return uncurried.startsWith(specifier, "data:");
}

function aheadKey(parent: string, specifier: string, conditions: readonly string[] = []): string {
  let key = `${parent}\n${specifier}`;
  for (let index = 0; index < conditions.length; index++) key += `\n${conditions[index] ?? ""}`;
  return key;
}

/**
 * The namespace of a CommonJS module is a copy of its exports: the name is read where it is now. Getters are only called
 * where a transpiler made them.
 */
function liveExports(module: CommonJs | undefined, imported: string): Record<string, unknown> | undefined {
  const exports = module?.exports;
  const isObject = (typeof exports === "object" && exports !== null) || typeof exports === "function";
  if (!isObject || imported === "default" || types.isProxy(exports)) return undefined;
  const own = captured.getOwnPropertyDescriptor(exports, imported);
  const isRead = own !== undefined && ("value" in own || isCompiled(exports));
  return isRead ? (exports as Record<string, unknown>) : undefined;
}

interface CommonJs {
  readonly exports: unknown;
}

/** What `require` has in its cache under a file is a module, or JSON, or the namespace of a module of ES. */
function isCommonJs(loaded: unknown): loaded is CommonJs {
  const { exports, filename } = (loaded ?? {}) as { readonly exports?: unknown; readonly filename?: unknown };
  if (typeof filename !== "string" || /\.json$/.test(filename)) return false;
  return !types.isModuleNamespaceObject(exports);
}

function isCompiled(exports: object): boolean {
  return captured.getOwnPropertyDescriptor(exports, "__esModule")?.value === true;
}

/** `import x from` a CommonJS module that was compiled from ES syntax means its `exports.default`. */
function isCompiledCommonJs(value: unknown): value is Record<string, unknown> {
  if (types.isProxy(value)) return false;
  return typeof value === "object" && value !== null && "__esModule" in value && "default" in value;
}

function missingExport(namespace: Namespace, imported: string, specifier: string): Error {
  const names = captured.keys(namespace);
  const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? `, … ${names.length - 20} more` : "");
  const error = new captured.Error(`${specifier} has no export named '${imported}'. It exports: ${shown || "nothing"}`);
  error.name = "SyntaxError";
  return error;
}

function throwIfFailed(answer: BridgeAnswer): void {
  if (answer.error === undefined) return;
  // Node's own frames of a `require` alone are more than the usual ten: the form's place would be cut off.
  const limit = captured.Error.stackTraceLimit;
  setProperty(captured.Error, "stackTraceLimit", DEEP_STACK);
  const error = new captured.Error(answer.error.message) as Error & { code?: string };
  setProperty(captured.Error, "stackTraceLimit", limit);
  error.name = answer.error.name;
  if (answer.error.code !== undefined) error.code = answer.error.code;
  throw error;
}
