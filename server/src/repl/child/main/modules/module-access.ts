/** The access of evaluated code to modules. */
import { createRequire, registerHooks } from "node:module";
import { captured } from "../../shared/captured.ts";
import type { Bridge } from "../bridge.ts";
import { ImportedNames } from "./imported-names.ts";
import type { Namespace } from "./live-exports.ts";
import { ModuleHooks } from "./module-hooks.ts";
import { ModuleImports, type ImportParts } from "./module-imports.ts";
import { ModuleQuestions } from "./module-questions.ts";

export interface ModuleAccess {
  /** Replaces `import.meta.resolve` in forms. */
  readonly resolve: (specifier: unknown) => string;
  readonly requireOf: (filename: string) => unknown;
  /** Imports as a module at `parent` does; by default, as a module in the project's root. */
  readonly imp: (specifier: unknown, options?: ImportCallOptions, parent?: string) => Promise<Namespace>;
  /** Carries out an import declaration: defines live getters on the global object for `[local, imported]` pairs. */
  readonly bring: (specifier: string, pairs: readonly (readonly [string, string])[]) => Promise<void>;
  /** The present value of one imported name. */
  readonly pick: (namespace: Namespace, imported: string, specifier: string) => unknown;
  /** Loads a module, whose exports `taken` can then read. */
  readonly take: (specifier: string, parent: string) => Promise<void>;
  /** The present value of an export of a module that was loaded with `take`. */
  readonly taken: (specifier: string, parent: string, imported: string) => unknown;
  /** Whether `bring` defined the getter: calling such a getter runs none of the user's code. */
  readonly isImport: (get: unknown) => boolean;
  /** The object that replaces `module` or `import.meta` in a file that Node loaded without the server. */
  readonly outside: (url: string) => unknown;
  /** Whether this is the module's first call since it was loaded; true once for each load. */
  readonly begins: (url: string) => boolean;
  /** Points the names that forms imported to the present versions of their modules. */
  readonly rebring: () => Promise<void>;
}

export interface ModuleAccessParts extends Pick<ImportParts, "replUrl" | "asLoading" | "isBegun"> {
  readonly bridge: Bridge;
}

export function openModules({ bridge, ...parts }: ModuleAccessParts): ModuleAccess {
  const require = createRequire(parts.replUrl);
  captured.defineProperty(globalThis, "require", { value: require, writable: true, configurable: true });
  const questions = new ModuleQuestions(bridge, require.cache);
  const hooks = new ModuleHooks(questions, parts.replUrl);
  // Bound, and not wrapped in functions: a stack has ten frames, and Node's own take most of them.
  registerHooks({ resolve: hooks.resolve.bind(hooks), load: hooks.load.bind(hooks) });
  const imports = new ModuleImports({ questions, hooks, require, ...parts });
  const names = new ImportedNames(imports, questions);
  return {
    resolve: (specifier) => imports.resolve(specifier),
    requireOf: createRequire,
    imp: (specifier, options, parent) => imports.import(specifier, options, parent),
    bring: (specifier, pairs) => names.bring(specifier, pairs),
    pick: (namespace, imported, specifier) => names.pick(namespace, imported, specifier),
    take: (specifier, parent) => names.take(specifier, parent),
    taken: (specifier, parent, imported) => names.taken(specifier, parent, imported),
    isImport: (get) => names.isImport(get),
    outside: (url) => imports.outside(url),
    begins: (url) => hooks.begins(url),
    rebring: () => names.rebring(),
  };
}
