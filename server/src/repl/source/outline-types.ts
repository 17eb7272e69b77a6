/** The declarations, imports, exports and statements of a module's top level. */
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
  /** Overload signatures and `declare` do not exist at run time. */
  readonly isAmbient: boolean;
  /** The names that a namespace exports. */
  readonly members?: readonly string[];
}

export interface OutlineImport {
  readonly local: string;
  /** A name, `default`, or `*` for the namespace or for the whole result of `require`. */
  readonly imported: string;
  readonly specifier: string;
  /** A `require` with destructuring copies the value of a name. */
  readonly how: "import" | "require";
}

export interface OutlineReexport {
  /** `*` with `exported` undefined re-exports everything. */
  readonly imported: string;
  readonly exported: string | undefined;
  readonly specifier: string;
}

export interface ModuleOutline {
  readonly declarations: readonly OutlineDeclaration[];
  readonly imports: readonly OutlineImport[];
  readonly reexports: readonly OutlineReexport[];
  /** The keys are exported names, the values are local names. */
  readonly exports: ReadonlyMap<string, string>;
  /** Statements that are no declarations, as offsets. */
  readonly statements: readonly OutlineStatement[];
}

export interface OutlineStatement {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The statement is an assignment: `a.b = …`, `a = …`. */
  readonly isAssignment: boolean;
  /** The left side of an assignment to a name or to a member of a name, without calls. */
  readonly target?: string;
}

/** The outline of an empty text. */
export const EMPTY_OUTLINE: ModuleOutline = {
  declarations: [],
  imports: [],
  reexports: [],
  exports: new Map(),
  statements: [],
};

/** The local name of a nameless default export. */
export const NAMELESS = "default";
