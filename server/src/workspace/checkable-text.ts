/**
 * A form of the REPL as a text that a compiler can check, and what the compiler says about the form. Offsets are of
 * UTF-16 units.
 */

export interface CheckableText {
  readonly text: string;
  /** Absolute path of the folder in which the text would be, with the modules of earlier forms. */
  readonly folder: string;
  /** The part that the person or the model wrote, `end` exclusive: only problems of that part are reported. */
  readonly start: number;
  readonly end: number;
  /** Absolute path of the module at whose end the text is; without it the text is a module in the folder. */
  readonly module?: string;
  /** The file name of a text that is a module, e.g. `__repl_7__.ts`. */
  readonly name: string;
  /** The modules of earlier forms that the text imports, beside it, by file name. */
  readonly earlier: ReadonlyMap<string, string>;
  /** The text of modules that run another one than the compiler reads, by absolute path. */
  readonly running: ReadonlyMap<string, string>;
}

export interface FormProblem {
  /** Offsets in the form. */
  readonly start: number;
  readonly end: number;
  /** `TS2322` */
  readonly code: string;
  readonly message: string;
}

export type FormCheck =
  | { readonly kind: "checked"; readonly diagnostics: readonly FormProblem[] }
  /** `forAll`: no form outside of a module can be checked. */
  | { readonly kind: "unchecked"; readonly reason: string; readonly forAll: boolean };
