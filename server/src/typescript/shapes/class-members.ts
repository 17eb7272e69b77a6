/** The members of a class, interface, object type, enum or object: its own, and what it inherits by origin. */
import { SignatureKind, SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import {
  isClassLikeDeclaration,
  isClassStaticBlockDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  type Node,
} from "typescript/unstable/ast";
import { type MemberGroup, memberFacts, type ClassMember } from "./member-facts.ts";
import { isScript } from "../names/javascript/assigned-names.ts";
import { assignedMembers, valueOf, withInheritedAssigned } from "./assigned-members.ts";
import { baseLabels } from "../xref/hierarchy/base-labels.ts";
import { symbolOfDetail } from "./symbol-of-detail.ts";
import { inspectDeclaration, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { memberNodes } from "../names/tree/members.ts";
import { ofOwner, propertyMembers } from "./property-members.ts";
import { nameNodeOf } from "../names/tree/qualified-name.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { mergeGroups, signatureMembers } from "./signature-members.ts";
import { isTypeNodeLike } from "../xref/hierarchy/type-entry.ts";
import { typeText, type TypeContext } from "./type-text.ts";
import type { View } from "../view.ts";
import type { LspPosition } from "../places.ts";
import { mapLimited } from "../yielding.ts";
import { nodeKey } from "../places.ts";

export interface ClassMembers {
  readonly detail: DeclarationDetail;
  /** `other`: it has no members of this sort. `union`: only what all its parts share. */
  readonly shape: "class" | "interface" | "object type" | "union" | "enum" | "object" | "other";
  /** What an alias or a value is, in full. */
  readonly type: string;
  /** In source order, all declarations of the symbol together. */
  readonly own: readonly ClassMember[];
  /** Nearest base first. */
  readonly inherited: readonly MemberGroup[];
  readonly staticBlocks: readonly { readonly file: string; readonly at: LspPosition }[];
  /** The type of the value by the same name, as for `Promise`: the static members belong to it. */
  readonly valueType: string | undefined;
}

/** Undefined when the declaration left the program. */
export async function classMembers(view: View, target: SymbolTarget): Promise<ClassMembers | undefined> {
  const details = await mapLimited(target.declarations, (each) => inspectDeclaration(view, each), view.signal);
  const known = details.filter((each) => each !== undefined);
  // A namespace or function merged with a class adds to it; the class is what is asked about.
  const detail = known.find(({ node }) => containerOf(node) !== undefined) ?? known[0];
  if (detail === undefined) return undefined;
  const context = { view, program: detail.program, enclosing: detail.source };
  const symbol = await symbolOfDetail(detail);
  const containers = await containersOf(context, detail, symbol);
  const types = await sidesOf(context, detail, symbol);
  const shape = shapeOf(detail, types.instance);
  const result = { detail, shape, type: "", own: [], inherited: [], staticBlocks: [], valueType: undefined };
  if (shape === "other") {
    // A function that JavaScript gives members to is a class to whoever uses it; another function, and a variable of any
    // type, is an object.
    const assigned = await assignedMembers(context, detail, []);
    if (assigned.length > 0 && detail.kind !== "function") view.doubts.add(doubt(target));
    if (assigned.length > 0) {
      const isMaker = detail.kind === "function" && isScript(detail.node);
      return { ...result, shape: isMaker ? "class" : "object", own: assigned };
    }
    return { ...result, type: types.instance === undefined ? "" : await typeText(context, types.instance) };
  }
  const ownNodes = containers.flatMap(memberNodes);
  const own = await ownMembers(context, ownNodes);
  const labels = await baseLabels(detail.program, [...containers, detail.node].filter(isTypeNodeLike));
  const written = { ownNodes, containers, self: detail.node, labels };
  const groups =
    shape === "enum"
      ? []
      : mergeGroups(
          await propertyMembers(context, types, written),
          await signatureMembers(context, types.instance, written),
        );
  const added = groups.filter((group) => group.own).flatMap((group) => group.members);
  return {
    ...result,
    type: isContainer(detail.node) || types.instance === undefined ? "" : await typeText(context, types.instance),
    own: [...own, ...added, ...(await assignedMembers(context, detail, [...own, ...added]))],
    inherited: await withInheritedAssigned(
      context,
      types.instance,
      groups.filter((group) => !group.own),
    ),
    staticBlocks: containers.flatMap(staticBlocksOf),
    valueType: await valueTypeOf(context, detail, symbol),
  };
}

function doubt({ address }: SymbolTarget): string {
  return `The compiler does not know what ${address} is: listed is what its file assigns to it, without what it inherits.`;
}

export interface Sides {
  readonly instance: Type | undefined;
  /** The type of the class itself, where there is one. */
  readonly static: Type | undefined;
}

async function sidesOf(context: TypeContext, detail: DeclarationDetail, symbol: Symbol | undefined): Promise<Sides> {
  const { checker } = context.program.project;
  const container = containerOf(detail.node);
  if (container !== undefined && isClassLikeDeclaration(container) && container !== detail.node) {
    // `const Name = class {}`: the variable's symbol has no declared type.
    const side = await checker.getTypeAtLocation(container);
    const [made] = side === undefined ? [] : await checker.getSignaturesOfType(side, SignatureKind.Construct);
    return { instance: made && (await checker.getReturnTypeOfSignature(made)), static: side };
  }
  if (symbol === undefined) return { instance: await checker.getTypeAtLocation(detail.node), static: undefined };
  const isType =
    (symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.Enum)) !== 0;
  const isClass = (symbol.flags & SymbolFlags.Class) !== 0;
  return {
    instance: isType ? await checker.getDeclaredTypeOfSymbol(symbol) : await checker.getTypeOfSymbol(symbol),
    static: isClass ? await checker.getTypeOfSymbol(symbol) : undefined,
  };
}

function shapeOf(detail: DeclarationDetail, type: Type | undefined): ClassMembers["shape"] {
  const container = containerOf(detail.node);
  if (container !== undefined && isClassLikeDeclaration(container)) return "class";
  if (isInterfaceDeclaration(detail.node)) return "interface";
  if (isEnumDeclaration(detail.node)) return "enum";
  if (detail.kind === "type") {
    if (type?.isUnionType() === true) return "union";
    return type?.isObjectType() === true || type?.isIntersectionType() === true ? "object type" : "other";
  }
  const isValue = ["const", "let", "var", "using", "variable", "property", "parameter property"].includes(detail.kind);
  return isValue && (type?.isObjectType() === true || type?.isIntersectionType() === true) ? "object" : "other";
}

/** The declarations whose members are written out: all that make up a class, interface or enum, or the one object. */
async function containersOf(
  { program }: TypeContext,
  detail: DeclarationDetail,
  symbol: Symbol | undefined,
): Promise<Node[]> {
  const container = containerOf(detail.node);
  if (container === undefined) return [];
  const handles = container === detail.node ? (symbol?.declarations ?? []) : [];
  const nodes = await Promise.all(handles.map((handle) => handle.resolve(program.project)));
  const merged = nodes.filter((node) => node !== undefined).filter(isContainer);
  return merged.length === 0 ? [container] : merged;
}

function isContainer(node: Node): boolean {
  return (
    isClassLikeDeclaration(node) ||
    isInterfaceDeclaration(node) ||
    isEnumDeclaration(node) ||
    (isTypeAliasDeclaration(node) && isTypeLiteralNode(node.type))
  );
}

function containerOf(node: Node): Node | undefined {
  if (isContainer(node)) return node;
  const value = valueOf(node);
  return value !== undefined && isClassLikeDeclaration(value) ? value : undefined;
}

async function ownMembers(context: TypeContext, nodes: readonly Node[]): Promise<ClassMember[]> {
  const { checker } = context.program.project;
  const groups = [...Map.groupBy(nodes, groupKey).values()] as [Node, ...Node[]][];
  const types = groups.length === 0 ? [] : await checker.getTypeAtLocation(groups.map(([first]) => first));
  const indexed = groups.map((group, index) => ({ group, type: types[index] }));
  return mapLimited(indexed, ({ group, type }) => memberFacts(context, group, type), context.view.signal);
}

/** Overloads belong together, and so do a getter and its setter; everything without a name is alone. */
function groupKey(node: Node): string {
  const name = nameNodeOf(node)?.getText();
  const isConstructor = name === undefined && isConstructorDeclaration(node);
  if (name === undefined && !isConstructor) return nodeKey(node);
  const isParameter = !ofOwner(node.parent);
  return `${isStatic(node) ? "static " : ""}${isParameter ? "parameter " : ""}${name ?? "constructor"}`;
}

function isStatic(node: Node): boolean {
  return /^static\b/.test(
    (node as { readonly modifiers?: readonly Node[] }).modifiers
      ?.map((each) => each.getText())
      .find((text) => text === "static") ?? "",
  );
}

function staticBlocksOf(container: Node): ClassMembers["staticBlocks"] {
  if (!isClassLikeDeclaration(container)) return [];
  const source = container.getSourceFile();
  return [...container.members]
    .filter((member) => isClassStaticBlockDeclaration(member))
    .map((member) => ({ file: source.fileName, at: source.getLineAndCharacterOfPosition(member.getStart(source)) }));
}

async function valueTypeOf(
  context: TypeContext,
  { node }: DeclarationDetail,
  symbol: Symbol | undefined,
): Promise<string | undefined> {
  if (!isInterfaceDeclaration(node) || symbol === undefined || (symbol.flags & SymbolFlags.Value) === 0)
    return undefined;
  const type = await context.program.project.checker.getTypeOfSymbol(symbol);
  return type === undefined ? undefined : typeText(context, type);
}
