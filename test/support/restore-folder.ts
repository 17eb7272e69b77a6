import { cp, lstat, readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";

/** Makes a folder of files what it was copied from, and touches no file that still is. */
export async function restoreFolder(original: string, copy: string): Promise<void> {
  const wanted = new Set(await namesBelow(original));
  for (const name of await namesBelow(copy)) {
    if (!wanted.has(name)) await rm(join(copy, name), { recursive: true, force: true });
  }
  for (const name of wanted) {
    const [from, to] = [join(original, name), join(copy, name)];
    if (await areAlike(from, to)) continue;
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
  }
}

/** Folders come before what they hold. */
async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted();
}

async function areAlike(from: string, to: string): Promise<boolean> {
  const [one, other] = await Promise.all([from, to].map((path) => lstat(path).catch(() => undefined)));
  if (one === undefined || other === undefined || one.mode !== other.mode) return false;
  if (!one.isFile()) return true;
  return (await readFile(from)).equals(await readFile(to));
}
