/** Classes and interfaces as the hierarchy sees them: one entry a symbol, with every declaration that makes it up. */
import {
  isClassDeclaration,
  isClassLikeDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isModuleDeclaration,
  isPropertyAssignment,
  isPropertyDeclaration,
  isStringLiteral,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  SyntaxKind,
  type ClassLikeDeclaration,
  type ExpressionWithTypeArguments,
  type InterfaceDeclaration,
  type Node,
  type TypeAliasDeclaration,
} from "typescript/unstable/ast";
import { writtenFor } from "../../names/tree/checker-lookup.ts";
import { SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import { formatAddress } from "../../names/address.ts";
import { assignedName } from "../../names/javascript/assigned-names.ts";
import { nodesOf, throughExports } from "../../names/tree/checker-lookup.ts";
import { inspectDeclaration, modifiersOf } from "../../names/tree/inspect-declaration.ts";
import type { Declaration, SymbolTarget } from "../../names/tree/declaration.ts";
import { declarationOf, nameNodeOf, qualifiedName } from "../../names/tree/qualified-name.ts";
import type { ProgramView, View } from "../../view.ts";
import { nodeKey } from "../../places.ts";

export type TypeNode = ClassLikeDeclaration | InterfaceDeclaration | TypeAliasDeclaration;

export interface TypeEntry {
  /** Tells entries apart, whichever program they were reached through. */
  readonly key: string;
  readonly address: string;
  readonly path: string;
  /** `class`, `abstract class`, `interface`, `type`. */
  readonly kind: string;
  /** Where its name is: what the compiler is asked about. */
  readonly declaration: Declaration;
  /** Where its name is as a value, when that is another declaration: `interface Error` and `var Error`. */
  readonly value: Declaration | undefined;
  /** The declarations of the symbol that are classes, interfaces or aliases; never empty. */
  readonly nodes: readonly [TypeNode, ...TypeNode[]];
  readonly program: ProgramView;
  readonly isTest: boolean;
}

export interface Heritage {
  readonly relation: "extends" | "implements";
  readonly node: ExpressionWithTypeArguments;
}

export function isTypeNodeLike(node: Node): node is TypeNode {
  return isClassLikeDeclaration(node) || isInterfaceDeclaration(node) || isTypeAliasDeclaration(node);
}

/** The types of one target: its class, interface or alias. Undefined when it is something else. */
export async function typeEntryOf(view: View, target: SymbolTarget): Promise<TypeEntry | undefined> {
  for (const declaration of target.declarations) {
    const detail = await inspectDeclaration(view, declaration);
    const node = detail === undefined ? undefined : typeNodeOf(detail.node);
    if (detail === undefined || node === undefined) continue;
    return entryOfNode(view, detail.program, node);
  }
  return undefined;
}

/** The entry of the symbol a class or interface declaration belongs to, merged declarations included. */
export async function entryOfNode(view: View, program: ProgramView, node: TypeNode): Promise<TypeEntry> {
  // A class is merged with an interface of its module at most; most are not, and need no question.
  const isMerged = !isClassLikeDeclaration(node) || node.getSourceFile().text.includes(`interface ${node.name?.text}`);
  const at = isMerged ? nameNodeOf(namedNode(node)) : undefined;
  const symbol = at === undefined ? undefined : await program.project.checker.getSymbolAtLocation(at);
  const merged = symbol === undefined ? [] : await declaredNodes(program, symbol);
  return entryFrom(view, program, node, merged);
}

/**
 * The same under the name the symbol is known by: an augmentation of its module or an interface merged with it may say
 * what the symbol extends, but does not give the symbol its name.
 */
export async function principalEntry(view: View, program: ProgramView, node: TypeNode): Promise<TypeEntry> {
  const entry = await entryOfNode(view, program, node);
  const principal = principalOf(entry.nodes);
  // Among several equal parts, `node` says most.
  return rankOf(principal) === rankOf(entry.nodes[0]) ? entry : entryFrom(view, program, principal, entry.nodes);
}

/** The entry behind a symbol; undefined when it has no class, interface or alias among its declarations. */
export async function entryOfSymbol(view: View, program: ProgramView, symbol: Symbol): Promise<TypeEntry | undefined> {
  const nodes = await declaredNodes(program, symbol);
  const [first] = nodes.flatMap((node) => typeNodeOf(node) ?? []);
  if (first === undefined) return undefined;
  const written = await writtenForm(view, first);
  return written === undefined
    ? entryFrom(view, program, first, nodes)
    : entryOfNode(view, written.program, written.node);
}

/** The declaration in the source, for one that was built from it or was reached through a link. */
async function writtenForm(
  view: View,
  node: TypeNode,
): Promise<{ readonly program: ProgramView; readonly node: TypeNode } | undefined> {
  const { fileName } = node.getSourceFile();
  const file = view.state.built.get(fileName) ?? view.state.aliases.primary(fileName);
  if (file === fileName) return undefined;
  const path = qualifiedName(namedNode(node));
  const isBuilt = view.state.built.has(fileName);
  const declarations = isBuilt
    ? await writtenFor(view, { file: fileName, path })
    : (await view.outline(file)).declarations.filter((each) => each.path === path);
  for (const declaration of declarations) {
    const detail = await inspectDeclaration(view, declaration);
    const found = detail === undefined ? undefined : typeNodeOf(detail.node);
    if (detail !== undefined && found !== undefined) return { program: detail.program, node: found };
  }
  return undefined;
}

export function heritageOf(entry: Pick<TypeEntry, "nodes">): Heritage[] {
  return entry.nodes.flatMap((node) => {
    const clauses = isTypeAliasDeclaration(node) ? [] : (node.heritageClauses ?? []);
    return [...clauses].flatMap((clause) => {
      const relation = clause.token === SyntaxKind.ExtendsKeyword ? ("extends" as const) : ("implements" as const);
      return [...clause.types].map((type) => ({ relation, node: type }));
    });
  });
}

/** `const Name = class {}` carries the name that its class has not. */
export function namedNode(node: TypeNode): Node {
  if (node.name !== undefined) return node;
  const { parent } = node;
  if (assignedName(parent) !== undefined) return parent;
  const isValue = isVariableDeclaration(parent) || isPropertyAssignment(parent) || isPropertyDeclaration(parent);
  return isValue && parent.initializer === node ? parent : node;
}

/** The type of what the class or interface describes; undefined when the checker has none. */
export async function instanceType({
  nodes: [node],
  program,
}: Pick<TypeEntry, "nodes" | "program">): Promise<Type | undefined> {
  const { checker } = program.project;
  const symbol = node.name === undefined ? undefined : await checker.getSymbolAtLocation(node.name);
  if (symbol !== undefined) return known(await checker.getDeclaredTypeOfSymbol(symbol));
  const value = known(await checker.getTypeAtLocation(node));
  // `export default class {}` is asked about like a type; any other class without a name is reached through its value.
  if (isClassDeclaration(node)) return value;
  const prototype = value === undefined ? undefined : await checker.getPropertyOfType(value, "prototype");
  return prototype === undefined ? undefined : known(await checker.getTypeOfSymbol(prototype));
}

/** The type of the class as a value, which has its static members. */
export async function staticType({
  nodes: [node],
  program,
}: Pick<TypeEntry, "nodes" | "program">): Promise<Type | undefined> {
  const { checker } = program.project;
  const symbol = node.name === undefined ? undefined : await checker.getSymbolAtLocation(node.name);
  return known(await (symbol === undefined ? checker.getTypeAtLocation(node) : checker.getTypeOfSymbol(symbol)));
}

function known(type: Type | undefined): Type | undefined {
  return type?.isErrorType() === true ? undefined : type;
}

async function declaredNodes(program: ProgramView, symbol: Symbol): Promise<Node[]> {
  const { checker } = program.project;
  const meant = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : await checker.getAliasedSymbol(symbol);
  return nodesOf(program, await throughExports(program, meant));
}

/** The class, interface or alias that a declaration is, or that it gives its name to. */
export function typeNodeOf(node: Node): TypeNode | undefined {
  if (isTypeNodeLike(node)) return node;
  const value = assignedName(node)?.value ?? (node as { readonly initializer?: Node }).initializer;
  return value !== undefined && isClassLikeDeclaration(value) ? value : undefined;
}

function entryFrom(view: View, program: ProgramView, first: TypeNode, all: readonly Node[]): TypeEntry {
  const others = all.flatMap((each) => typeNodeOf(each) ?? []).filter((each) => nodeKey(each) !== nodeKey(first));
  const named = namedNode(first);
  const source = first.getSourceFile();
  const declaration = declarationOf(named, source);
  const value = isInterfaceDeclaration(first)
    ? all.find((node) => isVariableDeclaration(node) || isFunctionDeclaration(node))
    : undefined;
  const isAnonymous = nameNodeOf(named) === undefined && modifiersOf(first).every((each) => each !== "default");
  const path = isAnonymous ? `${declaration.path}.(class)` : declaration.path;
  return {
    key: nodeKey(principalOf([first, ...others])),
    address: formatAddress(view.paths.show(source.fileName), path),
    path,
    kind: typeKind(first),
    declaration,
    value: value === undefined ? undefined : declarationOf(value, value.getSourceFile()),
    nodes: [first, ...others],
    program,
    isTest: view.paths.isTest(source.fileName),
  };
}

/** A class before the interfaces merged with it, a declaration of the module itself before its augmentations. */
function principalOf(nodes: readonly [TypeNode, ...TypeNode[]]): TypeNode {
  return nodes.reduce((best, node) => {
    const [a, b] = [rankOf(node), rankOf(best)];
    return a < b || (a === b && nodeKey(node) < nodeKey(best)) ? node : best;
  });
}

function rankOf(node: TypeNode): number {
  return isClassLikeDeclaration(node) ? 0 : isAugmentation(node) ? 2 : 1;
}

/** Whether it is in `declare module "…"` or `declare global`. */
function isAugmentation(node: Node): boolean {
  for (let at: Node | undefined = node.parent; at !== undefined; at = at.parent) {
    const name = isModuleDeclaration(at) ? at.name : undefined;
    if (name !== undefined && (isStringLiteral(name) || name.getText() === "global")) return true;
  }
  return false;
}

function typeKind(node: TypeNode): string {
  if (isInterfaceDeclaration(node)) return "interface";
  if (isTypeAliasDeclaration(node)) return "type";
  return modifiersOf(node).includes("abstract") ? "abstract class" : "class";
}
