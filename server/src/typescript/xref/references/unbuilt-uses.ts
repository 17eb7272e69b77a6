/**
 * Uses in files that import a package of the workspace of which nothing is built, or whose build lacks the name: there the
 * compiler knows of no use. What is imported is looked up by its name in the source of the package, and where only types
 * could tell, the reader of the answer is told which lines nobody can judge.
 */
import {
  isBindingElement,
  isElementAccessExpression,
  isIdentifier,
  isLiteralTypeNode,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isQualifiedName,
  isShorthandPropertyAssignment,
  isStringLiteral,
  type Node,
} from "typescript/unstable/ast";
import { TypeFlags } from "typescript/unstable/async";
import { homeOf, type Importer } from "../../names/package-importers.ts";
import { exportedDeclarations } from "../../names/tree/checker-lookup.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { filesMentioning } from "../../names/index/files-by-text.ts";
import { nodesNamed, referenceOf } from "../../names/tree/named-nodes.ts";
import { perSnapshotFor } from "../../per-snapshot.ts";
import { placeKey, type LspPosition, type Reference } from "../../places.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";
import { deadImports, type DeadImports } from "./dead-imports.ts";
import { meaningsOf } from "./exported-uses.ts";
import { plural } from "../../../base/plural.ts";

/** Answers the references of what is at a place. */
export type Ask = (file: string, at: LspPosition) => Promise<Reference[]>;

interface Sought {
  readonly declaration: Declaration;
  /** No built file has the declaration. */
  readonly isUnbuilt: boolean;
  readonly ask: Ask;
}

export async function unbuiltUses(view: View, sought: Sought): Promise<readonly Reference[]> {
  const { declaration } = sought;
  if (declaration.local || !view.paths.isOwn(declaration.file)) return [];
  const { references, doubt } = await usesOf(view, sought);
  if (doubt !== undefined) view.doubts.add(doubt);
  return references;
}

interface Found {
  readonly references: readonly Reference[];
  readonly doubt: string | undefined;
}

const usesOf = perSnapshotFor(({ declaration }: Sought) => placeKey(declaration), findUses);

async function findUses(view: View, sought: Sought): Promise<Found> {
  const { declaration } = sought;
  const dead = (await deadImports(view, homeOf(view, declaration.file))).filter(
    ({ importer }) => !view.isSeenFrom(importer.file, declaration.file),
  );
  const uses = await mapLimited(dead, (each) => usesIn(view, each, sought), view.signal);
  const unique = new Map(uses.flat().map((each) => [placeKey(each), each]));
  const blind = dead.filter(({ isUnbuilt, isBuilt }) => isUnbuilt || (isBuilt && sought.isUnbuilt));
  const importers = blind.map(({ importer }) => importer);
  const doubt = importers.length === 0 ? undefined : await doubtBlind(view, declaration, importers, unique);
  return { references: [...unique.values()], doubt };
}

async function usesIn(view: View, dead: DeadImports, { declaration, ask }: Sought): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const { name, node, local, entry } of dead.names) {
    if (entry === undefined || !(await isExported(view, entry, name, declaration))) continue;
    references.push(referenceOf(node, view));
    const at = local && referenceOf(local, view);
    if (at !== undefined) references.push(...(await ask(at.file, at.at)));
  }
  const held = await throughWholes(view, dead, declaration);
  return [...references, ...held.map((node) => referenceOf(node, view))];
}

/** `whole.name` behind `import * as whole`. */
async function throughWholes(view: View, { importer, wholes }: DeadImports, declaration: Declaration): Promise<Node[]> {
  const opened = wholes.size === 0 ? undefined : await view.source(importer.file);
  if (opened === undefined) return [];
  const found: Node[] = [];
  for (const node of nodesNamed(view, opened.source, [declaration.name])) {
    const { parent } = node;
    const outer = isPropertyAccessExpression(parent) ? parent.expression : isQualifiedName(parent) ? parent.left : node;
    const entry = isIdentifier(outer) && outer !== node ? wholes.get(outer.text) : undefined;
    if (entry !== undefined && (await isExported(view, entry, declaration.name, declaration))) found.push(node);
  }
  return found;
}

