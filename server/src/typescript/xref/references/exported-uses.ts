/**
 * Uses of a symbol that CommonJS exports: `module.exports = { Thing }` makes a property of its own, and the compiler's
 * references end there. What leads to one of the symbol's exported names is found by asking the checker about every place
 * that spells one of them.
 */
import {
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isClassExpression,
  isExportSpecifier,
  isFunctionExpression,
  isIdentifier,
  isImportSpecifier,
  isObjectBindingPattern,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import { fileText } from "../../files/file-text.ts";
import { assignedName, SCRIPT } from "../../names/javascript/assigned-names.ts";
import { nodesOf } from "../../names/tree/checker-lookup.ts";
import {
  exportNamesOf,
  isExportedObject,
  isRequireCall,
  localOfRequired,
  wholeExports,
} from "../../names/javascript/commonjs-exports.ts";
import { inspectDeclaration } from "../../names/tree/inspect-declaration.ts";
import { nameAt } from "../../names/name-at.ts";
import { nodesNamed, referenceOf } from "../../names/tree/named-nodes.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { isPathOf } from "../../names/javascript/required-path.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";
import { placeKey, type Reference } from "../../places.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** What is looked for, growing while it is found: modules pass a symbol on under further names. */
interface Wanted {
  /** Where the symbol is declared and exported. */
  readonly places: Set<string>;
  /** The names by which modules export it. */
  readonly exported: Set<Node>;
  /** By name, the files in which the name may stand for the symbol; undefined for all files. */
  readonly names: Map<string, Set<string> | undefined>;
}

/** By node, where the symbol that it names is declared. */
type Meanings = Map<Node, readonly string[]>;

export interface ExportedUses {
  readonly references: readonly Reference[];
  /** Where modules export the symbol; empty when none does in this way. */
  readonly names: readonly Node[];
}

/** `known` is what the compiler found. */
export async function exportedUses(
  view: View,
  declaration: Declaration,
  known: readonly Reference[],
): Promise<ExportedUses> {
  const wanted: Wanted = { places: new Set([placeKey(declaration)]), names: new Map(), exported: new Set() };
  const own = await ownNames(view, declaration);
  const passed = [...own.names, ...(await namesPassedOn(view, known)), ...(await namesOfModule(view, declaration))];
  if (passed.length === 0) return { references: [], names: [] };
  for (const node of passed) add(wanted, node);
  // To an importer of `exports.name = class {}` the compiler names the class as the meaning.
  if (own.made !== undefined) wanted.places.add(placeKey(referenceOf(own.made, view)));
  const files = view.ownFiles();
  const meanings: Meanings = new Map();
  const found = new Map<string, Reference>();
  // A place that was met before its module was known to pass the symbol on is looked at again.
  for (let before = -1; sizeOf(wanted) > before;) {
    before = sizeOf(wanted);
    const leading = await mapLimited(files, (file) => leadingNodes(view, file, wanted, meanings), view.signal);
    for (const node of leading.flat()) {
      const reference = referenceOf(node, view);
      if (!isNewName(node)) found.set(placeKey(reference), reference);
      for (const name of [...exportNamesOf(node), ...exportNamesOfLocal(node, view)]) add(wanted, name);
      addLocalName(wanted, node, view);
    }
  }
  return { references: [...found.values()], names: [...wanted.exported] };
}

/** Under which names the declaration itself is an export. */
async function ownNames(
  view: View,
  declaration: Declaration,
): Promise<{ readonly names: readonly Node[]; readonly made?: Node }> {
  const detail = SCRIPT.test(declaration.file) ? await inspectDeclaration(view, declaration) : undefined;
  if (detail === undefined) return { names: [] };
  const { node, nameNode } = detail;
  const assigned = assignedName(node);
  const made = assigned?.value ?? node;
  const names = isMade(made) ? exportNamesOf(made) : [];
  if (assigned?.form === "export") {
    return isMade(made) ? { names: [nameNode, ...names], made: nameNodeOf(made) ?? made } : { names: [nameNode] };
  }
  return { names: node.parent !== undefined && isExportedObject(node.parent) ? [nameNode] : names };
}

/** Under which names other modules export the module that is the declaration: `exports.Foo = require("./foo")`. */
async function namesOfModule(view: View, declaration: Declaration): Promise<Node[]> {
  const { file, path } = declaration;
  const own = SCRIPT.test(file) && !path.includes(".") ? await inspectDeclaration(view, declaration) : undefined;
  if (own === undefined) return [];
  const isWhole = wholeExports(own.source).some(
    (each) => each === own.node || (isIdentifier(each) && each.text === path),
  );
  if (!isWhole) return [];
  const scripts = view.ownFiles().filter((each) => SCRIPT.test(each) && each !== file);
  const found = await mapLimited(scripts, (script) => namesRequired(view, script, file), view.signal);
  return found.flat();
}

async function namesRequired(view: View, file: string, module: string): Promise<Node[]> {
  const text = await fileText(view, file);
  if (!/\brequire\(/.test(text) || !/\bexports\b/.test(text)) return [];
  const found = await view.source(file);
  if (found === undefined) return [];
  const calls = [...found.source.text.matchAll(/\brequire\(/g)].flatMap(({ index }) => {
    const { parent } = nameAt(found.source, index);
    return isRequireCall(parent) && exportNamesOf(parent).length > 0 ? [parent] : [];
  });
  return calls
    .filter((call) => isCallExpression(call) && call.arguments[0] !== undefined && isPathOf(call.arguments[0], module))
    .flatMap(exportNamesOf);
}

async function namesPassedOn(view: View, known: readonly Reference[]): Promise<Node[]> {
  const inScripts = known.filter(({ file }) => SCRIPT.test(file) || /\.[cm]?ts$/.test(file));
  const byFile = Map.groupBy(inScripts, ({ file }) => file);
  const found = await mapLimited(
    [...byFile],
    async ([file, references]) => {
      const source = view.paths.isOwn(file) ? (await view.source(file))?.source : undefined;
      if (source === undefined || !/\bexports\b|\bexport\s*=/.test(source.text)) return [];
      return references.flatMap(({ at }) =>
        exportNamesOf(nameAt(source, source.getPositionOfLineAndCharacter(at.line, at.character))),
      );
    },
    view.signal,
  );
  return found.flat();
}

async function leadingNodes(view: View, file: string, wanted: Wanted, meanings: Meanings): Promise<Node[]> {
  const names = [...wanted.names].flatMap(([name, files]) => ((files?.has(file) ?? true) ? [name] : []));
  if (names.length === 0) return [];
  const text = await fileText(view, file);
  if (!names.some((name) => text.includes(name))) return [];
  const found = await view.source(file);
  if (found === undefined) return [];
  const nodes = nodesNamed(view, found.source, names);
  const unknown = nodes.filter((node) => !meanings.has(node));
  const meant = await meaningsOf(view, found.program, unknown);
  for (const [index, node] of unknown.entries()) meanings.set(node, meant[index] ?? []);
  return nodes.filter((node) => meanings.get(node)?.some((place) => wanted.places.has(place)));
}

/** For each node, where the symbols are declared that it names, as places in one text. */
export async function meaningsOf(view: View, program: ProgramView, nodes: readonly Node[]): Promise<string[][]> {
  const symbols = nodes.length === 0 ? [] : await program.project.checker.getSymbolAtLocation(nodes);
  const places = await mapLimited(symbols, (symbol) => placesOf(view, program, symbol), view.signal);
  const meanings: string[][] = [];
  for (const [index, node] of nodes.entries()) {
    const other = (await destructuredProperty(program, node)) ?? (await shorthandValue(program, node));
    meanings.push([...(places[index] ?? []), ...(await placesOf(view, program, other))]);
  }
  return meanings;
}

/** `{ name }` makes a property, and names what the property holds. */
async function shorthandValue({ project: { checker } }: ProgramView, { parent }: Node): Promise<Symbol | undefined> {
  return isShorthandPropertyAssignment(parent) ? checker.getShorthandAssignmentValueSymbol(parent) : undefined;
}

/** `const { name } = object` names a variable of its own, and a member of the object. */
async function destructuredProperty({ project: { checker } }: ProgramView, node: Node): Promise<Symbol | undefined> {
  const { parent } = node;
  if (!isIdentifier(node) || !isBindingElement(parent) || !isObjectBindingPattern(parent.parent)) return undefined;
  if ((parent.propertyName ?? parent.name) !== node) return undefined;
  const holder = parent.parent.parent;
  const value = isVariableDeclaration(holder) ? holder.initializer : undefined;
  const type = await checker.getTypeAtLocation(value ?? parent.parent);
  return type === undefined ? undefined : checker.getPropertyOfType(type, node.text);
}

/** Where the symbol is declared, and where the symbol that it imports is declared. */
async function placesOf(view: View, program: ProgramView, symbol: Symbol | undefined): Promise<string[]> {
  if (symbol === undefined) return [];
  const { checker } = program.project;
  const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
  const meant = isAlias ? [symbol, await checker.getAliasedSymbol(symbol)] : [symbol];
  const nodes = (await Promise.all(meant.map((each) => nodesOf(program, each)))).flat();
  return nodes.map((node) => placeKey(referenceOf(nameNodeOf(node) ?? node, view)));
}

function add(wanted: Wanted, nameNode: Node): void {
  const source = nameNode.getSourceFile();
  const { line, character } = source.getLineAndCharacterOfPosition(nameNode.getStart(source));
  wanted.places.add(`${source.fileName}:${line}:${character}`);
  if (!isIdentifier(nameNode) && !isStringLiteral(nameNode)) return;
  wanted.names.set(nameNode.text, undefined);
  wanted.exported.add(nameNode);
}

/** `Other` of `{ Thing: Other }` is a new name, and `Thing` is the one mention. */
function isNewName(node: Node): boolean {
  return isBindingElement(node.parent) && node.parent.propertyName !== undefined && node.parent.name === node;
}

/** `const local = require("./a").name` is a variable of its own, which the module may pass on. */
function exportNamesOfLocal(node: Node, view: View): Node[] {
  const local = localOfRequired(node);
  if (local === undefined || !isIdentifier(local)) return [];
  return nodesNamed(view, local.getSourceFile(), [local.text]).flatMap(exportNamesOf);
}

/** `const { make: build } = require("./a")` and `import { make as build }` name it anew in their file. */
function addLocalName(wanted: Wanted, { parent }: Node, view: View): void {
  if (!isBindingElement(parent) && !isImportSpecifier(parent) && !isExportSpecifier(parent)) return;
  const local = nameNodeOf(parent);
  if (local === undefined || !isIdentifier(local) || parent.propertyName === undefined) return;
  const { text } = local;
  const known = wanted.names.get(text);
  if (wanted.names.has(text) && known === undefined) return;
  if (isExportSpecifier(parent)) wanted.names.set(text, undefined);
  else wanted.names.set(text, new Set([...(known ?? []), view.state.aliases.primary(local.getSourceFile().fileName)]));
}

function sizeOf({ places, names }: Wanted): number {
  const restricted = [...names.values()].reduce((sum, files) => sum + (files?.size ?? 0), 0);
  return places.size + names.size + restricted;
}

function isMade(node: Node): boolean {
  return isFunctionExpression(node) || isArrowFunction(node) || isClassExpression(node);
}
