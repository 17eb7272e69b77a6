/**
 * A symbol's rename as the compiler makes it, followed through re-exports, with the places that the rename leaves
 * alone.
 */
import {
  getTouchingPropertyName,
  isExportSpecifier,
  isIdentifierText,
  isImportSpecifier,
} from "typescript/unstable/ast";
import type { RenamePlace } from "./rename-place.ts";
import { starExports } from "../../shapes/star-exports.ts";
import { commonjsPlaces, placesRenamed } from "../moves/commonjs-places.ts";
import { assignedName } from "../../names/javascript/assigned-names.ts";
import { askingPosition } from "../../names/asking-position.ts";
import { builtCounterparts } from "../../names/built-counterparts.ts";
import { inspectDeclaration } from "../../names/tree/inspect-declaration.ts";
import { findMentions, linesSpelling, type LinesOfFile, type Mentions } from "../mentions.ts";
import type { Declaration, SymbolTarget } from "../../names/tree/declaration.ts";
import { byPlace, findReferences } from "../../xref/references/references.ts";
import { overlookedUses } from "../../xref/references/overlooked-uses.ts";
import { placeKey, type Reference, type LspPosition } from "../../places.ts";
import { findRenameConflicts, type RenameConflicts } from "./rename-conflicts.ts";
import type { View } from "../../view.ts";
import { fileEditsOf, type FileEdits, type LspWorkspaceEdit } from "../workspace-edit.ts";
import { mapLimited } from "../../yielding.ts";

export interface RenamePlan extends RenameConflicts {
  readonly files: readonly FileEdits[];
  readonly places: readonly RenamePlace[];
  /** Files whose exported name changes because they pass the symbol on. */
  readonly reExportedFrom: readonly string[];
  /** Places that refer to the symbol by its name and that the compiler's rename leaves out. */
  readonly missed: readonly Reference[];
  /** Comments and strings of the touched files that spell the old name and stay as they are. */
  readonly mentions: readonly Mentions[];
  /** Lines of pages of prose that spell the old name and stay as they are. */
  readonly prose: readonly LinesOfFile[];
  /** Built files in which others see the old name until a build makes them anew. */
  readonly outdated: readonly string[];
  /** Lines of JavaScript that was not searched, spells the old name and may break. */
  readonly unsearched: readonly LinesOfFile[];
}

export type RenameAnswer = { readonly refused: string } | RenamePlan;

/** LSP's RequestFailed: the compiler says in a sentence why not. */
const REQUEST_FAILED = -32803;
const ROUNDS = 200;

export async function planRename(view: View, target: SymbolTarget, newName: string): Promise<RenameAnswer> {
  const [declaration] = target.declarations;
  const at = await askingPosition(view, declaration);
  const refused = await whyNot(view, declaration.file, at);
  if (refused !== undefined) return { refused: (await whyUnknown(view, target)) ?? refused };
  const compiled = await collectPlaces(view, { file: declaration.file, at }, newName);
  const collected = await withBuilt(view, declaration, compiled, newName);
  const required = await commonjsPlaces(view, declaration, newName);
  const reExportedFrom = [...collected.reExportedFrom, ...required.passedOnBy];
  const known = new Set(collected.places.map(placeKey));
  const overlooked = (await overlookedUses(view, declaration)).filter((use) => !known.has(placeKey(use)));
  const more = [...required.places, ...(await placesRenamed(view, overlooked, declaration.name, newName))];
  const byKey = new Map([...collected.places, ...more].map((place) => [placeKey(place), place]));
  const places = [...byKey.values()].toSorted(byPlace);
  if (places.length === 0) return { refused: `The compiler has nothing to rename at ${target.address}.` };
  const files = [...Map.groupBy(places, (place) => place.file)].map(([file, own]) => ({
    file,
    edits: own.map(({ edit }) => edit),
    creates: false,
  }));
  const starred = await starExporters(view, target);
  const [conflicts, missed, mentions, prose, unsearched] = await Promise.all([
    findRenameConflicts(view, target, { newName, places, starred }),
    missedBy(view, declaration, places),
    findMentions(view, files, declaration.name),
    linesSpelling(view, view.state.proseFiles(), declaration.name),
    linesSpelling(view, view.state.builtScripts, declaration.name),
  ]);
  const passing = new Set([...reExportedFrom, ...starred]);
  const told = { reExportedFrom: [...passing].toSorted(), outdated: await outdatedBy(view, declaration, files) };
  return { files, places, missed, mentions, prose, unsearched, ...told, ...conflicts };
}

/** Files with an `export *` of the symbol: nothing there is edited, and still the exported name changes. */
async function starExporters(view: View, target: SymbolTarget): Promise<string[]> {
  if (target.path.includes(".")) return [];
  const detail = await inspectDeclaration(view, target.declarations[0]);
  return detail === undefined ? [] : (await starExports(view, target, [detail])).map(({ file }) => file);
}

async function outdatedBy(view: View, declaration: Declaration, files: readonly FileEdits[]): Promise<string[]> {
  const built = new Set((await builtCounterparts(view, declaration)).map(({ file }) => file));
  return [...built].filter((each) => files.some(({ file }) => view.isSeenFrom(file, each))).toSorted();
}

