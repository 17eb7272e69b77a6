/** Finds the statement that gives a form its value, the same one as for `eval`. */
import { hasCompletion } from "./completion-value.ts";
import { setsHelpers } from "../../source/classes/decorator-helpers.ts";
import type { WrittenFacts } from "./rewriting.ts";
import type { Node } from "oxc-parser";
import { declarationIn, declaredName, type Body } from "../../source/syntax.ts";

export interface ValuePlace {
  /** The statement that ends the form with its value. */
  readonly last?: Node;
  /** A statement that gives the value, with declarations after it: the value is stored until they have run. */
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
  // `"use client"` is a directive for the file, and no value.
  return stashed === undefined || isDirective(stashed) ? NO_VALUE : { stashed };
}

function isEmptyExport(node: Node): boolean {
  return node.type === "ExportNamedDeclaration" && node.declaration === null;
}

/** Statements that are moved to the front of the form: the statement before them still gives the value. */
function isAhead({ type }: Node): boolean {
  return /^(?:Function|Import|ExportAll)Declaration$/.test(type);
}

/** `var N;` only declares. Transpilers put it after the last statement. */
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
