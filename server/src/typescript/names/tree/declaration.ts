/** What a name stands for: a declaration in a file, and all declarations of one symbol. */
import type { LspPosition, LspRange } from "../../places.ts";

export type OutlineKind =
  | "function"
  | "method"
  | "constructor"
  | "property"
  | "class"
  | "type"
  | "interface"
  | "enum"
  | "enum member"
  | "variable"
  | "namespace";

export interface Declaration {
  readonly file: string;
  readonly name: string;
  /** The full name inside its file: `Outer.member`. */
  readonly path: string;
  /**
   * What the outline tells apart. An own type alias is listed as a class, an accessor as a property, an export specifier as
   * a variable: `inspectDeclaration` tells them apart where it matters.
   */
  readonly kind: OutlineKind;
  readonly range: LspRange;
  /** Where the name is. */
  readonly at: LspPosition;
  /** Counts the declarations of the same path in this file, from 1. */
  readonly ordinal: number;
  /** True for what only exists inside a function's body. */
  readonly local: boolean;
  /** True for a local variable or parameter beside others of the same path: its ordinal is part of its address. */
  readonly isOneOfTwins?: boolean;
  /** True for a function that is assigned to a member which is declared elsewhere. */
  readonly isHandedOver?: boolean;
  /** True when this may be `export { name }` and no declaration of its own. */
  readonly maybeAlias: boolean;
  /** The other name by which it was asked for, and the place of that name: `export { declared as asked }`. */
  readonly alias?: Pick<Declaration, "name" | "file" | "at">;
}

export interface FileOutline {
  readonly file: string;
  readonly declarations: readonly Declaration[];
  /** True for a very large file, of which only the outermost names are known. */
  readonly outermostOnly: boolean;
}

/** A symbol that an address names. */
export interface SymbolTarget {
  readonly file: string;
  readonly path: string;
  /**
   * Never empty: overloads and merged declarations, those of the file first, then augmentations elsewhere; or only the
   * overload that was asked for.
   */
  readonly declarations: readonly [Declaration, ...Declaration[]];
  readonly overload: number | undefined;
  readonly address: string;
}
