/**
 * The outline of a file with what the file declares by assigning. The compiler's own outline places an assigned
 * function where the function begins and not where its name is, and leaves out most values and members.
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
import { assignedName, SCRIPT, type AssignedName } from "../javascript/assigned-names.ts";
import { fileTextNow } from "../../files/file-text.ts";
import { holdsExports } from "../javascript/exports-object.ts";
import type { Declaration, FileOutline } from "./declaration.ts";
import { declarationOf, nameNodeOf } from "./qualified-name.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

const DECLARES = /\bexports\b|\.prototype\b|\bthis\s*\.|\bdefineProperty\b|^[\w$]+\.[\w$]+\s*=[^=]/m;

const TO_FUNCTIONS = /^[ \t]*[\w$]+(?:\.[\w$]+|\[["'][^"'\n]+["']\])[ \t]*=[^=>]/m;

export async function withAssigned(
  view: View,
  file: string,
  outlined: readonly Declaration[],
): Promise<readonly Declaration[]> {
  // The tree of a file costs more than a look at the text.
  if (!SCRIPT.test(file) && !TO_FUNCTIONS.test(fileTextNow(view, file))) return outlined;
  const source = (await view.source(file))?.source;
  if (source === undefined || (SCRIPT.test(file) && !DECLARES.test(source.text))) return outlined;
  const assigned = await assignedNames(view, source);
  return assigned.length === 0 ? outlined : merged(view, outlined, assigned, source);
}

/** What a file declares by assigning, each name at its first assignment, in source order. */
export async function assignedNames(view: View, source: SourceFile): Promise<readonly AssignedName[]> {
  const found = new Map<string, AssignedName>();
  const collect = (node: Node): void => {
    const assigned = assignedName(node);
    if (assigned === undefined) return;
    const path = pathOf(assigned);
    const known = found.get(path);
    // A compiler first writes `exports.name = void 0`.
    if (known === undefined || isVoidExpression(known.value)) found.set(path, assigned);
  };
  await forEachYielding(nodesBelow(source), collect, view.signal);
  return [...found.values()].toSorted((a, b) => a.nameNode.pos - b.nameNode.pos);
}

/** What a file assigns to its outermost class, function or object of that name. */
export async function membersAssignedTo(
  view: View,
  source: SourceFile,
  name: string,
): Promise<readonly AssignedName[]> {
  const isExports = holdsExports(source, name);
  const all = await assignedNames(view, source);
  return all.filter(({ owner, form }) => owner === name || (isExports && form === "export"));
}

/** `app.use`, where `var app = module.exports = {}` makes `use` an export of the module. */
export async function exportedMembers(
  view: View,
  outlines: readonly FileOutline[],
  path: string,
): Promise<Declaration[]> {
  const [outer = ""] = path.split(".");
  const inner = path.slice(outer.length + 1);
  const isCandidate = ({ file, declarations }: FileOutline): boolean =>
    SCRIPT.test(file) && [outer, inner].every((name) => declarations.some((each) => each.path === name));
  const found = await mapLimited(outlines.filter(isCandidate), async ({ file, declarations }) => {
    const source = (await view.source(file))?.source;
    if (source === undefined || !holdsExports(source, outer)) return [];
    const assigned = new Set((await membersAssignedTo(view, source, outer)).map(({ name }) => name));
    return declarations.filter((each) => each.path === inner && assigned.has(inner));
  });
  return found.flat();
}

/** In source order. One statement may hold a whole bundle, so the nodes are handed out one by one. */
function* nodesBelow(source: SourceFile): Generator<Node> {
  const waiting: Node[] = [...source.statements].toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    const children: Node[] = [];
    node.forEachChild((child) => {
      children.push(child);
      return undefined;
    });
    for (const child of children.toReversed()) waiting.push(child);
  }
}

function pathOf({ owner, name }: AssignedName): string {
  return owner === undefined ? name : `${owner}.${name}`;
}

async function merged(
  view: View,
  outlined: readonly Declaration[],
  assigned: readonly AssignedName[],
  source: SourceFile,
): Promise<readonly Declaration[]> {
  const places = new Map<string, AssignedName>();
  const locate = (each: AssignedName): void => {
    for (const node of namedBy(each)) places.set(placeOf(node, source), each);
  };
  await forEachYielding(assigned, locate, view.signal);
  const kept: Declaration[] = [];
  const isInDescriptor = insideOf(assigned.flatMap(({ node, value }) => (isCallExpression(node) ? [value] : [])));
  const renamed = new Map<string, string>();
  const settle = (declaration: Declaration): void => {
    const { path, at } = declaration;
    const own = places.get(`${at.line}:${at.character}`);
    if (own !== undefined) renamed.set(path, pathOf(own));
    else if (!isInDescriptor(source.getPositionOfLineAndCharacter(at.line, at.character))) {
      kept.push({ ...declaration, path: renamedPath(path, renamed) });
    }
  };
  await forEachYielding(outlined, settle, view.signal);
  const known = new Set(kept.map(({ path }) => path));
  const add = (each: AssignedName): void => {
    const path = pathOf(each);
    if (!known.has(path)) kept.push({ ...declarationOf(each.node, source), path });
  };
  await forEachYielding(assigned, add, view.signal);
  return counted(kept.toSorted((a, b) => a.at.line - b.at.line || a.at.character - b.at.character));
}

/** The path with the innermost outer name that is addressed in another way replaced. */
function renamedPath(path: string, renamed: ReadonlyMap<string, string>): string {
  for (let end = path.lastIndexOf("."); end > 0; end = path.lastIndexOf(".", end - 1)) {
    const outer = renamed.get(path.slice(0, end));
    if (outer !== undefined) return outer + path.slice(end);
  }
  return path;
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
function insideOf(descriptors: readonly Node[]): (offset: number) => boolean {
  const outermost: Node[] = [];
  for (const node of descriptors.toSorted((a, b) => a.pos - b.pos)) {
    if (node.pos >= (outermost.at(-1)?.end ?? 0)) outermost.push(node);
  }
  return (offset) => {
    const before = outermost[lastIndex(outermost, ({ pos }) => pos <= offset)];
    return before !== undefined && offset < before.end;
  };
}

/** The last index for which `isTrue` holds, in a list that begins with all such items; -1 when there are none. */
function lastIndex<Item>(items: readonly Item[], isTrue: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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
