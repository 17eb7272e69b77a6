/** The paths that fit what somebody has typed of one, the likeliest first; the folders on the way among them. Pure. */

/** `paths` are files; folders end with a slash in the answer. */
export function fittingPaths(part: string, paths: readonly string[], limit: number): string[] {
  const wanted = part.toLowerCase();
  const ranked: { readonly path: string; readonly rank: number }[] = [];
  for (const path of [...foldersOf(paths), ...paths]) {
    const rank = rankOf(wanted, path.toLowerCase());
    if (rank !== undefined) ranked.push({ path, rank });
  }
  ranked.sort(
    (one, other) => one.rank - other.rank || depthOf(one.path) - depthOf(other.path) || compare(one.path, other.path),
  );
  return ranked.slice(0, limit).map(({ path }) => path);
}

function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** From the best to the worst: the beginning of the path, of the name, a part of the path, and its letters in their order. */
function rankOf(wanted: string, path: string): number | undefined {
  if (path.startsWith(wanted)) return 0;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  if (name.startsWith(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 3;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
