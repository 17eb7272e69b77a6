/** What the server asks of the image when a form is installed in a running module, and what the image reports back. */
import type { ClassPlan } from "../child/wire/class-plan.ts";
import type { Losses, LossSpec } from "./lost-state.ts";

export type InstalledKind =
  | "function"
  | "class"
  | "enum"
  | "namespace"
  | "constant"
  | "variable"
  | "default"
  | "member"
  /** Not declared: the left side of `exports.total = …` or `rates.eur = …`, as it is written there. */
  | "assigned";

export interface InstallName {
  readonly name: string;
  readonly kind: InstalledKind;
  /** Whether the scope had the name before. */
  readonly known: boolean;
  readonly plan?: ClassPlan;
  /** Members that namespaces of the module added to an enum: the new enum gets them too. */
  readonly beside?: readonly string[];
  /** CommonJS: the module exports the name, and Node keeps the first value for ES imports. */
  readonly isCopied?: true;
  /** CommonJS: the form exports the name, so the exports object gets the name even where it had none. */
  readonly exported?: boolean;
}

/** A module in which somebody may have kept the old value. */
export interface HolderModule {
  readonly url: string;
  readonly path: string;
  readonly names: readonly string[];
}

export interface InstallSpec {
  readonly url?: string;
  readonly path?: string;
  readonly isCommonJs: boolean;
  readonly names: readonly InstallName[];
  readonly modules: readonly HolderModule[];
  /** The state to look at because a reload loses it, now or later. */
  readonly losses?: LossSpec | undefined;
}

export interface ClassChange {
  /** Living instances that were made with an older definition; undefined when they could not be counted. */
  readonly instances: number | undefined;
  readonly subclasses: readonly string[];
  /** Static fields that kept their value. */
  readonly kept: readonly string[];
  /** What could not be done, in whole sentences. */
  readonly problems: readonly string[];
}

/** Where an old value still is: `what` is a path from a binding of the module, as one would write it. */
export interface Holder {
  readonly path: string;
  readonly what: string;
}

export interface InstalledName {
  readonly name: string;
  readonly kind: InstalledKind;
  readonly isNew: boolean;
  /** The old class or function itself, with what a namespace added. */
  readonly isSame?: boolean;
  readonly preview?: string;
  readonly before?: string;
  readonly classChange?: ClassChange;
  /** Properties of the old function or enum that the new one took over. */
  readonly carried?: readonly string[];
  /** Keys of `module.exports` that were set to the new value. */
  readonly patched?: readonly string[];
  readonly holders?: readonly Holder[];
  /** The old value may be held elsewhere, and bindings and their values were searched for it. */
  readonly isLookedFor?: boolean;
  /** Whether something still holds the old value, named among the holders or not; absent where that is not known. */
  readonly isHeld?: boolean;
  /** The search for holders ended at its budget. */
  readonly isCut?: boolean;
  readonly problems?: readonly string[];
}

export interface Installed {
  readonly names: readonly InstalledName[];
  readonly losses?: Losses;
}

/** A module that sees the new value through its imports. */
export interface Viewer {
  /** Project-relative. */
  readonly path: string;
  readonly how: "import" | "reexport";
  /** The name there, where it is another one. */
  readonly as?: string;
}

/** A name that holds a copy of the old value. */
export interface CopyHolder {
  readonly path: string;
  readonly name: string;
  readonly why: "importsCommonJs" | "destructuredRequire" | "required";
}

/** The report on one name that was installed. */
export interface NameReport extends InstalledName {
  /** The names under which the module exports the value. */
  readonly exportedAs: readonly string[];
  readonly sees: readonly Viewer[];
  readonly copies: readonly CopyHolder[];
  /** What old instances of the class cannot have. */
  readonly newFields: readonly string[];
  readonly newPrivates: readonly string[];
  readonly changedPrivateMethods: readonly string[];
  /** Members that fail between instances of the old and of the new class. */
  readonly crossing: readonly string[];
}

export interface Installation {
  /** Project-relative; absent for the names of the forms themselves. */
  readonly module?: string;
  /** The module was not loaded before. */
  readonly isLoadedNow: boolean;
  /** The source has changed since the module was loaded: what was installed went into the code that runs. */
  readonly isBehindSource: boolean;
  readonly names: readonly NameReport[];
  /** Declared types, which have nothing at run time. */
  readonly types: readonly string[];
  /** Exports of the form that the running module does not have. */
  readonly newExports: readonly string[];
  /** Imports of the form that the running module does not have: they were copied. */
  readonly newImports: readonly string[];
  /** The modules that were loaded anew, or that would have to be. */
  readonly reload?: Reload;
}

export interface Reload {
  readonly isDone: boolean;
  /** Project-relative: the module itself, then what imports it. */
  readonly paths: readonly string[];
  readonly losses: Losses;
  /** Methods that were installed by themselves before: they are lost too. */
  readonly methods: readonly string[];
}
