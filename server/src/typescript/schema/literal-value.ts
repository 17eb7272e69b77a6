/** The value of an initialiser that is written out: literals, and arrays and objects of them. */
import {
  isArrayLiteralExpression,
  isAsExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isStringLiteral,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";

/** Undefined for everything that has to be computed. */
export function literalValue(node: Node): { readonly value: unknown } | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return { value: node.text };
  if (isNumericLiteral(node)) return { value: Number(node.text) };
  if (node.kind === SyntaxKind.TrueKeyword) return { value: true };
  if (node.kind === SyntaxKind.FalseKeyword) return { value: false };
  if (node.kind === SyntaxKind.NullKeyword) return { value: null };
  if (isParenthesizedExpression(node) || isAsExpression(node) || isSatisfiesExpression(node))
    return literalValue(node.expression);
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.MinusToken) {
    const operand = literalValue(node.operand);
    return typeof operand?.value === "number" ? { value: -operand.value } : undefined;
  }
  if (isArrayLiteralExpression(node)) {
    const items = node.elements.map(literalValue);
    return items.every((item) => item !== undefined) ? { value: items.map((item) => item.value) } : undefined;
  }
  return isObjectLiteralExpression(node) ? objectValue(node.properties) : undefined;
}

function objectValue(properties: readonly Node[]): { readonly value: unknown } | undefined {
  const entries: [string, unknown][] = [];
  for (const property of properties) {
    if (!isPropertyAssignment(property)) return undefined;
    const { name } = property;
    const value = literalValue(property.initializer);
    const isPlainName = isIdentifier(name) || isStringLiteral(name) || isNumericLiteral(name);
    if (value === undefined || !isPlainName) return undefined;
    entries.push([name.text, value.value]);
  }
  return { value: Object.fromEntries(entries) };
}
