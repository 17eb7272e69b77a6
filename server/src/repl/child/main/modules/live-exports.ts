/** The present value of a name of an imported module. */
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";

export type Namespace = Readonly<Record<string, unknown>>;

/** The present value of one imported name; `module` is the CommonJS module from which Node made the namespace. */
export function exportOf(
  namespace: Namespace,
  module: CommonJs | undefined,
  imported: string,
  specifier: string,
): unknown {
  if (imported === "*") return namespace;
  const exports = liveExports(module, imported);
  if (exports !== undefined) return exports[imported];
  if (!(imported in namespace)) throw missingExport(namespace, imported, specifier);
  const value = namespace[imported];
  return imported === "default" && isCompiledCommonJs(value) ? value["default"] : value;
}

export function hasExport(namespace: Namespace, module: CommonJs | undefined, imported: string): boolean {
  return imported in namespace || liveExports(module, imported) !== undefined;
}

/**
 * The exports object of a CommonJS module, from which a name is read because the namespace only has a copy. A getter is
 * called only when a transpiler made it.
 */
function liveExports(module: CommonJs | undefined, imported: string): Record<string, unknown> | undefined {
  const exports = module?.exports;
  const isObject = (typeof exports === "object" && exports !== null) || typeof exports === "function";
  if (!isObject || imported === "default" || types.isProxy(exports)) return undefined;
  const own = captured.getOwnPropertyDescriptor(exports, imported);
  const isRead = own !== undefined && ("value" in own || isCompiled(exports));
  return isRead ? (exports as Record<string, unknown>) : undefined;
}

export interface CommonJs {
  readonly exports: unknown;
}

/** Under a file's path, the cache of `require` holds a module, JSON, or the namespace of an ES module. */
export function isCommonJs(loaded: unknown): loaded is CommonJs {
  const { exports, filename } = (loaded ?? {}) as { readonly exports?: unknown; readonly filename?: unknown };
  if (typeof filename !== "string" || /\.json$/.test(filename)) return false;
  return !types.isModuleNamespaceObject(exports);
}

function isCompiled(exports: object): boolean {
  return captured.getOwnPropertyDescriptor(exports, "__esModule")?.value === true;
}

/** For a CommonJS module that was compiled from ES syntax, `import x from` means its `exports.default`. */
function isCompiledCommonJs(value: unknown): value is Record<string, unknown> {
  if (types.isProxy(value)) return false;
  return typeof value === "object" && value !== null && "__esModule" in value && "default" in value;
}

export function missingExport(namespace: Namespace, imported: string, specifier: string): Error {
  const names = captured.keys(namespace);
  const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? `, … ${names.length - 20} more` : "");
  const error = new captured.Error(`${specifier} has no export named '${imported}'. It exports: ${shown || "nothing"}`);
  error.name = "SyntaxError";
  return error;
}
