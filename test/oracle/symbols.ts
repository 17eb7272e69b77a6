/** Every symbol a package declares, with the address a reader would give it: written without any of the engine's code. */
import ts from "@typescript/typescript6";
import path from "node:path";
import type { LanguageService } from "./language-service.ts";
import { startPlace, type Place } from "./places.ts";

export const symbolKinds = [
  "function",
  "local function",
  "variable",
  "class",
  "interface",
  "type alias",
  "enum",
  "enum member",
  "namespace",
  "constructor",
  "method",
  "interface method",
  "property",
  "parameter property",
  "interface property",
  "accessor",
  "type literal member",
  "object literal member",
] as const;
export type SymbolKind = (typeof symbolKinds)[number];

export interface OracleSymbol {
  /** `src/file.ts#Outer.member`, with `#2` when the file declares another symbol by the same path. */
  readonly address: string;
  readonly kind: SymbolKind;
  /** Its declarations under that address, in source order. */
  readonly declarations: readonly Declared[];
}

export interface Declared {
  readonly node: ts.Declaration;
  /** Its name; the keyword when it has none. */
  readonly name: ts.Node;
  readonly place: Place;
}

interface Found extends Declared {
  readonly kind: SymbolKind;
  readonly path: string;
}

export function symbolsOf(oracle: LanguageService): OracleSymbol[] {
  return oracle.sources.flatMap((source) => symbolsOfFile(oracle, source));
}

function symbolsOfFile(oracle: LanguageService, source: ts.SourceFile): OracleSymbol[] {
  const found: Found[] = [];
  ts.forEachChild(source, (node) => collect(node, { prefix: "", local: false }, found, oracle));
  const file = path.relative(oracle.folder, source.fileName).split(path.sep).join("/");
  const symbols: OracleSymbol[] = [];
  for (const [name, all] of Map.groupBy(found, (each) => each.path)) {
    // An object's type may be written beside its value; the address is the value's.
    const values = all.filter(({ kind }) => kind !== "type literal member");
    const group = values.length > 0 ? values : all;
    const bySymbol = [...Map.groupBy(group, (each) => symbolOf(oracle.checker, each)).values()];
    for (const declarations of bySymbol) {
      const [first] = declarations;
      if (first === undefined) continue;
      const number = bySymbol.length > 1 ? `#${group.indexOf(first) + 1}` : "";
      // A number names one declaration, so that further ones of the same symbol are not what is asked about.
      const meant = number === "" ? declarations : [first];
      symbols.push({ address: `${file}#${name}${number}`, kind: first.kind, declarations: meant });
    }
  }
  return symbols;
}

export function symbolOf(
  checker: ts.TypeChecker,
  { node, name }: Pick<Declared, "node" | "name">,
): ts.Symbol | ts.Node {
  const own = (node as { readonly symbol?: ts.Symbol }).symbol;
  return checker.getSymbolAtLocation(name) ?? own ?? node;
}

interface Surroundings {
  /** What stands before a name in its path: `Outer.`. */
  readonly prefix: string;
  /** Whether the node stands in a body, whose own variables are no names anyone asks for. */
  readonly local: boolean;
}

function collect(node: ts.Node, { prefix, local }: Surroundings, found: Found[], oracle: LanguageService): void {
  const kind = kindOf(node, local);
  const declared = kind === undefined ? undefined : nameOf(node);
  if (kind === undefined || declared === undefined) {
    // A body's own variables are no names anyone asks for; what stands in blocks at the outermost level is.
    if (ts.isExpression(node) || ts.isTypeNode(node)) return;
    ts.forEachChild(node, (child) => collect(child, { prefix, local }, found, oracle));
    return;
  }
  // What has no name is addressed by where it starts.
  const place = startPlace(oracle.folder, "name" in node && node.name !== undefined ? declared.name : node);
  const full = `${prefix}${declared.text}`;
  found.push({ node: node as ts.Declaration, name: declared.name, place, kind, path: full });
  for (const [child, isBody] of contentsOf(node)) {
    collect(child, { prefix: `${full}.`, local: local || isBody }, found, oracle);
  }
  if (!ts.isConstructorDeclaration(node)) return;
  for (const parameter of node.parameters) {
    if (!ts.isParameterPropertyDeclaration(parameter, node) || !ts.isIdentifier(parameter.name)) continue;
    const { name } = parameter;
    const at = startPlace(oracle.folder, name);
    found.push({ node: parameter, name, place: at, kind: "parameter property", path: `${prefix}${name.text}` });
  }
}

