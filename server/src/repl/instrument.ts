/**
 * Makes a module's own scope reachable: its first line registers an evaluator, and its top-level `const` become `let`
 * of the same length, so that no line moves and redefinition is an assignment that importers see.
 */
import { patternNames, parseProgram, type SyntaxNode } from "./syntax.ts";
import { shiftFirstLine } from "./source-position.ts";
import type { Transpiled } from "./transpile.ts";

export interface Instrumented extends Transpiled {
  /** Names bound at the module's top level, imports included. */
  readonly names: ReadonlySet<string>;
}

const STRICT = /^"use strict";/;

export function instrument(input: Transpiled, format: "module" | "commonjs", url: string): Instrumented {
  const plain = input.code.startsWith("#!") ? `//${input.code.slice(2)}` : input.code;
  const names = new Set<string>();
  let code = "";
  let copied = 0;
  for (const statement of parseProgram(plain, format)) {
    const node = declarationOf(statement);
    for (const name of boundNames(node)) names.add(name);
    if (node.type === "VariableDeclaration" && node["kind"] === "const") {
      code += `${plain.slice(copied, node.start)}let  `;
      copied = node.start + "const".length;
    }
  }
  code += plain.slice(copied);
  const here = format === "module" ? "import.meta.url,import.meta" : `${JSON.stringify(url)},module`;
  const prefix = `__agentq.reg(${here},__agentq$=>eval(__agentq$));`;
  const strict = STRICT.exec(code)?.[0] ?? "";
  const map =
    input.map === undefined ? {} : { map: strict === "" ? shiftFirstLine(input.map, prefix.length) : input.map };
  return { code: strict + prefix + code.slice(strict.length), names, ...map };
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
