/** The symbolic links in the workspace's folders: those inside give the files behind them another name, others lead out. */
import { dirname, join } from "node:path";
import { existingRealPath } from "../../../workspace/real-path.ts";
import { isWithin } from "../../../workspace/within.ts";
import type { Links } from "../file-aliases.ts";
import { statsOf } from "../../../workspace/file-names.ts";
import { isSkipped } from "../tracked-names.ts";
import { FileChange, type FileChangeType, type TrackedFiles } from "../tracked-files.ts";

export class WorkspaceLinks {
  readonly #targets = new Map<string, string>();
  readonly #outward = new Set<string>();
  readonly #roots: readonly string[];
  readonly #files: TrackedFiles;
  readonly #pending: Map<string, FileChangeType>;

  /** The names of `files` that come or go with a link are noted in `pending`, and so is a link that leads out. */
  constructor(roots: readonly string[], files: TrackedFiles, pending: Map<string, FileChangeType>) {
    this.#roots = roots;
    this.#files = files;
    this.#pending = pending;
  }

  /** Links to folders and files inside the workspace, or to a folder around it. */
  targets(): Links {
    return this.#targets;
  }

  /** Links to folders outside of the workspace. */
  outward(): Iterable<string> {
    return this.#outward;
  }

  /**
   * Takes the links that are in a folder now: by name, the real path of what each leads to. A folder of the workspace
   * under a second name is only noted. A folder from elsewhere is no part of the workspace: it may be the whole disk,
   * and its files are not shown.
   */
  setFolder(folder: string, links: ReadonlyMap<string, string>): void {
    const roots = links.size === 0 ? [] : this.#roots.map((root) => existingRealPath(root) ?? root);
    const inward = new Map<string, string>();
    const outward = new Set<string>();
    for (const [name, target] of links) {
      if (isSkipped(name)) continue;
      const isInside = roots.some((root) => isWithin(target, root));
      if (isInside || roots.some((root) => isWithin(root, target))) inward.set(join(folder, name), target);
      if (!isInside && statsOf(target)?.isDirectory() === true) outward.add(join(folder, name));
    }
    this.#setInward(folder, inward);
    this.#setOutward(folder, outward);
  }

  #setInward(folder: string, inward: ReadonlyMap<string, string>): void {
    for (const link of this.#targets.keys()) {
      if (dirname(link) !== folder || inward.has(link)) continue;
      this.#turn(link, undefined);
      this.#targets.delete(link);
    }
    for (const [link, target] of inward) {
      if (this.#targets.get(link) === target) continue;
      this.#turn(link, target);
      this.#targets.set(link, target);
    }
  }

  #setOutward(folder: string, outward: ReadonlySet<string>): void {
    for (const link of this.#outward) {
      if (dirname(link) !== folder || outward.has(link)) continue;
      this.#outward.delete(link);
      this.#pending.set(link, FileChange.deleted);
    }
    for (const link of outward) {
      if (this.#outward.has(link)) continue;
      this.#outward.add(link);
      this.#pending.set(link, FileChange.created);
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
