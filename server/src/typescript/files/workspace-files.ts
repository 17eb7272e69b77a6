/** The workspace's source and configuration files on disk, and what changed among them since the last look. */
import { basename, dirname, join, sep } from "node:path";
import { DirectoryWatch } from "./directory-watch.ts";
import { aliasesOf, type Links } from "./file-aliases.ts";
import { changedWithin, isFresh, isSameInode, stampFrom, stampOf, statsOf, type Stamp } from "./file-stamps.ts";
import { entriesOf, realPathOf } from "./folder-entries.ts";
import { InstalledPackages } from "./installed-packages.ts";
import { FileChange, TrackedFiles, type FileChangeType } from "./tracked-files.ts";
import { isConfig, isScript, isSkipped, isTracked, projectConfigsAmong, sourcesAmong } from "./tracked-names.ts";
import { forEachYielding, giveWay } from "../yielding.ts";

export { FileChange, type FileChangeType };

const INSTALLED = "node_modules";
const MAX_FILES = 50_000;
/** So long after an answer the watching begins: a first answer has better things to do. */
const WATCH_AFTER_MS = 1_000;
const JUST_NOW_MS = 2_000;

/**
 * The owner asks `look()` before it answers from the compiler; what changed collects until `takeChanges()`. A change is
 * seen by modification time, size and inode, an added or removed file by its folder's. Where the system tells reliably
 * what changed, only that is looked at; a whole look follows a while after an answer all the same.
 */
