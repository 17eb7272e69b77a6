/** Enums and namespaces add to what has their name: those of a form begin anew, unless they belong to their module's. */
import type { ExpressionStatement, VariableDeclarator } from "oxc-parser";
import type { Rewriting } from "./snippet/rewriting.ts";
import { identifierName } from "../source/syntax.ts";

/**
 * An enum is emitted as `X = function(X){…}(X || {})`, which adds to an X of an earlier form. The first declaration
 * in a form begins with nothing; the later ones of the same form are assignments and merge with it.
 */
export function startEnumAnew(r: Rewriting, { id, init }: VariableDeclarator): void {
  const name = identifierName(id);
  if (init?.type !== "CallExpression" || name === undefined || !r.text.enums.has(name) || r.names.has(name)) return;
  const [argument] = init.arguments;
  if (argument?.type !== "LogicalExpression") return;
  if (identifierName(argument.left) === name) r.edited.overwrite(argument.start, argument.end, "{}");
}

/**
 * `(function(N) {…})(N || (N = {}))` adds to the N of an earlier form: the first one of a form begins with nothing, but
 * for one that belongs to a class, a function or an enum.
 */
export function startNamespaceAnew(r: Rewriting, { expression: call }: ExpressionStatement): void {
  if (call.type !== "CallExpression") return;
  const argument = call.arguments.at(-1);
  if (argument?.type !== "LogicalExpression") return;
  const name = identifierName(argument.left);
  if (name === undefined || !r.text.namespaces.has(name) || r.started.has(name)) return;
  r.started.add(name);
  // What the same form declared under that name before is extended.
  if (r.names.has(name) && !r.bare.has(name)) return;
  if (r.scope.kind === "module" && r.scope.enums?.has(name) === true) return;
  r.edited.overwrite(argument.start, argument.right.start, `typeof ${name} === "function" ? ${name} : `);
}

/** The variable of a namespace that the module's class or function of that name may have. */
export function mayBelong({ scope, text }: Rewriting, { id }: VariableDeclarator): boolean {
  const name = identifierName(id) ?? "";
  return text.namespaces.has(name) && scope.kind === "module" && scope.bound.has(name);
}
