/** The direct members of a declaration, whatever kind of container it is. */
import {
  isAsExpression,
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isModuleBlock,
  isModuleDeclaration,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isVariableDeclaration,
  isVariableStatement,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { assignedName } from "../javascript/assigned-names.ts";
import { nameNodeOf } from "./qualified-name.ts";

/** In source order; a constructor's parameter properties follow the constructor. */
export function memberNodes(node: Node): Node[] {
  if (isClassLikeDeclaration(node)) return [...node.members].filter(isNotStaticBlock).flatMap(withParameterProperties);
  if (isInterfaceDeclaration(node) || isEnumDeclaration(node)) return [...node.members];
  if (isTypeAliasDeclaration(node)) return isTypeLiteralNode(node.type) ? [...node.type.members] : [];
  if (isModuleDeclaration(node)) return statementsOf(node.body);
  const assigned = assignedName(node);
  if (assigned !== undefined && isClassLikeDeclaration(assigned.value)) return memberNodes(assigned.value);
  if (isVariableDeclaration(node) || isPropertyAssignment(node)) {
    const value = node.initializer === undefined ? undefined : withoutAssertion(node.initializer);
    if (value === undefined) return [];
    return isObjectLiteralExpression(value) ? [...value.properties] : memberNodes(value);
  }
  return [];
}

/** `{…} as const`, `{…} satisfies Name` and `({…})` have the members of the literal. */
function withoutAssertion(value: Node): Node {
  const isAround =
    isParenthesizedExpression(value) ||
    isSatisfiesExpression(value) ||
    (isAsExpression(value) && value.type.getText() === "const");
  return isAround ? withoutAssertion(value.expression) : value;
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
