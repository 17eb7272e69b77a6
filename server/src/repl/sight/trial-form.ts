/**
 * Forms whose value a trial without side effects can give: one expression that declares, imports and awaits nothing.
 */
import { freeNames } from "../source/free-names.ts";
import { parseProgram } from "../source/syntax.ts";
import { walk } from "../../base/syntax-walk.ts";
import { KERNEL_NAME } from "../child/wire/kernel-name.ts";
import type { ValueRoot } from "../child/wire/inquiry.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { isProblem, transpile } from "../source/transpile.ts";
import type { ModuleScope } from "./root-expression.ts";
import { given } from "../../base/given.ts";

const MAX_NAMES = 50;
/**
 * Syntax that has another meaning in a trial: a trial runs in no module and no evaluation, and gets its names as
 * copies.
 */
const BOUND_TO_PLACE = /^(?:AwaitExpression|ImportExpression|MetaProperty|ThisExpression)$/;
const OTHER_ROADS: ReadonlySet<string> = new Set(["eval", "arguments", KERNEL_NAME]);

/** Undefined for a form that only an evaluation can answer. */
export function trialRoot(text: string, emit: EmitOptions, scope?: ModuleScope): ValueRoot | undefined {
  const result = transpile({ path: "repl.ts", text, format: "module", emit, keepImports: true });
  if (isProblem(result)) return undefined;
  const body = parseProgram(result.code, "module").filter(({ type }) => type !== "EmptyStatement");
  const [statement] = body;
  if (statement?.type !== "ExpressionStatement" || body.length > 1 || typeof statement.directive === "string") {
    return undefined;
  }
  let isBound = false;
  walk(statement, (node) => {
    isBound ||= BOUND_TO_PLACE.test(node.type);
    isBound ||= node.type === "Identifier" && OTHER_ROADS.has(node.name);
  });
  if (isBound) return undefined;
  const free = freeNames(body, () => true);
  // A trial gets names as copies, so a write would change only the copy.
  if (free.some(({ writer }) => writer !== undefined)) return undefined;
  const names = [...new Set(free.map(({ name }) => name))].filter(
    (name) => scope === undefined || scope.names.has(name),
  );
  if (names.length > MAX_NAMES) return undefined;
  const { start, end } = statement.expression;
  return {
    expression: result.code.slice(start, end),
    names,
    ...given({ module: scope?.url }),
  };
}
