/**
 * Turns a TypeScript expression into JavaScript that the image can look at, with the module's names that it mentions.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import type { ValueRoot } from "../child/wire/inquiry.ts";
import { stepOf } from "../child/wire/value-path.ts";
import type { MemberExpression, Node } from "oxc-parser";
import { parseProgram } from "../source/syntax.ts";
import { walk } from "../../base/syntax-walk.ts";
import { isProblem, transpile } from "../source/transpile.ts";
import { given } from "../../base/given.ts";

/** The scope of a loaded module. */
export interface ModuleScope {
  readonly url: string;
  readonly names: ReadonlySet<string>;
}

const MAX_NAMES = 50;
const META_GROWS = inKernel("root").length - "import.meta".length;

/** Undefined for a text that is not exactly one expression, or that needs `await`. */
export function rootOf(text: string, emit: EmitOptions, scope?: ModuleScope): ValueRoot | undefined {
  const result = transpile({ path: "repl.ts", text: `(${text}\n)`, format: "module", emit, keepImports: true });
  if (isProblem(result)) return undefined;
  const body = parseProgram(result.code, "module").filter(({ type }) => type !== "EmptyStatement");
  const [statement] = body;
  if (statement?.type !== "ExpressionStatement" || body.length > 1) return undefined;
  const chain = chainOf(statement.expression);
  const mentioned = new Set<string>();
  let isAsync = false;
  walk(statement, (node) => {
    if (node.type === "Identifier") mentioned.add(node.name);
    isAsync ||= node.type === "AwaitExpression" || node.type === "ImportExpression";
  });
  if (isAsync) return undefined;
  const meta = scope === undefined ? metaIn(statement) : [];
  const expression = meta
    .reduceRight((code, { start, end }) => `${code.slice(0, start)}${inKernel("root")}${code.slice(end)}`, result.code)
    .slice(statement.start, statement.end + meta.length * META_GROWS)
    .replace(/;\s*$/, "");
  const names = [...mentioned].filter((name) => scope === undefined || scope.names.has(name));
  return {
    expression,
    names: names.slice(0, MAX_NAMES),
    ...given({ module: scope?.url, chain }),
  };
}

/** `import.meta`, which has no meaning in evaluated code. */
function metaIn(statement: Node): Node[] {
  const found: Node[] = [];
  walk(statement, (node) => {
    if (node.type === "MetaProperty" && node.meta.name === "import") found.push(node);
  });
  return found;
}

/** Reads `cart.lines[0]` as a name and the steps from it. */
function chainOf(expression: Node): ValueRoot["chain"] {
  const steps: string[] = [];
  let node = inner(expression);
  while (node.type === "MemberExpression") {
    const name = propertyName(node);
    if (name === undefined) return undefined;
    steps.unshift(stepOf(name));
    node = inner(node.object);
  }
  return node.type === "Identifier" && steps.length > 0 ? { base: node.name, steps } : undefined;
}

/** `.name` or `[0]`; undefined for a private name and for a key that has to be evaluated. */
function propertyName({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type !== "Literal") return undefined;
  return typeof property.value === "string" || typeof property.value === "number" ? `${property.value}` : undefined;
}

function inner(node: Node): Node {
  const isWrapped = node.type === "ParenthesizedExpression" || node.type === "ChainExpression";
  return isWrapped ? inner(node.expression) : node;
}
