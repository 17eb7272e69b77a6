/** The text of a symbol's declarations, as statements that stand for themselves. */
import { isSourceFile, isVariableDeclaration, SyntaxKind, type Node } from "typescript/unstable/ast";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import type { View } from "../view.ts";

export interface DeclarationText {
  readonly text: string;
  /** `enum`, `class`, `interface`, … of the first declaration. */
  readonly kind: string;
  /** For a member: the declaration around it that was taken in its place. */
  readonly within: string | undefined;
}

const MEMBERS = new Set<SyntaxKind>([
  SyntaxKind.MethodDeclaration,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.Constructor,
  SyntaxKind.EnumMember,
  SyntaxKind.MethodSignature,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.ShorthandPropertyAssignment,
  SyntaxKind.Parameter,
  SyntaxKind.BindingElement,
]);

/** Undefined when the declarations left the program. */
export async function declarationText(view: View, target: SymbolTarget): Promise<DeclarationText | undefined> {
  const found = await Promise.all(target.declarations.map((declaration) => inspectDeclaration(view, declaration)));
  const details = found.filter((detail) => detail !== undefined);
  const [first] = details;
  if (first === undefined) return undefined;
  const isMember = MEMBERS.has(first.node.kind);
  const statements = new Set(details.map(({ node }) => statementOf(node)));
  const texts = [...statements].map((statement) => statement.getText(first.source));
  const within = isMember ? target.path.split(".").slice(0, -1).join(".") : undefined;
  return { text: texts.join("\n"), kind: first.kind, within: within === "" ? undefined : within };
}

function statementOf(node: Node): Node {
  let at = node;
  while (MEMBERS.has(at.kind) || isExpressionPart(at)) {
    if (at.parent === undefined || isSourceFile(at.parent)) break;
    at = at.parent;
  }
  return isVariableDeclaration(at) ? at.parent.parent : at;
}

/** An object literal's members are in an expression, which is in a declaration. */
function isExpressionPart({ kind }: Node): boolean {
  return (
    kind === SyntaxKind.ObjectLiteralExpression ||
    kind === SyntaxKind.ObjectBindingPattern ||
    kind === SyntaxKind.ArrayBindingPattern ||
    kind === SyntaxKind.ClassExpression ||
    kind === SyntaxKind.AsExpression ||
    kind === SyntaxKind.SatisfiesExpression
  );
}
