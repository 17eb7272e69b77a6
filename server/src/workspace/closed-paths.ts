/** Whether a path leads through a name that is closed, asked of many paths. */
import type { NamePlace } from "./secret-names.ts";

/**
 * Tells of each path of a file, relative and with forward slashes, whether one of its names is closed. A folder of
 * thousands of files is judged once.
 */
export function closedPaths(isClosed: (name: string, place: NamePlace) => boolean): (path: string) => boolean {
  const folders = new Map<string, boolean>();
  return (path) => {
    const end = Math.max(path.lastIndexOf("/"), 0);
    const folder = path.slice(0, end);
    const names = folder.split("/");
    const known =
      folders.get(folder) ?? names.some((name, index) => isClosed(name, { above: names[index - 1], isFolder: true }));
    folders.set(folder, known);
    return known || isClosed(end === 0 ? path : path.slice(end + 1), { above: names.at(-1) });
  };
}
