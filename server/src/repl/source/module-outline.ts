/** What a module's TypeScript declares, imports and exports at the top level, and where. */
import {
  parseSync,
  type ExportNamedDeclaration,
  type ImportDeclaration,
  type Node,
  type TSGlobalDeclaration,
  type TSModuleDeclaration,
  type VariableDeclarator,
} from "oxc-parser";
import { declaredName, exportName, keyName, patternNames, requiredBy } from "./syntax.ts";

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

interface Recent {
  readonly path: string;
  readonly text: string;
  readonly outline: ModuleOutline | undefined;
}

const REMEMBERED = 6;
/** One installation asks for the same few texts several times, and parsing a large one takes a while. */
let recent: readonly Recent[] = [];

/** Undefined when the text does not parse. */
export function moduleOutline(path: string, text: string): ModuleOutline | undefined {
  let found = recent.find((each) => each.path === path && each.text === text);
  found ??= { path, text, outline: parseOutline(path, text) };
  recent = [found, ...recent.filter((each) => each !== found)].slice(0, REMEMBERED);
  return found.outline;
}

function parseOutline(path: string, text: string): ModuleOutline | undefined {
  const { program, errors } = parseSync(path, text, { preserveParens: false });
  if (errors.some((error) => (error.severity as string) === "Error")) return undefined;
  const outline = {
    declarations: [] as OutlineDeclaration[],
    imports: [] as OutlineImport[],
    reexports: [] as OutlineReexport[],
    exports: new Map<string, string>(),
    statements: [] as OutlineStatement[],
  };
  for (const statement of program.body) read(outline, statement, text);
  return outline;
}

type Writable = {
  [Key in keyof ModuleOutline]: ModuleOutline[Key] extends readonly (infer Item)[] ? Item[] : Map<string, string>;
};

function read(outline: Writable, node: Node, text: string): void {
  switch (node.type) {
    case "ImportDeclaration":
      return readImport(outline, node);
    case "TSImportEqualsDeclaration": {
      if (node.moduleReference.type !== "TSExternalModuleReference") return;
      const specifier = node.moduleReference.expression.value;
      outline.imports.push({ local: node.id.name, imported: "*", specifier, how: "require" });
      return;
    }
    case "ExportAllDeclaration": {
      const exported = node.exported === null ? undefined : exportName(node.exported);
      outline.reexports.push({ imported: "*", exported, specifier: node.source.value });
      return;
    }
    case "ExportNamedDeclaration":
      return readNamedExport(outline, node);
    case "ExportDefaultDeclaration": {
      const { declaration, start, end } = node;
      if (declaredName(declaration) !== undefined) declare(outline, declaration, node, "default");
      else if (declaration.type === "Identifier") outline.exports.set("default", declaration.name);
      else {
        outline.exports.set("default", NAMELESS);
        outline.declarations.push({ name: NAMELESS, kind: "default", start, end, exported: true, isAmbient: false });
      }
      return;
    }
    default:
      if (/Declaration$/.test(node.type)) declare(outline, node, node, undefined);
      else readStatement(outline, node, text);
  }
}

function readImport(outline: Writable, { importKind, source, specifiers }: ImportDeclaration): void {
  if (importKind === "type") return;
  for (const item of specifiers) {
    if (item.type === "ImportSpecifier" && item.importKind === "type") continue;
    const kind = item.type === "ImportDefaultSpecifier" ? "default" : "*";
    const imported = item.type === "ImportSpecifier" ? exportName(item.imported) : kind;
    outline.imports.push({ local: item.local.name, imported, specifier: source.value, how: "import" });
  }
}

function readNamedExport(outline: Writable, node: ExportNamedDeclaration): void {
  if (node.declaration !== null) return declare(outline, node.declaration, node, "named");
  for (const item of node.specifiers) {
    const [local, exported] = [exportName(item.local), exportName(item.exported)];
    if (node.source === null) outline.exports.set(exported, local);
    else outline.reexports.push({ imported: local, exported, specifier: node.source.value });
  }
}

const KINDS: Readonly<Record<string, DeclarationKind>> = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  TSEnumDeclaration: "enum",
  TSModuleDeclaration: "namespace",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
};

function declare(outline: Writable, node: Node, whole: Node, as: "named" | "default" | undefined): void {
  const place = { start: whole.start, end: whole.end, exported: as !== undefined };
  const isDeclared = ("declare" in node && node.declare) || node.type === "TSDeclareFunction";
  const add = (name: string, kind: DeclarationKind): void => {
    outline.declarations.push({
      name,
      kind,
      ...place,
      isAmbient: isDeclared || kind === "interface" || kind === "type",
      ...(node.type === "TSModuleDeclaration" ? { members: membersOf(node) } : {}),
    });
    if (as !== undefined) outline.exports.set(as === "default" ? "default" : name, name);
  };
  const kind = KINDS[node.type];
  if (kind !== undefined) return add("id" in node ? keyName(node.id) : "", kind);
  if (node.type !== "VariableDeclaration") return;
  for (const item of node.declarations) {
    readRequire(outline, item);
    for (const name of patternNames(item.id)) add(name, node.kind === "const" ? "constant" : "variable");
  }
}

function membersOf({ body }: TSModuleDeclaration | TSGlobalDeclaration): readonly string[] {
  const outline: Writable = { declarations: [], imports: [], reexports: [], exports: new Map(), statements: [] };
  for (const node of body?.type === "TSModuleBlock" ? body.body : []) read(outline, node, "");
  return [...outline.exports.keys()];
}

function readStatement(outline: Writable, node: Node, text: string): void {
  if (node.type === "EmptyStatement") return;
  const { type, start, end } = node;
  const expression = node.type === "ExpressionStatement" ? node.expression : undefined;
  const left = expression?.type === "AssignmentExpression" && expression.operator === "=" ? expression.left : undefined;
  const target = left !== undefined && isPlace(left) ? { target: text.slice(left.start, left.end) } : {};
  outline.statements.push({ type, start, end, isAssignment: left !== undefined, ...target });
}

function isPlace(node: Node): boolean {
  if (node.type === "Identifier") return true;
  if (node.type !== "MemberExpression") return false;
  const isNamed = !node.computed || node.property.type === "Literal" || isPlace(node.property);
  return isNamed && isPlace(node.object);
}

/** `const x = require("m")` and `const { a } = require("m")`. */
function readRequire(outline: Writable, { id, init }: VariableDeclarator): void {
  const specifier = requiredBy(init);
  if (specifier === undefined) return;
  const add = (local: string, imported: string): void =>
    void outline.imports.push({ local, imported, specifier, how: "require" });
  if (id.type === "Identifier") return add(id.name, "*");
  if (id.type !== "ObjectPattern") return;
  for (const property of id.properties) {
    if (property.type !== "Property") continue;
    for (const local of patternNames(property.value)) add(local, keyName(property.key));
  }
}
