/** Folders for one process below the system's temporary folder. The name tells whose a folder is. */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { whoElseReplaces } from "./own-place.ts";

/**
 * A new, empty folder that only this user may look into. `kind` is how its name begins. Throws a sentence where somebody else
 * could put another folder in its place.
 */
export function makeOwnFolder(kind: string): string {
  const temporary = tmpdir();
  const problem = isAbsolute(temporary) ? whoElseReplaces(temporary) : "it is no absolute path";
  if (problem === undefined) return realpathSync(mkdtempSync(join(temporary, `${kind}${process.pid}-`)));
  throw new Error(
    `the temporary folder ${temporary} is not safe from other users, so set TMPDIR to one that is: ${problem}`,
  );
}

/**
 * A second one for what belongs to the first; neither name begins with the other. Throws where somebody else has made it, who
 * would choose what is in it.
 */
export function makeFolderOf(own: string, kind: string): string {
  const folder = join(dirname(own), `${kind}${process.pid}-of-${own.slice(-6)}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Removes what processes of this user left that could not clean up. Never throws: the next server tries again. */
export function sweepOwn(kind: string): void {
  for (const folder of foldersLeft(kind)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
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
 * may write to it puts a link in the place of a folder inside, and other files go. Nor may others write to the folder above: they
 * would give such a name to another folder of this user's. `others` are the rights that nobody else may have in a folder.
 */
export function isOurs(path: string, others = 0o022): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const own = process.getuid?.();
  if (stats === undefined || own === undefined) return stats !== undefined;
  if (stats.uid !== own || (stats.isDirectory() && (stats.mode & others) !== 0)) return false;
  return whoElseReplaces(dirname(path)) === undefined;
}

/**
 * Gives the folder and all folders in it to this user alone, from the outside in: what nobody else may write to is then what it
 * was found to be. No link is followed.
 */
export async function takeFolders(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await takeFolders(join(folder, entry.name));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
