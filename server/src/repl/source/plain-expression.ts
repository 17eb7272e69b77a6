/** One TypeScript expression as JavaScript, for a place where nothing is awaited or imported. */
import { parseSync } from "../../base/parser.ts";
import { transformSync } from "oxc-transform";

export function plainExpression(text: string): { readonly code: string } | { readonly problem: string } {
  const wrapped = `(${text}\n)`;
  const { program, errors } = parseSync("expression.ts", wrapped, { lang: "ts", sourceType: "script" });
  const [error] = errors;
  if (error !== undefined) return { problem: error.message };
  const [statement, ...others] = program.body;
  if (statement?.type !== "ExpressionStatement" || others.length > 0) return { problem: "It is not one expression" };
  const { code } = transformSync("expression.ts", wrapped, { lang: "ts", sourceType: "script" });
  // What the transpiler knows to be wrong outside of a class, such as `this.#count`, may be right where it is recorded.
  return { code: code === "" ? text : code.replace(/;\s*$/, "") };
}
