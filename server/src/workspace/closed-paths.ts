/** Whether a path leads through a name that is closed, asked of many paths. */

/**
 * Tells of each path, relative and with forward slashes, whether one of its names is closed. Thousands of files stand in one
 * folder, which is judged once.
 */
export function closedPaths(isClosed: (name: string) => boolean): (path: string) => boolean {
  const folders = new Map<string, boolean>();
  return (path) => {
    const end = Math.max(path.lastIndexOf("/"), 0);
    const folder = path.slice(0, end);
    const known = folders.get(folder) ?? folder.split("/").some(isClosed);
    folders.set(folder, known);
    return known || isClosed(end === 0 ? path : path.slice(end + 1));
  };
}
