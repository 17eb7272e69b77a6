/**
 * What a module's text alone says about names: which it takes from other modules, which it gives, and on what they
 * depend.
 */

/** All names of a module. */
export const EVERY = "*";

/** A name that a module takes from another one: `name` there, `local` here. */
export interface TakenName {
  readonly from: string;
  readonly name: string;
  /** Absent for a name that is only passed on. */
  readonly local?: string;
  /** Under which name it is passed on; `EVERY` for `export *`. */
  readonly exported?: string;
}

/** One declaration, or a statement that adds to one. */
export interface DeclaredNames {
  readonly names: readonly string[];
  /**
   * The text on which the types of the names depend: without comments, and without bodies whose type is written down.
   */
  readonly shape: string;
  /** The identifiers in the shape. */
  readonly words: ReadonlySet<string>;
}

export interface ModuleNames {
  readonly taken: readonly TakenName[];
  /** Modules that are imported without a name, and those in `import()` and `require()`: all their names matter. */
  readonly bare: ReadonlySet<string>;
  readonly loose: ReadonlySet<string>;
  readonly declared: readonly DeclaredNames[];
  /** What it gives, by the name outside, with the name inside. */
  readonly given: ReadonlyMap<string, string>;
  /** It reaches every other file without being imported: a script, declarations of global names or of other modules. */
  readonly isGlobal: boolean;
  /** What it gives cannot be told: its syntax is wrong, or it gives by assignments. */
  readonly isOpaque: boolean;
}

/** Whoever names such a module is looked at: a file that does not exist, or whose text is not read. */
export const UNREAD: ModuleNames = {
  taken: [],
  bare: new Set(),
  loose: new Set(),
  declared: [],
  given: new Map(),
  isGlobal: false,
  isOpaque: true,
};
