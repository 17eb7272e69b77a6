/** A program that the tests or the linters need and that npm does not bring. */
export type ProgramKind = "nvim" | "emacs" | "luacheck" | "bwrap";

/** How to make one program from Debian packages. */
export interface Recipe {
  readonly name: string;
  readonly kind: ProgramKind;
  readonly suite: string;
  readonly packages: readonly string[];
  /** Raised when anything else about the recipe changes, so that the program is made again. */
  readonly revision: number;
  /** The executables to relocate. */
  readonly programs: readonly string[];
  /** Runs once the folder stands at its final place. */
  readonly finish?: (home: string) => void;
  /** The text of each shell script in the launcher folder, by its name. */
  readonly launchers: (home: string) => Readonly<Record<string, string>>;
}
