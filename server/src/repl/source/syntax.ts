/** Small views on JavaScript syntax trees that the rewriters share. */
import { parseSync } from "oxc-parser";

/** An ESTree node, as far as the rewriters look at one. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export function parseProgram(code: string, sourceType: "module" | "commonjs"): readonly SyntaxNode[] {
  const { program } = parseSync("code.js", code, { sourceType });
  return program.body as unknown as readonly SyntaxNode[];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** Calls `visit` on every node below; a `false` from it keeps the walk out of that node's children. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => boolean | void): void {
  if (visit(node) === false) return;
  for (const key in node) {
    const value = node[key];
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) walk(value, visit);
      continue;
    }
    for (const item of value) if (isNode(item)) walk(item, visit);
  }
}

/** Every name that a binding pattern introduces. */
export function patternNames(pattern: SyntaxNode): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern["name"] as string];
    case "ObjectPattern":
      return (pattern["properties"] as readonly SyntaxNode[]).flatMap((property) =>
        patternNames((property.type === "RestElement" ? property : property["value"]) as SyntaxNode),
      );
    case "ArrayPattern":
      return (pattern["elements"] as readonly (SyntaxNode | null)[]).flatMap((item) =>
        item ? patternNames(item) : [],
      );
    case "AssignmentPattern":
      return patternNames(pattern["left"] as SyntaxNode);
    case "RestElement":
      return patternNames(pattern["argument"] as SyntaxNode);
    default:
      return [];
  }
}

/** Doc comments at the beginning of a line and the marks for bundlers: their `@` is no decorator. */
const COMMENTS = /^[ \t]*\/\*\*[^]*?\*\/|\/\* @__\w+__ \*\/|^[ \t]*\/\/.*$/gm;

/** oxc leaves standard decorators and `accessor` as they are; no Node runs them. */
export function needsSwc(code: string): boolean {
  if (!/@[\w([]|\baccessor\b/.test(code.replace(COMMENTS, ""))) return false;
  let found = false;
  for (const statement of parseProgram(code, "module")) {
    walk(statement, (node) => {
      found ||= node.type === "Decorator" || node.type === "AccessorProperty";
      return !found;
    });
  }
  return found;
}
