/** Where the person works in their editor, in words. */
import type { Range } from "vscode-languageserver-protocol";
import { nameList, plainName } from "./plain-text.ts";

export interface ActivePlace {
  readonly path: string;
  /** The selection, or the cursor where its ends are one. */
  readonly range?: Range | undefined;
}

const OPEN_ROOM = 250;

/** `src/cart.ts:12 (cursor)`, `src/cart.ts:12-15 (selected)` */
export function placeWords({ path, range }: ActivePlace): string {
  const name = plainName(path);
  if (range === undefined) return name;
  const { start, end } = range;
  const isCursor = start.line === end.line && start.character === end.character;
  if (isCursor) return `${name}:${start.line + 1} (cursor)`;
  // A selection that ends before a line's first character does not reach into that line.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return `${name}:${start.line + 1}${last > start.line + 1 ? `-${last}` : ""} (selected)`;
}

export function openWords(open: readonly { readonly path: string; readonly isUnsaved: boolean }[]): string {
  const names = open.map(({ path, isUnsaved }) => `${plainName(path)}${isUnsaved ? " (not saved)" : ""}`);
  return nameList(names, OPEN_ROOM);
}
