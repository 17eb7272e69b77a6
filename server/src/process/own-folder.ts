/** Folders for one process below the system's temporary folder. The name tells whose a folder is. */
import { mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new, empty folder that only this user may look into. `kind` is how its name begins. */
export function makeOwnFolder(kind: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `${kind}${process.pid}-`)));
}

/** What processes left that could not clean up. */
export function foldersLeft(kind: string): string[] {
  const left = readdirSync(tmpdir()).filter((name) => {
    const owner = name.startsWith(kind) ? Number(/^\d+(?=-)/.exec(name.slice(kind.length))?.[0]) : Number.NaN;
    return !Number.isNaN(owner) && !isAlive(owner);
  });
  return left.map((name) => join(tmpdir(), name));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
