/** The workspace's folders: which are there, which may not be read, and what is in them. */
import { join } from "node:path";
import { ignoredByGit } from "../../process/git.ts";
import type { DirectoryWatch } from "./directory-watch.ts";
import type { Links } from "./file-aliases.ts";
import { isFresh, isSameInode, stampFrom, stampOf, type Stamp } from "./file-stamps.ts";
import { statsOf } from "../../workspace/file-names.ts";
import { entriesOf } from "./folder-entries.ts";
import type { InstalledPackages } from "./packages/installed-packages.ts";
import { FileChange, type FileChangeType, type TrackedFiles } from "./tracked-files.ts";
import { isBehindDot, isSkipped, isTracked } from "./tracked-names.ts";
import { UnreadFiles } from "./unread-files.ts";
import { WorkspaceLinks } from "./packages/workspace-links.ts";
import { isWithin } from "../../workspace/within.ts";
import { forEachYielding } from "../yielding.ts";

const INSTALLED = "node_modules";
const MAX_FILES = 50_000;
/** A workspace with more folders is most likely no workspace. */
const MAX_FOLDERS = 100_000;

/** Where a reading writes what it finds. */
export interface FolderFindings {
  readonly files: TrackedFiles;
  /** The followed files outside of the workspace; a file found in a workspace folder leaves them. */
  readonly followed: TrackedFiles;
  readonly pending: Map<string, FileChangeType>;
  readonly installed: InstalledPackages;
  readonly watch: DirectoryWatch;
}

export class WorkspaceFolders {
  readonly #roots: readonly string[];
  readonly #found: FolderFindings;
  readonly #stamps = new Map<string, Stamp>();
  readonly #closed = new Set<string>();
  readonly #behindDot = new Set<string>();
  /** Git is asked about a folder once, until the compiler starts anew. */
  readonly #ignored = new Set<string>();
  readonly #unread = new UnreadFiles();
  readonly #links: WorkspaceLinks;

  constructor(roots: readonly string[], found: FolderFindings) {
    this.#roots = roots;
    this.#found = found;
    this.#links = new WorkspaceLinks(roots, found.files, found.pending);
  }

  /** Known, even if it may not be read. */
  has(folder: string): boolean {
    return this.#stamps.has(folder) || this.#closed.has(folder);
  }

  /** The folders that were read. */
  names(): IterableIterator<string> {
    return this.#stamps.keys();
  }

  /** Links to folders and files inside the workspace. */
  links(): Links {
    return this.#links.targets();
  }

  missing(): readonly string[] {
    return this.#roots.filter((root) => !this.has(root));
  }

