/**
 * An installed form is checked at the top level of its module, in place of the declarations that it replaces. There its
 * classes are the ones that the rest of the module means, and merge with namespaces and interfaces of the same names.
 */
import { moduleOutline } from "../../source/module-outline.ts";
import { NAMELESS, type ModuleOutline } from "../../source/outline-types.ts";
import { replacedBy } from "../../redefine/module-merge.ts";

export interface MakesRoom {
  /** The module's text without the declarations that the form replaces. */
  readonly text: string;
  /** Export declarations for the names that both declare, to be put after the form. */
  readonly exports: string;
}

/** Undefined when the form cannot replace whole statements. */
export function makeRoom(path: string, text: string, form: string): MakesRoom | undefined {
  const before = /\.[cm]?tsx?$/.test(path) ? moduleOutline(path, text) : undefined;
  const after = moduleOutline(path, form);
  if (before === undefined || after === undefined) return undefined;
  const names = new Set(after.declarations.map(({ name }) => name));
  const gone = new Set(after.declarations.flatMap((each) => replacedBy(before, after, each)));
  const isShared = before.declarations.some((each) => {
    const isGone = [...gone].some(({ start }) => start === each.start);
    return isGone && !gone.has(each) && !names.has(each.name);
  });
  if (isShared) return undefined;
  let rest = text;
  const blank = (start: number, end: number): void => {
    rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, " ") + rest.slice(end);
  };
  for (const each of before.declarations.filter(({ name }) => names.has(name))) {
    const [keywords = ""] = /^export\s+(?:default\s+)?/.exec(text.slice(each.start, each.end)) ?? [];
    const isGone = [...gone].some(({ start }) => start === each.start);
    blank(each.start, isGone ? each.end : each.start + keywords.length);
  }
  return { text: rest, exports: exportsOf(before, names) };
}

function exportsOf(before: ModuleOutline, names: ReadonlySet<string>): string {
  const declared = new Set(before.declarations.flatMap(({ name, exported }) => (exported ? [name] : [])));
  const again = [...before.exports].filter(
    ([, local]) => local !== NAMELESS && names.has(local) && declared.has(local),
  );
  return `export { ${again.map(([exported, local]) => `${local} as ${exported}`).join(", ")} };`;
}
