/** The members that the checker knows of a type beyond those written in it: inherited, combined or computed ones. */
import { SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import {
  isClassLikeDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isMappedTypeNode,
  isObjectLiteralExpression,
  isSourceFile,
  isTypeLiteralNode,
  type Node,
} from "typescript/unstable/ast";
import { baseName } from "../xref/hierarchy/base-labels.ts";
import { assignedName } from "../names/javascript/assigned-names.ts";
import { computedMember, memberFacts, type ClassMember } from "./member-facts.ts";
import { nameNodeOf } from "../names/tree/qualified-name.ts";
import type { TypeContext } from "./type-text.ts";
import { mapLimited } from "../yielding.ts";
import { nodeKey } from "../places.ts";

export interface Written {
  /** The members written out in the type's own declarations. */
  readonly ownNodes: readonly Node[];
  readonly containers: readonly Node[];
  /** The declaration that was asked about. */
  readonly self: Node;
  /** The names of the bases as seen from here, by `nodeKey` their declarations. */
  readonly labels: ReadonlyMap<string, string>;
}

export interface PropertyGroup {
  readonly origin: string;
  readonly file: string;
  /** True for what belongs to the type itself though it is not written among its members. */
  readonly own: boolean;
  readonly members: readonly ClassMember[];
}

/** `CheckFlags` of the compiler that its interface does not name. */
const INSTANTIATED = 1;
const READONLY = 8;
const MAPPED = 262_144;
const SYNTHETIC_PROPERTY = 2;

interface Found {
  readonly symbol: Symbol;
  readonly nodes: readonly Node[];
  readonly owner: Node | undefined;
  /** True for a member of the class itself; a base that is computed need not say so at its declaration. */
  readonly isStatic: boolean;
}

export async function propertyMembers(
  context: TypeContext,
  sides: { readonly instance: Type | undefined; readonly static: Type | undefined },
  written: Written,
): Promise<PropertyGroup[]> {
  const { checker } = context.program.project;
  const both = [
    { type: sides.static, isStatic: true },
    { type: sides.instance, isStatic: false },
  ];
  const perSide = await Promise.all(
    both.map(async ({ type, isStatic }) => {
      const symbols = type === undefined ? [] : await checker.getPropertiesOfType(type);
      return symbols.map((symbol) => ({ symbol, isStatic }));
    }),
  );
  const symbols = perSide.flat().filter(({ symbol }) => (symbol.flags & SymbolFlags.Prototype) === 0);
  const inHierarchy = written.containers.some((node) => isClassLikeDeclaration(node) || isInterfaceDeclaration(node));
  const found = await mapLimited(
    symbols,
    ({ symbol, isStatic }) => locate(context, symbol, isStatic, inHierarchy),
    context.view.signal,
  );
  const own = new Set(written.ownNodes.map(nodeKey));
  const others = found.filter(({ nodes }) => !nodes.some((node) => own.has(nodeKey(node))));
  const groups = Map.groupBy(others, ({ owner }) => {
    return owner === undefined ? "" : (written.labels.get(nodeKey(owner)) ?? nodeKey(owner));
  });
  const nearest = [...written.labels.values()];
  const rank = (key: string): number => (nearest.includes(key) ? nearest.indexOf(key) : nearest.length);
  const ordered = [...groups].toSorted(([a], [b]) => rank(a) - rank(b));
  return mapLimited(ordered, ([, group]) => readGroup(context, group, written), context.view.signal);
}

/** Whether the node is one that holds members. */
export function ofOwner(node: Node): boolean {
  return (
    isClassLikeDeclaration(node) ||
    isInterfaceDeclaration(node) ||
    isTypeLiteralNode(node) ||
    isObjectLiteralExpression(node) ||
    isMappedTypeNode(node) ||
    isEnumDeclaration(node)
  );
}

async function locate(
  { program }: TypeContext,
  symbol: Symbol,
  isStatic: boolean,
  inHierarchy: boolean,
): Promise<Found> {
  const resolved = await Promise.all(symbol.declarations.map((handle) => handle.resolve(program.project)));
  const nodes = resolved.filter((node) => node !== undefined);
  // The parts of a mapped type or a union have declarations, but they belong to other types.
  const isMade = (symbol.checkFlags & (inHierarchy ? MAPPED : MAPPED | SYNTHETIC_PROPERTY)) !== 0;
  const isCombined = inHierarchy && (symbol.checkFlags & SYNTHETIC_PROPERTY) !== 0;
  // A computed base combines several declarations; the one in a class is the one that runs.
  const first = (isCombined ? nodes.find((node) => !isInterfaceDeclaration(node.parent)) : undefined) ?? nodes[0];
  const owned = isCombined ? nodes.filter((node) => node.parent === first?.parent) : nodes;
  return { symbol, nodes: owned, owner: first === undefined || isMade ? undefined : ownerOf(first), isStatic };
}

export function ownerOf(node: Node): Node | undefined {
  const assigned = assignedName(node);
  if (assigned?.owner !== undefined && assigned.form !== "instance") {
    return node.getSourceFile().statements.find((each) => nameNodeOf(each)?.getText() === assigned.owner);
  }
  for (let at: Node | undefined = node.parent; at !== undefined && !isSourceFile(at); at = at.parent) {
    if (ofOwner(at)) return at;
  }
  return undefined;
}

async function readGroup(context: TypeContext, group: readonly Found[], written: Written): Promise<PropertyGroup> {
  const owner = group[0]?.owner;
  const types = await context.program.project.checker.getTypeOfSymbol(group.map(({ symbol }) => symbol));
  const typed = group.map((found, index) => ({ ...found, type: types[index] }));
  const members = await mapLimited(typed, (found) => readMember(context, found, written.self), context.view.signal);
  const file = (owner ?? context.enclosing).getSourceFile().fileName;
  const inOrder = members.toSorted((a, b) => {
    if (a.file === b.file) return a.at.line - b.at.line;
    return a.file === file ? -1 : b.file === file ? 1 : a.file < b.file ? -1 : 1;
  });
  return { ...groupHead(context, owner, written), members: inOrder };
}

/** Which group the members of this class, interface or object type belong to. */
export function groupHead(
  context: TypeContext,
  owner: Node | undefined,
  written: Written,
): Omit<PropertyGroup, "members"> {
  const places = new Set([...written.containers, written.self].map(nodeKey));
  const own =
    owner === undefined || isUnnamed(owner) || places.has(nodeKey(owner)) || places.has(nodeKey(owner.parent));
  const file = (owner ?? context.enclosing).getSourceFile().fileName;
  return { origin: owner === undefined ? "" : labelOf(owner, written), file, own };
}

type Typed = Found & { readonly type: Type | undefined };

async function readMember(context: TypeContext, found: Typed, self: Node): Promise<ClassMember> {
  const member = await readAsDeclared(context, found, self);
  const saysSo = !found.isStatic || member.modifiers.includes("static");
  return saysSo ? member : { ...member, modifiers: ["static", ...member.modifiers] };
}

async function readAsDeclared(
  context: TypeContext,
  { symbol, nodes, owner, type }: Typed,
  self: Node,
): Promise<ClassMember> {
  const [first, ...more] = nodes;
  if (first === undefined || owner === undefined) {
    const optional = (symbol.flags & SymbolFlags.Optional) !== 0;
    const isReadonly = (symbol.checkFlags & READONLY) !== 0;
    return computedMember(context, { symbol, type, optional, isReadonly, declaration: first }, self);
  }
  const instantiated = (symbol.checkFlags & (INSTANTIATED | SYNTHETIC_PROPERTY)) !== 0;
  return memberFacts(context, [first, ...more], type, { instantiated, unnamed: symbol.name });
}

function labelOf(owner: Node, { labels }: Written): string {
  return labels.get(nodeKey(owner)) ?? baseName(owner);
}

/** An object type or object without a name is part of what contains it. */
function isUnnamed(owner: Node): boolean {
  return nameNodeOf(owner) === undefined && !isClassLikeDeclaration(owner) && nameNodeOf(owner.parent) === undefined;
}
