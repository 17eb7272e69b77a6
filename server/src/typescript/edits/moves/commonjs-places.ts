/**
 * Where a rename goes on behind CommonJS exports. The compiler's rename ends at `module.exports = { name }`, because
 * the property is another symbol. To whoever requires the module both are the same, so the property is renamed with
 * everything that leads to it.
 */
import {
  isBindingElement,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { exportNamesOf, isRequired } from "../../names/javascript/commonjs-exports.ts";
import { nameAt } from "../../names/name-at.ts";
import { referenceOf } from "../../names/tree/named-nodes.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { referencesThroughExports } from "../../xref/references/references.ts";
import type { Reference } from "../../places.ts";
import type { RenamePlace } from "../rename/rename-place.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

export interface CommonjsPlaces {
  readonly places: readonly RenamePlace[];
  /** Other files that export the name. */
  readonly passedOnBy: readonly string[];
}

/** Nothing for a declaration that no CommonJS module exports under its own name. */
export async function commonjsPlaces(view: View, declaration: Declaration, newName: string): Promise<CommonjsPlaces> {
  const { references, names } = await referencesThroughExports(view, declaration);
  const { name } = declaration;
  const exported = names.filter((node) => textOf(node) === name);
  if (exported.length === 0) return { places: [], passedOnBy: [] };
  const all = new Map(
    [...exported.map((node) => referenceOf(node, view)), ...references].map((each) => [JSON.stringify(each), each]),
  );
  const passedOnBy = exported.map((node) => referenceOf(node, view).file).filter((file) => file !== declaration.file);
  return { places: await placesRenamed(view, [...all.values()], name, newName), passedOnBy };
}

/** The edits at uses that the compiler's rename leaves out. */
export async function placesRenamed(
  view: View,
  references: readonly Reference[],
  name: string,
  newName: string,
): Promise<RenamePlace[]> {
  const places = await mapLimited(
    references.filter(({ file }) => view.paths.isOwn(file)),
    async ({ file, at }): Promise<RenamePlace[]> => {
      const source = (await view.source(file))?.source;
      if (source === undefined) return [];
      const node = nameAt(source, source.getPositionOfLineAndCharacter(at.line, at.character));
      if (textOf(node) !== name) return [];
      const offset = node.getStart(source) + (isStringLiteral(node) ? 1 : 0);
      const start = source.getLineAndCharacterOfPosition(offset);
      const end = { line: start.line, character: start.character + name.length };
      const edit = { range: { start, end }, newText: newTextAt(node, name, newName) };
      return [{ file, at: start, isTest: view.paths.isTest(file), edit }];
    },
    view.signal,
  );
  return places.flat();
}

/** A shorthand, one name for two symbols, gets two names: `{ name }` of other objects, `const { name } = object`. */
function newTextAt(node: Node, oldName: string, newName: string): string {
  const { parent } = node;
  if (isShorthandPropertyAssignment(parent)) return exportNamesOf(node).length > 0 ? newName : `${oldName}: ${newName}`;
  if (!isBindingElement(parent) || parent.propertyName !== undefined || parent.name !== node) return newName;
  const isImport = isRequired(parent) && isVariableDeclaration(parent.parent.parent);
  return isImport ? newName : `${newName}: ${oldName}`;
}

function textOf(node: Node): string | undefined {
  return (node as { readonly text?: string }).text;
}
