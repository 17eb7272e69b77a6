/** What the top level of a module says. */
export type DeclarationKind =
  | "function"
  | "class"
  | "enum"
  | "namespace"
  | "constant"
  | "variable"
  | "interface"
  | "type"
  | "default";

export interface OutlineDeclaration {
  readonly name: string;
  readonly kind: DeclarationKind;
  /** Offsets of the whole statement, `export` included. */
  readonly start: number;
  readonly end: number;
  readonly exported: boolean;
  /** Overload signatures and `declare` have nothing at run time. */
  readonly isAmbient: boolean;
  /** What a namespace exports. */
  readonly members?: readonly string[];
}

export interface OutlineImport {
  readonly local: string;
  /** A name, `default`, or `*` for the namespace or the whole of what `require` gives. */
  readonly imported: string;
  readonly specifier: string;
  /** `require` of a name by destructuring copies its value. */
  readonly how: "import" | "require";
}

export interface OutlineReexport {
  /** `*` with an undefined `exported` passes on everything. */
  readonly imported: string;
  readonly exported: string | undefined;
  readonly specifier: string;
}

export interface ModuleOutline {
  readonly declarations: readonly OutlineDeclaration[];
  readonly imports: readonly OutlineImport[];
  readonly reexports: readonly OutlineReexport[];
  /** Local names by the names under which they are exported. */
  readonly exports: ReadonlyMap<string, string>;
  /** Statements that are no declarations, as offsets. */
  readonly statements: readonly OutlineStatement[];
}

export interface OutlineStatement {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** `a.b = …`, `a = …`. */
  readonly isAssignment: boolean;
  /** The left side of an assignment to a name or to a member of a name, without calls. */
  readonly target?: string;
}

/** The outline of a text that says nothing. */
export const EMPTY_OUTLINE: ModuleOutline = {
  declarations: [],
  imports: [],
  reexports: [],
  exports: new Map(),
  statements: [],
};

/** The local name of a nameless default export. */
export const NAMELESS = "default";
