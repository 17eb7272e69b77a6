/** Files that move. */
import { dirname, join } from "node:path";

/** By the old path of a file its new path, both absolute. */
export type Moves = ReadonlyMap<string, string>;

/** The path without the ending of a source, as a specifier may name the file. */
export function stemOf(file: string): string {
  return join(dirname(file), file.slice(dirname(file).length + 1).replace(/(?:\.d)?\.[cm]?[jt]sx?$/, ""));
}

export function movedStems(moves: Moves): ReadonlyMap<string, string> {
  return new Map([...moves].map(([from, to]) => [stemOf(from), stemOf(to)]));
}
