/** What a module's TypeScript says at its top level: what it declares, imports and exports, and where. */
import { parseSync } from "oxc-parser";
import { patternNames, type SyntaxNode } from "./syntax.ts";

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
  /** Of an assignment to a name or to a member of it, without calls: the text of the left side. */
  readonly target?: string;
}

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
  for (const statement of program.body as unknown as readonly SyntaxNode[]) read(outline, statement, text);
  return outline;
}

type Writable = {
  [Key in keyof ModuleOutline]: ModuleOutline[Key] extends readonly (infer Item)[] ? Item[] : Map<string, string>;
};

function read(outline: Writable, node: SyntaxNode, text: string): void {
  switch (node.type) {
    case "ImportDeclaration":
      return readImport(outline, node);
    case "TSImportEqualsDeclaration": {
      const reference = node["moduleReference"] as SyntaxNode;
      if (reference.type !== "TSExternalModuleReference") return;
      const specifier = (reference["expression"] as SyntaxNode)["value"] as string;
      outline.imports.push({ local: nameOf(node["id"]), imported: "*", specifier, how: "require" });
      return;
    }
    case "ExportAllDeclaration": {
      const exported = node["exported"] === null ? undefined : nameOf(node["exported"]);
      outline.reexports.push({ imported: "*", exported, specifier: sourceOf(node) });
      return;
    }
    case "ExportNamedDeclaration":
      return readNamedExport(outline, node);
    case "ExportDefaultDeclaration": {
      const declaration = node["declaration"] as SyntaxNode;
      const isNamed = /^(?:Function|Class)Declaration$/.test(declaration.type) && declaration["id"] !== null;
      if (isNamed) declare(outline, declaration, node, "default");
      else if (declaration.type === "Identifier") outline.exports.set("default", nameOf(declaration));
      else {
        outline.exports.set("default", NAMELESS);
        const place = { start: node.start, end: node.end };
        outline.declarations.push({ name: NAMELESS, kind: "default", ...place, exported: true, isAmbient: false });
      }
      return;
    }
    default:
      if (/Declaration$/.test(node.type)) declare(outline, node, node, undefined);
      else readStatement(outline, node, text);
  }
}

function readImport(outline: Writable, node: SyntaxNode): void {
  const specifier = sourceOf(node);
  if (node["importKind"] === "type") return;
  for (const item of node["specifiers"] as readonly SyntaxNode[]) {
    if (item["importKind"] === "type") continue;
    const kind = item.type === "ImportDefaultSpecifier" ? "default" : "*";
    const imported = item.type === "ImportSpecifier" ? nameOf(item["imported"]) : kind;
    outline.imports.push({ local: nameOf(item["local"]), imported, specifier, how: "import" });
  }
}

function readNamedExport(outline: Writable, node: SyntaxNode): void {
  const declaration = node["declaration"] as SyntaxNode | null;
  if (declaration !== null) return declare(outline, declaration, node, "named");
  for (const item of node["specifiers"] as readonly SyntaxNode[]) {
    const [local, exported] = [nameOf(item["local"]), nameOf(item["exported"])];
    if (node["source"] === null) outline.exports.set(exported, local);
    else outline.reexports.push({ imported: local, exported, specifier: sourceOf(node) });
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

function declare(outline: Writable, node: SyntaxNode, whole: SyntaxNode, as: "named" | "default" | undefined): void {
  const place = { start: whole.start, end: whole.end, exported: as !== undefined };
  const isDeclared = node["declare"] === true || node.type === "TSDeclareFunction";
  const add = (name: string, kind: DeclarationKind): void => {
    outline.declarations.push({
      name,
      kind,
      ...place,
      isAmbient: isDeclared || kind === "interface" || kind === "type",
      ...(kind === "namespace" ? { members: membersOf(node) } : {}),
    });
    if (as !== undefined) outline.exports.set(as === "default" ? "default" : name, name);
  };
  const kind = KINDS[node.type];
  if (kind !== undefined) return add(nameOf(node["id"]), kind);
  if (node.type === "VariableDeclaration") {
    for (const item of node["declarations"] as readonly SyntaxNode[]) {
      readRequire(outline, item);
      for (const name of patternNames(item["id"] as SyntaxNode)) {
        add(name, node["kind"] === "const" ? "constant" : "variable");
      }
    }
    return;
  }
}

function membersOf(namespace: SyntaxNode): readonly string[] {
  const body = namespace["body"] as SyntaxNode | null | undefined;
  const inner = body?.type === "TSModuleBlock" ? (body["body"] as readonly SyntaxNode[]) : [];
  const outline: Writable = { declarations: [], imports: [], reexports: [], exports: new Map(), statements: [] };
  for (const node of inner) read(outline, node, "");
  return [...outline.exports.keys()];
}

function readStatement(outline: Writable, node: SyntaxNode, text: string): void {
  if (node.type === "EmptyStatement") return;
  const { type, start, end } = node;
  const expression = node["expression"] as SyntaxNode | undefined;
  const isAssignment = expression?.type === "AssignmentExpression" && expression["operator"] === "=";
  const left = isAssignment ? (expression["left"] as SyntaxNode) : undefined;
  const target = left !== undefined && isPlace(left) ? { target: text.slice(left.start, left.end) } : {};
  outline.statements.push({ type, start, end, isAssignment, ...target });
}

function isPlace(node: SyntaxNode): boolean {
  if (node.type === "Identifier") return true;
  if (node.type !== "MemberExpression") return false;
  const property = node["property"] as SyntaxNode;
  const isNamed = node["computed"] !== true || property.type === "Literal" || isPlace(property);
  return isNamed && isPlace(node["object"] as SyntaxNode);
}

/** `const x = require("m")` and `const { a } = require("m")`. */
function readRequire(outline: Writable, declarator: SyntaxNode): void {
  const call = declarator["init"] as SyntaxNode | null;
  if (call?.type !== "CallExpression" || nameOf(call["callee"]) !== "require") return;
  const specifier = (call["arguments"] as readonly SyntaxNode[])[0]?.["value"];
  if (typeof specifier !== "string") return;
  const id = declarator["id"] as SyntaxNode;
  const add = (local: string, imported: string): void =>
    void outline.imports.push({ local, imported, specifier, how: "require" });
  if (id.type === "Identifier") return add(nameOf(id), "*");
  if (id.type !== "ObjectPattern") return;
  for (const property of id["properties"] as readonly SyntaxNode[]) {
    if (property.type !== "Property") continue;
    for (const local of patternNames(property["value"] as SyntaxNode)) add(local, nameOf(property["key"]));
  }
}

function sourceOf(node: SyntaxNode): string {
  return (node["source"] as SyntaxNode)["value"] as string;
}

function nameOf(value: unknown): string {
  const node = value as SyntaxNode | null;
  const name = node?.["name"] ?? node?.["value"];
  return typeof name === "string" ? name : "";
}
