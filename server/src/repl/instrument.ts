/**
 * Makes a module's own scope reachable: its first line registers an evaluator, and its top-level `const` become `let`
 * of the same length, so that no line moves and redefinition is an assignment that importers see.
 */
import { patternNames, parseProgram, type SyntaxNode } from "./syntax.ts";
import { shiftFirstLine } from "./source-position.ts";
import type { Transpiled } from "./transpile.ts";

export interface Instrumented extends Transpiled {
  /** Names bound at the module's top level, imports included. Parses the module at the first call. */
  readonly names: () => ReadonlySet<string>;
}

const STRICT = /^"use strict";/;
const CONST_AT_MARGIN = /^((?:export )?)const /gm;

/** `input` is a transpiler's output: only statements of the top level begin at the margin. */
export function instrument(input: Transpiled, format: "module" | "commonjs", url: string): Instrumented {
  const plain = input.code.startsWith("#!") ? `//${input.code.slice(2)}` : input.code;
  const code = constToLet(plain, format);
  const here = format === "module" ? "import.meta.url,import.meta" : `${JSON.stringify(url)},module`;
  const prefix = `__agentq.reg(${here},__agentq$=>eval(__agentq$));`;
  const strict = STRICT.exec(code)?.[0] ?? "";
  const map =
    input.map === undefined ? {} : { map: strict === "" ? shiftFirstLine(input.map, prefix.length) : input.map };
  let names: ReadonlySet<string> | undefined;
  return {
    code: strict + prefix + code.slice(strict.length),
    names: () => (names ??= new Set(parseProgram(plain, format).map(declarationOf).flatMap(boundNames))),
    ...map,
  };
}

/** Without template literals no other text can begin a line with `const`; with them the parser has to tell. */
function constToLet(plain: string, format: "module" | "commonjs"): string {
  if (!plain.includes("`")) return plain.replace(CONST_AT_MARGIN, "$1let   ");
  let code = "";
  let copied = 0;
  for (const node of parseProgram(plain, format).map(declarationOf)) {
    if (node.type !== "VariableDeclaration" || node["kind"] !== "const") continue;
    code += `${plain.slice(copied, node.start)}let  `;
    copied = node.start + "const".length;
  }
  return code + plain.slice(copied);
}

function declarationOf(statement: SyntaxNode): SyntaxNode {
  const exported = /^Export(Named|Default)Declaration$/.test(statement.type) ? statement["declaration"] : undefined;
  return (exported as SyntaxNode | null | undefined) ?? statement;
}

function boundNames(node: SyntaxNode): string[] {
  if (node.type === "ImportDeclaration") {
    return (node["specifiers"] as readonly SyntaxNode[]).map((item) => (item["local"] as SyntaxNode)["name"] as string);
  }
  if (node.type === "VariableDeclaration") {
    return (node["declarations"] as readonly SyntaxNode[]).flatMap((item) => patternNames(item["id"] as SyntaxNode));
  }
  const id = /^(Function|Class)Declaration$/.test(node.type) ? (node["id"] as SyntaxNode | null) : null;
  return id === null ? [] : [id["name"] as string];
}
