/** What is in a folder: plain files and folders, and where its symbolic links lead. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { existingRealPath } from "../../workspace/real-path.ts";
import { statsOf } from "../../workspace/file-names.ts";

export interface FolderEntries {
  /** Also the entries that are links, to files or to folders. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** By name, the real path of what each link leads to. */
  readonly links: ReadonlyMap<string, string>;
  /** The target of a broken link may come into being without a trace in this folder. */
  readonly hasBrokenLink: boolean;
}

/** Undefined for what is no folder or may not be read. */
export function entriesOf(folder: string): FolderEntries | undefined {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
    // The names alone are of no use: a folder that may be listed and not entered is closed.
    statSync(`${folder}/.`);
  } catch {
    return undefined;
  }
  const links = new Map<string, string>();
  const files: string[] = [];
  const folders: string[] = [];
  let hasBrokenLink = false;
  for (const entry of entries) {
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile()) files.push(entry.name);
    else if (entry.isSymbolicLink()) {
      const target = existingRealPath(join(folder, entry.name));
      if (target === undefined) hasBrokenLink = true;
      else {
        links.set(entry.name, target);
        if (statsOf(target)?.isFile() === true) files.push(entry.name);
      }
    }
  }
  return { files, folders, links, hasBrokenLink };
}
