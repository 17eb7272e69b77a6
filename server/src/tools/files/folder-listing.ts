/** A folder as rows of a listing: folders with the count of what is below them, then the files of each folder. */
import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileOfUri } from "../../workspace/file-uri.ts";
import { FileError } from "../../workspace/regular-file.ts";
import { isSecretName } from "../../workspace/secret-names.ts";
import { folderEntries, type FolderEntry } from "./folder-entries.ts";
import { keptFiles, type FileCount, type KeptFiles } from "./kept-files.ts";

export interface ListingPorts {
  /** Where a path leads, from the workspace folder; an absolute path when that is outside. */
  readonly show: (absolute: string) => string;
  /** The open documents. */
  readonly openUris: () => readonly string[];
}

export interface ListedFile extends FolderEntry {
  readonly absolute: string;
}

/** `level` is 0 for the entries of the listed folder itself. */
export type ListingRow =
  | {
      readonly kind: "folder";
      readonly level: number;
      readonly name: string;
      /** From the listed folder. */
      readonly path: string;
      readonly count: FileCount;
      /** Why its inside is not told. */
      readonly closed?: string;
      /** How many entries git ignores; told where the folder's own entries are shown. */
      readonly ignored: number;
    }
  | { readonly kind: "files"; readonly level: number; readonly path: string; readonly files: readonly ListedFile[] };

export interface FolderListing {
  readonly count: FileCount;
  /** Whether the counts include everything that is there. */
  readonly isCounted: boolean;
  /** Who said what is left out; git ignores the listed folder itself where that is "ignored". */
  readonly by: KeptFiles["by"];
  /** Names in the listed folder that are left out, folders with a slash. */
  readonly ignored: readonly string[];
  readonly rows: readonly ListingRow[];
  /** How many entries are in no row, over the size of what is listed at all. */
  readonly more: number;
}

interface Work {
  readonly top: string;
  readonly kept: KeptFiles;
  /** Paths of files that only buffers have. */
  readonly unsaved: readonly string[];
  readonly signal: AbortSignal;
  readonly rows: ListingRow[];
  left: number;
  more: number;
}

/** So many names are put on a line. */
const FILES_PER_ROW = 12;
/** A listing of more entries ends, with a word about it. */
const MAX_LISTED = 20_000;

/** Rejects with a `FileError` when the folder itself may not be read. Without `depth` a small folder is listed whole. */
export async function listFolder(
  ports: ListingPorts,
  top: string,
  depth: number | undefined,
  signal: AbortSignal,
): Promise<FolderListing> {
  const kept = await keptFiles(top, depth, signal);
  const unsaved = await unsavedBelow(ports, top);
  for (const path of unsaved) kept.add(path);
  kept.settle();
  const work: Work = { top, kept, unsaved, signal, rows: [], left: MAX_LISTED, more: 0 };
  const ignored = await addFolder(work, "", 0);
  const { rows, more } = work;
  return { count: kept.below(""), isCounted: kept.isComplete, by: kept.by, ignored, rows, more };
}

/** The names that are left out. */
async function addFolder(work: Work, path: string, level: number): Promise<string[]> {
  const { kept, top } = work;
  const at = join(top, path);
  const onDisk = await entriesOnDisk(work, at, path);
  const entries = [...onDisk, ...unsavedIn(work, path, onDisk)].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ignored: string[] = [];
  const files: ListedFile[] = [];
  for (const entry of entries) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    const isKept = kept.has(below) || (kept.by !== "git" && entry.name !== "node_modules");
    if ((work.left -= 1) < 0) work.more += 1;
    else if (entry.kind === "folder") {
      if (!(await addBelow(work, { name: entry.name, path: below, level, isKept }))) ignored.push(`${entry.name}/`);
    } else if (isKept || entry.kind === "special") files.push({ ...entry, absolute: join(at, entry.name) });
    else ignored.push(entry.name);
  }
  for (let start = 0; start < files.length; start += FILES_PER_ROW) {
    work.rows.push({ kind: "files", level, path, files: files.slice(start, start + FILES_PER_ROW) });
  }
  return ignored;
}

interface Below {
  readonly name: string;
  readonly path: string;
  readonly level: number;
  readonly isKept: boolean;
}

/** False for a folder that is left out. */
async function addBelow(work: Work, { name, path, level, isKept }: Below): Promise<boolean> {
  const { kept, rows, top, signal } = work;
  const row = { kind: "folder", level, name, path, count: kept.below(path), ignored: 0 } as const;
  const closed = isSecretName(name, { isFolder: true })
    ? "secret: never read"
    : await whyClosed(join(top, path), row.count, signal);
  const isOwn = kept.by === "git" && row.count.files === 0 && isKept;
  if (closed !== undefined || isOwn) {
    rows.push({ ...row, closed: closed ?? "a repository of its own" });
    return true;
  }
  // Git knows of no empty folder.
  if (!isKept && !(await isEmpty(join(top, path), signal))) return false;
  const at = rows.push(row) - 1;
  if (level + 1 < kept.depth && row.count.files > 0) {
    const ignored = await addFolder(work, path, level + 1);
    rows[at] = { ...row, ignored: ignored.length };
  }
  return true;
}

/** Why the inside of a folder without files cannot be told. */
async function whyClosed(folder: string, { files }: FileCount, signal: AbortSignal): Promise<string | undefined> {
  if (files > 0) return undefined;
  return folderEntries(folder, folder, signal, 1).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof FileError) return error.trouble === "missing" ? undefined : error.finding;
      throw error;
    },
  );
}

async function entriesOnDisk(work: Work, at: string, path: string): Promise<readonly FolderEntry[]> {
  if (work.unsaved.some((each) => each.startsWith(`${path}/`)) && !(await isThere(at))) return [];
  const { entries, more } = await folderEntries(at, path, work.signal);
  work.more += more;
  return entries;
}

/** Files that only buffers have, and folders that only such files have, in this folder. */
function unsavedIn(work: Work, path: string, known: readonly FolderEntry[]): FolderEntry[] {
  if (work.unsaved.length === 0) return [];
  const names = new Set(known.map(({ name }) => name));
  const found = new Map<string, FolderEntry>();
  const prefix = path === "" ? "" : `${path}/`;
  for (const each of work.unsaved.filter((below) => below.startsWith(prefix))) {
    const [name = "", ...rest] = each.slice(prefix.length).split("/");
    if (!names.has(name)) found.set(name, { name, kind: rest.length === 0 ? "unsaved" : "folder" });
  }
  return [...found.values()];
}

async function unsavedBelow({ openUris, show }: ListingPorts, top: string): Promise<string[]> {
  const found: string[] = [];
  for (const uri of openUris()) {
    const file = fileOfUri(uri);
    const path = file === undefined ? ".." : relative(top, file).split(sep).join("/");
    // A buffer of a file in a folder that is a link out of the workspace is not told either.
    if (file === undefined || path.startsWith("..") || isAbsolute(show(file)) || (await isThere(file))) continue;
    found.push(path);
  }
  return found.toSorted();
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function isEmpty(folder: string, signal: AbortSignal): Promise<boolean> {
  return folderEntries(folder, folder, signal, 1).then(
    ({ entries }) => entries.length === 0,
    () => true,
  );
}