function kindOf(node: ts.Node, local: boolean): SymbolKind | undefined {
  if (ts.isFunctionDeclaration(node)) return local ? "local function" : "function";
  if (ts.isClassDeclaration(node)) return "class";
  if (isMember(node)) return memberKind(node);
  if (local) return undefined;
  if (ts.isVariableDeclaration(node)) return ts.isIdentifier(node.name) && !isInLoop(node) ? "variable" : undefined;
  if (ts.isInterfaceDeclaration(node)) return "interface";
  if (ts.isTypeAliasDeclaration(node)) return "type alias";
  if (ts.isEnumDeclaration(node)) return "enum";
  if (ts.isEnumMember(node)) return "enum member";
  if (ts.isModuleDeclaration(node)) return "namespace";
  return isInObjectLiteral(node) ? literalMemberKind(node) : undefined;
}

function memberKind(node: ts.Node): SymbolKind | undefined {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (isInObjectLiteral(node)) return literalMemberKind(node);
  if (ts.isTypeLiteralNode(node.parent)) return "type literal member";
  if (ts.isAccessor(node)) return "accessor";
  if (ts.isMethodDeclaration(node)) return "method";
  if (ts.isMethodSignature(node)) return "interface method";
  return ts.isPropertyDeclaration(node) ? "property" : "interface property";
}

function isInObjectLiteral(node: ts.Node): boolean {
  return ts.isObjectLiteralElementLike(node) && ts.isObjectLiteralExpression(node.parent);
}

function literalMemberKind(node: ts.Node): SymbolKind | undefined {
  return ts.isSpreadAssignment(node) ? undefined : "object literal member";
}

/** Members that have a name of their own; call, construct and index signatures have none. */
function isMember(node: ts.Node): boolean {
  return (
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isAccessor(node) ||
    ts.isConstructorDeclaration(node)
  );
}

function isInLoop(node: ts.VariableDeclaration): boolean {
  return !ts.isVariableStatement(node.parent.parent);
}

function nameOf(node: ts.Node): { readonly text: string; readonly name: ts.Node } | undefined {
  if (ts.isConstructorDeclaration(node))
    return { text: "constructor", name: keyword(node, ts.SyntaxKind.ConstructorKeyword) };
  const name = (node as ts.NamedDeclaration).name;
  if (name !== undefined) return { text: nameText(name), name };
  const isDefault = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node);
  return isDefault ? { text: "default", name: keyword(node, ts.SyntaxKind.DefaultKeyword) } : undefined;
}

function nameText(name: ts.DeclarationName): string {
  if (ts.isIdentifier(name)) return name.text;
  return ts.isStringLiteral(name) ? JSON.stringify(name.text) : name.getText();
}

function keyword(node: ts.Node, kind: ts.SyntaxKind): ts.Node {
  return (
    node
      .getChildren()
      .flatMap((child) => [child, ...child.getChildren()])
      .find((child) => child.kind === kind) ?? node
  );
}

/** What stands inside a declaration and is addressed through it, and whether it stands in a function's body. */
function contentsOf(node: ts.Node): (readonly [node: ts.Node, isBody: boolean])[] {
  const inside = (nodes: readonly ts.Node[], isBody = false): (readonly [ts.Node, boolean])[] =>
    nodes.map((each) => [each, isBody] as const);
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node))
    return inside(node.members);
  if (ts.isTypeAliasDeclaration(node)) return inside(literalMembers(node.type));
  if (ts.isModuleDeclaration(node)) return innerStatements(node);
  if (ts.isFunctionLike(node)) {
    const { body } = node as ts.FunctionLikeDeclaration;
    return body !== undefined && ts.isBlock(body) ? inside(body.statements, true) : [];
  }
  const { type, initializer } = node as { readonly type?: ts.TypeNode; readonly initializer?: ts.Expression };
  const members = type === undefined ? [] : inside(literalMembers(type));
  const value = initializer === undefined ? undefined : plainValue(initializer);
  if (value === undefined) return members;
  if (ts.isObjectLiteralExpression(value)) return [...members, ...inside(value.properties)];
  const isValue = ts.isArrowFunction(value) || ts.isFunctionExpression(value) || ts.isClassExpression(value);
  return isValue ? [...members, ...contentsOf(value)] : members;
}

function innerStatements(node: ts.ModuleDeclaration): (readonly [ts.Node, boolean])[] {
  const { body } = node;
  if (body === undefined || ts.isIdentifier(body)) return [];
  if (ts.isModuleBlock(body)) return body.statements.map((each) => [each, false] as const);
  return [[body, false]];
}

function literalMembers(type: ts.TypeNode): readonly ts.Node[] {
  if (ts.isTypeLiteralNode(type)) return type.members;
  if (ts.isParenthesizedTypeNode(type)) return literalMembers(type.type);
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) return type.types.flatMap(literalMembers);
  return [];
}

function plainValue(value: ts.Expression): ts.Expression {
  const isWrapped = ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value);
  return isWrapped ? plainValue(value.expression) : value;
}
