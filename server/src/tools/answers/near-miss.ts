/** What to say of a path that is no file: what is in the folder, or which files go by a name like that. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";

const SHOWN_ENTRIES = 60;
const SHOWN_FILES = 5;
/** So many folder entries are looked at for a file that is not there. */
const MAX_LOOKED_AT = 20_000;
const SKIPPED = new Set(["node_modules", ".git"]);

/** `a.ts, b.ts, sub/` */
export async function folderContents(folder: string): Promise<string> {
  const entries = await entriesOf(folder);
  const names = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted((a, b) => Number(a.endsWith("/")) - Number(b.endsWith("/")) || (a < b ? -1 : 1));
  const more = names.length > SHOWN_ENTRIES ? `, and ${names.length - SHOWN_ENTRIES} more` : "";
  return names.length === 0 ? "nothing" : names.slice(0, SHOWN_ENTRIES).join(", ") + more;
}

/** Files below the folder with the same name, with another ending of the same name, or in another case; nearest to the top first. */
export async function filesNamedLike(folder: string, path: string): Promise<string[]> {
  const wanted = basename(path).toLowerCase();
  const stem = stemOf(wanted);
  const same: string[] = [];
  const alike: string[] = [];
  let looked = 0;
  for (let level = [folder]; level.length > 0 && looked < MAX_LOOKED_AT;) {
    const below: string[] = [];
    for (const each of level) {
      if (looked >= MAX_LOOKED_AT) break;
      for (const entry of await entriesOf(each)) {
        looked += 1;
        const found = join(each, entry.name);
        const name = entry.name.toLowerCase();
        // Links are not followed: they may lead anywhere.
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) below.push(found);
        else if (entry.isFile() && name === wanted) same.push(found);
        else if (entry.isFile() && stem !== "" && stemOf(name) === stem) alike.push(found);
      }
    }
    level = below;
  }
  return [...same, ...alike].slice(0, SHOWN_FILES).map((file) => relative(folder, file).split(sep).join("/"));
}

function stemOf(name: string): string {
  return name.replace(/\..*$/, "");
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
