/** Which statement gives a form its value: the statement from which `eval` would take the value. */
import { hasCompletion } from "./completion-value.ts";
import { setsHelpers } from "../../source/classes/decorator-helpers.ts";
import type { WrittenFacts } from "./rewriting.ts";
import type { Node } from "oxc-parser";
import { declarationIn, declaredName, type Body } from "../../source/syntax.ts";

export interface ValuePlace {
  /** The statement that ends the form with its value. */
  readonly last?: Node;
  /** A statement whose value is the form's though declarations follow: the value is put aside until they are made. */
  readonly stashed?: Node;
}

export const NO_VALUE: ValuePlace = {};

export function whereTheValueIs(body: Body, text: WrittenFacts): ValuePlace {
  const others = body.filter(
    (node) =>
      !isAhead(node) &&
      node.type !== "EmptyStatement" &&
      !isEmptyExport(node) &&
      !isBareVar(declarationIn(node)) &&
      !setsHelpers(node, text.helpers),
  );
  const last = others.at(-1);
  if (last === undefined) return NO_VALUE;
  if (isValue(last) || hasCompletion(last)) return { last };
  if (text.namespaces.size > 0) return NO_VALUE;
  const stashed = others.findLast((node) => node.type === "ExpressionStatement" || hasCompletion(node));
  // `"use client"` says something about the file, and is no value.
  return stashed === undefined || isDirective(stashed) ? NO_VALUE : { stashed };
}

function isEmptyExport(node: Node): boolean {
  return node.type === "ExportNamedDeclaration" && node.declaration === null;
}

/** Statements that go to the front of the form, and leave the value to what comes before them. */
function isAhead({ type }: Node): boolean {
  return /^(?:Function|Import|ExportAll)Declaration$/.test(type);
}

/** `var N;` alone declares and does nothing; transpilers put it behind the last statement. */
export function isBareVar(node: Node): boolean {
  if (node.type !== "VariableDeclaration" || node.kind !== "var") return false;
  return node.declarations.every((declarator) => declarator.init === null);
}

function isValue(node: Node): boolean {
  if (node.type === "ExpressionStatement") return true;
  return node.type === "ExportDefaultDeclaration" && declaredName(node.declaration) === undefined;
}

function isDirective(node: Node): boolean {
  return node.type === "ExpressionStatement" && typeof node.directive === "string";
}
