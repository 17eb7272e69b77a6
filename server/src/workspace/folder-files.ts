/** Everything below a folder, without following links. */
import { opendir } from "node:fs/promises";
import path from "node:path";

export interface FolderFiles {
  /** Absolute, in the order of their names. */
  readonly files: readonly string[];
  /** Links, pipes, sockets and devices, absolute. */
  readonly others: readonly string[];
  /** There are more than `limit` files, and the rest was not looked at. */
  readonly isMore: boolean;
}

/** Rejects with the error of the system for a folder that cannot be read. */
export async function filesBelow(folder: string, limit: number, signal?: AbortSignal): Promise<FolderFiles> {
  const [files, others, folders]: [string[], string[], string[]] = [[], [], [folder]];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    for await (const entry of await opendir(next)) {
      signal?.throwIfAborted();
      const at = path.join(next, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else (entry.isFile() ? files : others).push(at);
      if (files.length + others.length > limit) return { files: files.toSorted(), others, isMore: true };
    }
  }
  return { files: files.toSorted(), others, isMore: false };
}
