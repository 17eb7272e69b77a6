/** Folders for one process below the system's temporary folder. The name tells whose a folder is. */
import { lstatSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new, empty folder that only this user may look into. `kind` is how its name begins. */
export function makeOwnFolder(kind: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `${kind}${process.pid}-`)));
}

/** What processes of this user left that could not clean up. The name alone says nothing: anybody may choose it. */
export function foldersLeft(kind: string): string[] {
  const left = readdirSync(tmpdir()).filter((name) => {
    const owner = name.startsWith(kind) ? Number(/^\d+(?=-)/.exec(name.slice(kind.length))?.[0]) : Number.NaN;
    return !Number.isNaN(owner) && !isAlive(owner);
  });
  return left.map((name) => join(tmpdir(), name)).filter((path) => isOurs(path, 0o077));
}

/**
 * Whether this user made the entry, and nobody else can change what is in it: while a folder is removed by its path, whoever
 * may write to it puts a link in the place of a folder inside, and other files go. `others` are the rights that nobody else
 * may have in a folder.
 */
export function isOurs(path: string, others = 0o022): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const own = process.getuid?.();
  if (stats === undefined || own === undefined) return stats !== undefined;
  return stats.uid === own && (!stats.isDirectory() || (stats.mode & others) === 0);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
