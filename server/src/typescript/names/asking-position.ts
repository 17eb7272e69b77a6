/** Where the compiler is asked about a declaration that may have no name. */
import type { LspPosition } from "../places.ts";
import type { View } from "../view.ts";
import type { Declaration } from "./tree/declaration.ts";

/** Where the compiler is asked about a declaration: at its name, or at `default` when it has none. */
export async function askingPosition(view: View, declaration: Declaration): Promise<LspPosition> {
  if (declaration.name !== "default") return declaration.at;
  const source = (await view.source(declaration.file))?.source;
  if (source === undefined) return declaration.at;
  const { line, character } = declaration.range.start;
  const statement = source.statements.find((each) => each.end > source.getPositionOfLineAndCharacter(line, character));
  const start = statement?.getStart(source) ?? 0;
  const keyword = /\bdefault\b/.exec(source.text.slice(start));
  return keyword === null ? declaration.at : source.getLineAndCharacterOfPosition(start + keyword.index);
}
