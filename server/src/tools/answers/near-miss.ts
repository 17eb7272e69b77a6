/** What to say of a path that is not there: which files or folders go by a name like that. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { nearestNames } from "../../base/spelling.ts";
import { FILLED_FOLDERS } from "../../workspace/file-names.ts";

const SHOWN_FILES = 5;
/** So many folder entries are looked at for a file that is not there. */
const MAX_LOOKED_AT = 20_000;
/** So many names are compared letter by letter. */
const MAX_SPELT = 5_000;

/**
 * Files (or folders) below the folder with the same name, with another ending of the same name, or in another case,
 * nearest to the top first; where there are none, those with a name that is spelt nearly so.
 */
export async function filesNamedLike(
  folder: string,
  path: string,
  wanted: "files" | "folders" = "files",
): Promise<string[]> {
  const name = basename(path).toLowerCase();
  const stem = stemOf(name);
  const same: string[] = [];
  const alike: string[] = [];
  const others = new Map<string, string>();
  let looked = 0;
  for (let level = [folder]; level.length > 0 && looked < MAX_LOOKED_AT;) {
    const below: string[] = [];
    for (const each of level) {
      if (looked >= MAX_LOOKED_AT) break;
      for (const entry of await entriesOf(each)) {
        looked += 1;
        const found = join(each, entry.name);
        // Links are not followed: they may lead anywhere.
        if (entry.isDirectory() && !FILLED_FOLDERS.has(entry.name)) below.push(found);
        if (wanted === "files" ? !entry.isFile() : !entry.isDirectory()) continue;
        const candidate = entry.name.toLowerCase();
        if (candidate === name) same.push(found);
        else if (stem !== "" && stemOf(candidate) === stem) alike.push(found);
        else if (others.size < MAX_SPELT && !others.has(candidate)) others.set(candidate, found);
      }
    }
    level = below;
  }
  const misspelt = same.length + alike.length > 0 ? [] : nearestNames(name, others.keys(), SHOWN_FILES);
  const found = [...same, ...alike, ...misspelt.map((each) => others.get(each) ?? each)];
  return found.slice(0, SHOWN_FILES).map((file) => relative(folder, file).split(sep).join("/"));
}

/** ` Did you mean src/a.ts or test/a.ts?`; nothing where no name is like it. */
export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;
}

function stemOf(name: string): string {
  return name.replace(/\..*$/, "");
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
