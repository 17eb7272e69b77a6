/** Names of files, on disks that tell capital letters apart and on those that do not. */
import { lstatSync, statSync, type Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

/** Installed, or git's own: folders of these names are filled by programs, and nobody edits what is in them. */
export const FILLED_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** Whether an error says that nothing is there, also where a part of the path is no folder. */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Whether anything has this name: a file, a folder, a link that leads nowhere. What cannot be looked at may be there. */
export async function isTaken(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

/** Whether the file has another name (a hard link), anywhere on its disk. */
export async function hasOtherName(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isFile() && stats.nlink > 1,
    () => false,
  );
}

/** Whether two names differ in nothing but capital letters. */
export function isOtherCase(one: string, other: string): boolean {
  return one !== other && one.toLowerCase() === other.toLowerCase();
}

/** Whether a folder lists the file under exactly this name. */
export async function isListed(file: string): Promise<boolean> {
  const names = await readdir(path.dirname(file)).catch((): string[] => []);
  return names.includes(path.basename(file));
}

export function isFolder(file: string): boolean {
  return statsOf(file)?.isDirectory() === true;
}

/** Undefined for what is not there, also where a part of the path is no folder, and for what may not be seen. */
export function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The same of a link itself. */
export function linkStatsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
