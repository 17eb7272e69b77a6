/**
 * The names that forms import: live getters on the global object. Also the modules that were loaded so that their names
 * can be read.
 */
import { captured, shieldedMap, shieldedSet } from "../../shared/captured.ts";
import { exportOf, hasExport, missingExport, type Namespace } from "./live-exports.ts";
import type { ModuleImports } from "./module-imports.ts";
import type { ModuleQuestions } from "./module-questions.ts";

// A form may declare the name `globalThis`.
const globalObject = globalThis;

interface Brought {
  readonly specifier: string;
  namespace: Namespace;
}

export class ImportedNames {
  readonly #imports: Pick<ModuleImports, "import" | "moduleOf">;
  readonly #questions: Pick<ModuleQuestions, "isType">;
  readonly #getters = shieldedSet<unknown>();
  /** The key is the local name. */
  readonly #brought = shieldedMap<string, Brought>();
  readonly #taken = shieldedMap<string, Namespace>();

  constructor(imports: Pick<ModuleImports, "import" | "moduleOf">, questions: Pick<ModuleQuestions, "isType">) {
    this.#imports = imports;
    this.#questions = questions;
  }

  pick(namespace: Namespace, imported: string, specifier: string): unknown {
    return exportOf(namespace, this.#imports.moduleOf(namespace), imported, specifier);
  }

  async take(specifier: string, parent: string): Promise<void> {
    this.#taken.set(`${parent}\n${specifier}`, await this.#imports.import(specifier, undefined, parent));
  }

  taken(specifier: string, parent: string, imported: string): unknown {
    return this.pick(this.#taken.get(`${parent}\n${specifier}`) as Namespace, imported, specifier);
  }

  async bring(specifier: string, pairs: readonly (readonly [string, string])[]): Promise<void> {
    const entry: Brought = { specifier, namespace: await this.#imports.import(specifier) };
    for (const [, imported] of pairs) {
      if (imported === "*" || this.#isThere(entry, imported) || this.#questions.isType(imported)) continue;
      throw missingExport(entry.namespace, imported, specifier);
    }
    for (const [local, imported] of pairs) {
      if (imported === "*" || this.#isThere(entry, imported)) this.#define(local, entry, imported);
    }
  }

  async rebring(): Promise<void> {
    const entries: Brought[] = [];
    this.#brought.forEach((entry) => void (entries[entries.length] = entry));
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as Brought;
      entry.namespace = await this.#imports.import(entry.specifier);
    }
  }

  isImport(get: unknown): boolean {
    return this.#getters.has(get);
  }

  #isThere({ namespace }: Brought, imported: string): boolean {
    return hasExport(namespace, this.#imports.moduleOf(namespace), imported);
  }

  #define(local: string, entry: Brought, imported: string): void {
    const get = (): unknown => this.pick(entry.namespace, imported, entry.specifier);
    const set = (value: unknown): void => {
      captured.defineProperty(globalObject, local, { value, writable: true, configurable: true, enumerable: true });
    };
    this.#brought.set(local, entry);
    this.#getters.add(get);
    captured.defineProperty(globalObject, local, { get, set, configurable: true, enumerable: true });
  }
}
