import { chmodSync, cpSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync, type Stats } from "node:fs";
import { join } from "node:path";

/** A path that was created (1), changed (2) or deleted (3), as LSP numbers them. */
export type PathChange = readonly [path: string, type: 1 | 2 | 3];

/**
 * Makes a folder what it was copied from, touches no file that still is, and answers what that changed. Packages that are
 * installed in the original are no part of it.
 */
export function restoreFolder(original: string, copy: string): PathChange[] {
  const names = new Set([...readdirSync(copy), ...readdirSync(original)]);
  return [...names].flatMap((name) => {
    const [now, then] = [join(copy, name), join(original, name)];
    const [is, was] = [statsOf(now), name === "node_modules" ? undefined : statsOf(then)];
    if (was === undefined) {
      if (is === undefined) return [];
      rmSync(now, { recursive: true, force: true });
      return [[now, 3] as const];
    }
    if (was.isDirectory() && is?.isDirectory() === true) return restoreFolder(then, now);
    if (was.isFile() && is?.isFile() === true && is.mode === was.mode && readFileSync(now).equals(readFileSync(then)))
      return [];
    const isChange = was.isFile() && is?.isFile() === true;
    if (!isChange) rmSync(now, { recursive: true, force: true });
    if (isChange) writeFileSync(now, readFileSync(then));
    else cpSync(then, now, { recursive: true, verbatimSymlinks: true });
    if (!was.isSymbolicLink()) chmodSync(now, was.mode);
    return [[now, isChange ? 2 : 1] as const];
  });
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
