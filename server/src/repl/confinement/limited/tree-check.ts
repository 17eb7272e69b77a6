/**
 * Finds what a confined image must not see inside of the folders it may read: files that hold secrets, and links that
 * lead out. The folders are searched once, at the start of the image: the next start finds links and secret files that
 * are made later.
 */
import { readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { existingRealPath } from "../../../workspace/real-path.ts";
import { createSlices } from "../slices.ts";
import { grantAll, type ReadGrants } from "./read-grants.ts";
import { isWithin } from "../../../workspace/within.ts";

export interface TreeCheck {
  readonly secrets: readonly string[];
  /** Links whose target is outside of every readable folder. */
  readonly outward: readonly string[];
  /**
   * Links to something that contains anything hidden, which may be another such link: the target can be read by its own
   * path only.
   */
  readonly closed: readonly string[];
  /** Folders that were not searched, because there are too many entries: nothing in them can be read. */
  readonly unseen: readonly string[];
  /** The grants for everything else; undefined when no command line could hold them. */
  readonly grants: ReadGrants | undefined;
}

/** A check whose findings can all be kept from the image. */
export type CoveredTree = TreeCheck & { readonly grants: ReadGrants };

export function isCovered(tree: TreeCheck): tree is CoveredTree {
  return tree.grants !== undefined;
}

export type IsSecretName = (name: string, place?: { readonly above?: string; readonly isFolder?: boolean }) => boolean;

const MAX_ENTRIES = 200_000;

/** Contract: never rejects; a folder that cannot be listed is skipped. `folders` are real paths. */
export async function checkTree(
  folders: readonly string[],
  isSecretName: IsSecretName,
  maxEntries = MAX_ENTRIES,
): Promise<TreeCheck> {
  const secrets: string[] = [];
  const links: string[] = [];
  const turn = createSlices();
  // Outer folders are searched first, so that folders that are left over are small and deep.
  const waiting = folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)));
  let left = maxEntries;
  let next = 0;
  for (; next < waiting.length && left > 0; next++) {
    if (turn.isOver()) await turn.next();
    const folder = waiting[next] ?? "";
    const isPackages = /[\\/]node_modules(?:[\\/]@[^\\/]+)?$/.test(folder);
    for (const entry of entriesOf(folder)) {
      left--;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (!isPackages && isSecretName(entry.name, { above: basename(folder), isFolder: entry.isDirectory() }))
        secrets.push(path);
      else if (entry.isDirectory()) {
        // The contents of installed packages come from a registry, so they hold neither the person's secrets nor the
        // person's links. pnpm puts links to all packages of the workspace beside the packages.
        if (isPackages && entry.name === ".pnpm") waiting.push(join(path, "node_modules"));
        else if (isPackages ? entry.name.startsWith("@") : entry.name !== ".git") waiting.push(path);
      }
    }
  }
  const unseen = waiting.slice(next);
  const outward: string[] = [];
  const inward = new Map<string, string>();
  for (const link of links) {
    if (turn.isOver()) await turn.next();
    const target = existingRealPath(link);
    if (target === undefined) continue;
    if (folders.some((folder) => isWithin(target, folder))) inward.set(link, target);
    else outward.push(link);
  }
  const closed = linksToHidden(inward, [...secrets, ...outward, ...unseen]);
  const grants = grantAll(folders, [...secrets, ...outward, ...closed, ...unseen]);
  return { secrets, outward, closed, unseen, grants };
}

/** Links whose target is hidden, lies inside of something hidden, or contains something hidden. */
function linksToHidden(links: ReadonlyMap<string, string>, hidden: readonly string[]): string[] {
  const closed = new Set<string>();
  const ends = new Set(hidden);
  /** The hidden paths, and every folder above them. */
  const roads = new Set(hidden.flatMap(pathsTo));
  for (let before = -1; before !== closed.size;) {
    before = closed.size;
    for (const [link, target] of links) {
      if (closed.has(link) || !(roads.has(target) || pathsTo(target).some((path) => ends.has(path)))) continue;
      closed.add(link);
      ends.add(link);
      for (const path of pathsTo(link)) roads.add(path);
    }
  }
  return [...closed];
}

function pathsTo(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...pathsTo(above)];
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
