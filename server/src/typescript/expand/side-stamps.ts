/** When files were last changed, for a compiler that does not watch files and has to be told. */
import { stat } from "node:fs/promises";
import { mapLimited } from "../yielding.ts";

/** By file; a file that is not there has none. */
export type FileStamps = ReadonlyMap<string, string>;

/** The numbers of LSP's `FileChangeType`: created, changed, deleted. */
export interface StampedChange {
  readonly file: string;
  readonly type: 1 | 2 | 3;
}

export async function readStamps(files: readonly string[]): Promise<FileStamps> {
  const stamps = await mapLimited(files, async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found === undefined ? undefined : `${found.mtimeMs} ${found.size} ${found.ino}`;
  });
  const known = new Map<string, string>();
  for (const [index, file] of files.entries()) {
    const stamp = stamps[index];
    if (stamp !== undefined) known.set(file, stamp);
  }
  return known;
}

export function changedSince(before: FileStamps, now: FileStamps): StampedChange[] {
  const changes: StampedChange[] = [];
  for (const [file, stamp] of now) {
    const old = before.get(file);
    if (old === undefined) changes.push({ file, type: 1 });
    else if (old !== stamp) changes.push({ file, type: 2 });
  }
  for (const file of before.keys()) if (!now.has(file)) changes.push({ file, type: 3 });
  return changes;
}
