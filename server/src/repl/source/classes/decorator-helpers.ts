/**
 * The top-level names of lowered decorators are visible only in their form: the next form's decorators use the same
 * names.
 */
import type MagicString from "magic-string";
import type { Node } from "oxc-parser";
import { identifierName } from "../syntax.ts";

export type HelperNames = ReadonlySet<string>;

/** Whether the statement declares helpers: it then stays at its place, in the form's own block. */
export function keepHelpers(edited: MagicString, node: Node, helpers: HelperNames): boolean {
  if (helpers.size === 0) return false;
  if (node.type === "FunctionDeclaration") return isHelper(node.id, helpers);
  if (node.type !== "VariableDeclaration") return false;
  const declared = node.declarations.map((each) => each.id);
  if (!declared.every((id) => isHelper(id, helpers))) return false;
  if (node.kind === "var") edited.overwrite(node.start, node.start + "var".length, "let");
  return true;
}

/**
 * Whether the statement only sets helpers or decorates: `_dec = entity("users")`, `User = _ts_decorate(…, User)`. The
 * person did not write it, so it gives no value.
 */
export function setsHelpers(node: Node, helpers: HelperNames): boolean {
  if (node.type !== "ExpressionStatement") return false;
  const { expression } = node;
  if (decorates(expression)) return true;
  const parts = expression.type === "SequenceExpression" ? expression.expressions : [expression];
  return parts.every((part) => part.type === "AssignmentExpression" && isHelper(part.left, helpers));
}

/** Legacy decorators are applied in this form. */
function decorates(expression: Node): boolean {
  if (expression.type === "AssignmentExpression") return decorates(expression.right);
  return expression.type === "CallExpression" && identifierName(expression.callee) === "_ts_decorate";
}

export function withoutHelpers(names: ReadonlySet<string>, helpers: HelperNames): ReadonlySet<string> {
  return helpers.size === 0 ? names : new Set([...names].filter((name) => !helpers.has(name)));
}

function isHelper(node: Node | null, helpers: HelperNames): boolean {
  return helpers.has(identifierName(node) ?? "");
}
