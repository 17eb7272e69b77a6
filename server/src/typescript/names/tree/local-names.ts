/**
 * Variables, parameters and functions inside of functions and blocks that the outlines leave out. Answers name them by
 * `outer.local`, so that address leads to them; several of one name in a function are told apart by `#2` behind it.
 */
import { isIdentifier, type Node } from "typescript/unstable/ast";
import { declarationAround, kindOf } from "./inspect-declaration.ts";
import type { Declaration, FileOutline } from "./declaration.ts";
import { nodesNamed } from "./named-nodes.ts";
import { declarationOf, nameNodeOf } from "./qualified-name.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Those of a file by that path, in source order. */
export async function localNames(view: View, file: string, path: string): Promise<Declaration[]> {
  const { outermostOnly } = await view.outline(file);
  const source = outermostOnly ? undefined : (await view.source(file))?.source;
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (source === undefined || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return [];
  const all = nodesNamed(view, source, [name])
    .filter(isIdentifier)
    .flatMap((node) => declaredAt(node))
    .map((node) => declarationOf(node, source));
  const exact = all.filter((each) => each.path === path);
  const meant = exact.length > 0 ? exact : all.filter((each) => each.path.endsWith(`.${path}`));
  return [...Map.groupBy(meant, (each) => each.path).values()].flatMap((group) => numbered(group, file));
}

/** A property, as in `return { local }`, takes nothing of the address of the one variable that has its name. */
function numbered(group: readonly Declaration[], file: string): Declaration[] {
  const [properties, variables] = [true, false].map((isProperty) =>
    group.filter(({ kind }) => (kind === "property") === isProperty),
  ) as [Declaration[], Declaration[]];
  return [...variables, ...properties].map((each, index) => {
    const own = { ...each, file, ordinal: index + 1, local: true };
    return group.length > 1 && (index > 0 || variables.length !== 1) ? { ...own, isOneOfTwins: true } : own;
  });
}

/** By `outer.local`, in the files whose outlines know the outer part. */
export async function localMembers(view: View, outlines: readonly FileOutline[], path: string): Promise<Declaration[]> {
  const [outermost = ""] = path.split(".");
  const isOuter = (each: Declaration): boolean => each.path === outermost || each.path.endsWith(`.${outermost}`);
  const files = outlines.filter(({ declarations }) => declarations.some(isOuter));
  return (await mapLimited(files, ({ file }) => localNames(view, file, path), view.signal)).flat();
}

/** What the outline lists by a path that a variable beside it may have, too, as `local` in `return { local }`. */
export function isLocalValue({ local, kind }: Declaration): boolean {
  return local && (kind === "property" || kind === "variable");
}

function declaredAt(name: Node): Node[] {
  const node = declarationAround(name);
  return node !== undefined && nameNodeOf(node) === name && !/^(?:import|alias)$/.test(kindOf(node)) ? [node] : [];
}
