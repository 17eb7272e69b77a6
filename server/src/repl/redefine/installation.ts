/** The server's question to the image when a form is installed in a running module, and the image's report. */
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
  /** The left side of an assignment, as it is written: `exports.total = …` or `rates.eur = …`. */
  | "assigned";

export interface InstallName {
  readonly name: string;
  readonly kind: InstalledKind;
  /** Whether the scope had the name before. */
  readonly known: boolean;
  readonly plan?: ClassPlan;
  /** Members that namespaces of the module added to an enum: the new enum gets these members too. */
  readonly beside?: readonly string[];
  /** CommonJS: the module exports the name, and Node keeps the first value of a name for ES imports. */
  readonly isCopied?: true;
  /** CommonJS: the form exports the name, so the exports object gets the name even if it did not have it. */
  readonly exported?: boolean;
}

/** A module whose names may hold the old value. */
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
  /** Tells where to look for state that a reload loses, now or later. */
  readonly losses?: LossSpec | undefined;
}

export interface ClassChange {
  /** The number of living instances that an older definition made; undefined when they could not be counted. */
  readonly instances: number | undefined;
  readonly subclasses: readonly string[];
  /** Static fields that kept their value from the old class. */
  readonly kept: readonly string[];
  /** Whole sentences about what could not be done. */
  readonly problems: readonly string[];
}

/** A place that still holds an old value: `what` is a path from a binding of the module, as in code. */
export interface Holder {
  readonly path: string;
  readonly what: string;
}

export interface InstalledName {
  readonly name: string;
  readonly kind: InstalledKind;
  readonly isNew: boolean;
  /** The value is the same class or function object as before, with the additions of a namespace. */
  readonly isSame?: boolean;
  readonly preview?: string;
  readonly before?: string;
  readonly classChange?: ClassChange;
  /** Properties of the old function or enum that were copied to the new one. */
  readonly carried?: readonly string[];
  /** Keys of `module.exports` that were set to the new value. */
  readonly patched?: readonly string[];
  readonly holders?: readonly Holder[];
  /** The bindings and their values were searched for the old value, because something else may hold it. */
  readonly isLookedFor?: boolean;
  /** Whether anything still holds the old value, even if no holder is named; absent where that is not known. */
  readonly isHeld?: boolean;
  /** The search for holders stopped at its limit. */
  readonly isCut?: boolean;
  readonly problems?: readonly string[];
}

export interface Installed {
  readonly names: readonly InstalledName[];
  readonly losses?: Losses;
}

/** A module that sees the new value through its imports. */
export interface Viewer {
  /** The path is relative to the project. */
  readonly path: string;
  readonly how: "import" | "reexport";
  /** The name in the viewer, where it differs. */
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
  /** Fields and private members of the new class that old instances lack. */
  readonly newFields: readonly string[];
  readonly newPrivates: readonly string[];
  readonly changedPrivateMethods: readonly string[];
  /** Members that fail when an instance of the old class meets one of the new class. */
  readonly crossing: readonly string[];
}

export interface Installation {
  /** The path relative to the project; absent for the names of the forms themselves. */
  readonly module?: string;
  /** The installation loaded the module, which was not loaded before. */
  readonly isLoadedNow: boolean;
  /**
   * The source has changed since the module was loaded: the definitions were installed in the code that runs, which is
   * older.
   */
  readonly isBehindSource: boolean;
  /** Nothing can be loaded anew: the process is a program that loads its modules by itself. */
  readonly isFixed: boolean;
  readonly names: readonly NameReport[];
  /** Declared types, which do not exist at run time. */
  readonly types: readonly string[];
  /** Exports of the form that the running module does not have. */
  readonly newExports: readonly string[];
  /** Imports of the form that the running module does not have: the form got copies of their values. */
  readonly newImports: readonly string[];
  /** The modules that were reloaded, or that would have to be. */
  readonly reload?: Reload;
}

export interface Reload {
  readonly isDone: boolean;
  /** Paths relative to the project: the module itself, then its importers. */
  readonly paths: readonly string[];
  readonly losses: Losses;
  /** Methods that were installed on their own before: a reload loses them too. */
  readonly methods: readonly string[];
}
