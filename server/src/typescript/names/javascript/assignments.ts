/** The plain syntax of assigning: what is on which side of it. */
import {
  isBinaryExpression,
  isElementAccessExpression,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";

/** What the last `=` of `a = b = value` assigns. */
export function assignedValue(node: Node): Node {
  let at = node;
  while (isAssignment(at) || isParenthesizedExpression(at)) at = isAssignment(at) ? at.right : at.expression;
  return at;
}

export function isAssignment(node: Node): node is Node & { readonly left: Node; readonly right: Node } {
  return isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.EqualsToken;
}

/** `a.name` and `a["name"]`. */
export function accessed(
  node: Node,
): { readonly receiver: Node; readonly nameNode: Node; readonly name: string } | undefined {
  if (isPropertyAccessExpression(node) && isIdentifier(node.name)) {
    return { receiver: node.expression, nameNode: node.name, name: node.name.text };
  }
  if (!isElementAccessExpression(node) || !isStringLiteral(node.argumentExpression)) return undefined;
  return { receiver: node.expression, nameNode: node.argumentExpression, name: node.argumentExpression.text };
}

export function isNamed(node: Node, name: string): boolean {
  return isIdentifier(node) && node.text === name;
}
