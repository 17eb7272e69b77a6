/** The present files of some folders, by stamps only: fast enough for a scan before and after every evaluation. */
import { lstatSync, readdirSync } from "node:fs";
import { sep } from "node:path";
import { createSlices } from "../../confinement/slices.ts";
import { FILLED_FOLDERS, linkStatsOf } from "../../../workspace/file-names.ts";

export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  /** Changes with every write, and the writer cannot set it back. */
  readonly ctimeMs: number;
  readonly ino: number;
  readonly mode: number;
  readonly isLink: boolean;
}

export interface Manifest {
  readonly files: ReadonlyMap<string, FileStamp>;
  readonly folders: ReadonlyMap<string, Folder>;
  /** False when there were more files than the limit: files beyond the limit are not watched. */
  readonly complete: boolean;
}

interface Folder {
  readonly ctimeMs: number;
  readonly listedAt: number;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

export const MAX_FILES = 20_000;

/** Files that Emacs, Vim and similar editors write beside a file while a person types: locks, swap files, backups. */
const OF_EDITORS = /^(?:\.#.+|#.+#|\..+\.sw[a-p]|.+~|4913)$/u;

/**
 * A file system's clock is coarse: a folder that changed less than this before a scan may change again with the same
 * time.
 */
const CLOCK_TICK_MS = 20;

/**
 * Contract: never rejects; what cannot be read is not in the manifest. With `last`, unchanged folders are not listed
 * again.
 */
export async function takeManifest(
  roots: readonly string[],
  last?: Manifest,
  limit: number = MAX_FILES,
): Promise<Manifest> {
  const files = new Map<string, FileStamp>();
  const folders = new Map<string, Folder>();
  const turn = createSlices();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const folder = folderAt(path, last?.folders.get(path));
    if (folder === undefined) continue;
    folders.set(path, folder);
    waiting.push(...folder.folders);
    for (const file of folder.files) {
      if (turn.isOver()) await turn.next();
      if (files.size >= limit) return { files, folders, complete: false };
      const stamp = stampOf(file);
      if (stamp !== undefined) files.set(file, stamp);
    }
  }
  return { files, folders, complete: true };
}

export function stampOf(path: string): FileStamp | undefined {
  const stat = linkStatsOf(path);
  if (stat === undefined) return undefined;
  const { size, mtimeMs, ctimeMs, ino, mode } = stat;
  return { size, mtimeMs, ctimeMs, ino, mode, isLink: stat.isSymbolicLink() };
}

/** Whether a file certainly has the same content; when false, only the content itself can tell. */
export function isUntouched(before: FileStamp, now: FileStamp): boolean {
  const sameFile = before.ino === now.ino && before.size === now.size;
  return sameFile && before.mtimeMs === now.mtimeMs && before.ctimeMs === now.ctimeMs;
}

function folderAt(path: string, known: Folder | undefined): Folder | undefined {
  try {
    const { ctimeMs } = lstatSync(path);
    const isKnown = known !== undefined && known.ctimeMs === ctimeMs && ctimeMs < known.listedAt - CLOCK_TICK_MS;
    return isKnown ? known : listed(path, ctimeMs);
  } catch {
    // The folder was removed meanwhile, or may not be read.
    return undefined;
  }
}

function listed(path: string, ctimeMs: number): Folder {
  const files: string[] = [];
  const folders: string[] = [];
  const listedAt = Date.now();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (OF_EDITORS.test(entry.name)) continue;
    if (entry.isFile() || entry.isSymbolicLink()) files.push(path + sep + entry.name);
    else if (entry.isDirectory() && !FILLED_FOLDERS.has(entry.name)) folders.push(path + sep + entry.name);
  }
  return { ctimeMs, listedAt, files, folders };
}
