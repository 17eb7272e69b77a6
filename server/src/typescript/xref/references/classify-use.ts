/** What a reference does with the symbol, read off the syntax around it. */
import {
  isArrayLiteralExpression,
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isDecorator,
  isDeleteExpression,
  isElementAccessExpression,
  isExportSpecifier,
  isExpressionWithTypeArguments,
  isForInStatement,
  isForOfStatement,
  isHeritageClause,
  isImportSpecifier,
  isJSDoc,
  isJSDocCallbackTag,
  isJSDocPropertyTag,
  isJSDocTypedefTag,
  isJsxClosingElement,
  isJsxOpeningLikeElement,
  isNewExpression,
  isNonNullExpression,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isSpreadElement,
  isStatement,
  isTaggedTemplateExpression,
  isTypeNode,
  NodeFlags,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { assignedName } from "../../names/javascript/assigned-names.ts";
import { isAssignment as isPlainAssignment } from "../../names/javascript/assignments.ts";
import { exportNamesOf, isWholeExport, localOfRequired } from "../../names/javascript/commonjs-exports.ts";
import { declarationAround } from "../../names/tree/inspect-declaration.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";

export type UseKind =
  | "call"
  | "new"
  | "jsx"
  | "tagged template"
  | "decorator"
  | "super call"
  | "passed as value"
  | "destructured"
  | "member access"
  | "write"
  | "read and write"
  | "type"
  | "extends"
  | "import"
  | "re-export"
  | "declaration"
  | "jsx closing tag"
  | "documentation";

export interface Use {
  readonly kind: UseKind;
  /** What it is passed to, in a few words. */
  readonly detail?: string;
  /** The call, `new`, template, element or decorator, when it is one. */
  readonly invocation?: Node;
}

export function classifyUse(node: Node): Use {
  return classifyName(node) ?? classifyExpression(expressionOf(node));
}

/** Imports, exports, declarations, types and documentation: everything that does not run. */
function classifyName(node: Node): Use | undefined {
  const { parent } = node;
  if ((node.flags & NodeFlags.JSDoc) !== 0) return classifyInComment(node);
  const told = BY_PARENT.get(parent.kind)?.(node);
  if (told !== undefined) return told;
  if (isJsxClosingElement(expressionOf(node).parent)) return { kind: "jsx closing tag" };
  if (localOfRequired(node) !== undefined) return { kind: "import" };
  if (exportNamesOf(node).length > 0 || isWholeExport(node)) return { kind: "re-export" };
  if (isShorthandPropertyAssignment(parent)) {
    if (isAssignmentPattern(parent)) return { kind: "write", detail: "from a pattern" };
    return { kind: "passed as value", detail: "property of an object" };
  }
  return isDeclaration(node) ? { kind: "declaration" } : classifyType(node);
}

/** Uses that the kind of the parent node alone tells. */
const BY_PARENT: ReadonlyMap<SyntaxKind, (node: Node) => Use | undefined> = new Map<
  SyntaxKind,
  (node: Node) => Use | undefined
>([
  [SyntaxKind.ImportSpecifier, (node) => ({ kind: isNewName(node) ? "declaration" : "import" })],
  [SyntaxKind.ImportClause, () => ({ kind: "import" })],
  [SyntaxKind.NamespaceImport, () => ({ kind: "import" })],
  [SyntaxKind.ImportEqualsDeclaration, () => ({ kind: "import" })],
  [SyntaxKind.ExportSpecifier, (node) => ({ kind: isNewName(node) ? "declaration" : "re-export" })],
  [SyntaxKind.NamespaceExport, () => ({ kind: "re-export" })],
  [SyntaxKind.ExportAssignment, () => ({ kind: "re-export" })],
  [SyntaxKind.JsxClosingElement, () => ({ kind: "jsx closing tag" })],
  [SyntaxKind.JsxAttribute, () => ({ kind: "write", detail: "JSX attribute" })],
  [SyntaxKind.BindingElement, (node) => (isTakenOut(node) ? { kind: "destructured" } : undefined)],
]);

/** In `a as b` the `b` is a new name, and `a` is the one mention. */
function isNewName(node: Node): boolean {
  const { parent } = node;
  if (!isImportSpecifier(parent) && !isExportSpecifier(parent)) return false;
  return parent.propertyName !== undefined && parent.name === node;
}

function isTakenOut(node: Node): boolean {
  const { parent } = node;
  return isBindingElement(parent) && isObjectBindingPattern(parent.parent) && parent.initializer !== node;
}

function isDeclaration(node: Node): boolean {
  const { parent } = node;
  if (node.kind === SyntaxKind.ConstructorKeyword || node.kind === SyntaxKind.DefaultKeyword) return true;
  if (nameNodeOf(parent) === node && declarationAround(parent) === parent) return true;
  const assigned = assignedName(isAssigned(parent) ? parent.parent : parent);
  return assigned?.nameNode === node && assigned.form !== "instance";
}

function isAssigned(access: Node): boolean {
  return isPlainAssignment(access.parent) && access.parent.left === access;
}

/** In JavaScript a comment declares types and says them; elsewhere it only talks about them. */
function classifyInComment(node: Node): Use {
  if (!/\.[cm]?jsx?$/.test(node.getSourceFile().fileName)) return { kind: "documentation" };
  const { parent } = node;
  const isDeclared =
    isJSDocTypedefTag(parent) ||
    isJSDocCallbackTag(parent) ||
    isJSDocPropertyTag(parent) ||
    parent.kind === SyntaxKind.JSTypeAliasDeclaration;
  if (isDeclared && nameNodeOf(parent) === node) return { kind: "declaration" };
  for (let at = node; at.parent !== undefined && !isJSDoc(at); at = at.parent) {
    if (isTypeNode(at)) return { kind: "type" };
  }
  return { kind: "documentation" };
}

function classifyType(node: Node): Use | undefined {
  for (let at = node; at.parent !== undefined && !isStatement(at); at = at.parent) {
    if (isExpressionWithTypeArguments(at) && isHeritageClause(at.parent)) {
      const isClass = at.parent.token === SyntaxKind.ExtendsKeyword && isClassLike(at.parent.parent);
      if (!isClass) return { kind: "type" };
      return at.expression === expressionOf(node) ? { kind: "extends" } : undefined;
    }
    if (isTypeNode(at) && !isExpressionWithTypeArguments(at)) return { kind: "type" };
    if (isCallExpression(at) || isNewExpression(at)) return undefined;
  }
  return undefined;
}

function isClassLike(node: Node): boolean {
  return node.kind === SyntaxKind.ClassDeclaration || node.kind === SyntaxKind.ClassExpression;
}

function classifyExpression(expression: Node): Use {
  const { parent } = expression;
  if (isCallExpression(parent) && parent.expression === expression) {
    if (isDecorator(parent.parent)) return { kind: "decorator", invocation: parent };
    return { kind: isSuper(expression) ? "super call" : "call", invocation: parent };
  }
  if (isNewExpression(parent) && parent.expression === expression) return { kind: "new", invocation: parent };
  if (isTaggedTemplateExpression(parent) && parent.tag === expression) {
    return { kind: "tagged template", invocation: parent };
  }
  if (isDecorator(parent)) return { kind: "decorator", invocation: parent };
  if (isJsxOpeningLikeElement(parent) && parent.tagName === expression) return { kind: "jsx", invocation: parent };
  const assigned = classifyAssignment(expression);
  if (assigned !== undefined) return assigned;
  if (isPropertyAccessExpression(parent) && parent.expression === expression) return classifyAccess(parent);
  return { kind: "passed as value", ...passedTo(expression) };
}

/** Everything that gives it a value: `=`, `+=`, `++`, `delete`, `[x] = …`, `({ key: x } = …)`, `for (x of …)`. */
function classifyAssignment(expression: Node): Use | undefined {
  const { parent } = expression;
  if (isBinaryExpression(parent) && parent.left === expression && isAssignment(parent.operatorToken.kind)) {
    return { kind: parent.operatorToken.kind === SyntaxKind.EqualsToken ? "write" : "read and write" };
  }
  if (isPrefixUnaryExpression(parent) || isPostfixUnaryExpression(parent)) {
    const isStep = parent.operator === SyntaxKind.PlusPlusToken || parent.operator === SyntaxKind.MinusMinusToken;
    return isStep ? { kind: "read and write" } : undefined;
  }
  if (isDeleteExpression(parent)) return { kind: "write", detail: "deleted" };
  return isAssignmentPattern(expression) ? { kind: "write", detail: "from a pattern" } : undefined;
}

/** Whether the expression is a target inside `[a, b] = …`, `({ key: a } = …)` or `for (a of …)`. */
export function isAssignmentPattern(expression: Node): boolean {
  let at = expression;
  for (;;) {
    const { parent } = at;
    if (isForOfStatement(parent) || isForInStatement(parent)) return parent.initializer === at;
    if (isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.EqualsToken) {
      if (parent.left !== at) return false;
      // `[a = 1] = list`: the default belongs to the target.
      if (at !== expression && isPattern(at)) return true;
    } else if (isPropertyAssignment(parent)) {
      if (parent.initializer !== at) return false;
    } else if (isShorthandPropertyAssignment(parent)) {
      if (parent.name !== at) return false;
    } else if (!isPattern(parent) && !isSpreadElement(parent) && !isSpreadAssignment(parent)) {
      return false;
    }
    at = parent;
  }
}

function isPattern(node: Node): boolean {
  return isArrayLiteralExpression(node) || isObjectLiteralExpression(node);
}

/** `f.call(x)` runs f; `f.bind(x)` hands it on; `Outer.member` is about the member. */
function classifyAccess(access: Node): Use {
  const name = nameNodeOf(access)?.getText();
  const isCalled = isCallExpression(access.parent) && access.parent.expression === access;
  if (isCalled && (name === "call" || name === "apply")) return { kind: "call", detail: `through .${name}` };
  if (isCalled && name === "bind") return { kind: "passed as value", detail: "through .bind" };
  return { kind: "member access" };
}

function passedTo(expression: Node): { detail?: string } {
  const { parent } = expression;
  if ((isCallExpression(parent) || isNewExpression(parent)) && parent.expression !== expression) {
    return { detail: `argument of ${shortText(parent.expression)}` };
  }
  if (isBinaryExpression(parent) && parent.right === expression && isAssignment(parent.operatorToken.kind)) {
    return { detail: `assigned to ${shortText(parent.left)}` };
  }
  const holder = nameNodeOf(parent);
  if (holder !== undefined && holder !== expression) return { detail: `value of ${shortText(holder)}` };
  if (parent.kind === SyntaxKind.ReturnStatement) return { detail: "returned" };
  if (parent.kind === SyntaxKind.ArrayLiteralExpression) return { detail: "element of an array" };
  return {};
}

/** The whole expression a name stands for: `a.b.name`, parentheses, `!` and `as` included. */
function expressionOf(node: Node): Node {
  let at = node;
  if (isPropertyAccessExpression(at.parent) && at.parent.name === at) at = at.parent;
  else if (isElementAccessExpression(at.parent) && at.parent.argumentExpression === at) at = at.parent;
  while (isWrapper(at.parent)) at = at.parent;
  return at;
}

function isWrapper(node: Node): boolean {
  return (
    isParenthesizedExpression(node) || isNonNullExpression(node) || isAsExpression(node) || isSatisfiesExpression(node)
  );
}

function isSuper(expression: Node): boolean {
  const owner = isPropertyAccessExpression(expression) ? expression.expression : expression;
  return owner.kind === SyntaxKind.SuperKeyword;
}

function isAssignment(operator: SyntaxKind): boolean {
  return operator >= SyntaxKind.FirstAssignment && operator <= SyntaxKind.LastAssignment;
}

function shortText(node: Node): string {
  const text = node.getText().replace(/\s+/g, " ");
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
