/** The only folder that a confined image may write to. It goes with its process, also when the server was killed. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
  readonly path: string;
  readonly dispose: () => void;
}

const PREFIX = "agentq-image-";

export function createScratch(): Scratch {
  sweep();
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)));
  const dispose = (): void => {
    process.off("exit", dispose);
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", dispose);
  return { path, dispose };
}

/** Removes what servers left that could not clean up; the folder's name tells whose it was. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(/^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0]) : Number.NaN;
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another person's folder: theirs to remove.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
