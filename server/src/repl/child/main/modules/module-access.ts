/** How evaluated code reaches modules. */
import { createRequire, registerHooks } from "node:module";
import { captured } from "../../shared/captured.ts";
import type { Bridge } from "../bridge.ts";
import { ImportedNames } from "./imported-names.ts";
import type { Namespace } from "./live-exports.ts";
import { ModuleHooks } from "./module-hooks.ts";
import { ModuleImports, type ImportParts } from "./module-imports.ts";
import { ModuleQuestions } from "./module-questions.ts";

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
  /** Whether `bring` defined that getter: to call it runs nothing of the user's. */
  readonly isImport: (get: unknown) => boolean;
  /** Replaces `module` or `import.meta` in a file that Node loaded by itself. */
  readonly outside: (url: string) => unknown;
  /** Whether this is the first word of a module that was loaded: it has one each time. */
  readonly begins: (url: string) => boolean;
  /** Makes the names that forms imported lead to the present versions of their modules. */
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
  // Bound, and not called by other functions: a stack has ten frames, and Node's own take most of them.
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
