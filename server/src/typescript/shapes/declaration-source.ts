/** The text that declares a symbol: which lines of which files, with comments and decorators. */
import {
  isBindingElement,
  isExpressionStatement,
  isSourceFile,
  isVariableDeclaration,
  isVariableStatement,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import { wholeDeclaration } from "../names/tree/whole-declaration.ts";
import type { View } from "../view.ts";

/** Lines counted from 0, both ends included. */
interface LineSpan {
  readonly first: number;
  readonly last: number;
}

export interface DeclarationSource {
  readonly file: string;
  /** The whole file as the compiler sees it, without a byte order mark. */
  readonly text: string;
  /** `function`, `interface + class`, … */
  readonly kind: string;
  /** In the order of the file; stretches with nothing but empty lines between them are one. */
  readonly spans: readonly LineSpan[];
}

/** A file after the other, the one of the address first. Empty when the symbol left the program. */
export async function declarationSources(view: View, target: SymbolTarget): Promise<DeclarationSource[]> {
  const found = await Promise.all(target.declarations.map((each) => inspectDeclaration(view, each)));
  const details = found.filter((detail) => detail !== undefined);
  return [...Map.groupBy(details, ({ declaration }) => declaration.file)].flatMap(([file, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const spans = group.map(({ node }) => linesOf(node, first.source)).toSorted((a, b) => a.first - b.first);
    const text = first.source.text.replace(/^\uFEFF/, "");
    const kind = [...new Set(group.map((detail) => detail.kind))].join(" + ");
    return { file, text, kind, spans: joined(spans, text.split("\n")) };
  });
}

function linesOf(declaration: Node, source: SourceFile): LineSpan {
  const node = statementOf(declaration);
  const start = node.getStart(source);
  const lineOf = (offset: number): number => source.getLineAndCharacterOfPosition(offset).line;
  return { first: lineOf(commentStart(source.text, node.pos, start)), last: lineOf(node.end) };
}

/** What is read to understand the declaration: of one of several variables, the statement of all of them. */
function statementOf(node: Node): Node {
  if (node.kind === SyntaxKind.JSDocTypedefTag || node.kind === SyntaxKind.JSDocCallbackTag) return node.parent;
  const whole = wholeDeclaration(node);
  if (isBindingElement(whole) || isVariableDeclaration(whole)) {
    for (let at: Node = whole; at !== undefined && !isSourceFile(at); at = at.parent)
      if (isVariableStatement(at)) return at;
    return whole;
  }
  return whole.parent !== undefined && isExpressionStatement(whole.parent) ? whole.parent : whole;
}

/** One comment after the other, with no empty line between them or before the declaration. */
const COMMENTS = /(?:(?:\/\*(?:(?!\*\/)[^])*\*\/[ \t]*(?:\r?\n[ \t]*)?)|(?:\/\/[^\n]*\n[ \t]*))+$/;

function commentStart(text: string, from: number, start: number): number {
  // A comment at the end of a line is about the code on that line.
  const line = from === 0 ? 0 : text.indexOf("\n", from) + 1;
  if (line > start || (line === 0 && from > 0)) return start;
  const comments = COMMENTS.exec(text.slice(line, start));
  return comments === null ? start : line + comments.index;
}

function joined(spans: readonly LineSpan[], lines: readonly string[]): LineSpan[] {
  const all: LineSpan[] = [];
  for (const span of spans) {
    const before = all.at(-1);
    const between = before === undefined ? [] : lines.slice(before.last + 1, span.first);
    if (before === undefined || between.some((line) => line.trim() !== "")) all.push(span);
    else all[all.length - 1] = { first: before.first, last: Math.max(before.last, span.last) };
  }
  return all;
}
