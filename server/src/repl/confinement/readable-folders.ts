/** The folders of the disk that a confined image may read: the project and its dependencies, and nothing else. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../workspace/within.ts";

/** The project, the `node_modules` of the folders above it, and the workspace packages linked there. */
export function readableFolders(projectRoot: string): string[] {
  const folders = new Set([projectRoot, realpathSync(projectRoot)]);
  const repository = enclosingRepository(realpathSync(projectRoot));
  for (let folder = realpathSync(projectRoot); ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) {
      folders.add(modules);
      for (const target of linkedPackages(modules)) if (isWithin(target, repository)) folders.add(target);
    }
    if (folder === dirname(folder)) break;
  }
  return [...folders];
}

/** Follows a link only to a package of the same repository: a link to /etc grants nothing. */
function linkedPackages(modules: string): string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name.startsWith("@")) look(path);
      if (!entry.isSymbolicLink() || !existsSync(join(path, "package.json"))) continue;
      found.push(realpathSync(path));
    }
  };
  look(modules);
  return found;
}

function enclosingRepository(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
  return folder;
}
