/** The place of the whole declaration of a symbol in its file, so that another text can replace it. */
import { isVariableDeclaration, type Node } from "typescript/unstable/ast";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { wholeDeclaration } from "../names/tree/whole-declaration.ts";
import type { View } from "../view.ts";

/** Offsets in `text`, the file as the compiler sees it, without a byte order mark. */
export interface DeclarationPlace {
  readonly file: string;
  readonly text: string;
  /** With its decorators and modifiers, all overloads together. */
  readonly start: number;
  readonly end: number;
  /** Where the comment begins that documents it; `start` without one. */
  readonly commentStart: number;
}

/** A text alone is the reason why there is no such place. */
export async function declarationPlace(view: View, target: SymbolTarget): Promise<DeclarationPlace | string> {
  const { address, file } = target;
  if (!view.paths.isOwn(file))
    return `${address} is declared in ${view.paths.show(file)}, which is not the project's own.`;
  const found = await Promise.all(
    target.declarations.filter((each) => each.file === file).map((each) => inspectDeclaration(view, each)),
  );
  const details = found.filter((detail) => detail !== undefined);
  const [first] = details;
  if (first === undefined) return `${address} is not where it was any more. Ask again.`;
  const { text } = first.source;
  const nodes = [...new Set(details.map(({ node }) => wholeDeclaration(node)))].toSorted((a, b) => a.pos - b.pos);
  const lineOf = (node: Node): number =>
    first.source.getLineAndCharacterOfPosition(node.getStart(first.source)).line + 1;
  for (const [index, node] of nodes.entries()) {
    if (isVariableDeclaration(node)) {
      return `${address} is declared together with other variables on line ${lineOf(node)}; replace that text instead.`;
    }
    const next = nodes[index + 1];
    if (next !== undefined && next.pos !== node.end) {
      const lines = nodes.map(lineOf).join(", ");
      return `${address} has declarations that do not follow each other (lines ${lines}); name one of them as ${address}#1.`;
    }
  }
  const [from = first.node, to = from] = [nodes[0], nodes.at(-1)];
  const start = from.getStart(first.source);
  const comment = /\/\*\*(?:(?!\*\/)[^])*\*\/\s*$/.exec(text.slice(from.pos, start));
  // The compiler counts a byte order mark, and documents do not.
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  return {
    file,
    text: text.slice(mark),
    start: start - mark,
    end: to.end - mark,
    commentStart: (comment === null ? start : from.pos + comment.index) - mark,
  };
}
