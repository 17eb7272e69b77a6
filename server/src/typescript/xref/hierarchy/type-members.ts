/** Members of classes and interfaces by name, and the type a member belongs to. */
import {
  isClassStaticBlockDeclaration,
  isConstructorDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isObjectLiteralExpression,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  type Node,
} from "typescript/unstable/ast";
import { modifiersOf, type DeclarationDetail } from "../../names/tree/inspect-declaration.ts";
import { memberNodes } from "../../names/tree/members.ts";
import { enclosingDeclaration, nameNodeOf, qualifiedName } from "../../names/tree/qualified-name.ts";
import { entryOfNode, instanceType, isTypeNodeLike, staticType, type TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";

const CONSTRUCTOR = "constructor";

export interface MemberKey {
  readonly name: string;
  readonly isStatic: boolean;
}

/** The entry of the class, interface or alias that declares the member; undefined for what is no such member. */
export async function ownerOf(view: View, detail: DeclarationDetail): Promise<TypeEntry | undefined> {
  const owner = ownerNodeOf(detail.node);
  return owner === undefined || !isTypeNodeLike(owner) ? undefined : entryOfNode(view, detail.program, owner);
}

/** Undefined for what has no name to be found by in another type: index and call signatures. */
export function memberKeyOf(member: Node): MemberKey | undefined {
  const name = memberName(member);
  return name === undefined ? undefined : { name, isStatic: modifiersOf(member).includes("static") };
}

/** Whether a subtype's member of that name takes the place of this one. */
export function isOverridable({ name }: MemberKey): boolean {
  return name !== CONSTRUCTOR && !name.startsWith("#");
}

/** The type's own declarations of the member: overloads, getter and setter, or nothing. */
export function membersNamed(entry: TypeEntry, { name, isStatic }: MemberKey): Node[] {
  return entry.nodes.flatMap((node) =>
    memberNodes(node).filter(
      (member) => memberName(member) === name && modifiersOf(member).includes("static") === isStatic,
    ),
  );
}

/** What runs for the type: its own declarations without overload signatures, or else those it inherits. */
export async function runningMembers(entry: TypeEntry, key: MemberKey): Promise<Node[]> {
  const own = withoutSignatures(membersNamed(entry, key));
  if (own.length > 0 || !isOverridable(key)) return own;
  const { project } = entry.program;
  const type = await (key.isStatic ? staticType(entry) : instanceType(entry));
  const property = type === undefined ? undefined : await project.checker.getPropertyOfType(type, key.name);
  const nodes = await Promise.all((property?.declarations ?? []).map((handle) => handle.resolve(project)));
  const members = nodes.filter((each) => each !== undefined);
  // For a computed base the checker names the interfaces too; the member that runs is in a class.
  const inClasses = members.filter((member) => !isInterfaceDeclaration(member.parent));
  return withoutSignatures(inClasses.length > 0 ? inClasses : members);
}

/** `Circle.area`; a member of a literal without a name is known by the literal's place. */
export function memberPath(member: Node): string {
  const path = qualifiedName(member);
  const isNamed = path.includes(".") || !isObjectLiteralExpression(member.parent);
  return isNamed ? path.replace(".constructor.", ".") : `{ ${path} } in ${enclosingDeclaration(member).path}`;
}

/** For an overloaded member only the declaration that has the body. */
export function withoutSignatures(members: readonly Node[]): Node[] {
  const withBody = members.filter((member) => (member as { readonly body?: Node }).body !== undefined);
  return withBody.length > 0 ? withBody : [...members];
}

function ownerNodeOf(member: Node): Node | undefined {
  const { parent } = member;
  if (isConstructorDeclaration(parent)) return parent.parent;
  if (isTypeLiteralNode(parent) && isTypeAliasDeclaration(parent.parent)) return parent.parent;
  return isClassStaticBlockDeclaration(parent) ? undefined : parent;
}

function memberName(member: Node): string | undefined {
  if (isConstructorDeclaration(member)) return CONSTRUCTOR;
  const name = nameNodeOf(member);
  // An identifier may be written with escapes.
  if (name !== undefined && isIdentifier(name)) return name.text;
  return name?.getText().replace(/^(["'])(.*)\1$/, "$2");
}
