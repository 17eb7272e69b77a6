/** What tells one state of a file from the next without reading it. */
import { accessSync, constants, type Stats } from "node:fs";
import { statsOf } from "../../workspace/file-names.ts";

/** Differs between two states of a file or folder, but for states within one tick of the disk's clock: see `isFresh`. */
export type Stamp = string;

export function stampFrom(stats: Stats): Stamp {
  return `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}`;
}

export function stampOf(path: string): Stamp | undefined {
  const stats = statsOf(path);
  return stats === undefined ? undefined : stampFrom(stats);
}

/** Whether both are states of one and the same folder, and not of two that had the name one after the other. */
export function isSameInode(a: Stamp | undefined, b: Stamp): boolean {
  return a?.split(":")[0] === b.split(":")[0];
}

/**
 * True for a file that had changed so lately when it was looked at that it could change again and keep its stamp: disks count
 * time in steps, most of a few milliseconds, some of whole seconds.
 *
 * @param lookedAt the time before the look, as `Date.now()` gives it: afterwards this process may have been held up
 */
export function isFresh({ mtimeMs }: Stats, lookedAt: number): boolean {
  const step = mtimeMs % 1_000 === 0 ? 2_000 : 20;
  return Math.abs(lookedAt - mtimeMs) < step;
}

/** False for what is not there. */
export function changedWithin(file: string, milliseconds: number): boolean {
  const stats = statsOf(file);
  return stats !== undefined && Date.now() - stats.mtimeMs < milliseconds;
}

const FOR_ALL = 0o444;

/**
 * Whether the file is there and may not be read by this process. For most files the mode is enough, without another
 * look.
 */
export function isClosedFile(file: string, { mode }: Stats): boolean {
  if ((mode & FOR_ALL) === FOR_ALL) return false;
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}
