/** What lowered decorators keep at the top of a form is the form's own: the next form's decorators use the same names. */
import type MagicString from "magic-string";
import type { SyntaxNode } from "./syntax.ts";

export type HelperNames = ReadonlySet<string>;

/** Answers whether the statement declares helpers: it stays where it is, in the form's own block. */
export function keepHelpers(edited: MagicString, node: SyntaxNode, helpers: HelperNames): boolean {
  if (helpers.size === 0) return false;
  if (node.type === "FunctionDeclaration") return isHelper(node["id"], helpers);
  if (node.type !== "VariableDeclaration") return false;
  const declared = (node["declarations"] as readonly SyntaxNode[]).map((each) => each["id"]);
  if (!declared.every((id) => isHelper(id, helpers))) return false;
  if (node["kind"] === "var") edited.overwrite(node.start, node.start + "var".length, "let");
  return true;
}

/**
 * `_dec = entity("users")`, `User = _ts_decorate(…, User)`: no statement of the person's, so it has no value.
 */
export function setsHelpers(node: SyntaxNode, helpers: HelperNames): boolean {
  if (node.type !== "ExpressionStatement") return false;
  const expression = node["expression"] as SyntaxNode;
  if (decorates(expression)) return true;
  const parts = expression.type === "SequenceExpression" ? expression["expressions"] : [expression];
  return (parts as readonly SyntaxNode[]).every(
    (part) => part.type === "AssignmentExpression" && isHelper(part["left"], helpers),
  );
}

/** With legacy decorators. */
function decorates(expression: SyntaxNode): boolean {
  if (expression.type === "AssignmentExpression") return decorates(expression["right"] as SyntaxNode);
  return expression.type === "CallExpression" && (expression["callee"] as SyntaxNode)["name"] === "_ts_decorate";
}

export function withoutHelpers(names: ReadonlySet<string>, helpers: HelperNames): ReadonlySet<string> {
  return helpers.size === 0 ? names : new Set([...names].filter((name) => !helpers.has(name)));
}

function isHelper(node: unknown, helpers: HelperNames): boolean {
  const name = (node as SyntaxNode)["name"];
  return typeof name === "string" && helpers.has(name);
}
