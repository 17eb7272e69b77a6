/** What the forms of a session have left in each scope: their names, which of them are constants, their classes. */
import type { ClassSpec } from "../source/class-spec.ts";

/** `undefined` stands for the global scope of the forms; a module's scope goes by its URL. */
export type ScopeKey = string | undefined;

export interface ScopeContents {
  readonly names: Set<string>;
  /** What forms imported under names of their own. */
  readonly imported: Set<string>;
  readonly constants: Set<string>;
  readonly classes: Map<string, ClassSpec>;
  readonly unset: Map<string, string>;
}

export interface FormContents {
  readonly declares: readonly string[];
  readonly binds: readonly string[];
  readonly constants: ReadonlySet<string>;
  /** Its names of `let`, `const` and `class`. */
  readonly lexical: ReadonlySet<string>;
  /** Names that the form declares or imports, as what they are now. */
  readonly redeclared: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
}

/** Of a form that declares nothing. */
export const NO_CONTENTS: FormContents = {
  declares: [],
  binds: [],
  constants: new Set(),
  lexical: new Set(),
  redeclared: new Set(),
  classes: new Map(),
};

export interface ScopeMemory {
  readonly of: (key: ScopeKey) => ScopeContents;
  readonly learn: (key: ScopeKey, form: FormContents) => void;
  /** To be called when a form that was learned has ended: what it declared first may have no value if it failed. */
  readonly ended: (key: ScopeKey, form: FormContents, failed: string | undefined) => void;
}

export function createScopeMemory(): ScopeMemory {
  const scopes = new Map<ScopeKey, ScopeContents>();
  const of = (key: ScopeKey): ScopeContents => {
    let known = scopes.get(key);
    if (known === undefined) {
      known = { names: new Set(), imported: new Set(), constants: new Set(), classes: new Map(), unset: new Map() };
      scopes.set(key, known);
    }
    return known;
  };
  return {
    of,
    learn: (key, form) => {
      const { names, imported, constants, classes } = of(key);
      for (const name of form.declares) names.add(name);
      for (const name of form.redeclared) {
        constants.delete(name);
        classes.delete(name);
        if (names.has(name)) imported.delete(name);
        else imported.add(name);
      }
      for (const name of form.constants) constants.add(name);
      for (const [name, spec] of form.classes) classes.set(name, spec);
    },
    ended: (key, form, failed) => {
      const { unset } = of(key);
      for (const name of form.redeclared) {
        const isUnset = failed !== undefined && (form.declares.includes(name) || unset.has(name));
        if (isUnset && form.lexical.has(name)) unset.set(name, failed);
        else if (failed === undefined) unset.delete(name);
      }
    },
  };
}
