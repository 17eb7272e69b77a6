/** What the compiler reports as implementing a symbol, as nodes of the syntax trees. */
import {
  getTouchingPropertyName,
  isArrowFunction,
  isClassLikeDeclaration,
  isFunctionExpression,
  isFunctionTypeNode,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isParenthesizedTypeNode,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import { declarationAround } from "../names/inspect-declaration.ts";
import { memberNodes } from "../shapes/members.ts";
import { declarationOf, isNameNode, nameNodeOf } from "../names/qualified-name.ts";
import type { TypeEntry } from "./type-entry.ts";
import type { LspPosition, LspRange, View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

/** Declarations, and the literals and functions that a type annotation makes implementations. */
export async function implementingNodes(view: View, file: string, at: LspPosition): Promise<Node[]> {
  const found = await view.requestAt<{ uri: string; range: LspRange }[] | null>(
    "textDocument/implementation",
    file,
    at,
  );
  const nodes = await mapLimited(
    found ?? [],
    async ({ uri, range }) => {
      const source = (await view.source(view.fileOf(uri)))?.source;
      return source === undefined ? undefined : nodeSpanning(source, range);
    },
    view.signal,
  );
  return nodes.filter((node) => node !== undefined);
}

/**
 * Object literals that implement a type because of what they are handed to. The compiler reports them for the members
 * of the type only, so one member that every implementer has is asked about.
 */
export async function typedLiterals(view: View, entry: TypeEntry): Promise<Node[]> {
  const member = await telling(entry);
  if (member === undefined) return [];
  const source = member.getSourceFile();
  const { at } = declarationOf(member, source);
  const nodes = await implementingNodes(view, source.fileName, at);
  const literals = nodes.flatMap(({ parent }) =>
    parent !== undefined && isObjectLiteralExpression(parent) ? [parent] : [],
  );
  return [...new Set(literals)];
}

/** A required member that the type declares itself, or else any other. */
async function telling({ nodes, program }: TypeEntry): Promise<Node | undefined> {
  const members = nodes
    .flatMap((node) => (isTypeAliasDeclaration(node) ? [] : memberNodes(node)))
    .filter((member) => isNameNode(nameNodeOf(member) ?? member));
  const names = members.map((member) => nameNodeOf(member) ?? member);
  const symbols = await program.project.checker.getSymbolAtLocation(names);
  const required = members.find((_member, index) => ((symbols[index]?.flags ?? 0) & SymbolFlags.Optional) === 0);
  return required ?? members[0];
}

/** The declaration whose name, or the expression that, covers exactly the range. */
function nodeSpanning(source: SourceFile, { start, end }: LspRange): Node | undefined {
  const from = source.getPositionOfLineAndCharacter(start.line, start.character);
  const to = source.getPositionOfLineAndCharacter(end.line, end.character);
  let at = getTouchingPropertyName(source, from);
  const declaration = declarationAround(at);
  if (declaration !== undefined && nameNodeOf(declaration) === at && at.end === to) {
    const value = (declaration as { readonly initializer?: Node }).initializer;
    return value !== undefined && isClassLikeDeclaration(value) ? value : declaration;
  }
  while (at.end < to && at.parent !== undefined && at.parent.end <= to) at = at.parent;
  while (isParenthesizedExpression(at)) at = at.expression;
  return isImplementation(at) && !isTypedByParts(at) ? at : undefined;
}

/**
 * `options: { cause?: Failure } = {}` and `handlers: ((each: Failure) => void) = …`: the compiler reports the value for
 * Failure too, which the annotation only mentions.
 */
function isTypedByParts(value: Node): boolean {
  let holder = value.parent;
  while (isParenthesizedExpression(holder)) holder = holder.parent;
  let annotation = (holder as { readonly type?: Node }).type;
  while (annotation !== undefined && isParenthesizedTypeNode(annotation)) annotation = annotation.type;
  return annotation !== undefined && (isTypeLiteralNode(annotation) || isFunctionTypeNode(annotation));
}

/** An expression such as `new this()` has the type; it does not implement it. */
function isImplementation(node: Node): boolean {
  return (
    isObjectLiteralExpression(node) ||
    isArrowFunction(node) ||
    isFunctionExpression(node) ||
    isClassLikeDeclaration(node)
  );
}
