/** A name where it is used, as an editor knows the place of its cursor: `src/user.ts:3:24#area`. */
import { isIdentifier, isPrivateIdentifier } from "typescript/unstable/ast";
import type { View } from "../view.ts";
import { declarationsOfSymbol } from "./checker-lookup.ts";
import type { Declaration } from "./declaration.ts";
import { lineAddress, type LineAddress } from "./line-address.ts";
import { nameAt } from "./name-at.ts";

export interface UsedName extends LineAddress {
  readonly column: number;
  readonly name: string;
}

/** Undefined for any other address. */
export function usedName(text: string): UsedName | undefined {
  const [, place = "", name = ""] = /^(.+:\d+:\d+)#(#?[\p{ID_Continue}$\u200c\u200d]+)$/u.exec(text.trim()) ?? [];
  const line = lineAddress(place);
  return line?.column === undefined ? undefined : { ...line, column: line.column, name };
}

/** What the compiler says that the name stands for; none where the name does not stand there. `file` is absolute. */
export async function declarationsOfUse(
  view: View,
  file: string,
  { line, column, name }: UsedName,
): Promise<Declaration[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const { source, program } = found;
  const start = source.getLineStarts()[line - 1];
  if (start === undefined) return [];
  const node = nameAt(source, start + column - 1);
  if (!(isIdentifier(node) || isPrivateIdentifier(node)) || node.text !== name) return [];
  const symbol = await program.project.checker.getSymbolAtLocation(node);
  return symbol === undefined ? [] : declarationsOfSymbol(view, program, symbol);
}
