/** Which names are looked up in scopes, and which scope a declaration's name belongs to. */
import {
  isArrowFunction,
  isBindingElement,
  isBlock,
  isCaseBlock,
  isCatchClause,
  isClassExpression,
  isConstructorDeclaration,
  isEnumDeclaration,
  isEnumMember,
  isExportSpecifier,
  isForInStatement,
  isForOfStatement,
  isForStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isImportSpecifier,
  isJsxAttribute,
  isMethodDeclaration,
  isModuleBlock,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isQualifiedName,
  isSetAccessorDeclaration,
  isSourceFile,
  isVariableDeclarationList,
  NodeFlags,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";

/** Whether the name is looked up in the scopes around it, and is no member, key or specifier. */
export function isScopedName(node: Node): boolean {
  const { parent } = node;
  if ((node.flags & NodeFlags.JSDoc) !== 0) return false;
  if (isPropertyAccessExpression(parent)) return parent.expression === node;
  if (isQualifiedName(parent)) return parent.left === node;
  if (isBindingElement(parent)) return parent.initializer === node;
  if (isImportSpecifier(parent) || isExportSpecifier(parent) || isJsxAttribute(parent)) return false;
  const isKey =
    isPropertyAssignment(parent) ||
    isPropertyDeclaration(parent) ||
    parent.kind === SyntaxKind.PropertySignature ||
    parent.kind === SyntaxKind.MethodSignature ||
    isMethodDeclaration(parent) ||
    isEnumMember(parent);
  return !(isKey && nameNodeOf(parent) === node);
}

/** The block, function or module in which a declaration's name is visible. */
export function bindingScope(name: Node): Node {
  // The name of a function or class that is an expression is visible inside of the expression alone.
  const { parent } = name;
  if ((isFunctionExpression(parent) || isClassExpression(parent)) && parent.name === name) return parent;
  const isFunctionScoped =
    isVariableDeclarationList(name.parent.parent) && (name.parent.parent.flags & NodeFlags.BlockScoped) === 0;
  for (let at: Node = name.parent.parent; ; at = at.parent) {
    if (at === undefined || isSourceFile(at)) return at ?? name.getSourceFile();
    // A function's parameters and its body are one scope.
    if (isModuleBlock(at) || isEnumDeclaration(at) || isCatchClause(at) || isFunctionLike(at)) return at;
    if (isFunctionScoped || (isBlock(at) && isFunctionLike(at.parent))) continue;
    if (isBlockLike(at)) return at;
  }
}

function isBlockLike(node: Node): boolean {
  return isBlock(node) || isCaseBlock(node) || isForStatement(node) || isForInStatement(node) || isForOfStatement(node);
}

function isFunctionLike(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  );
}
