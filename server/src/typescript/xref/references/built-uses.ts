/**
 * References of a declaration that other packages import as a build left it. The compiler goes from the source to the built
 * file and back by the map of that build, which leads elsewhere after an edit above, and nowhere where no map is.
 */
import {
  isIdentifier,
  isPrivateIdentifier,
  isStringLiteral,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { askingPosition } from "../../names/asking-position.ts";
import { builtCounterparts } from "../../names/built-counterparts.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { nameAt } from "../../names/name-at.ts";
import { placeKey, type LspPosition, type Reference } from "../../places.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";
import { meaningsOf } from "./exported-uses.ts";
import { unbuiltUses, type Ask } from "./unbuilt-uses.ts";

interface BuiltSymbol {
  readonly declaration: Declaration;
  readonly counterparts: readonly Declaration[];
  /** Where the checker may say that the symbol is declared. */
  readonly places: ReadonlySet<string>;
}

/** `found` is what the compiler found from the source. */
export async function throughBuilt(
  view: View,
  declaration: Declaration,
  found: readonly Reference[],
  ask: Ask,
): Promise<Reference[]> {
  const counterparts = await builtCounterparts(view, declaration);
  const unbuilt = await unbuiltUses(view, { declaration, isUnbuilt: counterparts.length === 0, ask });
  if (counterparts.length === 0) return [...found, ...unbuilt];
  const symbol = { declaration, counterparts, places: new Set([declaration, ...counterparts].map(placeKey)) };
  const built = await mapLimited(
    counterparts,
    async (each) => ask(each.file, await askingPosition(view, each)),
    view.signal,
  );
  const unique = new Map(built.flat().map((place) => [placeKey(place), place]));
  return [
    ...(await trueAmong(view, symbol, found, "source")),
    ...(await trueAmong(view, symbol, [...unique.values()], "built")),
    ...unbuilt,
  ];
}

/** The places found from one side, without those that the compiler reached by a map that leads elsewhere. */
async function trueAmong(
  view: View,
  symbol: BuiltSymbol,
  found: readonly Reference[],
  side: "source" | "built",
): Promise<Reference[]> {
  const sources = new Set(view.state.built.values());
  const byFile = Map.groupBy(found, ({ file }) => file);
  const kept = await mapLimited(
    [...byFile],
    async ([file, places]): Promise<readonly Reference[]> => {
      if (view.state.built.has(file)) return [];
      const program = view.programOf(file);
      const seesSource = view.isSeenFrom(file, symbol.declaration.file);
      const seesBuilt = symbol.counterparts.some((each) => program?.files.has(each.file));
      if (side === "source" && !seesSource) return [];
      if (side === "built" && !seesBuilt) return [];
      const isPlain = !(seesSource && seesBuilt) && !sources.has(file);
      return program === undefined || isPlain ? places : meaning(view, program, symbol, places);
    },
    view.signal,
  );
  return kept.flat();
}

/** Those that spell the symbol's name, and those that mean the symbol by another name. */
async function meaning(
  view: View,
  program: ProgramView,
  { declaration, places }: BuiltSymbol,
  found: readonly Reference[],
): Promise<Reference[]> {
  const [first] = found;
  const source = first === undefined ? undefined : await program.project.program.getSourceFile(first.file);
  if (source === undefined) return [];
  const nodes = found.map(({ at }) => nodeBeginningAt(source, at));
  const others = nodes.filter((node) => node !== undefined && isIdentifier(node) && node.text !== declaration.name);
  const asked = others as Node[];
  const meanings = await meaningsOf(view, program, asked);
  return found.filter((_place, index) => {
    const node = nodes[index];
    if (node === undefined) return false;
    return !asked.includes(node) || meanings[asked.indexOf(node)]?.some((place) => places.has(place));
  });
}

/** The name, the quoted name or the keyword in a name's place that begins there. */
function nodeBeginningAt(source: SourceFile, { line, character }: LspPosition): Node | undefined {
  const offset = source.getPositionOfLineAndCharacter(line, character);
  const node = nameAt(source, offset);
  const start = node.getStart(source);
  if (isStringLiteral(node)) return offset - start <= 1 ? node : undefined;
  const isName = isIdentifier(node) || isPrivateIdentifier(node) || KEYWORDS.has(node.kind);
  return isName && start === offset ? node : undefined;
}

const KEYWORDS = new Set([SyntaxKind.DefaultKeyword, SyntaxKind.ConstructorKeyword]);
