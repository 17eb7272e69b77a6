/**
 * Members that are written in a type literal, as in `type A = { b: { c: number } }`, or below a `@typedef`: the compiler's
 * outline ends at A.
 */
import {
  isIntersectionTypeNode,
  isJSDocPropertyTag,
  isJSDocTypedefTag,
  isJSDocTypeExpression,
  isJSDocTypeLiteral,
  isParenthesizedTypeNode,
  isTypeLiteralNode,
  isUnionTypeNode,
  type Node,
} from "typescript/unstable/ast";
import { inspectDeclaration } from "./inspect-declaration.ts";
import type { Declaration, FileOutline } from "./declaration.ts";
import { declarationOf, ownName } from "./qualified-name.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** By `Outer.member`, where the outlines know the outer part only. */
export async function literalMembers(
  view: View,
  outlines: readonly FileOutline[],
  path: string,
): Promise<Declaration[]> {
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const outer = path.slice(0, dot);
    const all = outlines.flatMap((outline) => outline.declarations);
    const exact = all.filter((each) => each.path === outer);
    const holders = exact.length > 0 ? exact : all.filter((each) => each.path.endsWith(`.${outer}`));
    const names = path.slice(dot + 1);
    const found = (await mapLimited(holders, (holder) => membersIn(view, holder, names), view.signal)).flat();
    if (found.length > 0) return found;
  }
  return [];
}

async function membersIn(view: View, holder: Declaration, names: string): Promise<Declaration[]> {
  const detail = await inspectDeclaration(view, holder);
  const nodes = detail === undefined ? [] : membersNamed(detail.node, names);
  return nodes.map((node, index) => ({
    ...declarationOf(node, node.getSourceFile()),
    path: `${holder.path}.${names}`,
    ordinal: index + 1,
    local: holder.local,
  }));
}

/** A quoted name may have dots in it, so names are tried and not split. */
function membersNamed(node: Node, names: string): Node[] {
  return typeMembers(typeOf(node)).flatMap((member) => {
    const name = ownName(member);
    if (name === undefined || name === "") return [];
    if (name === names) return [member];
    return names.startsWith(`${name}.`) ? membersNamed(member, names.slice(name.length + 1)) : [];
  });
}

/** What follows the `=`, the `:`, or a `@typedef {object}`. */
function typeOf(node: Node): Node | undefined {
  if (isJSDocTypedefTag(node) || isJSDocPropertyTag(node)) return node.typeExpression;
  return (node as { readonly type?: Node }).type;
}

/** `@property` below `@typedef {object}`. 7.0.2 has the tags among the children, and not where the node lists them. */
function typedefMembers(type: Node | undefined): Node[] {
  const members: Node[] = [];
  type?.forEachChild((child) => {
    if (isJSDocPropertyTag(child)) members.push(child);
  });
  return members;
}

function typeMembers(type: Node | undefined): readonly Node[] {
  if (type === undefined) return [];
  if (isTypeLiteralNode(type)) return [...type.members];
  if (isJSDocTypeLiteral(type)) return typedefMembers(type);
  if (isJSDocTypeExpression(type)) return typeMembers(type.type);
  if (isParenthesizedTypeNode(type)) return typeMembers(type.type);
  return isUnionTypeNode(type) || isIntersectionTypeNode(type) ? [...type.types].flatMap(typeMembers) : [];
}
