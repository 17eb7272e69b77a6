/**
 * Enums and namespaces add to an object of their name. Those of a form begin with a new object, unless they belong to a
 * declaration of their module.
 */
import type { ExpressionStatement, VariableDeclarator } from "oxc-parser";
import type { Rewriting } from "./snippet/rewriting.ts";
import { identifierName } from "../source/syntax.ts";

/**
 * An enum is emitted as `X = function(X){…}(X || {})`, which would add to an X of an earlier form. The first
 * declaration in a form begins with a new object; later ones of the same form are assignments and merge with it.
 */
export function startEnumAnew(r: Rewriting, { id, init }: VariableDeclarator): void {
  const name = identifierName(id);
  if (init?.type !== "CallExpression" || name === undefined || !r.text.enums.has(name) || r.names.has(name)) return;
  const [argument] = init.arguments;
  if (argument?.type !== "LogicalExpression") return;
  if (identifierName(argument.left) === name) r.edited.overwrite(argument.start, argument.end, "{}");
}

/**
 * `(function(N) {…})(N || (N = {}))` would add to the N of an earlier form. The first one in a form begins with a new
 * object, unless it belongs to a class, a function or an enum.
 */
export function startNamespaceAnew(r: Rewriting, { expression: call }: ExpressionStatement): void {
  if (call.type !== "CallExpression") return;
  const argument = call.arguments.at(-1);
  if (argument?.type !== "LogicalExpression") return;
  const name = identifierName(argument.left);
  if (name === undefined || !r.text.namespaces.has(name) || r.started.has(name)) return;
  r.started.add(name);
  // A declaration of this name earlier in the form is extended.
  if (r.names.has(name) && !r.bare.has(name)) return;
  if (r.scope.kind === "module" && r.scope.enums?.has(name) === true) return;
  r.edited.overwrite(argument.start, argument.right.start, `typeof ${name} === "function" ? ${name} : `);
}

/** Whether the variable of a namespace may belong to a class or function of that name in the module. */
export function mayBelong({ scope, text }: Rewriting, { id }: VariableDeclarator): boolean {
  const name = identifierName(id) ?? "";
  return text.namespaces.has(name) && scope.kind === "module" && scope.bound.has(name);
}
