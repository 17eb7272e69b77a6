/** The workspace's source and configuration files on disk, and what changed among them since the last look. */
import { basename, dirname } from "node:path";
import { DirectoryWatch } from "./directory-watch.ts";
import { aliasesOf } from "./file-aliases.ts";
import { changedWithin } from "./file-stamps.ts";
import { InstalledPackages } from "./packages/installed-packages.ts";
import { FileChange, TrackedFiles, type FileChangeType } from "./tracked-files.ts";
import { isConfig, isOfPrograms, isScript, projectConfigsAmong, sourcesAmong } from "./tracked-names.ts";
import { WorkspaceFolders } from "./workspace-folders.ts";
import { forEachYielding } from "../yielding.ts";

export { FileChange, type FileChangeType };

/** So long after an answer the watching begins: a first answer has better things to do. */
const WATCH_AFTER_MS = 1_000;
const JUST_NOW_MS = 2_000;

/**
 * The owner asks `look()` before it answers from the compiler; what changed collects until `takeChanges()`. A change is
 * seen by modification time, size and inode, an added or removed file by its folder's. Where the system tells reliably
 * what changed, only that is looked at; a whole look follows a while after an answer all the same.
 */
export class WorkspaceFiles {
  readonly #pending = new Map<string, FileChangeType>();
  readonly #onChanged: (file: string) => void;
  readonly #files = new TrackedFiles(this.#pending, (file, change) => this.#notice(file, change));
  /** Files that programs read, outside of the tracked folders. A file that is followed from now on is not new. */
  readonly #followed = new TrackedFiles(this.#pending, (file, change) => {
    if (change !== FileChange.created) this.#onChanged(file);
  });
  #installed: InstalledPackages;
  #watch: DirectoryWatch;
  #folders: WorkspaceFolders;
  #isWatching = false;
  #watchTimer: NodeJS.Timeout | undefined;
  #looked = false;
  #dependenciesChanged = false;
  #looking: Promise<void> = Promise.resolve();
  #isDisposed = false;

  /** `onChanged` is told at once of what a look finds changed, and of nothing that the first look finds. */
  constructor(folders: readonly string[], onChanged: (file: string) => void = () => undefined) {
    this.#onChanged = onChanged;
    this.#installed = new InstalledPackages(folders);
    this.#watch = new DirectoryWatch(folders);
    this.#folders = this.#foldersAt(folders);
  }

  /** Looks at the disk after everything that happened before this call. */
  look(): Promise<void> {
    return this.#after(() => this.#lookOnce());
  }

  /** Looks at the disk where the system tells what changed there. */
  async glance(): Promise<void> {
    if (this.#isWatching) await this.look();
  }

  /** Someone who watches the disk says that a file changed. */
  mark(file: string, type: FileChangeType): void {
    const pending = this.#pending.get(file);
    // The compiler takes a file into its project only when it is told that the file was created.
    const isStillNew = pending === FileChange.created && type === FileChange.changed;
    const isReplaced = pending === FileChange.deleted && type === FileChange.created;
    if (!isStillNew) this.#pending.set(file, isReplaced ? FileChange.changed : type);
  }

  /** From the next look on these folders are the workspace; only a new compiler process follows that. */
  setFolders(folders: readonly string[]): void {
    this.#dependenciesChanged = true;
    void this.#after(async () => {
      this.#stopWatching();
      this.#installed = new InstalledPackages(folders);
      this.#watch = new DirectoryWatch(folders);
      this.#files.clear();
      this.#followed.clear();
      this.#folders = this.#foldersAt(folders);
      this.#looked = false;
    });
  }

  /**
   * Takes the files that programs read: those that are not tracked are looked at as well from now on. Answers the
   * files that nobody looked at before: whatever was known about them earlier does not hold.
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

  /** Whether there is something that a compiler process can be told. */
  hasChanges(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether packages came or went, or a tsconfig went, and no new process was started for it. */
  haveDependenciesChanged(): boolean {
    return this.#dependenciesChanged;
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
      for (const alias of aliasesOf(file, this.#folders.links())) taken.set(alias, type);
    }
    this.#pending.clear();
    return taken;
  }

  /** What the last look found of the folders, until `setFolders`. */
  folders(): Omit<WorkspaceFolders, "outdated" | "read"> {
    return this.#folders;
  }

  /** Files that belong to programs and may not be read. */
  closedFiles(): readonly string[] {
    return this.#files.closed().filter(isOfPrograms);
  }

  /** The files that were found in the workspace's folders. */
  names(): Iterable<string> {
    return this.#files.names();
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

  #foldersAt(folders: readonly string[]): WorkspaceFolders {
    const [files, followed, pending] = [this.#files, this.#followed, this.#pending];
    return new WorkspaceFolders(folders, { files, followed, pending, installed: this.#installed, watch: this.#watch });
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
    if (!this.#watch.isPossible || !isAll || this.#folders.missing().length > 0) return false;
    for (const folder of this.#folders.names()) if (!this.#watch.covers(folder)) return false;
    for (const file of files) {
      if (this.#files.has(file)) this.#files.lookAt(file);
      else if (this.#followed.has(file)) this.#followed.lookAt(file);
      // An event with a folder's own name says that the permissions of the folder changed.
      else if (this.#folders.has(file) || this.#installed.isIn(dirname(file))) return false;
    }
    if (folders.size > 0) await this.#lookAtAll(folders);
    return true;
  }

  /** Watches what is there, and looks for changes that no event reported. */
  async #lookBetweenAnswers(): Promise<void> {
    if (this.#isDisposed) return;
    if (this.#watch.isPossible && !this.#isWatching) {
      await forEachYielding(this.#folders.names(), (folder) => this.#watch.add(folder));
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
    const outdated = await this.#folders.outdated(heard);
    // The first look finds all files as it reads the folders; a later look checks the known files first.
    if (!first) await this.#files.lookAtAll();
    for (const folder of outdated) await this.#folders.read(folder, this.#isWatching);
    await this.#followed.lookAtAll();
    if (this.#installed.look() && !first) {
      this.#dependenciesChanged = true;
      this.#onChanged(this.#installed.folders()[0] ?? "node_modules");
    }
    if (first) this.#pending.clear();
    this.#looked = true;
  }

  /** TypeScript 7.0.2 keeps a project without its tsconfig for as long as one of its files is open. */
  #notice(file: string, change: FileChangeType): void {
    if (change === FileChange.deleted && isConfig(file)) this.#dependenciesChanged = true;
    if (this.#looked) this.#onChanged(file);
  }

  #stopWatching(): void {
    clearTimeout(this.#watchTimer);
    this.#watchTimer = undefined;
    this.#isWatching = false;
    this.#watch.giveUp();
  }
}
