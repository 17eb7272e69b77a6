/** Links to folders and files inside the workspace: each gives the files behind it another name. */
import { basename, dirname } from "node:path";
import { isWithin } from "../../workspace/shown-path.ts";
import type { Links } from "./file-aliases.ts";
import { FileChange, type FileChangeType, type TrackedFiles } from "./tracked-files.ts";

export class WorkspaceLinks {
  readonly #targets = new Map<string, string>();
  readonly #files: TrackedFiles;
  readonly #pending: Map<string, FileChangeType>;

  /** The names of `files` that come or go with a link are noted in `pending`. */
  constructor(files: TrackedFiles, pending: Map<string, FileChangeType>) {
    this.#files = files;
    this.#pending = pending;
  }

  targets(): Links {
    return this.#targets;
  }

  clear(): void {
    this.#targets.clear();
  }

  set(link: string, target: string): void {
    this.#turn(link, target);
    this.#targets.set(link, target);
  }

  /** Drops the links of this folder whose names are not among the given ones. */
  keepOnly(directory: string, names: ReadonlyMap<string, string>): void {
    for (const link of this.#targets.keys()) {
      if (dirname(link) !== directory || names.has(basename(link))) continue;
      this.#turn(link, undefined);
      this.#targets.delete(link);
    }
  }

  /** With the link all names that lead through it come or go. */
  #turn(link: string, target: string | undefined): void {
    for (const [to, type] of [
      [this.#targets.get(link), FileChange.deleted],
      [target, FileChange.created],
    ] as const) {
      if (to === undefined) continue;
      for (const file of this.#files.names()) {
        if (isWithin(file, to)) this.#pending.set(link + file.slice(to.length), type);
      }
    }
  }
}
