/** How running code reaches a declaration's value: from a name of its module along plain properties. */
import {
  isBindingElement,
  isClassDeclaration,
  isClassExpression,
  isEnumDeclaration,
  isEnumMember,
  isFunctionDeclaration,
  isMethodDeclaration,
  isModuleBlock,
  isModuleDeclaration,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isShorthandPropertyAssignment,
  isSourceFile,
  isVariableDeclaration,
  isVariableStatement,
  type Node,
} from "typescript/unstable/ast";
import { modifiersOf } from "./tree/inspect-declaration.ts";
import { nameNodeOf } from "./tree/qualified-name.ts";

/** `["Outer", "member"]`; undefined for types, locals, instance members and whatever else has no one value. */
export function livePath(node: Node): string[] | undefined {
  const name = nameNodeOf(node)?.getText();
  if (name === undefined) return undefined;
  const owner = ownerOf(node);
  if (owner === "module") return [name];
  const outer = owner === undefined ? undefined : livePath(owner);
  return outer === undefined ? undefined : [...outer, name];
}

function ownerOf(node: Node): Node | "module" | undefined {
  if (isVariableDeclaration(node)) return aroundStatement(node.parent.parent);
  if (isBindingElement(node)) return aroundBinding(node);
  if (isFunctionDeclaration(node) || isClassDeclaration(node) || isEnumDeclaration(node)) return aroundStatement(node);
  if (isModuleDeclaration(node)) return isModuleDeclaration(node.parent) ? node.parent : aroundStatement(node);
  if (isEnumMember(node)) return node.parent;
  if (isObjectLiteralExpression(node.parent)) return isEntry(node) ? aroundValue(node.parent) : undefined;
  if (!isPropertyDeclaration(node) && !isMethodDeclaration(node)) return undefined;
  if (!modifiersOf(node).includes("static")) return undefined;
  return isClassExpression(node.parent) ? aroundValue(node.parent) : node.parent;
}

function isEntry(node: Node): boolean {
  return isPropertyAssignment(node) || isShorthandPropertyAssignment(node) || isMethodDeclaration(node);
}

/** What a namespace does not export is a local of its function. */
function aroundStatement(statement: Node): Node | "module" | undefined {
  const { parent } = statement;
  if (parent === undefined || isSourceFile(parent)) return "module";
  if (!isModuleBlock(parent) || !modifiersIncludeExport(statement)) return undefined;
  return parent.parent;
}

function modifiersIncludeExport(statement: Node): boolean {
  const declaration = isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement;
  return declaration !== undefined && modifiersOf(declaration).includes("export");
}

function aroundBinding(element: Node): "module" | undefined {
  let at = element.parent;
  while (at !== undefined && !isVariableDeclaration(at) && !isSourceFile(at)) at = at.parent;
  const isOutermost = at !== undefined && isVariableDeclaration(at) && aroundStatement(at.parent.parent) === "module";
  return isOutermost ? "module" : undefined;
}

/** The declaration whose value the object or class is. */
function aroundValue(value: Node): Node | undefined {
  const { parent } = value;
  return isVariableDeclaration(parent) || isPropertyAssignment(parent) ? parent : undefined;
}
