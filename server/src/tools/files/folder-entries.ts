/** The entries of one folder, by kind: on the disk, and in buffers that were never saved. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { FileError } from "../../workspace/regular-file.ts";

export type EntryKind = "file" | "folder" | "link" | "special" | "unsaved";

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface FolderEntries {
  /** In the order of their names. */
  readonly entries: readonly FolderEntry[];
  /** How many more there are that were not looked at. */
  readonly more: number;
}

/** A folder of more entries is not for reading. */
const MAX_ENTRIES = 10_000;
const MAX_COUNTED = 200_000;

/** Rejects with a `FileError` for a folder that may not be read. With a `limit` nothing is counted beyond it. */
export async function folderEntries(
  folder: string,
  shown: string,
  signal: AbortSignal,
  limit?: number,
): Promise<FolderEntries> {
  const entries: FolderEntry[] = [];
  let more = 0;
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      signal.throwIfAborted();
      if (entry.name === ".git") continue;
      if (entries.length === limit) break;
      if (entries.length < MAX_ENTRIES) entries.push({ name: entry.name, kind: kindOf(entry) });
      else if ((more += 1) >= MAX_COUNTED) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new FileError(shown, code === "ENOENT" ? "missing" : "unreadable", FINDINGS[code] ?? "cannot be read");
  }
  return { entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)), more };
}

const FINDINGS: Readonly<Record<string, string>> = {
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  ENOENT: "does not exist",
  ENOTDIR: "is a file, not a folder",
};

function kindOf(entry: Dirent): EntryKind {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "special";
}
