/**
 * What a confined image must not see although it lies inside the folders it may read: files that hold secrets, and
 * links that lead out. Looked for once, at its start: links and secret files made later are seen by the next start.
 */
import { readdirSync, realpathSync, type Dirent } from "node:fs";
import { join, relative } from "node:path";
import { createSlices } from "../changes/slices.ts";
import { createGrantCost } from "./read-grants.ts";
import { isInside } from "./readable-folders.ts";

export interface TreeCheck {
  readonly secrets: readonly string[];
  /** Links whose target is outside of every readable folder. */
  readonly outward: readonly string[];
  /** Roads to a secret by a link to a folder. */
  readonly detours: readonly string[];
  /** How many more were found than can be kept from the image. */
  readonly left: number;
}

export type IsSecretName = (name: string) => boolean;

/** What a command line holds: every name that is kept costs some hundred of its entries. */
const MAX_BYTES = process.platform === "win32" ? 20_000 : 1_000_000;
const MAX_ENTRIES = 200_000;

/** Contract: never rejects; what cannot be listed is not looked at. `folders` are real paths. */
export async function checkTree(folders: readonly string[], isSecretName: IsSecretName): Promise<TreeCheck> {
  const secrets: string[] = [];
  const links: string[] = [];
  const turn = createSlices();
  const waiting = folders.filter((folder) => !folders.some((other) => other !== folder && isInside(folder, other)));
  let left = MAX_ENTRIES;
  for (let folder = waiting.pop(); folder !== undefined && left > 0; folder = waiting.pop()) {
    if (turn.isOver()) await turn.next();
    const isPackages = folder.endsWith("node_modules") || /node_modules[\\/]@[^\\/]+$/.test(folder);
    for (const entry of entriesOf(folder)) {
      left--;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory()) {
        // The insides of installed packages come from a registry: neither the person's secrets nor their links.
        const isEntered = isPackages ? entry.name.startsWith("@") : entry.name !== ".git";
        if (isEntered) waiting.push(path);
      } else if (!isPackages && isSecretName(entry.name)) secrets.push(path);
    }
  }
  const outward: string[] = [];
  const detours: string[] = [];
  for (const link of links) {
    if (turn.isOver()) await turn.next();
    const target = realPathOf(link);
    if (target === undefined) continue;
    if (!folders.some((folder) => isInside(target, folder))) outward.push(link);
    else for (const secret of secrets) if (isInside(secret, target)) detours.push(join(link, relative(target, secret)));
  }
  return withinLimit([...secrets, ...outward, ...detours], { secrets, outward, detours, left: 0 });
}

function withinLimit(hidden: readonly string[], found: TreeCheck): TreeCheck {
  const cost = createGrantCost();
  let bytes = 0;
  const kept = new Set(hidden.filter((path) => (bytes += cost(path)) <= MAX_BYTES));
  if (kept.size === hidden.length) return found;
  const isKept = (path: string): boolean => kept.has(path);
  const { secrets, outward, detours } = found;
  return {
    secrets: secrets.filter(isKept),
    outward: outward.filter(isKept),
    detours: detours.filter(isKept),
    left: hidden.length - kept.size,
  };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
