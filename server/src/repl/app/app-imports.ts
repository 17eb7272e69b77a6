/**
 * Imports of forms in a running program. What the program has required is not loaded a second time as an ES module: the form
 * gets the instance that the program works with.
 */
import { createRequire, isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import { isCommonJs, type CommonJs, type Namespace } from "../child/main/modules/live-exports.ts";
import { isInline } from "../child/main/modules/module-hooks.ts";
import { ModuleImports, type ImportParts } from "../child/main/modules/module-imports.ts";

export interface AppImportParts extends ImportParts {
  /** What a module of the program registered with its scope: `module`, or `import.meta`. */
  readonly metaOf: (url: string) => unknown;
}

export class AppImports implements Pick<ModuleImports, "import" | "moduleOf" | "resolve" | "outside"> {
  readonly #parts: AppImportParts;
  readonly #imports: ModuleImports;
  readonly #modules = new WeakMap<Namespace, CommonJs>();

  constructor(parts: AppImportParts) {
    this.#parts = parts;
    this.#imports = new ModuleImports(parts);
  }

  async import(specifier: unknown, options?: ImportCallOptions, parent = this.#parts.replUrl): Promise<Namespace> {
    return this.#required(String(specifier), parent) ?? this.#imports.import(specifier, options, parent);
  }

  moduleOf(namespace: Namespace): CommonJs | undefined {
    return this.#modules.get(namespace) ?? this.#imports.moduleOf(namespace);
  }

  resolve(specifier: unknown): string {
    return this.#imports.resolve(specifier);
  }

  outside(url: string): unknown {
    return this.#imports.outside(url);
  }

  #required(specifier: string, parent: string): Namespace | undefined {
    if (isBuiltin(specifier) || isInline(specifier)) return undefined;
    const url = this.#urlOf(specifier, parent);
    const module = url === undefined ? undefined : this.#parts.metaOf(url);
    // `import.meta` has the name of its file too.
    if (!isCommonJs(module) || !("exports" in module)) return undefined;
    const { exports } = module;
    const named = typeof exports === "object" || typeof exports === "function" ? exports : {};
    const namespace: Namespace = Object.freeze({ __proto__: null, ...named, default: exports });
    this.#modules.set(namespace, module);
    return namespace;
  }

  #urlOf(specifier: string, parent: string): string | undefined {
    if (specifier.startsWith("file:")) return specifier;
    try {
      return pathToFileURL(createRequire(parent).resolve(specifier)).href;
    } catch {
      return undefined;
    }
  }
}
