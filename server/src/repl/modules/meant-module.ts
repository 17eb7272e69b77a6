/**
 * Guesses the file for a specifier that leads to none: a path from the project's folder, or from a package's in a
 * monorepo.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

const MOST_FOLDERS = 500;

/** The path relative to the project's folder; `isThere` says whether such a specifier leads to a module. */
export function meantModule(
  specifier: string,
  root: string,
  isThere: (relative: string) => boolean,
): string | undefined {
  const path = specifier.replace(/^(?:\.?\/)+/, "");
  if (path === "" || /^(?:\.\.|[\w-]+:)/.test(path)) return undefined;
  const own = `./${path}`;
  if (own !== specifier && isThere(own)) return own;
  if (!path.includes("/")) return undefined;
  const packages = foldersIn(root).flatMap((outer) => foldersIn(join(root, outer)).map((inner) => `${outer}/${inner}`));
  const found = packages.slice(0, MOST_FOLDERS).map((folder) => `./${folder}/${path}`);
  const there = found.filter(isThere);
  return there.length === 1 ? there[0] : undefined;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}
