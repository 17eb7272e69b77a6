/** The direct members of a declaration, whatever kind of container it is. */
import {
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isModuleBlock,
  isModuleDeclaration,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isVariableDeclaration,
  isVariableStatement,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { nameNodeOf } from "../names/qualified-name.ts";

/** In source order; a constructor's parameter properties stand behind it. */
export function memberNodes(node: Node): Node[] {
  if (isClassLikeDeclaration(node)) return [...node.members].filter(isNotStaticBlock).flatMap(withParameterProperties);
  if (isInterfaceDeclaration(node) || isEnumDeclaration(node)) return [...node.members];
  if (isTypeAliasDeclaration(node)) return isTypeLiteralNode(node.type) ? [...node.type.members] : [];
  if (isModuleDeclaration(node)) return statementsOf(node.body);
  if (isVariableDeclaration(node) || isPropertyAssignment(node)) {
    const { initializer } = node;
    if (initializer === undefined) return [];
    return isObjectLiteralExpression(initializer) ? [...initializer.properties] : memberNodes(initializer);
  }
  return [];
}

function isNotStaticBlock(member: Node): boolean {
  return member.kind !== SyntaxKind.ClassStaticBlockDeclaration && member.kind !== SyntaxKind.SemicolonClassElement;
}

function withParameterProperties(member: Node): Node[] {
  if (!isConstructorDeclaration(member)) return [member];
  return [member, ...member.parameters.filter((parameter) => (parameter.modifiers?.length ?? 0) > 0)];
}

function statementsOf(body: Node | undefined): Node[] {
  if (body === undefined) return [];
  if (isModuleDeclaration(body)) return statementsOf(body.body);
  if (!isModuleBlock(body)) return [];
  return [...body.statements].flatMap((statement): Node[] => {
    if (isVariableStatement(statement)) return [...statement.declarationList.declarations];
    return nameNodeOf(statement) === undefined ? [] : [statement];
  });
}
