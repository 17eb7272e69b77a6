/** Every place that mentions a symbol, in all loaded projects, with what it does there. */
import { isIdentifier, type Node, type SourceFile } from "typescript/unstable/ast";
import { placeKey, type Reference, type LspPosition, type LspRange } from "../../places.ts";
import { throughBuilt } from "./built-uses.ts";
import { classifyUse, type Use } from "./classify-use.ts";
import { exportedUses } from "./exported-uses.ts";
import { overlookedUses } from "./overlooked-uses.ts";
import { lineText } from "./line-text.ts";
import { localOfRequired } from "../../names/javascript/commonjs-exports.ts";
import { askingPosition } from "../../names/asking-position.ts";
import { nameAt } from "../../names/name-at.ts";
import { referenceOf } from "../../names/tree/named-nodes.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { enclosingDeclaration, nameNodeOf, type Enclosing } from "../../names/tree/qualified-name.ts";
import { requiredUses } from "../../names/javascript/required-names.ts";
import { syntaxUses } from "./syntax-uses.ts";
import type { ProgramView, View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

export interface ReferenceUse extends Reference {
  readonly use: Use;
  readonly enclosing: Enclosing;
  /** The source line, trimmed. */
  readonly line: string;
  readonly isTest: boolean;
  readonly node: Node;
  readonly program: ProgramView;
}

/**
 * The compiler's references, each place once, sorted by file and position. Declarations are among them, because the
 * compiler takes imports and re-exports as declarations: `classifyReferences` tells them apart.
 */
export async function findReferences(view: View, declaration: Declaration): Promise<Reference[]> {
  return (await referencesThroughExports(view, declaration)).references;
}

/** Like `findReferences`, with the names by which CommonJS modules export the declaration. */
export async function referencesThroughExports(
  view: View,
  declaration: Declaration,
): Promise<{ readonly references: Reference[]; readonly names: readonly Node[] }> {
  const [asked, overlooked] = await Promise.all([
    referencesInProjects(view, declaration),
    overlookedUses(view, declaration),
  ]);
  const { references, names } = await exportedUses(view, declaration, asked);
  const others = names.length === 0 ? await requiredUses(view, declaration) : references;
  const more = [...others, ...(await syntaxUses(view, declaration, names)), ...overlooked];
  const all = more.length === 0 ? asked : [...uniquePlaces([...asked, ...more])].toSorted(byPlace);
  const isConstructor = declaration.kind === "constructor";
  return { references: isConstructor ? await atKeywords(view, declaration.file, all) : all, names };
}

/** What the compiler finds from the declaration, and from what was built of it. */
async function referencesInProjects(view: View, declaration: Declaration): Promise<Reference[]> {
  const found = await referencesAt(view, declaration.file, await askingPosition(view, declaration));
  return throughBuilt(view, declaration, found, (file, at) => referencesAt(view, file, at));
}

/** The compiler has a quoted name begin behind its quote, the search by syntax at the quote: the latter place stays. */
function uniquePlaces(references: readonly Reference[]): Iterable<Reference> {
  const unique = new Map(references.map((reference) => [placeKey(reference), reference]));
  for (const { file, at } of unique.values())
    unique.delete(placeKey({ file, at: { ...at, character: at.character + 1 } }));
  return unique.values();
}

/** 7.0.2 has a constructor behind a documentation comment begin where the comment ends. */
async function atKeywords(view: View, file: string, references: Reference[]): Promise<Reference[]> {
  const source = (await view.source(file))?.source;
  if (source === undefined) return references;
  return references.map((reference) => {
    if (reference.file !== file) return reference;
    const offset = source.getPositionOfLineAndCharacter(reference.at.line, reference.at.character);
    const space = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/.exec(source.text.slice(offset, offset + 4_000));
    if (space === null) return reference;
    return { file, at: source.getLineAndCharacterOfPosition(offset + space[0].length) };
  });
}

async function referencesAt(view: View, file: string, at: LspPosition): Promise<Reference[]> {
  const context = { includeDeclaration: true };
  // The compiler takes a file that links show under several names for several files.
  const found = await mapLimited(view.state.aliases.namesOf(file), (name) =>
    view.requestOnceAt<{ uri: string; range: LspRange }[] | null>("textDocument/references", name, at, { context }),
  );
  const unique = new Map<string, Reference>();
  for (const { uri, range } of found.flatMap((places) => places ?? [])) {
    const place = { file: view.fileOf(uri), at: range.start };
    unique.set(placeKey(place), place);
  }
  return [...unique.values()].toSorted(byPlace);
}

/**
 * Like `findReferences`, for a symbol with several declarations. A name that is a type, a value or a namespace by
 * different ones is asked about at each: the compiler answers for one meaning at a time.
 */
export async function findAllReferences(view: View, declarations: readonly Declaration[]): Promise<Reference[]> {
  const found = new Map<string, Reference>();
  for (const declaration of declarations) {
    if (found.has(placeKey(declaration))) continue;
    for (const reference of await findReferences(view, declaration)) found.set(placeKey(reference), reference);
  }
  return [...found.values()].toSorted(byPlace);
}

/** Every use of a symbol, those of the variables it is taken into among them. */
export async function findUses(view: View, ...declarations: readonly Declaration[]): Promise<ReferenceUse[]> {
  return withLocals(view, await classifyReferences(view, await findAllReferences(view, declarations)));
}

/** With the uses of the variables that some of these take the symbol into. */
export async function withLocals(
  view: View,
  uses: readonly ReferenceUse[],
  isTaken: (use: ReferenceUse) => boolean = () => true,
): Promise<ReferenceUse[]> {
  const known = new Set(uses.map(placeKey));
  const locals = await mapLimited(uses.filter(isTaken), (use) => usesOfLocal(view, use, known), view.signal);
  // The compiler gives a quoted name as two places: the quotation mark, and the name.
  const byNode = new Map([...locals.flat(), ...uses].toReversed().map((use) => [use.node, use]));
  return [...byNode.values()].toSorted(byPlace);
}

/**
 * `const { add } = await import("./a")` and `const add = require("./a").add` make a variable of its own, and a call of
 * the variable calls the symbol.
 */
async function usesOfLocal(
  view: View,
  { file, node, use }: ReferenceUse,
  known: ReadonlySet<string>,
): Promise<ReferenceUse[]> {
  const local = use.kind === "destructured" ? nameNodeOf(node.parent) : localOfRequired(node);
  if (local === undefined || !isIdentifier(local)) return [];
  const found = await referencesAt(view, file, referenceOf(local, view).at);
  const own = found.filter((place) => place.file === file && !known.has(placeKey(place)));
  const uses = await classifyReferences(view, own);
  return uses.filter((each) => each.use.kind !== "destructured" && each.node !== local);
}

/** References with what each does. Files are read a few at a time and the event loop keeps its turns. */
export async function classifyReferences(view: View, references: readonly Reference[]): Promise<ReferenceUse[]> {
  const byFile = Map.groupBy(references, (reference) => reference.file);
  const perFile = await mapLimited(
    [...byFile],
    async ([file, places]) => {
      const found = await view.source(file);
      if (found === undefined) return [];
      const isTest = view.paths.isTest(file);
      const uses: ReferenceUse[] = [];
      await forEachYielding(
        places,
        (place) => uses.push(useAt(place, found.source, found.program, isTest)),
        view.signal,
      );
      return uses;
    },
    view.signal,
  );
  return perFile.flat();
}

export function byPlace(a: Reference, b: Reference): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.at.line - b.at.line || a.at.character - b.at.character;
}

/** The project's own files first, then by the path that is shown, which is the same on every machine. */
export function inShownOrder({ paths }: View): (a: Reference, b: Reference) => number {
  const keys = new Map<string, string>();
  const keyOf = (file: string): string => {
    const key = keys.get(file) ?? `${paths.isOwn(file) ? 0 : 1}${paths.show(file)}`;
    keys.set(file, key);
    return key;
  };
  return (a, b) => {
    const [first, second] = [keyOf(a.file), keyOf(b.file)];
    return first === second ? byPlace(a, b) : first < second ? -1 : 1;
  };
}

function useAt(place: Reference, source: SourceFile, program: ProgramView, isTest: boolean): ReferenceUse {
  const offset = source.getPositionOfLineAndCharacter(place.at.line, place.at.character);
  const node = nameAt(source, offset);
  return {
    ...place,
    use: classifyUse(node),
    enclosing: enclosingDeclaration(node),
    line: lineText(source, place.at),
    isTest,
    node,
    program,
  };
}
