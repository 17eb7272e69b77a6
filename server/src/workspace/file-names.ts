/** Names of files, on disks that tell capital letters apart and on those that do not. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

/** Whether anything has this name: a file, a folder, a link that leads nowhere. What cannot be looked at may be there. */
export async function isTaken(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
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