export class WorkspaceFiles {
  #folders: readonly string[];
  readonly #directories = new Map<string, Stamp>();
  readonly #pending = new Map<string, FileChangeType>();
  readonly #files = new TrackedFiles(this.#pending, (file) => this.#noticeLoss(file));
  /** What programs read and what stands outside of the tracked folders. */
  readonly #followed = new TrackedFiles(this.#pending);
  readonly #links = new Map<string, string>();
  #installed: InstalledPackages;
  #watch: DirectoryWatch;
  #isWatching = false;
  #watchTimer: NodeJS.Timeout | undefined;
  #looked = false;
  #dependenciesChanged = false;
  #looking: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(folders: readonly string[]) {
    this.#folders = folders;
    this.#installed = new InstalledPackages(folders);
    this.#watch = new DirectoryWatch(folders);
  }

  /** Looks at the disk after everything that happened before this call. */
  look(): Promise<void> {
    return this.#after(() => this.#lookOnce());
  }

  /** Someone who watches the disk says that a file changed. */
  mark(file: string, type: FileChangeType): void {
    this.#pending.set(file, type);
  }

  /** From the next look on these folders are the workspace; only a new compiler process follows that. */
  setFolders(folders: readonly string[]): void {
    this.#dependenciesChanged = true;
    void this.#after(async () => {
      this.#stopWatching();
      this.#folders = folders;
      this.#installed = new InstalledPackages(folders);
      this.#watch = new DirectoryWatch(folders);
      this.#directories.clear();
      this.#files.clear();
      this.#followed.clear();
      this.#links.clear();
      this.#looked = false;
    });
  }

  /**
   * Whatever the programs read: what of it is not tracked is looked at as well from now on. Answers the files that nobody
   * looked at before, about which nothing that was known earlier counts.
   */
  follow(files: ReadonlySet<string>): string[] {
    const added: string[] = [];
    for (const file of this.#followed.names()) if (!files.has(file)) this.#followed.forget(file);
    for (const file of files) {
      if (this.#files.has(file) || this.#followed.has(file)) continue;
      added.push(file);
      if (this.#isWatching) this.#watch.add(dirname(file));
      const wasPending = this.#pending.has(file);
      this.#followed.lookAt(file);
      if (wasPending) continue;
      // What was written a moment ago may have been written after the compiler read it.
      if (changedWithin(file, JUST_NOW_MS)) this.#pending.set(file, FileChange.changed);
      else this.#pending.delete(file);
    }
    return added;
  }

  hasChanges(): boolean {
    return this.#pending.size > 0 || this.#dependenciesChanged;
  }

  /** True once after packages came or went, or a tsconfig went: nothing less than a new compiler process sees all of that. */
  takeDependenciesChanged(): boolean {
    const changed = this.#dependenciesChanged;
    this.#dependenciesChanged = false;
    return changed;
  }

  /** Each changed file under every name that leads to it. */
  takeChanges(): ReadonlyMap<string, FileChangeType> {
    const taken = new Map(this.#pending);
    for (const [file, type] of this.#pending) {
      for (const alias of aliasesOf(file, this.#links)) taken.set(alias, type);
    }
    this.#pending.clear();
    return taken;
  }

  /** Links to folders and files inside the workspace. */
  links(): Links {
    return this.#links;
  }

  missingFolders(): readonly string[] {
    return this.#folders.filter((folder) => !this.#directories.has(folder));
  }

  isLimited(): boolean {
    return this.#files.size >= MAX_FILES;
  }

  configFiles(): string[] {
    return projectConfigsAmong(this.#files.names());
  }

  packageFiles(): string[] {
    return [...this.#files.names()].filter((file) => basename(file) === "package.json").toSorted();
  }

  /** The TypeScript sources; the JavaScript ones in a workspace that has no TypeScript at all. */
  sourceFiles(): string[] {
    return sourcesAmong([...this.#files.names()]);
  }

  scriptFiles(): string[] {
    return [...this.#files.names()].filter(isScript);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stopWatching();
  }

  #after(task: () => Promise<void>): Promise<void> {
    const next = this.#looking.then(task);
    this.#looking = next.catch(() => undefined);
    return next;
  }

  async #lookOnce(): Promise<void> {
    if (!(this.#isWatching && (await this.#lookAtWhatIsHeard()))) await this.#lookAtAll();
    if (this.#isDisposed || this.#watchTimer !== undefined) return;
    this.#watchTimer = setTimeout(() => {
      this.#watchTimer = undefined;
      void this.#after(() => this.#lookBetweenAnswers());
    }, WATCH_AFTER_MS).unref();
  }

  /** False when what was heard does not suffice. */
  async #lookAtWhatIsHeard(): Promise<boolean> {
    const { files, folders, isAll } = await this.#watch.take();
    if (!this.#watch.isPossible || !isAll || this.missingFolders().length > 0) return false;
    for (const directory of this.#directories.keys()) if (!this.#watch.covers(directory)) return false;
    for (const file of files) {
      if (this.#files.has(file)) this.#files.lookAt(file);
      else if (this.#followed.has(file)) this.#followed.lookAt(file);
      else if (this.#installed.isIn(dirname(file))) return false;
    }
    if (folders.size > 0) await this.#lookAtAll(folders);
    return true;
  }

  /** Watches what is there, and looks for whatever nobody told of. */
  async #lookBetweenAnswers(): Promise<void> {
    if (this.#isDisposed) return;
    if (this.#watch.isPossible && !this.#isWatching) {
      await forEachYielding(this.#directories.keys(), (folder) => this.#watch.add(folder));
      await this.#watchAround();
      this.#isWatching = this.#watch.isPossible && !this.#isDisposed;
    }
    await this.#lookAtAll();
  }

  /** The folders of what programs read, and of the installed packages. */
  async #watchAround(): Promise<void> {
    const around = [...this.#followed.names()].map((file) => dirname(file));
    await forEachYielding(new Set([...this.#installed.folders(), ...around]), (folder) => this.#watch.add(folder));
  }

  async #lookAtAll(heard: ReadonlySet<string> = new Set()): Promise<void> {
    const first = !this.#looked;
    if (this.#isWatching) await this.#watchAround();
    const dirty = [...this.missingFolders()];
    await forEachYielding(this.#directories, ([directory, stamp]) => {
      if (heard.has(directory) || stampOf(directory) !== stamp) dirty.push(directory);
    });
    // The first look reads all files for the first time; what is found by a later one is looked at twice.
    if (!first) await this.#files.lookAtAll();
    for (const directory of dirty) await this.#readDirectory(directory);
    await this.#followed.lookAtAll();
    if (this.#installed.look() && !first) this.#dependenciesChanged = true;
    if (first) this.#pending.clear();
    this.#looked = true;
  }

  async #readDirectory(root: string): Promise<void> {
    const waiting = [root];
    let sliceEnd = performance.now() + 4;
    for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
      this.#readOne(directory, waiting);
      if (performance.now() < sliceEnd) continue;
      await giveWay();
      sliceEnd = performance.now() + 4;
    }
  }

  #readOne(directory: string, waiting: string[]): void {
    const stats = statsOf(directory);
    // Watched before it is read: what comes in between is heard, and read twice at worst.
    if (stats !== undefined && this.#isWatching) this.#watchAnew(directory, stampFrom(stats));
    const entries = stats === undefined ? undefined : entriesOf(directory);
    if (stats === undefined || entries === undefined) {
      this.#directories.delete(directory);
      this.#watch.remove(directory);
      return;
    }
    const isLasting = !isFresh(stats) && !entries.hasBrokenLink;
    this.#directories.set(directory, isLasting ? stampFrom(stats) : "");
    for (const name of entries.folders) this.#enter(directory, name, waiting);
    for (const link of this.#links.keys()) {
      if (dirname(link) === directory && !entries.links.has(basename(link))) this.#turnLink(link, undefined);
    }
    for (const [name, target] of entries.links) this.#readLink(directory, name, target, waiting);
    for (const name of entries.files) {
      const path = join(directory, name);
      if (isTracked(name) && !this.#files.has(path) && !this.isLimited()) {
        this.#files.lookAt(path);
        this.#followed.forget(path);
      }
    }
  }

  #enter(directory: string, name: string, waiting: string[]): void {
    const path = join(directory, name);
    if (name === INSTALLED) this.#installed.addHome(directory);
    else if (!isSkipped(name) && !this.#directories.has(path)) waiting.push(path);
  }

  /** A folder of the workspace under a second name is only noted; one from elsewhere is a part of it. */
  #readLink(directory: string, name: string, target: string, waiting: string[]): void {
    const link = join(directory, name);
    if (name === INSTALLED) this.#installed.addHome(directory);
    if (isSkipped(name) || this.#links.get(link) === target) return;
    const roots = this.#folders.map((folder) => realPathOf(folder) ?? folder);
    const isKnown = roots.some((root) => isWithin(target, root) || isWithin(root, target));
    if (isKnown) this.#turnLink(link, target);
    else if (statsOf(target)?.isDirectory() === true) this.#enter(directory, name, waiting);
  }

  /** With the link all names that lead through it come or go. */
  #turnLink(link: string, target: string | undefined): void {
    for (const [to, type] of [
      [this.#links.get(link), FileChange.deleted],
      [target, FileChange.created],
    ] as const) {
      if (to === undefined) continue;
      for (const file of this.#files.names()) {
        if (isWithin(file, to)) this.#pending.set(link + file.slice(to.length), type);
      }
    }
    if (target === undefined) this.#links.delete(link);
    else this.#links.set(link, target);
  }

  /** A folder that took the name of another is heard of only by a watcher of its own. */
  #watchAnew(directory: string, stamp: Stamp): void {
    if (!isSameInode(this.#directories.get(directory), stamp)) this.#watch.remove(directory);
    this.#watch.add(directory);
  }

  /** TypeScript 7.0.2 keeps a project without its tsconfig for as long as one of its files is open. */
  #noticeLoss(file: string): void {
    if (isConfig(file)) this.#dependenciesChanged = true;
  }

  #stopWatching(): void {
    clearTimeout(this.#watchTimer);
    this.#watchTimer = undefined;
    this.#isWatching = false;
    this.#watch.giveUp();
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
