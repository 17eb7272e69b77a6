/** Declarations in other files that the compiler merges with a symbol: module augmentations and additions to globals. */
import { declarationsOfSymbol } from "./checker-lookup.ts";
import type { Declaration } from "./declaration.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

const MERGING: ReadonlySet<Declaration["kind"]> = new Set(["interface", "namespace", "class", "enum"]);
/** An augmentation holds in the projects that include it: each of them is asked, up to this many. */
const MAX_PROGRAMS = 20;

/** What is merged with the declaration in any loaded project, in other files than its own. */
export async function mergedElsewhere(view: View, declaration: Declaration): Promise<Declaration[]> {
  return MERGING.has(declaration.kind) ? alsoDeclared(view, declaration) : [];
}

/** The same of a declaration of any kind: of a member that two files add to an interface, too. */
export async function alsoDeclared(view: View, { file, at }: Declaration): Promise<Declaration[]> {
  if (!view.paths.isOwn(file)) return [];
  const source = (await view.source(file))?.source;
  if (source === undefined) return [];
  const position = source.getPositionOfLineAndCharacter(at.line, at.character);
  const programs = view.programs.filter((program) => program.files.has(file)).slice(0, MAX_PROGRAMS);
  const found = await mapLimited(
    programs,
    async (program) => {
      const { checker } = program.project;
      const symbol = await checker.getSymbolAtPosition(file, position);
      if (symbol === undefined || symbol.declarations.length < 2) return [];
      return declarationsOfSymbol(view, program, symbol);
    },
    view.signal,
  );
  const elsewhere = found.flat().filter((each) => each.file !== file);
  const unique = new Map(elsewhere.map((each) => [`${each.file}:${each.at.line}:${each.at.character}`, each]));
  return [...unique].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
