/** The literals, functions and classes that a type annotation, an assertion or a return type makes implementations. */
import {
  isArrowFunction,
  isBlock,
  isClassLikeDeclaration,
  isFunctionExpression,
  isFunctionLikeDeclaration,
  isFunctionTypeNode,
  isJSDoc,
  isJSDocTypeExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isParenthesizedTypeNode,
  isQualifiedName,
  isReturnStatement,
  isTypeLiteralNode,
  isTypeNode,
  isUnionTypeNode,
  isVariableStatement,
  NodeFlags,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";

/** What a type literal or an interface consists of. */
const SIGNATURES = new Set<SyntaxKind>([
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodSignature,
  SyntaxKind.CallSignature,
  SyntaxKind.ConstructSignature,
  SyntaxKind.IndexSignature,
]);

/**
 * The values that a name in a type annotates: `const dot: Name = {…}`, `{…} as Name`, `(): Name => ({…})`. Empty for
 * any other mention.
 */
export function annotatedValues(name: Node): readonly Node[] {
  const type = outermostType(name);
  const holder = type?.parent;
  if (type === undefined || holder === undefined || isTypeOfParts(type)) return [];
  if ((holder.flags & NodeFlags.JSDoc) !== 0) return documentedValues(holder);
  return (holder as { readonly type?: Node }).type === type ? valuesOf(holder) : [];
}

/** Whether the name is in a union: `const event: Opened | Closed = {…}` is one of the two. */
export function isInUnion(name: Node): boolean {
  const isPart = (node: Node): boolean => isQualifiedName(node) || isTypeNode(node);
  for (let at = name.parent; at !== undefined && isPart(at); at = at.parent) if (isUnionTypeNode(at)) return true;
  return false;
}

/** Whether the expression is a value of its own; one such as `new this()` has the type and does not implement it. */
function isImplementation(node: Node): boolean {
  return (
    isObjectLiteralExpression(node) ||
    isArrowFunction(node) ||
    isFunctionExpression(node) ||
    isClassLikeDeclaration(node)
  );
}

/** The whole type that a name in it belongs to; undefined for a name that is no type. */
function outermostType(name: Node): Node | undefined {
  let at = name;
  const isPart = (node: Node): boolean => isQualifiedName(node) || isTypeNode(node) || SIGNATURES.has(node.kind);
  while (at.parent !== undefined && isPart(at.parent)) at = at.parent;
  return isTypeNode(at) ? at : undefined;
}

/** `{ cause?: Failure }` and `(each: Failure) => void` only mention the type. */
function isTypeOfParts(type: Node): boolean {
  let at = type;
  while (isParenthesizedTypeNode(at) || isJSDocTypeExpression(at)) at = at.type;
  return isTypeLiteralNode(at) || isFunctionTypeNode(at);
}

function valuesOf(holder: Node): readonly Node[] {
  const { initializer, body, expression } = holder as {
    readonly initializer?: Node;
    readonly body?: Node;
    readonly expression?: Node;
  };
  if (body !== undefined) return isBlock(body) ? returned(body) : implementation(body);
  return implementation(initializer ?? expression);
}

/** In JavaScript the annotation is in the comment before what it is about. */
function documentedValues(tag: Node): readonly Node[] {
  let comment: Node | undefined = ANNOTATIONS.has(tag.kind) ? tag : undefined;
  while (comment !== undefined && !isJSDoc(comment)) comment = comment.parent;
  const about = comment?.parent;
  if (about === undefined) return [];
  const isResult = tag.kind === SyntaxKind.JSDocReturnTag;
  const holders = isVariableStatement(about) ? [...about.declarationList.declarations] : [about];
  return holders.flatMap((each) => {
    if (!isResult) return valuesOf(each);
    const { initializer } = each as { readonly initializer?: Node };
    return valuesOf(initializer ?? each);
  });
}

/** `@type {Name}`, `@satisfies {Name}` and `@returns {Name}`. */
const ANNOTATIONS = new Set<SyntaxKind>([
  SyntaxKind.JSDocTypeTag,
  SyntaxKind.JSDocSatisfiesTag,
  SyntaxKind.JSDocReturnTag,
]);

function implementation(value: Node | undefined): readonly Node[] {
  let at = value;
  while (at !== undefined && isParenthesizedExpression(at)) at = at.expression;
  return at !== undefined && isImplementation(at) ? [at] : [];
}

/** What the function itself returns; functions and classes inside it return for themselves. */
function returned(block: Node): readonly Node[] {
  const found: Node[] = [];
  const walk = (node: Node): undefined => {
    if (isReturnStatement(node)) found.push(...implementation(node.expression));
    else if (!isFunctionLikeDeclaration(node) && !isClassLikeDeclaration(node)) node.forEachChild(walk);
    return undefined;
  };
  block.forEachChild(walk);
  return found;
}
