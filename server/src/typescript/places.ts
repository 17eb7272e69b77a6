/** Places in texts, counted as LSP counts: lines and UTF-16 units from 0. */
import type { Node } from "typescript/unstable/ast";

export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

/** Where in which file something is mentioned. */
export interface Reference {
  readonly file: string;
  readonly at: LspPosition;
}

/** One text for each place. */
export function placeKey({ file, at }: Pick<Reference, "file" | "at">): string {
  return `${file}:${at.line}:${at.character}`;
}

/** Tells declarations apart, whichever road led to them. */
export function nodeKey(node: Node): string {
  return `${node.getSourceFile().fileName}:${node.pos}`;
}
