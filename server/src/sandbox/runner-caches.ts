/**
 * Caches that test runners keep in `/tmp`, which is empty in every new layer. Runs over the person's own text share them as long
 * as the server lives. A run over text that nobody has accepted sees a copy of them, and what the run writes there is dropped.
 * The caches that runners keep outside of the wall are neither read nor written.
 */
import { mkdirSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makeLayerFolder, removeTree, type Layer } from "./layer.ts";
import type { Mount } from "./view.ts";

const USER = process.getuid?.() ?? 0;
/** Of jest, of tsx, and of programs that keep what V8 compiled. */
const NAMES = [`jest_${USER.toString(36)}`, `tsx-${USER}`, "node-compile-cache"];
const MOST_BYTES = 512 * 2 ** 20;
const MOST_FILES = 50_000;

export class RunnerCaches {
  readonly #most: { readonly bytes: number; readonly files: number };
  #folder: string | undefined;
  #looked: Promise<void> = Promise.resolve();

  constructor(most: { readonly bytes: number; readonly files: number } = { bytes: MOST_BYTES, files: MOST_FILES }) {
    this.#most = most;
  }

  /** For all runs over the layer. Rejects where the disk refuses. */
  async mounts(layer: Pick<Layer, "copyOf">, { isShared }: { readonly isShared: boolean }): Promise<Mount[]> {
    await this.#looked;
    this.#folder ??= withFolders(makeLayerFolder(), NAMES);
    const from = isShared ? this.#folder : layer.copyOf(this.#folder);
    return NAMES.map((name) => ({ kind: "write", path: join("/tmp", name), from: join(from, name) }));
  }

  /** To be called after runs that share the caches. What has grown too large is dropped before the next run. Never rejects. */
  lookAfter(): Promise<void> {
    this.#looked = this.#looked.then(async () => {
      if (this.#folder === undefined || (await this.#fits(this.#folder))) return;
      await this.dispose();
    });
    return this.#looked;
  }

  async dispose(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await removeTree(folder).catch(() => undefined);
  }

  async #fits(folder: string): Promise<boolean> {
    let { bytes, files } = this.#most;
    try {
      for (const folders = [folder]; ;) {
        const at = folders.pop();
        if (at === undefined) return true;
        for (const entry of await readdir(at, { withFileTypes: true })) {
          const path = join(at, entry.name);
          if (entry.isDirectory()) folders.push(path);
          else bytes -= (await lstat(path)).size;
          files -= 1;
          if (bytes < 0 || files < 0) return false;
        }
      }
    } catch {
      // A program closed a folder.
      return false;
    }
  }
}

function withFolders(folder: string, names: readonly string[]): string {
  for (const name of names) mkdirSync(join(folder, name));
  return folder;
}
