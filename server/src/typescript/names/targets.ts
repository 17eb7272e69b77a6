/** Declarations that one address names together. */
import type { Declaration, SymbolTarget } from "./tree/declaration.ts";
import { formatAddress } from "./address.ts";
import type { View } from "../view.ts";

export function groupTargets(view: View, declarations: readonly Declaration[]): SymbolTarget[] {
  const groups = new Map<string, [Declaration, ...Declaration[]]>();
  for (const declaration of declarations) {
    const twin = declaration.isOneOfTwins === true ? declaration.ordinal : "";
    const key = `${declaration.file}\n${declaration.path}\n${twin}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [declaration]);
    else if (!group.some((each) => isSamePlace(each, declaration))) group.push(declaration);
  }
  return [...groups.values()].map((group) => targetOf(view, group));
}

export function targetOf(view: View, declarations: SymbolTarget["declarations"]): SymbolTarget {
  const [{ file, path, ordinal, isOneOfTwins }] = declarations;
  const overload = isOneOfTwins === true ? ordinal : undefined;
  return { file, path, declarations, overload, address: formatAddress(view.paths.show(file), path, overload) };
}

export function isSamePlace(a: Declaration, b: Declaration): boolean {
  return a.file === b.file && a.at.line === b.at.line && a.at.character === b.at.character;
}