  /** Folders that are there and may not be read, in a stable order. */
  closed(): readonly string[] {
    return [...this.#closed].toSorted();
  }

  /** Links to folders outside of the workspace, in a stable order. */
  outwardLinks(): readonly string[] {
    return [...this.#links.outward()].toSorted();
  }

  isLimited(): boolean {
    return this.#found.files.size >= MAX_FILES || this.#stamps.size >= MAX_FOLDERS;
  }

  /** Components and pages with code inside, which the compiler does not read. */
  unreadFiles(): readonly string[] {
    return this.#unread.files();
  }

  proseFiles(): readonly string[] {
    return this.#unread.proseFiles();
  }

  /** Folders to read anew: those that changed, those with an event, and those that could not be read. */
  async outdated(heard: ReadonlySet<string>): Promise<string[]> {
    const outdated = [...this.missing(), ...this.#closed];
    await forEachYielding(this.#stamps, ([folder, stamp]) => {
      if (heard.has(folder) || stampOf(folder) !== stamp) outdated.push(folder);
    });
    return outdated;
  }

  /** Reads a known folder, and those below it that were not known. */
  async read(root: string, isWatching: boolean): Promise<void> {
    if (!this.has(root) && !this.#roots.includes(root)) return;
    const waiting = [root];
    while (waiting.length > 0) {
      await forEachYielding(taken(waiting), (folder) => this.#readOne(folder, waiting, isWatching));
      waiting.push(...(await this.#written()));
    }
  }

  /** Those of the folders behind a dot that were met that git does not ignore: the others are made by tools. */
  async #written(): Promise<string[]> {
    const met = [...this.#behindDot];
    this.#behindDot.clear();
    const ignored = await Promise.all(
      this.#roots.map((root) =>
        ignoredByGit(
          root,
          met.filter((folder) => isWithin(folder, root)),
        ),
      ),
    );
    for (const folder of ignored.flatMap((each) => [...each])) this.#ignored.add(folder);
    return met.filter((folder) => !this.#ignored.has(folder) && !this.#stamps.has(folder));
  }

  #readOne(folder: string, waiting: string[], isWatching: boolean): void {
    const { watch, files, followed } = this.#found;
    const lookedAt = Date.now();
    const stats = statsOf(folder);
    // Watched before it is read: what comes in between is heard, and read twice at worst.
    if (stats !== undefined && isWatching) this.#watchAnew(folder, stampFrom(stats));
    const entries = stats === undefined ? undefined : entriesOf(folder);
    this.#setClosed(folder, stats?.isDirectory() === true && entries === undefined);
    if (stats === undefined || entries === undefined) {
      this.#stamps.delete(folder);
      this.#links.setFolder(folder, new Map());
      this.#readUnread(folder, []);
      watch.remove(folder);
      return;
    }
    const isLasting = !isFresh(stats, lookedAt) && !entries.hasBrokenLink;
    // The inode alone is no folder's stamp, so the folder is read again; its watcher, with what it has heard, stays.
    this.#stamps.set(folder, isLasting ? stampFrom(stats) : `${stats.ino}:`);
    for (const name of entries.folders) this.#enter(folder, name, waiting);
    if (entries.links.has(INSTALLED)) this.#found.installed.addHome(folder);
    for (const name of entries.links.keys()) this.#leave(join(folder, name));
    this.#links.setFolder(folder, entries.links);
    this.#readUnread(folder, entries.files);
    for (const name of entries.files) {
      const path = join(folder, name);
      if (isTracked(name) && !files.has(path) && !this.isLimited()) {
        files.lookAt(path);
        followed.forget(path);
      }
    }
  }

  /** Every folder that is closed or opened makes earlier answers' notes on closed folders out of date. */
  #setClosed(folder: string, isClosed: boolean): void {
    if (this.#closed.has(folder) === isClosed) return;
    if (isClosed) this.#closed.add(folder);
    else this.#closed.delete(folder);
    this.#found.pending.set(folder, FileChange.changed);
  }

  /** An unread file that comes or goes makes answers out of date that were given without knowing. */
  #readUnread(folder: string, names: readonly string[]): void {
    const { came, went } = this.#unread.setFolder(folder, names);
    for (const file of came) this.#found.pending.set(file, FileChange.created);
    for (const file of went) this.#found.pending.set(file, FileChange.deleted);
  }

  #enter(folder: string, name: string, waiting: string[]): void {
    const path = join(folder, name);
    if (name === INSTALLED) this.#found.installed.addHome(folder);
    else if (!isSkipped(name) && !this.#stamps.has(path) && !this.#ignored.has(path) && !this.isLimited())
      if (isBehindDot(path, this.#roots)) this.#behindDot.add(path);
      else waiting.push(path);
  }

  /** A link may have taken the place of a folder, whose files may be the same ones as before, at another place. */
  #leave(folder: string): void {
    if (!this.has(folder) || this.#roots.includes(folder)) return;
    const { files, pending, watch } = this.#found;
    for (const each of [...this.#stamps.keys(), ...this.#closed].filter((known) => isWithin(known, folder))) {
      this.#stamps.delete(each);
      this.#closed.delete(each);
      this.#links.setFolder(each, new Map());
      this.#readUnread(each, []);
      watch.remove(each);
    }
    for (const file of [...files.names()].filter((name) => isWithin(name, folder))) {
      files.forget(file);
      pending.set(file, FileChange.deleted);
    }
  }

  /** A folder that took the name of another is heard of only by a watcher of its own. */
  #watchAnew(folder: string, stamp: Stamp): void {
    if (!isSameInode(this.#stamps.get(folder), stamp)) this.#found.watch.remove(folder);
    this.#found.watch.add(folder);
  }
}

/** Each of them until none is left, those that come in meanwhile included. */
function* taken(waiting: string[]): Iterable<string> {
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) yield each;
}
