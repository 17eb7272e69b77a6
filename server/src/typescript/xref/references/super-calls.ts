/** How a subclass runs its base class: `super(...)`, or silently when it has no constructor of its own. */
import {
  isCallExpression,
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isElementAccessExpression,
  isPropertyAccessExpression,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";

export interface SuperCall {
  /** The `super` keyword; undefined when the call is implicit. */
  readonly keyword: Node | undefined;
  /** The subclass's constructor, or the subclass itself. */
  readonly caller: Node;
}

/** For the name in an `extends` clause. Undefined when the subclass's constructor never calls `super`. */
export function superCallBehind(extendsName: Node): SuperCall | undefined {
  let at: Node | undefined = extendsName;
  while (at !== undefined && !isClassLikeDeclaration(at)) at = at.parent;
  if (at === undefined) return undefined;
  const constructors = at.members.filter(isConstructorDeclaration);
  if (constructors.length === 0) return { keyword: undefined, caller: at };
  for (const constructor of constructors) {
    const keyword = findSuperKeyword(constructor);
    if (keyword !== undefined) return { keyword, caller: constructor };
  }
  return undefined;
}

/** Whether a member's body runs the base class's member of the same name; for a constructor, the base constructor. */
export function callsSuperMember(member: Node): boolean {
  const name = isConstructorDeclaration(member) ? undefined : (member as { readonly name?: Node }).name?.getText();
  const runsBase = (node: Node): boolean => {
    if (isClassLikeDeclaration(node)) return false;
    if (name === undefined ? isSuperConstruction(node) : isSuperMember(node, name)) return true;
    return node.forEachChild((child) => runsBase(child) || undefined) === true;
  };
  return member.forEachChild((child) => runsBase(child) || undefined) === true;
}

function isSuperConstruction(node: Node): boolean {
  return isCallExpression(node) && node.expression.kind === SyntaxKind.SuperKeyword;
}

function isSuperMember(node: Node, name: string): boolean {
  if (isPropertyAccessExpression(node)) {
    return node.expression.kind === SyntaxKind.SuperKeyword && node.name.text === name;
  }
  if (!isElementAccessExpression(node) || node.expression.kind !== SyntaxKind.SuperKeyword) return false;
  return node.argumentExpression.getText().replaceAll(/["'`]/g, "") === name;
}

function findSuperKeyword(node: Node): Node | undefined {
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.SuperKeyword) return node.expression;
  if (isClassLikeDeclaration(node)) return undefined;
  return node.forEachChild((child) => findSuperKeyword(child));
}
