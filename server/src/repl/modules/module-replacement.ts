/** Gives a module another text than its source, as forms do that need their module loaded anew. */
import type { ModuleTable } from "./module-table.ts";
import type { ReplacedTexts } from "./replaced-texts.ts";
import type { Merged } from "../redefine/module-merge.ts";

export type Merge = (text: string) => Merged | { readonly reason: string };

export interface Replacement {
  /** The URLs of the module and of the importers that are loaded anew with it. */
  readonly urls: readonly string[];
  /** Takes the replacement back, for when the text does not run. */
  readonly undo: () => void;
}

/** The module and its importers are due to be loaded anew; the text lasts until the source changes. */
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
      // The next attempt needs URLs that were never tried: only what runs goes back to its version.
      for (const { each, version, text, built, stamp, unfinished } of before) {
        each.failed = each.version;
        Object.assign(each, { version, text, built, stamp, unfinished });
      }
    },
  };
}
