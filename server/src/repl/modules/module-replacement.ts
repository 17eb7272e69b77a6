/** Gives a module another text than its source, for forms that need the module reloaded. */
import type { ModuleTable } from "./module-table.ts";
import type { ReplacedTexts } from "./replaced-texts.ts";
import type { Merged } from "../redefine/module-merge.ts";

export type Merge = (text: string) => Merged | { readonly reason: string };

export interface Replacement {
  /** The URLs of the module and of the importers that are reloaded with it. */
  readonly urls: readonly string[];
  /** Takes the replacement back when its text does not run. */
  readonly undo: () => void;
}

/** Makes the module and its importers due to be reloaded; the new text is used until the source changes. */
export function replaceModule(
  table: ModuleTable,
  texts: ReplacedTexts,
  path: string,
  merge: Merge,
): Replacement | { readonly reason: string } {
  const merged = merge(texts.textOf(path));
  if ("reason" in merged) return merged;
  const target = table.record(path);
  const stale = [...table.withImporters([target])].filter((each) => each === target || each.text !== undefined);
  const before = stale.map((each) => ({ each, ...each }));
  const restore = texts.replace(path, merged);
  table.outdate(stale);
  for (const each of stale) each.asked = true;
  return {
    urls: stale.map((each) => table.urlOf(each)),
    undo: () => {
      restore();
      // Only the loaded modules return to their version; the next attempt needs a version, and so a URL, that was never
      // tried.
      for (const { each, version, text, built, stamp, unfinished } of before) {
        each.failed = each.version;
        Object.assign(each, { version, text, built, stamp, unfinished });
      }
    },
  };
}