/** A better reason where the compiler has none to give. */
async function whyUnknown(view: View, { address, declarations: [first] }: SymbolTarget): Promise<string | undefined> {
  const detail = await inspectDeclaration(view, first);
  if (detail === undefined || assignedName(detail.node) === undefined) return undefined;
  return `The compiler does not know ${address}, which an assignment makes, and cannot rename it. who_references lists the uses that the syntax shows.`;
}

async function whyNot(view: View, file: string, at: LspPosition): Promise<string | undefined> {
  try {
    const range = await view.requestAt<object | null>("textDocument/prepareRename", file, at);
    return range === null ? "The compiler cannot rename what stands there." : undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== REQUEST_FAILED) throw error;
    return (error as Error).message;
  }
}

interface Collected {
  readonly places: readonly RenamePlace[];
  readonly reExportedFrom: readonly string[];
}

/**
 * To packages that see what a build left, the compiler goes by the map of that build, or not at all: there the references
 * say what is renamed.
 */
async function withBuilt(
  view: View,
  declaration: Declaration,
  compiled: Collected,
  newName: string,
): Promise<Collected> {
  const references = await findReferences(view, declaration);
  const sources = new Set(view.state.built.values());
  const isBeyond = ({ file }: Reference): boolean =>
    view.programOf(file) !== undefined && !view.isSeenFrom(file, declaration.file);
  const beyond = references.filter(isBeyond);
  if (beyond.length === 0 && sources.size === 0) return compiled;
  const known = new Set(references.map(placeKey));
  const own = compiled.places.filter(
    (each) => !isBeyond(each) && (!sources.has(each.file) || known.has(placeKey(each))),
  );
  const more = await placesRenamed(view, beyond, declaration.name, newName);
  const byKey = new Map([...more, ...own].map((place) => [placeKey(place), place]));
  return { ...compiled, places: [...byKey.values()].toSorted(byPlace) };
}

/**
 * The compiler keeps a shorthand's and a re-export's outer name (`{ a: b }`, `export { b as a }`). For the shorthand
 * this is right: the property is another symbol. For the re-export the exported name is the same symbol to everyone who
 * imports it, so that name is renamed as well, by asking again there; 7.0.2 names some places twice, hence the map.
 */
async function collectPlaces(view: View, start: Reference, newName: string): Promise<Collected> {
  const places = new Map<string, RenamePlace>();
  const reExportedFrom = new Set<string>();
  const asked = new Set<string>();
  const queue: Reference[] = [start];
  for (let next = queue.shift(); next !== undefined && asked.size < ROUNDS; next = queue.shift()) {
    const key = placeKey(next);
    if (asked.has(key)) continue;
    asked.add(key);
    const answer = await view.requestAt<LspWorkspaceEdit | null>("textDocument/rename", next.file, next.at, {
      newName,
    });
    for (const { file, edits } of fileEditsOf(view, answer)) {
      for (const edit of edits) {
        const place = { file, at: edit.range.start };
        const known = places.get(placeKey(place));
        const isAliased = edit.newText.includes(" as ");
        places.set(placeKey(place), {
          ...place,
          isTest: view.paths.isTest(file),
          edit: known !== undefined && isAliased ? { ...edit, newText: newName } : (known?.edit ?? edit),
        });
        if (!isAliased || asked.has(placeKey(place)) || !(await isReExport(view, place))) continue;
        reExportedFrom.add(file);
        queue.push(place);
      }
    }
  }
  return { places: [...places.values()].toSorted(byPlace), reExportedFrom: [...reExportedFrom].toSorted() };
}

/** References and rename are two searches of the compiler's: where they differ, somebody has to look. */
async function missedBy(view: View, declaration: Declaration, places: readonly RenamePlace[]): Promise<Reference[]> {
  const renamed = new Set(places.map(placeKey));
  const left = (await findReferences(view, declaration)).filter((each) => !renamed.has(placeKey(each)));
  const spelled = await mapLimited(
    left.filter(({ file }) => view.paths.isOwn(file)),
    async (each) => {
      const source = (await view.source(each.file))?.source;
      if (source === undefined) return [];
      const offset = source.getPositionOfLineAndCharacter(each.at.line, each.at.character);
      // Under another name that begins with this one, the place is right as it is.
      if (!source.text.startsWith(declaration.name, offset)) return [];
      const end = offset + declaration.name.length;
      const [next = " "] = source.text.slice(end, end + 2);
      if (isIdentifierText(`_${next}`)) return [];
      const node = getTouchingPropertyName(source, offset);
      const { parent } = node;
      // In `default as name` the name is the specifier's own.
      const isSpecifier = isImportSpecifier(parent) || isExportSpecifier(parent);
      return isSpecifier && parent.propertyName !== undefined && parent.name === node ? [] : [each];
    },
    view.signal,
  );
  return spelled.flat();
}

async function isReExport(view: View, { file, at }: Reference): Promise<boolean> {
  const source = (await view.source(file))?.source;
  if (source === undefined) return false;
  const node = getTouchingPropertyName(source, source.getPositionOfLineAndCharacter(at.line, at.character));
  return isExportSpecifier(node.parent);
}
