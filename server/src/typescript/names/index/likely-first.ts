/** Sorts symbols of one name: first those that somebody who asks for the name most likely means. */
import type { SymbolTarget } from "../tree/declaration.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Exported ones first, those of tests last; otherwise as they were. */
export async function likelyFirst(view: View, targets: readonly SymbolTarget[]): Promise<SymbolTarget[]> {
  const ranks = await mapLimited(targets, (target) => rankOf(view, target), view.signal);
  return targets
    .map((target, index) => ({ target, rank: ranks[index] ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ target }) => target);
}

async function rankOf(view: View, { file, path }: SymbolTarget): Promise<number> {
  const [outer = ""] = path.split(".");
  const text = (await view.source(file))?.source.text ?? "";
  return (view.paths.isTest(file) ? 2 : 0) + (isExported(text, outer) ? 0 : 1);
}

/** Judged by the text alone, which is enough for an order. */
function isExported(text: string, name: string): boolean {
  const word = `(?<![\\w$])${name.replaceAll(/[$.*+?^()|[\]{}\\]/g, "\\$&")}(?![\\w$])`;
  return new RegExp(`\\bexports?\\b(?:[^\\n;]*?|\\s*=?\\s*\\{[^}]*?)${word}`).test(text);
}
