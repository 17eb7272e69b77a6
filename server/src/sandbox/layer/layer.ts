/**
 * A copy-on-write layer over folders of a project: what a program writes there lands in the layer, and the folders keep
 * every byte. The kernel's overlay does it, so that a layer costs the same for ten files and for a million.
 *
 * The program must not outlive the mount for long: a file that an editor replaces while the overlay is mounted may go on
 * being seen as it was. So a layer is mounted for one run, and again for the next.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { lstat, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { foldersLeft, makeOwnFolder, takeFolders } from "../../process/own-folder.ts";
import { spawn } from "../../process/spawn.ts";
import { isWithin } from "../../workspace/within.ts";

const PREFIX = "agentq-layer-";

/** One folder of the project and what lies over it. */
export interface LayerRoot {
  /** Absolute, with links resolved. */
  readonly root: string;
  /** What programs wrote: files, folders, and a device of number 0 for each name that was deleted. */
  readonly upper: string;
  /** Where both are seen as one while a program runs. */
  readonly merged: string;
  /** The names in every folder of `upper` as they were seen at the end of the last run, each ended by NUL. */
  readonly seen: string;
}

export class Layer {
  readonly folder: string;
  readonly roots: readonly LayerRoot[];
  /** Programs may write here too; nothing of it is the project's. */
  readonly home: string;
  readonly temporary: string;
  /** An empty file. */
  readonly empty: string;

  /** `roots` are real paths, none inside of another. Throws where the disk refuses. */
  constructor(roots: readonly string[]) {
    this.folder = makeLayerFolder();
    this.home = join(this.folder, "home");
    this.temporary = join(this.folder, "tmp");
    this.empty = join(this.folder, "empty");
    for (const folder of [this.home, this.temporary]) mkdirSync(folder);
    writeFileSync(this.empty, "", { mode: 0o400 });
    this.roots = roots.map((root, index) => this.#over(root, String(index)));
  }

  /**
   * Puts a text over a file, as programs see the file then; null takes the file away. Contract: nothing runs in the layer.
   * False for a path outside of the layer's folders. Rejects where the disk refuses.
   */
  async lay(absolute: string, text: string | null): Promise<boolean> {
    const over = this.roots.find(({ root }) => isWithin(absolute, root));
    if (over === undefined) return false;
    if (text === null && !existsSync(absolute)) return true;
    const names = relative(over.root, absolute).split(sep);
    for (const [index] of names.slice(0, -1).entries()) {
      const folder = names.slice(0, index + 1).join(sep);
      const mode = (await stat(join(over.root, folder)).catch(() => undefined))?.mode ?? 0o755;
      await makeFolder(join(over.upper, folder), mode & 0o777);
    }
    const mode = (await stat(absolute).catch(() => undefined))?.mode ?? 0o644;
    const at = join(over.upper, ...names);
    await removeTree(at);
    if (text === null) await whiteOut(at);
    else await writeFile(at, text, { mode: mode & 0o777, flag: "wx" });
    return true;
  }

  /** Contract: nothing runs in the layer any more. Where this server ends before, the next one removes what is left. */
  dispose(): Promise<void> {
    return removeTree(this.folder);
  }

  /** The overlay is mounted from inside of this folder, by names that need no quoting. */
  #over(root: string, index: string): LayerRoot {
    const folder = join(this.folder, index);
    mkdirSync(folder);
    symlinkSync(root, join(folder, "lower"));
    for (const name of ["upper", "work", "merged"]) mkdirSync(join(folder, name));
    const [upper = "", merged = "", seen = ""] = ["upper", "merged", "seen"].map((name) => join(folder, name));
    return { root, upper, merged, seen };
  }
}

/** A folder for this process alone, which `sweepLayers` of another one removes when this one was killed. */
export function makeLayerFolder(): string {
  return makeOwnFolder(PREFIX);
}

/** The kernel's mark for a name that is gone: a device of number 0, which every user may make. */
async function whiteOut(place: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn("mknod", [place, "c", "0", "0"], { stdio: "ignore" });
  child.once("error", reject);
  child.once("close", (code) => {
    if (code === 0) resolve();
    else reject(new Error(`mknod ended with code ${code} at ${place}`));
  });
  await promise;
}

/** An earlier run may have left something else there: a link would lead out of the layer. */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  const there = await lstat(folder).catch(() => undefined);
  if (there?.isDirectory() === true) return;
  await removeTree(folder);
  await mkdir(folder, { mode });
}

/** Removes the layers of servers that were killed. Never rejects. */
export async function sweepLayers(): Promise<void> {
  for (const folder of foldersLeft(PREFIX)) await removeTree(folder).catch(() => undefined);
}

/** A program may have closed folders to everybody, as the kernel does with one of its own. */
export async function removeTree(folder: string): Promise<void> {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    await takeFolders(folder);
    await remove();
  });
}
