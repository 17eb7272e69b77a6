/** Finds the module of each name that a form imports, and the names of earlier forms that it uses. */
import type { Node } from "oxc-parser";
import { freeNames } from "../source/free-names.ts";
import { declarationIn, patternNames, type Body } from "../source/syntax.ts";

/** The specifier of each top-level name that the form imports, also by `await import(…)` and `require(…)`. */
export function importOrigins(body: Body): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  for (const statement of body) {
    if (statement.type === "ImportDeclaration") {
      for (const { local } of statement.specifiers) origins.set(local.name, statement.source.value);
    }
    const node = declarationIn(statement);
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declarations) {
      const specifier = init === null ? undefined : loadedBy(init);
      if (specifier !== undefined) for (const name of patternNames(id)) origins.set(name, specifier);
    }
  }
  return origins;
}

/** The names that the form uses and does not declare. */
export function usedNames(body: Body, isMeant: (name: string) => boolean): readonly string[] {
  return [...new Set(freeNames(body, isMeant).map(({ name }) => name))];
}

/** The module to which the expression evaluates, or of which the expression is a member. */
function loadedBy(node: Node): string | undefined {
  switch (node.type) {
    case "AwaitExpression":
    case "ParenthesizedExpression":
      return loadedBy(node.type === "AwaitExpression" ? node.argument : node.expression);
    case "MemberExpression":
      return loadedBy(node.object);
    case "ImportExpression":
      return textOf(node.source);
    case "CallExpression":
      return node.callee.type === "Identifier" && node.callee.name === "require"
        ? textOf(node.arguments[0])
        : undefined;
    default:
      return undefined;
  }
}

function textOf(node: Node | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}
