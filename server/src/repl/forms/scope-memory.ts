/** The names, constants and classes that the forms of a session left in each scope. */
import type { ClassSpec } from "../source/classes/class-spec.ts";

/** `undefined` is the global scope of the forms; the key of a module's scope is its URL. */
export type ScopeKey = string | undefined;

export interface ScopeContents {
  readonly names: Set<string>;
  /** Names that forms import without declaring them in the scope. */
  readonly imported: Set<string>;
  readonly constants: Set<string>;
  readonly classes: Map<string, ClassSpec>;
  readonly unset: Map<string, string>;
}

export interface FormContents {
  readonly declares: readonly string[];
  readonly binds: readonly string[];
  readonly constants: ReadonlySet<string>;
  /** The form's names from `let`, `const` and `class`. */
  readonly lexical: ReadonlySet<string>;
  /** Names that the form declares or imports: their earlier meaning ends. */
  readonly redeclared: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
}

/** The contents of a form that declares nothing. */
export const NO_CONTENTS: FormContents = {
  declares: [],
  binds: [],
  constants: new Set(),
  lexical: new Set(),
  redeclared: new Set(),
  classes: new Map(),
};

export class ScopeMemory {
  readonly #scopes = new Map<ScopeKey, ScopeContents>();

  of(key: ScopeKey): ScopeContents {
    let known = this.#scopes.get(key);
    if (known === undefined) {
      known = { names: new Set(), imported: new Set(), constants: new Set(), classes: new Map(), unset: new Map() };
      this.#scopes.set(key, known);
    }
    return known;
  }

  learn(key: ScopeKey, form: FormContents): void {
    const { names, imported, constants, classes } = this.of(key);
    for (const name of form.declares) names.add(name);
    for (const name of form.redeclared) {
      constants.delete(name);
      classes.delete(name);
      if (names.has(name)) imported.delete(name);
      else imported.add(name);
    }
    for (const name of form.constants) constants.add(name);
    for (const [name, spec] of form.classes) classes.set(name, spec);
  }

  /**
   * To be called when a form that was learned has ended. When it failed, its new names may have no value; `failed` is
   * then the form's id.
   */
  ended(key: ScopeKey, form: FormContents, failed: string | undefined): void {
    const { unset } = this.of(key);
    for (const name of form.redeclared) {
      const isUnset = failed !== undefined && (form.declares.includes(name) || unset.has(name));
      if (isUnset && form.lexical.has(name)) unset.set(name, failed);
      else if (failed === undefined) unset.delete(name);
    }
  }
}
