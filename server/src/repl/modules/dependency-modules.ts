/** Modules of packages. They run unchanged; their text is examined only when a form wants to work in one. */
import { pathToFileURL } from "node:url";
import { instrument } from "../source/instrument.ts";
import type { ModuleFormats } from "./module-format.ts";
import { asPrepared, type LoadedModule, type PreparedModule } from "./module-types.ts";
import type { ProjectSources } from "./project-sources.ts";

export class DependencyModules {
  readonly #sources: Pick<ProjectSources, "read" | "shown">;
  readonly #formats: ModuleFormats;
  readonly #importers = new Map<string, Set<string>>();
  readonly #entered = new Map<string, LoadedModule>();

  constructor(sources: Pick<ProjectSources, "read" | "shown">, formats: ModuleFormats) {
    this.#sources = sources;
    this.#formats = formats;
  }

  importedBy(path: string, importer: string): void {
    this.#importersOf(path).add(importer);
  }

  prepare(path: string): PreparedModule | { reason: string } {
    const { read, shown } = this.#sources;
    if (!/\.[cm]?js$/.test(path)) {
      return { reason: `${shown(path)} is a dependency, and no JavaScript: it has no scope` };
    }
    const text = read(path);
    const format = this.#formats.of(path, text, {});
    const url = pathToFileURL(path).href;
    const instrumented = instrument({ code: text }, format, url);
    const facts = { path, url, format, text };
    this.#entered.set(path, { ...facts, names: instrumented.names, importers: this.#importersOf(path) });
    return { ...asPrepared({ ...facts, isLoaded: true, isDependency: true }, instrumented), code: text };
  }

  /** The modules in whose scope a form has been evaluated. */
  entered(): readonly LoadedModule[] {
    return [...this.#entered.values()];
  }

  #importersOf(path: string): Set<string> {
    const known = this.#importers.get(path) ?? new Set();
    this.#importers.set(path, known);
    return known;
  }
}
