/** The workspace's source and configuration files on disk, and what changed among them since the last look. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { forEachYielding, giveWay } from "./yielding.ts";

/** LSP's FileChangeType. */
export const FileChange = { created: 1, changed: 2, deleted: 3 } as const;
export type FileChangeType = (typeof FileChange)[keyof typeof FileChange];

const TRACKED = /\.(?:[cm]?[jt]sx?|json)$/;
const TYPESCRIPT_SOURCE = /\.[cm]?tsx?$/;
const JAVASCRIPT_SOURCE = /\.[cm]?jsx?$/;
const SKIPPED_DIRECTORIES = new Set(["node_modules", "bower_components", "jspm_packages"]);
const MAX_FILES = 50_000;
/** Package managers touch one of these whenever they change what is installed. */
const INSTALL_MARKS = ["node_modules/.package-lock.json", "node_modules/.modules.yaml", "node_modules/.yarn-state.yml"];

/**
 * The owner asks `look()` before it answers from the compiler; what changed collects until `take()`.
 * A change is seen by modification time and size, an added or removed file by its folder's modification time.
 */
export class WorkspaceFiles {
  readonly #folders: readonly string[];
  readonly #directories = new Map<string, number>();
  readonly #files = new Map<string, string>();
  readonly #pending = new Map<string, FileChangeType>();
  #looked = false;
  #installMark = "";
  #dependenciesChanged = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Looks at the disk after everything that happened before this call. */
  look(): Promise<void> {
    const next = this.#looking.then(() => this.#lookOnce());
    this.#looking = next.catch(() => undefined);
    return next;
  }

  /** Someone who watches the disk says that a file changed. */
  mark(file: string, type: FileChangeType): void {
    this.#pending.set(file, type);
  }

  hasChanges(): boolean {
    return this.#pending.size > 0 || this.#dependenciesChanged;
  }

  /** True once after the installed packages changed: nothing less than a new compiler process sees that. */
  takeDependenciesChanged(): boolean {
    const changed = this.#dependenciesChanged;
    this.#dependenciesChanged = false;
    return changed;
  }

  takeChanges(): ReadonlyMap<string, FileChangeType> {
    const taken = new Map(this.#pending);
    this.#pending.clear();
    return taken;
  }

  missingFolders(): readonly string[] {
    return this.#folders.filter((folder) => !this.#directories.has(folder));
  }

  isLimited(): boolean {
    return this.#files.size >= MAX_FILES;
  }

  configFiles(): string[] {
    const all = [...this.#files.keys()].filter((file) => /^[tj]sconfig\.json$/.test(basename(file)));
    return all
      .filter((file) => basename(file) === "tsconfig.json" || !all.includes(join(dirname(file), "tsconfig.json")))
      .toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  }

  packageFiles(): string[] {
    return [...this.#files.keys()].filter((file) => basename(file) === "package.json");
  }

  /** The TypeScript sources; the JavaScript ones in a workspace that has no TypeScript at all. */
  sourceFiles(): string[] {
    const files = [...this.#files.keys()];
    const typescript = files.filter(isTypeScriptSource);
    return typescript.length > 0 ? typescript : files.filter((file) => JAVASCRIPT_SOURCE.test(file));
  }

  scriptFiles(): string[] {
    return [...this.#files.keys()].filter((file) => JAVASCRIPT_SOURCE.test(file));
  }

  async #lookOnce(): Promise<void> {
    const first = !this.#looked;
    const dirty = [...this.missingFolders()];
    await forEachYielding(this.#directories, ([directory, time]) => {
      if (modificationTime(directory) !== time) dirty.push(directory);
    });
    for (const directory of dirty) await this.#readDirectory(directory);
    // The first look has just read all of them.
    if (!first) await this.#lookAtFiles();
    const installMark = this.#folders
      .flatMap((folder) => INSTALL_MARKS.map((mark) => stampOf(join(folder, mark))))
      .join();
    if (!first && installMark !== this.#installMark) this.#dependenciesChanged = true;
    this.#installMark = installMark;
    if (first) this.#pending.clear();
    this.#looked = true;
  }

  async #lookAtFiles(): Promise<void> {
    await forEachYielding(this.#files, ([file, stamp]) => {
      const now = stampOf(file);
      if (now === stamp) return;
      if (now === undefined) this.#forgetFile(file);
      else this.#note(file, now, FileChange.changed);
    });
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
    const time = modificationTime(directory);
    const entries = time === undefined ? undefined : readEntries(directory);
    if (time === undefined || entries === undefined) {
      this.#directories.delete(directory);
      return;
    }
    this.#directories.set(directory, time);
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (!isSkipped(entry.name) && !this.#directories.has(path)) waiting.push(path);
      } else if (TRACKED.test(entry.name) && !this.#files.has(path) && !this.isLimited()) {
        const stamp = stampOf(path);
        if (stamp !== undefined) this.#note(path, stamp, FileChange.created);
      }
    }
  }

  #note(file: string, stamp: string, type: FileChangeType): void {
    this.#files.set(file, stamp);
    if (this.#pending.get(file) !== FileChange.created) this.#pending.set(file, type);
  }

  #forgetFile(file: string): void {
    this.#files.delete(file);
    this.#pending.set(file, FileChange.deleted);
  }
}

export function isTypeScriptSource(file: string): boolean {
  return TYPESCRIPT_SOURCE.test(file) && !/\.d\.(?:[^.]+\.)?[cm]?ts$/.test(file);
}

function isSkipped(name: string): boolean {
  return name.startsWith(".") || SKIPPED_DIRECTORIES.has(name);
}

function readEntries(directory: string): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

function modificationTime(directory: string): number | undefined {
  return tryStat(directory)?.mtimeMs;
}

function stampOf(file: string): string | undefined {
  const stats = tryStat(file);
  return stats === undefined ? undefined : `${stats.mtimeMs}:${stats.size}`;
}

function tryStat(path: string): { mtimeMs: number; size: number } | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
