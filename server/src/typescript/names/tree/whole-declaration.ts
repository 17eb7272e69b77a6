/** The syntax that a declaration fills, where its own node is only a part of that. */
import { isVariableDeclaration, isVariableDeclarationList, SyntaxKind, type Node } from "typescript/unstable/ast";

/** The statement of a variable that is alone in it, and the variable of a function that is its value. */
export function wholeDeclaration(node: Node): Node {
  const { parent } = node;
  const isValue =
    parent !== undefined && (isVariableDeclaration(parent) || parent.kind === SyntaxKind.PropertyAssignment);
  const at = isValue && (parent as { readonly initializer?: Node }).initializer === node ? parent : node;
  if (!isVariableDeclaration(at) || !isVariableDeclarationList(at.parent)) return at;
  return at.parent.declarations.length === 1 ? at.parent.parent : at;
}
