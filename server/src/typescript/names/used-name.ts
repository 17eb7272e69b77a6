/** A name where it is used, as an editor knows the place of its cursor: `src/user.ts:3:24#area`. */
import {
  isIdentifier,
  isPrivateIdentifier,
  type Identifier,
  type Node,
  type PrivateIdentifier,
} from "typescript/unstable/ast";
import type { ProgramView, View } from "../view.ts";
import { declarationsOfSymbol } from "./tree/checker-lookup.ts";
import type { Declaration } from "./tree/declaration.ts";
import { declarationAround } from "./tree/inspect-declaration.ts";
import { lineAddress, type LineAddress } from "./line-address.ts";
import { nameAt } from "./name-at.ts";
import { nameNodeOf } from "./tree/qualified-name.ts";

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
export async function declarationsOfUse(view: View, file: string, used: UsedName): Promise<Declaration[]> {
  const there = await nameThere(view, file, used);
  return there?.node.text === used.name ? declarationsAt(view, there) : [];
}

/** What a line and a column name: a local variable or a parameter has no other address. None where a name is only used. */
export async function declaredByNameAt(view: View, file: string, line: LineAddress): Promise<Declaration[]> {
  const there = line.column === undefined ? undefined : await nameThere(view, file, { ...line, column: line.column });
  if (there === undefined) return [];
  const declaration = declarationAround(there.node);
  return declaration !== undefined && nameNodeOf(declaration) === there.node ? declarationsAt(view, there) : [];
}

/** The name at a line and column. */
export async function nameThere(
  view: View,
  file: string,
  { line, column }: Pick<UsedName, "line" | "column">,
): Promise<{ readonly node: Identifier | PrivateIdentifier; readonly program: ProgramView } | undefined> {
  const found = await view.source(file);
  const start = found?.source.getLineStarts()[line - 1];
  if (found === undefined || start === undefined) return undefined;
  const node = nameAt(found.source, start + column - 1);
  return isIdentifier(node) || isPrivateIdentifier(node) ? { node, program: found.program } : undefined;
}

async function declarationsAt(
  view: View,
  { node, program }: { readonly node: Node; readonly program: ProgramView },
): Promise<Declaration[]> {
  const symbol = await program.project.checker.getSymbolAtLocation(node);
  return symbol === undefined ? [] : declarationsOfSymbol(view, program, symbol);
}
