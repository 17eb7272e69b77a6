/** Lends names to an expression that cannot read them itself: names of a module's scope, and imported names. */
import { captured } from "../../shared/captured.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";

// Never called: only compared with the later value of the global `eval`.
// oxlint-disable-next-line no-eval
const realEval: unknown = globalThis.eval;

export interface Lent {
  /** The names whose present values are in `lent` now, in this order. */
  readonly lent: readonly string[];
  readonly problem?: string;
  /** Some names are not initialized yet; their values in `lent` are undefined. */
  readonly isPartial?: true;
}

export interface LentNames {
  readonly lent: readonly unknown[];
  /**
   * With a URL, the names must be names that the module binds; without one, they may be any identifiers. Answers a
   * `Lent` as text.
   */
  readonly lend: (url: string, names: readonly string[]) => string;
}

/** `isImport` recognises the getters that import declarations of forms put on the global object. */
export function createLentNames(scopes: ModuleScopes, isImport: (get: unknown) => boolean): LentNames {
  const lent: unknown[] = [];
  const fromModule = (url: string, names: readonly string[]): Lent => {
    // A module's evaluator calls the global `eval`, which user code may have replaced.
    const descriptor = captured.getOwnPropertyDescriptor(globalThis, "eval");
    if (scopes.meta(url) === undefined) return { lent: [], problem: "The module is not loaded in the REPL." };
    if (descriptor?.value !== realEval) {
      return { lent: [], problem: "The global eval was replaced, so the module's scope cannot be read." };
    }
    let isPartial = false;
    for (let index = 0; index < names.length; index++) {
      try {
        lent[index] = scopes.within(url, names[index] as string);
      } catch {
        if (names.length === 1) return { lent: [], problem: `${names[0] as string} is not initialized yet.` };
        lent[index] = undefined;
        isPartial = true;
      }
    }
    return { lent: names, ...(isPartial ? { isPartial } : {}) };
  };
  const imports = (names: readonly string[]): Lent => {
    const found: string[] = [];
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const get = captured.getOwnPropertyDescriptor(globalThis, name)?.get;
      if (get === undefined || !isImport(get)) continue;
      try {
        lent[found.length] = get();
        found[found.length] = name;
      } catch {
        // Not initialized: the expression itself will throw that error.
      }
    }
    return { lent: found };
  };
  return {
    lent,
    lend: (url, names) => {
      lent.length = 0;
      return captured.stringify(url === "" ? imports(names) : fromModule(url, names));
    },
  };
}
