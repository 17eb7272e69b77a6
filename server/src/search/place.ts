/** Where a file is found, and the order in which files are told. */
import path from "node:path";
import { leadsOut } from "../workspace/within.ts";

export interface Place {
  /** The number of the workspace folder. */
  readonly folder: number;
  /** From that folder, with forward slashes. */
  readonly relative: string;
}

export function comparePlaces(one: Place, other: Place): number {
  if (one.folder !== other.folder) return one.folder - other.folder;
  if (one.relative < other.relative) return -1;
  return one.relative === other.relative ? 0 : 1;
}

export function keyOf({ folder, relative }: Place): string {
  return `${folder}:${relative}`;
}

/** Undefined for what lies in none of the folders. Paths are absolute, and spelled as the folders are. */
export function placeOf(folders: readonly string[], absolute: string): Place | undefined {
  for (const [folder, each] of folders.entries()) {
    const relative = path.relative(each, absolute);
    if (leadsOut(relative)) continue;
    return { folder, relative: relative.split(path.sep).join("/") };
  }
  return undefined;
}
