/** Files on their way to their place in a workspace folder. Where a server is killed meanwhile, the next one removes them. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive, isOurs, takeFolders } from "./own-folder.ts";

/** How the name of a staged file or folder begins; the number of its process follows. */
export const STAGED = ".agentq-staged-";

export function stagedName(): string {
  return `${STAGED}${process.pid}-${randomBytes(6).toString("hex")}`;
}

/**
 * A folder may have come with folders in it that others may write to, who could put a link in the place of one while it is
 * removed. Rejects where the disk refuses.
 */
export async function removeStaged(path: string): Promise<void> {
  if (!existsSync(path)) return;
  await takeFolders(path);
  await rm(path, { recursive: true, force: true });
}

/** Never rejects. */
export async function sweepStaged(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const owner = name.startsWith(STAGED) ? Number(/^\d+(?=-)/.exec(name.slice(STAGED.length))?.[0]) : Number.NaN;
      const path = join(folder, name);
      if (Number.isNaN(owner) || isAlive(owner) || !isOurs(path)) continue;
      await removeStaged(path).catch(() => undefined);
    }
  }
}
