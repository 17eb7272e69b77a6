/** Which statement of a form has its value: the one that `eval` would take it from. */
import { hasCompletion } from "./completion-value.ts";
import { setsHelpers } from "../source/decorator-helpers.ts";
import type { WrittenFacts } from "./rewriting.ts";
import type { SyntaxNode } from "../source/syntax.ts";

export interface ValuePlace {
  /** The statement that ends the form with its value. */
  readonly last?: SyntaxNode;
  /** One whose value is the form's though declarations follow: it is put aside until they are made. */
  readonly stashed?: SyntaxNode;
}

export const NO_VALUE: ValuePlace = {};

export function whereTheValueIs(body: readonly SyntaxNode[], text: WrittenFacts): ValuePlace {
  const others = body.filter(
    (node) =>
      !isAhead(node) &&
      node.type !== "EmptyStatement" &&
      !isEmptyExport(node) &&
      !isBareVar(node) &&
      !setsHelpers(node, text.helpers),
  );
  const last = others.at(-1);
  if (last === undefined) return NO_VALUE;
  if (isValue(last) || hasCompletion(last)) return { last };
  if (text.namespaces.size > 0) return NO_VALUE;
  const stashed = others.findLast((node) => node.type === "ExpressionStatement" || hasCompletion(node));
  // `"use client"` says something of the file, not its value.
  return stashed === undefined || typeof stashed["directive"] === "string" ? NO_VALUE : { stashed };
}

function isEmptyExport(node: SyntaxNode): boolean {
  return node.type === "ExportNamedDeclaration" && node["declaration"] === null;
}

/** Goes to the front of the form, and leaves the value to what stands before it. */
function isAhead({ type }: SyntaxNode): boolean {
  return /^(?:Function|Import|ExportAll)Declaration$/.test(type);
}

/** `var N;` alone declares and does nothing; transpilers put it behind the last statement. */
export function isBareVar(node: SyntaxNode): boolean {
  if (node.type !== "VariableDeclaration" || node["kind"] !== "var") return false;
  return (node["declarations"] as readonly SyntaxNode[]).every((declarator) => declarator["init"] === null);
}

function isValue(node: SyntaxNode): boolean {
  if (node.type === "ExpressionStatement") return true;
  return node.type === "ExportDefaultDeclaration" && !isNamedDeclaration(node["declaration"] as SyntaxNode);
}

export function isNamedDeclaration(node: SyntaxNode): boolean {
  return /^(Function|Class)Declaration$/.test(node.type) && node["id"] !== null;
}
