/** Reads the top-level statements of a module one after the other. */
import type {
  ExportNamedDeclaration,
  ImportDeclaration,
  Node,
  TSGlobalDeclaration,
  TSModuleDeclaration,
  VariableDeclarator,
} from "oxc-parser";
import {
  NAMELESS,
  type DeclarationKind,
  type ModuleOutline,
  type OutlineDeclaration,
  type OutlineImport,
  type OutlineReexport,
  type OutlineStatement,
} from "./outline-types.ts";
import { declaredName, exportName, keyName, patternNames, requiredBy } from "./syntax.ts";

const KINDS: Readonly<Record<string, DeclarationKind>> = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  TSEnumDeclaration: "enum",
  TSModuleDeclaration: "namespace",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
};

/** `text` is the module's text; the targets of assignments are parts of it. */
export class OutlineReader implements ModuleOutline {
  readonly declarations: OutlineDeclaration[] = [];
  readonly imports: OutlineImport[] = [];
  readonly reexports: OutlineReexport[] = [];
  readonly exports = new Map<string, string>();
  readonly statements: OutlineStatement[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(node: Node): void {
    switch (node.type) {
      case "ImportDeclaration":
        return this.#readImport(node);
      case "TSImportEqualsDeclaration": {
        if (node.moduleReference.type !== "TSExternalModuleReference") return;
        const specifier = node.moduleReference.expression.value;
        this.imports.push({ local: node.id.name, imported: "*", specifier, how: "require" });
        return;
      }
      case "ExportAllDeclaration": {
        const exported = node.exported === null ? undefined : exportName(node.exported);
        this.reexports.push({ imported: "*", exported, specifier: node.source.value });
        return;
      }
      case "ExportNamedDeclaration":
        return this.#readNamedExport(node);
      case "ExportDefaultDeclaration": {
        const { declaration, start, end } = node;
        if (declaredName(declaration) !== undefined) this.#declare(declaration, node, "default");
        else if (declaration.type === "Identifier") this.exports.set("default", declaration.name);
        else {
          this.exports.set("default", NAMELESS);
          this.declarations.push({ name: NAMELESS, kind: "default", start, end, exported: true, isAmbient: false });
        }
        return;
      }
      default:
        if (/Declaration$/.test(node.type)) this.#declare(node, node, undefined);
        else this.#readStatement(node);
    }
  }

  #readImport({ importKind, source, specifiers }: ImportDeclaration): void {
    if (importKind === "type") return;
    for (const item of specifiers) {
      if (item.type === "ImportSpecifier" && item.importKind === "type") continue;
      const kind = item.type === "ImportDefaultSpecifier" ? "default" : "*";
      const imported = item.type === "ImportSpecifier" ? exportName(item.imported) : kind;
      this.imports.push({ local: item.local.name, imported, specifier: source.value, how: "import" });
    }
  }

  #readNamedExport(node: ExportNamedDeclaration): void {
    if (node.declaration !== null) return this.#declare(node.declaration, node, "named");
    for (const item of node.specifiers) {
      const [local, exported] = [exportName(item.local), exportName(item.exported)];
      if (node.source === null) this.exports.set(exported, local);
      else this.reexports.push({ imported: local, exported, specifier: node.source.value });
    }
  }

  #declare(node: Node, whole: Node, as: "named" | "default" | undefined): void {
    const place = { start: whole.start, end: whole.end, exported: as !== undefined };
    const isDeclared = ("declare" in node && node.declare) || node.type === "TSDeclareFunction";
    const add = (name: string, kind: DeclarationKind): void => {
      this.declarations.push({
        name,
        kind,
        ...place,
        isAmbient: isDeclared || kind === "interface" || kind === "type",
        ...(node.type === "TSModuleDeclaration" ? { members: membersOf(node) } : {}),
      });
      if (as !== undefined) this.exports.set(as === "default" ? "default" : name, name);
    };
    const kind = KINDS[node.type];
    if (kind !== undefined) return add("id" in node ? keyName(node.id) : "", kind);
    if (node.type !== "VariableDeclaration") return;
    for (const item of node.declarations) {
      this.#readRequire(item);
      for (const name of patternNames(item.id)) add(name, node.kind === "const" ? "constant" : "variable");
    }
  }

  #readStatement(node: Node): void {
    if (node.type === "EmptyStatement") return;
    const { type, start, end } = node;
    const expression = node.type === "ExpressionStatement" ? node.expression : undefined;
    const left =
      expression?.type === "AssignmentExpression" && expression.operator === "=" ? expression.left : undefined;
    const target = left !== undefined && isPlace(left) ? { target: this.#text.slice(left.start, left.end) } : {};
    this.statements.push({ type, start, end, isAssignment: left !== undefined, ...target });
  }

  /** `const x = require("m")` and `const { a } = require("m")`. */
  #readRequire({ id, init }: VariableDeclarator): void {
    const specifier = requiredBy(init);
    if (specifier === undefined) return;
    const add = (local: string, imported: string): void =>
      void this.imports.push({ local, imported, specifier, how: "require" });
    if (id.type === "Identifier") return add(id.name, "*");
    if (id.type !== "ObjectPattern") return;
    for (const property of id.properties) {
      if (property.type !== "Property") continue;
      for (const local of patternNames(property.value)) add(local, keyName(property.key));
    }
  }
}

function membersOf({ body }: TSModuleDeclaration | TSGlobalDeclaration): readonly string[] {
  const outline = new OutlineReader("");
  for (const node of body?.type === "TSModuleBlock" ? body.body : []) outline.read(node);
  return [...outline.exports.keys()];
}

function isPlace(node: Node): boolean {
  if (node.type === "Identifier") return true;
  if (node.type !== "MemberExpression") return false;
  const isNamed = !node.computed || node.property.type === "Literal" || isPlace(node.property);
  return isNamed && isPlace(node.object);
}
