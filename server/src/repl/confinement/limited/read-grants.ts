/**
 * Node's permissions can grant a folder, but cannot leave out a part of it. So a folder with something to hide is
 * granted by every beginning that its other names can have, including names that do not exist yet. The listing of the
 * folder itself cannot be granted that way: the folder is listed by an alias (see `listed-folders.ts`).
 */
import { readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isWithin } from "../../../workspace/within.ts";

export interface ReadGrants {
  /** Values for `--allow-fs-read`: paths, and beginnings of paths that end in `*`. */
  readonly grants: readonly string[];
  /** Folders whose content is granted and whose listing is not. */
  readonly unlisted: readonly string[];
}

const ALPHABET = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
  (char) => char !== "/" && char !== "\\" && char !== "*",
);
/**
 * The bytes that each grant needs beside its path: the flag, the next letter with its star, and the pointer to the
 * argument.
 */
const FLAG_BYTES = "--allow-fs-read=".length + 20;
/** The limit of a command line, in bytes. A third of it slows Node's start by about 30 ms. */
const MAX_BYTES = process.platform === "win32" ? 20_000 : 1_000_000;
const FINE_BYTES = MAX_BYTES / 3;
/** One argument names all folders that are listed by an alias; it is never longer than this. */
const MAX_ALIAS_BYTES = 100_000;
const ALIAS_BYTES = 120;
/** Names of one folder that begin alike rarely go on with more different letters than this. */
const LETTERS_TAKEN = 10;
const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";

/**
 * The number of letters of a hidden name that are used to tell it apart from other names. Existing names that begin
 * with these letters are granted one by one; a name of this kind that is made later is not granted.
 */
const PRECISIONS = [Infinity, 4, 2, 1, 0];

/** Undefined when no command line is long enough to name everything except what is hidden. */
export function grantAll(folders: readonly string[], hidden: readonly string[]): ReadGrants | undefined {
  for (const precision of PRECISIONS) {
    const limit = precision > 1 ? FINE_BYTES : MAX_BYTES;
    if (leastBytes(folders, hidden, precision) > limit) continue;
    const each = folders.map((folder) => grantAround(folder, hidden, precision));
    const grants = [...new Set(each.flatMap((one) => one.grants))];
    const unlisted = [...new Set(each.flatMap((one) => one.unlisted))];
    const aliasBytes = bytesOf(unlisted, ALIAS_BYTES);
    if (bytesOf(grants, FLAG_BYTES) + aliasBytes <= limit && aliasBytes <= MAX_ALIAS_BYTES) return { grants, unlisted };
  }
  return undefined;
}

function bytesOf(paths: readonly string[], more: number): number {
  return paths.reduce((sum, path) => sum + Buffer.byteLength(path) + more, 0);
}

export function grantAround(folder: string, hidden: readonly string[], precision = Infinity): ReadGrants {
  const inside = hidden.filter((path) => isWithin(path, folder));
  if (inside.length === 0) return { grants: [folder], unlisted: [] };
  const deeper = new Map<string, string[]>();
  const gone = new Set<string>();
  for (const path of inside) {
    const [name = "", ...rest] = relative(folder, path).split(sep);
    // In a folder with a star in its name, no part can be granted on its own.
    if (rest.length === 0 || name.includes("*")) gone.add(name);
    else if (deeper.get(name)?.push(path) === undefined) deeper.set(name, [path]);
  }
  if (gone.has("")) return { grants: [], unlisted: [] };
  const { grants, unlisted } = beside(folder, gone, new Set([...gone, ...deeper.keys()]), precision);
  const parts: ReadGrants[] = [{ grants, unlisted: [folder, ...unlisted] }];
  for (const [name, paths] of deeper) {
    if (!gone.has(name)) parts.push(grantAround(join(folder, name), paths, precision));
  }
  return { grants: parts.flatMap((part) => part.grants), unlisted: parts.flatMap((part) => part.unlisted) };
}

/** A lower bound of the bytes that the grants need on a command line, counted without making the grants. */
function leastBytes(folders: readonly string[], hidden: readonly string[], precision: number): number {
  const counted = new Set(folders);
  const beginnings = new Set<string>();
  let bytes = 0;
  for (const path of hidden) {
    for (let at = path; !counted.has(at) && dirname(at) !== at; at = dirname(at)) {
      counted.add(at);
      const before = at.length - basename(at).length;
      for (let end = before; end < Math.min(at.length, before + precision); end++) {
        const beginning = at.slice(0, end);
        if (beginnings.has(beginning)) continue;
        beginnings.add(beginning);
        bytes += (ALPHABET.length - LETTERS_TAKEN) * (end + FLAG_BYTES);
      }
    }
  }
  return bytes;
}

/**
 * Grants everything in the folder except `names`, which are the hidden names (`gone`) and names of folders with
 * something hidden.
 */
// Grants are built as text: normalizing a path would turn the beginning ".." into the folder above.
function beside(folder: string, gone: ReadonlySet<string>, names: ReadonlySet<string>, precision: number): ReadGrants {
  const entries = entriesOf(folder);
  const letters = precision === 0 && entries.length > ALPHABET.length ? 1 : precision;
  const taken = new Map<string, Set<string>>();
  const shared = new Set<string>();
  for (const name of names) {
    const told = Math.min(name.length, letters, ...(name.includes("*") ? [name.indexOf("*")] : []));
    if (name.length > told) shared.add(fold(name.slice(0, told)));
    for (let end = 0; end <= told; end++) {
      const next = taken.get(name.slice(0, end)) ?? new Set();
      taken.set(name.slice(0, end), next);
      if (end < name.length) next.add(fold(name.charAt(end)));
    }
    // A hidden `.env` also hides `.env.local`, even when that file is written later.
    if (gone.has(name)) taken.get(name)?.add(".");
  }
  const grants: string[] = [];
  for (const [beginning, next] of taken) {
    if (shared.has(fold(beginning))) continue;
    // "." is the folder itself and ".." is the folder above it, so neither may be granted.
    if (!names.has(beginning) && !["", ".", ".."].includes(beginning)) grants.push(folder + sep + beginning);
    for (const char of ALPHABET) if (!next.has(fold(char))) grants.push(`${folder}${sep}${beginning}${char}*`);
  }
  const unlisted: string[] = [];
  entries.forEach((entry, index) => {
    const { name } = entry;
    // Node reads a star as "anything from here on", at any place of a name.
    if (!isLeft(name, shared) || names.has(name) || name.includes("*")) return;
    grants.push(join(folder, name));
    // Node does not let the image list a granted folder when a longer name with the same beginning is granted too.
    const isLengthened = entries[index + 1]?.name.startsWith(name) === true;
    if (entry.isDirectory() && isLengthened) unlisted.push(join(folder, name));
  });
  return { grants, unlisted };
}

/**
 * Names with a character outside of the alphabet, or with the beginning of a hidden name, are granted one by one as
 * they exist now.
 */
function isLeft(name: string, shared: ReadonlySet<string>): boolean {
  return /[^\u0020-\u007e]/.test(name) || [...shared].some((beginning) => fold(name).startsWith(beginning));
}

function fold(text: string): string {
  return FOLDS_CASE ? text.toLowerCase() : text;
}

/** Sorted, so that a longer name comes after the name that it begins with. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
