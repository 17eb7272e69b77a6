/** The declared body of a type alias with arguments in place of its parameters: one step, nothing evaluated. */
import {
  isArrayTypeNode,
  isConditionalTypeNode,
  isConstructorTypeNode,
  isFunctionTypeNode,
  isIdentifier,
  isIndexedAccessTypeNode,
  isInferTypeNode,
  isIntersectionTypeNode,
  isMappedTypeNode,
  isOptionalTypeNode,
  isTypeOperatorNode,
  isTypeReferenceNode,
  isUnionTypeNode,
  type Node,
  type SourceFile,
  type TypeAliasDeclaration,
} from "typescript/unstable/ast";

export interface TypeArgument {
  readonly text: string;
  /** Whether the body needs parentheses before `[]` and the like. */
  readonly isCompound: boolean;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function substitutedBody(
  alias: TypeAliasDeclaration,
  source: SourceFile,
  args: ReadonlyMap<string, TypeArgument>,
): string {
  const replacements: Replacement[] = [];
  const walk = (node: Node, bound: ReadonlySet<string>): void => {
    const inner = new Set([...bound, ...boundBy(node)]);
    const name = isTypeReferenceNode(node) && isIdentifier(node.typeName) ? node.typeName.text : undefined;
    const arg = name === undefined || inner.has(name) ? undefined : args.get(name);
    if (arg !== undefined) {
      const needsParentheses = arg.isCompound && bindsTighter(node.parent, node);
      const text = needsParentheses ? `(${arg.text})` : arg.text;
      replacements.push({ start: node.getStart(source), end: node.end, text });
      return;
    }
    node.forEachChild((child) => {
      walk(child, inner);
      return undefined;
    });
  };
  walk(alias.type, new Set());
  const start = alias.type.getStart(source);
  let text = source.text.slice(start, alias.type.end);
  for (const { start: from, end, text: by } of replacements.toReversed()) {
    text = text.slice(0, from - start) + by + text.slice(end - start);
  }
  return text;
}

/** Whether a type's text needs parentheses where one of a union, an array or an operator is expected. */
export function isCompoundType(node: Node): boolean {
  return (
    isUnionTypeNode(node) ||
    isIntersectionTypeNode(node) ||
    isConditionalTypeNode(node) ||
    isFunctionTypeNode(node) ||
    isConstructorTypeNode(node) ||
    isTypeOperatorNode(node) ||
    isInferTypeNode(node)
  );
}

function bindsTighter(parent: Node, node: Node): boolean {
  if (isIndexedAccessTypeNode(parent)) return parent.objectType === node;
  if (isConditionalTypeNode(parent)) return parent.checkType === node || parent.extendsType === node;
  return (
    isArrayTypeNode(parent) ||
    isTypeOperatorNode(parent) ||
    isOptionalTypeNode(parent) ||
    isUnionTypeNode(parent) ||
    isIntersectionTypeNode(parent)
  );
}

/** The type parameters that a node declares for what is below it. */
function boundBy(node: Node): string[] {
  if (isMappedTypeNode(node)) return [node.typeParameter.name.text];
  if (isInferTypeNode(node)) return [node.typeParameter.name.text];
  if (isConditionalTypeNode(node)) return inferredNames(node.extendsType);
  if (isFunctionTypeNode(node) || isConstructorTypeNode(node))
    return (node.typeParameters ?? []).map(({ name }) => name.text);
  return [];
}

function inferredNames(node: Node): string[] {
  const names: string[] = [];
  const walk = (at: Node): void => {
    if (isInferTypeNode(at)) names.push(at.typeParameter.name.text);
    at.forEachChild((child) => {
      walk(child);
      return undefined;
    });
  };
  walk(node);
  return names;
}
