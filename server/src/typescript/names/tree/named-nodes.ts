/** The places of a file that spell certain names, as nodes of its tree. */
import { isIdentifier, isStringLiteral, type Node, type SourceFile } from "typescript/unstable/ast";
import { nameAt } from "../name-at.ts";
import type { View } from "../../view.ts";
import type { LspPosition } from "../../places.ts";

/** Beyond this a file is more likely made than written. */
const MAX_PLACES = 1_000;

/**
 * Identifiers, and quoted names as in `a["name"]`; comments only where they say types. Past the limit a doubt tells the
 * reader.
 */
export function nodesNamed(view: View, source: SourceFile, names: readonly string[]): Node[] {
  const words = names.map((name) => name.replaceAll(/[^\w]/g, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`));
  const word = new RegExp(`(?<![\\w$])(?:${words.join("|")})(?![\\w$])`, "gu");
  const nodes = new Set<Node>();
  let left = MAX_PLACES;
  for (const { 0: text, index } of source.text.matchAll(word)) {
    const node = nameAt(source, index);
    const isName = (isIdentifier(node) || isStringLiteral(node)) && node.text === text;
    if (isName && index - node.getStart(source) <= 1) nodes.add(node);
    left -= 1;
    if (left > 0) continue;
    const file = view.paths.show(view.state.aliases.primary(source.fileName));
    view.doubts.add(`Only the first ${MAX_PLACES} places of ${file} that spell ${names.join(" or ")} were looked at.`);
    break;
  }
  return [...nodes];
}

export function referenceOf(node: Node, view: View): { readonly file: string; readonly at: LspPosition } {
  const source = node.getSourceFile();
  const file = view.state.aliases.primary(source.fileName);
  return { file, at: source.getLineAndCharacterOfPosition(node.getStart(source)) };
}