async function isExported(view: View, entry: string, name: string, declaration: Declaration): Promise<boolean> {
  const exported = await exportsOf(view, { entry, name });
  return exported.some(({ file, path }) => file === declaration.file && path === declaration.path);
}

/** Many files import the same names. */
const exportsOf = perSnapshotFor(
  ({ entry, name }: { readonly entry: string; readonly name: string }) => `${entry}\n${name}`,
  (view, { entry, name }) => exportedDeclarations(view, entry, name),
);

/** Says which lines of the importing packages spell the name and mean what nobody knows. */
async function doubtBlind(
  view: View,
  declaration: Declaration,
  importers: readonly Importer[],
  known: ReadonlyMap<string, Reference>,
): Promise<string | undefined> {
  const { name } = declaration;
  const homes = new Set(importers.map(({ file }) => homeOf(view, file)));
  const files = await filesMentioning(
    view,
    view.ownFiles().filter((file) => homes.has(homeOf(view, file))),
    name,
  );
  const nodes = await mapLimited(files, async (file) => {
    const opened = await view.source(file);
    if (opened === undefined || view.isSeenFrom(file, declaration.file)) return [];
    const others = nodesNamed(view, opened.source, [name]).filter(
      (node) => !known.has(placeKey(referenceOf(node, view))),
    );
    return unknownAmong(view, opened.program, others);
  });
  const direct = new Set(importers.map(({ file }) => file));
  const places = nodes
    .flat()
    .map((node) => referenceOf(node, view))
    .toSorted((a, b) => Number(direct.has(b.file)) - Number(direct.has(a.file)));
  return places.length === 0 ? undefined : blindNote(view, declaration, importers, places);
}

/** Names of nothing that the checker knows, and properties of objects of a type that the checker does not know. */
async function unknownAmong(view: View, program: ProgramView, nodes: readonly Node[]): Promise<Node[]> {
  const meanings = await meaningsOf(view, program, nodes);
  const isUnknown = await mapLimited([...nodes.entries()], async ([index, node]) => {
    const meant = meanings[index] ?? [];
    if (isStringLiteral(node)) {
      const { parent } = node;
      const isKey = isElementAccessExpression(parent) || isLiteralTypeNode(parent);
      return isKey && meant.length === 0;
    }
    return (
      meant.length === 0 ||
      (meant.every((place) => place === placeKey(referenceOf(node, view))) && isOfAny(program, node))
    );
  });
  return nodes.filter((_node, index) => isUnknown[index]);
}

/** Whether an object literal, or an object that is taken apart, is of any type, or of one without that property. */
async function isOfAny({ project: { checker } }: ProgramView, node: Node): Promise<boolean> {
  const { parent } = node;
  const isPart = isPropertyAssignment(parent) || isShorthandPropertyAssignment(parent);
  const object = parent.parent;
  const type =
    isPart && isObjectLiteralExpression(object)
      ? await checker.getContextualType(object)
      : isBindingElement(parent)
        ? await checker.getTypeAtLocation(object)
        : undefined;
  if (type === undefined) return false;
  if ((type.flags & TypeFlags.Any) !== 0) return true;
  return isPart && isIdentifier(node) && (await checker.getPropertyOfType(type, node.text)) === undefined;
}

const MAX_SHOWN = 4;

function blindNote(
  view: View,
  { name, path }: Declaration,
  importers: readonly Importer[],
  places: readonly Reference[],
): string {
  const [first, ...others] = importers.map(({ file }) => view.paths.show(file));
  const importing = others.length === 0 ? `${first} imports` : `${first} and ${others.length} more import`;
  const lines = [...new Set(places.map(({ file, at }) => `${view.paths.show(file)}:${at.line + 1}`))];
  const shown = `${lines.slice(0, MAX_SHOWN).join(", ")}${lines.length > MAX_SHOWN ? ", …" : ""}`;
  const spell = plural(lines.length, "line there spells", "lines there spell");
  return `Not searched: ${importing} ${importers[0]?.imported.name ?? ""}, of which no build has ${path}: ${spell} "${name}" (${shown}).`;
}
