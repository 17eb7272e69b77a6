/** Names of files whose letters are the same and whose bytes are not: `ä` is one character or two, and looks the same. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/**
 * The path with the names on the disk, where these differ in their Unicode form alone and there is only one such
 * name. By an absolute path; what does not exist is left as it is.
 */
export function withNamesOnDisk(absolute: string): string {
  // eslint-disable-next-line no-control-regex -- ASCII has one form only.
  if (/^[\0-\x7f]*$/.test(absolute) || existsSync(absolute)) return absolute;
  const { root } = path.parse(absolute);
  const names = absolute.slice(root.length).split(path.sep);
  return names.reduce((folder, name) => path.join(folder, nameIn(folder, name)), root);
}

export function hasSameLetters(a: string, b: string): boolean {
  return a === b || a.normalize() === b.normalize();
}

function nameIn(folder: string, name: string): string {
  // eslint-disable-next-line no-control-regex -- See above.
  if (/^[\0-\x7f]*$/.test(name) || existsSync(path.join(folder, name))) return name;
  const [same, ...more] = entriesOf(folder).filter((each) => hasSameLetters(each, name));
  return same === undefined || more.length > 0 ? name : same;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
