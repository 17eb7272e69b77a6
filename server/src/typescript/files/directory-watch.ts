/**
 * Hears at once what changed in a folder, where the operating system can be trusted to tell: on Linux, on a local disk.
 * There the kernel queues an event while the change is made, so one turn of the event loop later all events were heard.
 */
import { statfsSync, watch, type FSWatcher } from "node:fs";
import { basename, join } from "node:path";
import { giveWay } from "../yielding.ts";

/** What was heard since the last question. */
export interface Heard {
  /** Files whose text or properties changed. */
  readonly files: ReadonlySet<string>;
  /** Folders in which something came or went. */
  readonly folders: ReadonlySet<string>;
  /** False when the kernel may have dropped some. */
  readonly isAll: boolean;
}

/** ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs: changes through any other kind may come from another machine. */
const LOCAL_DISKS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);
const MAX_FOLDERS = 6_000;
/** The kernel's queue holds 16,384 by default and drops what comes after that. */
const MAX_EVENTS = 8_000;

/** Contract: a folder is watched only if `covers` says so; whoever adds a folder reads it after `add`, never before. */
export class DirectoryWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #files = new Set<string>();
  #folders = new Set<string>();
  #events = 0;
  #isPossible: boolean;

  constructor(roots: readonly string[]) {
    this.#isPossible = process.platform === "linux" && roots.every(isLocal);
  }

  get isPossible(): boolean {
    return this.#isPossible;
  }

  covers(folder: string): boolean {
    return this.#watchers.has(folder);
  }

  add(folder: string): void {
    if (!this.#isPossible || this.#watchers.has(folder)) return;
    if (this.#watchers.size >= MAX_FOLDERS) return this.giveUp();
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => this.#hear(folder, event, name));
      watcher.on("error", () => this.giveUp());
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // A folder that just went away is noticed by its parent; a limit of the system ends the watching.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") this.giveUp();
    }
  }

  remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  /** Everything that happened before the call. */
  async take(): Promise<Heard> {
    // The first turn may already have been past its reading of events; the second reads them all.
    await giveWay();
    await giveWay();
    const heard = { files: this.#files, folders: this.#folders, isAll: this.#events < MAX_EVENTS };
    this.#files = new Set();
    this.#folders = new Set();
    this.#events = 0;
    return heard;
  }

  giveUp(): void {
    this.#isPossible = false;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #hear(folder: string, event: string, name: string | null): void {
    this.#events += 1;
    // The end of the folder itself comes as an event with its own name. Another folder may have taken the name, and
    // this watcher hears nothing of it. A child with the same name only costs a new watcher.
    if (event === "rename" && name === basename(folder)) this.remove(folder);
    if (name === null || event === "rename") this.#folders.add(folder);
    if (name !== null) this.#files.add(join(folder, name));
  }
}

function isLocal(folder: string): boolean {
  try {
    return LOCAL_DISKS.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}
