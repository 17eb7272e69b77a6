/** Which absolute paths lie in which folders, by their names alone. */
import { isAbsolute, relative, sep } from "node:path";

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a relative path leads out of the folder from which it goes. */
export function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** A folder inside of another one is a part of that one. */
export function outermost(folders: readonly string[]): string[] {
  const unique = [...new Set(folders)];
  return unique.filter((each) => unique.every((other) => other === each || leadsOut(relative(other, each))));
}
