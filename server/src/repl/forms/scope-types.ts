/** The place where a form runs, for the parts of the rewriter. */
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

/** The scope of a form's own names: the image's global scope, or the scope of one module. */
export type FormScope = FormerNames &
  (
    | {
        readonly kind: "global";
        readonly declared: ReadonlySet<string>;
        /** Names that forms import without declaring them in the scope. */
        readonly imported?: ReadonlySet<string>;
      }
    | {
        readonly kind: "module";
        readonly url: string;
        readonly bound: ReadonlySet<string>;
        /** The binding of `export default`, when there is one. */
        readonly defaultName?: string;
        /** Imports that are no bindings in the compiled module, with the expressions that read them. */
        readonly imports?: ReadonlyMap<string, string>;
        /** Imports that the compiled module leaves out. */
        readonly dropped?: ReadonlyMap<string, ImportedName>;
        /**
         * The imports of the module's source, without names that a form has declared since. Nothing can be assigned to
         * them.
         */
        readonly imported?: ReadonlyMap<string, ImportedName>;
        /** The names of the module's enums, because a namespace adds to an enum of its name. */
        readonly enums?: ReadonlySet<string>;
      }
  );

/** The names and facts that earlier forms left in the scope. */
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
