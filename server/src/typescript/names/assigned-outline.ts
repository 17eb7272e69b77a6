/**
 * The outline of a JavaScript file with what it declares by assigning. The compiler's own outline names such a function
 * where it begins and not where its name stands, and leaves out most values and members.
 */
import {
  isArrowFunction,
  isCallExpression,
  isClassExpression,
  isFunctionExpression,
  isVoidExpression,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { assignedName, SCRIPT, type AssignedName } from "./assigned-names.ts";
import type { Declaration } from "./outline.ts";
import { declarationOf, nameNodeOf } from "./qualified-name.ts";
import type { LspPosition, View } from "../view.ts";
import { forEachYielding } from "../yielding.ts";

/** Beyond this a file is more likely made than written, and its tree is not worth carrying over for its members. */
const MAX_LENGTH = 400_000;
const DECLARES = /\bexports\b|\.prototype\b|\bthis\s*\.|\bdefineProperty\b|^[\w$]+\.[\w$]+\s*=[^=]/m;

export async function withAssigned(
  view: View,
  file: string,
  outlined: readonly Declaration[],
): Promise<readonly Declaration[]> {
  if (!SCRIPT.test(file)) return outlined;
  const source = (await view.source(file))?.source;
  if (source === undefined || source.text.length > MAX_LENGTH || !DECLARES.test(source.text)) return outlined;
  const assigned = await assignedNames(view, source);
  return assigned.length === 0 ? outlined : merged(outlined, assigned, source);
}

/** What a file declares by assigning, each name at its first assignment, in source order. */
export async function assignedNames(view: View, source: SourceFile): Promise<readonly AssignedName[]> {
  const found = new Map<string, AssignedName>();
  const collect = (node: Node): void => {
    const assigned = assignedName(node);
    const path = assigned === undefined ? "" : pathOf(assigned);
    const known = found.get(path);
    // A compiler first writes `exports.name = void 0`.
    if (assigned !== undefined && (known === undefined || isVoidExpression(known.value))) found.set(path, assigned);
    node.forEachChild(collect);
  };
  await forEachYielding(source.statements, collect, view.signal);
  return [...found.values()].toSorted((a, b) => a.nameNode.pos - b.nameNode.pos);
}

function pathOf({ owner, name }: AssignedName): string {
  return owner === undefined ? name : `${owner}.${name}`;
}

function merged(
  outlined: readonly Declaration[],
  assigned: readonly AssignedName[],
  source: SourceFile,
): readonly Declaration[] {
  const places = new Map<string, AssignedName>();
  for (const each of assigned) for (const node of namedBy(each)) places.set(placeOf(node, source), each);
  const kept: Declaration[] = [];
  const descriptors = assigned.flatMap(({ node, value }) => (isCallExpression(node) ? [value] : []));
  const renamed: { readonly from: string; readonly to: string }[] = [];
  for (const declaration of outlined) {
    const { path, at } = declaration;
    const own = places.get(`${at.line}:${at.character}`);
    if (own !== undefined) {
      renamed.unshift({ from: path, to: pathOf(own) });
      continue;
    }
    if (descriptors.some((each) => isInside(at, each, source))) continue;
    const outer = renamed.find(({ from }) => path.startsWith(`${from}.`));
    kept.push(
      outer === undefined ? declaration : { ...declaration, path: `${outer.to}${path.slice(outer.from.length)}` },
    );
  }
  const known = new Set(kept.map(({ path }) => path));
  const added = assigned.filter((each) => !known.has(pathOf(each)));
  const all = [...kept, ...added.map((each) => ({ ...declarationOf(each.node, source), path: pathOf(each) }))];
  return counted(all.toSorted((a, b) => a.at.line - b.at.line || a.at.character - b.at.character));
}

/** Where the compiler's outline may have it: at its name, or at the function or class that is assigned. */
function namedBy({ nameNode, name, value }: AssignedName): Node[] {
  const isMade = isFunctionExpression(value) || isClassExpression(value) || isArrowFunction(value);
  if (!isMade) return [nameNode];
  const own = nameNodeOf(value);
  if (own === undefined) return [nameNode, value];
  // A function with another name of its own can be asked for by it as well.
  return own.getText() === name ? [nameNode, own] : [nameNode];
}

/** The parts of a descriptor, as in `Object.defineProperty(exports, "name", { get() {…} })`, are no names. */
function isInside({ line, character }: LspPosition, node: Node, source: SourceFile): boolean {
  const offset = source.getPositionOfLineAndCharacter(line, character);
  return node.pos <= offset && offset < node.end;
}

function counted(declarations: readonly Declaration[]): Declaration[] {
  const counts = new Map<string, number>();
  return declarations.map((declaration) => {
    const ordinal = (counts.get(declaration.path) ?? 0) + 1;
    counts.set(declaration.path, ordinal);
    return ordinal === declaration.ordinal ? declaration : { ...declaration, ordinal };
  });
}

function placeOf(node: Node, source: SourceFile): string {
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${line}:${character}`;
}
