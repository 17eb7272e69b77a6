/** Where a form runs, as the parts of the rewriter need to know it. */
import type { ClassSpec } from "../source/classes/class-spec.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import type { UnsetNames } from "./unset-names.ts";

/** A form as the person wrote it, with its number and the scope in which it runs. */
export interface WrittenForm {
  readonly text: string;
  readonly number: number;
  readonly scope: FormScope;
  readonly emit: EmitOptions;
}

/** Where a form's own names live: on the image's global scope or inside one module. */
export type FormScope = FormerNames &
  (
    | {
        readonly kind: "global";
        readonly declared: ReadonlySet<string>;
        /** What forms imported under names of their own. */
        readonly imported?: ReadonlySet<string>;
      }
    | {
        readonly kind: "module";
        readonly url: string;
        readonly bound: ReadonlySet<string>;
        /** The binding behind `export default`, where there is one. */
        readonly defaultName?: string;
        /** Imports that are no bindings in the compiled module, as expressions. */
        readonly imports?: ReadonlyMap<string, string>;
        /** Imports that the compiled module does not have at all. */
        readonly dropped?: ReadonlyMap<string, ImportedName>;
        /** All that the module's source imports and no form has declared since: nothing can be assigned to them. */
        readonly imported?: ReadonlyMap<string, ImportedName>;
        /** Names of the module's enums: a namespace adds to one. */
        readonly enums?: ReadonlySet<string>;
      }
  );

/** What earlier forms left in the scope. */
interface FormerNames {
  readonly constants?: ReadonlySet<string>;
  readonly unset?: UnsetNames;
  readonly classes?: ReadonlyMap<string, ClassSpec>;
}

export interface ImportedName {
  readonly imported: string;
  readonly specifier: string;
}

/** The names that the scope has before the form runs. */
export function namesOf(scope: FormScope): ReadonlySet<string> {
  return scope.kind === "global" ? scope.declared : scope.bound;
}
