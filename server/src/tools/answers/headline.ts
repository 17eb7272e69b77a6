/** The first line of an answer about one symbol: its address, kind and place. */
import { inspectDeclaration } from "../../typescript/names/tree/inspect-declaration.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { View } from "../../typescript/view.ts";
import { place } from "./answer-text.ts";

export async function headline(view: View, target: SymbolTarget): Promise<string> {
  const [first] = target.declarations;
  const detail = await inspectDeclaration(view, first);
  const kind = detail?.kind ?? first.kind;
  const shown = detail?.modifiers.includes("abstract") === true ? `abstract ${kind}` : kind;
  // The address begins with the file already.
  const isSaid = target.address.startsWith(`${view.paths.show(first.file)}#`);
  return `${target.address} (${shown}, ${isSaid ? `line ${first.at.line + 1}` : place(view, first.file, first.at)})`;
}
