/**
 * Node can be told what may be read, and nothing inside of that to leave out. So a folder with something to hide is
 * granted by everything that its other names can begin with, names that do not exist yet included. Only the folder
 * itself, as a thing to list, cannot be named that way: it is answered by an alias (see `listed-folders.ts`).
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "./readable-folders.ts";

export interface ReadGrants {
  /** For `--allow-fs-read`: paths, and beginnings of paths that end in `*`. */
  readonly grants: readonly string[];
  /** Folders whose content is granted and whose listing is not. */
  readonly unlisted: readonly string[];
}

const ALPHABET = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
  (char) => char !== "/" && char !== "\\" && char !== "*",
);
/** The flag, a beginning and the pointer to it. */
const FLAG_BYTES = "--allow-fs-read=".length + 20;
const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";

export function grantAround(folder: string, hidden: readonly string[]): ReadGrants {
  const inside = hidden.filter((path) => path !== folder && isInside(path, folder));
  if (inside.length === 0) return { grants: [folder], unlisted: [] };
  const deeper = new Map<string, string[]>();
  const gone = new Set<string>();
  for (const path of inside) {
    const [name = "", ...rest] = relative(folder, path).split(sep);
    if (rest.length === 0) gone.add(name);
    else deeper.set(name, [...(deeper.get(name) ?? []), path]);
  }
  const grants = beside(folder, gone, [...deeper.keys()]);
  const unlisted = [folder];
  for (const [name, paths] of deeper) {
    if (gone.has(name)) continue;
    const below = grantAround(join(folder, name), paths);
    grants.push(...below.grants);
    unlisted.push(...below.unlisted);
  }
  return { grants, unlisted };
}

/** How many bytes of a command line it takes to hide one path more, told without making the grants. */
export function createGrantCost(): (path: string) => number {
  const counted = new Set<string>();
  return (path) => {
    let bytes = 0;
    for (let at = path; !counted.has(at) && dirname(at) !== at; at = dirname(at)) {
      counted.add(at);
      bytes += basename(at).length * ALPHABET.length * (dirname(at).length + FLAG_BYTES);
    }
    return bytes;
  };
}

/** Everything in the folder but the names that are gone, and but those below which more is to be left out. */
// Written as text: a path that is normalized would turn the beginning ".." into the folder above.
function beside(folder: string, gone: ReadonlySet<string>, deeper: readonly string[]): string[] {
  const names = new Set([...gone, ...deeper]);
  const taken = new Map<string, Set<string>>();
  for (const name of names) {
    for (let end = 0; end <= name.length; end++) {
      const next = taken.get(name.slice(0, end)) ?? new Set();
      taken.set(name.slice(0, end), next);
      if (end < name.length) next.add(fold(name.charAt(end)));
    }
    // `.env.local` goes with `.env`, also when it is written later.
    if (gone.has(name)) taken.get(name)?.add(".");
  }
  const grants: string[] = [];
  for (const [beginning, next] of taken) {
    // "." and ".." are the folder itself and the one above it.
    if (!names.has(beginning) && !["", ".", ".."].includes(beginning)) grants.push(folder + sep + beginning);
    for (const char of ALPHABET) if (!next.has(fold(char))) grants.push(`${folder}${sep}${beginning}${char}*`);
  }
  return [...grants, ...unusualNames(folder, names)];
}

function fold(text: string): string {
  return FOLDS_CASE ? text.toLowerCase() : text;
}

/** Names that no letter of the alphabet begins are granted one by one, as they are now. */
function unusualNames(folder: string, names: ReadonlySet<string>): string[] {
  try {
    const unusual = readdirSync(folder).filter((name) => /[^\u0020-\u007e]/.test(name) && !names.has(name));
    return unusual.map((name) => join(folder, name));
  } catch {
    return [];
  }
}
