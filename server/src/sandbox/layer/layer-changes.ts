/**
 * What programs wrote into a layer, told by comparing it with the folder below: no file is read that no program touched.
 * Contract: nothing runs in the layer, and the last run put down what it saw.
 */
import { lstat, readdir, readlink } from "node:fs/promises";
import type { Dirent, Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularBytes, readRegularText } from "../../workspace/regular-file.ts";
import type { LayerRoot } from "./layer.ts";

export type Written =
  | { readonly kind: "file"; readonly mode: number; readonly size: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number }
  /** Pipes, sockets and mounts, which no project keeps, and whatever has a name that is no UTF-8. */
  | { readonly kind: "other" };

/** One path that is not as it was. A folder that came into being is named beside what is in it. */
export interface LayerChange {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  /** What was there when the layer was compared; undefined for nothing. */
  readonly before: Written | undefined;
  /** What programs in the layer see there; undefined for nothing. */
  readonly after: Written | undefined;
}

export interface ChangesOptions {
  /** By the path from the root: folders and files that are told as one change, without a look inside. */
  readonly isSkipped: (path: string) => boolean;
  /** Only this path, by its path from the root, and what is in it. */
  readonly from?: string;
  readonly signal: AbortSignal;
}

/** In the order of their paths, a folder before what is in it. Rejects where the last run did not put down what it saw. */
export async function layerChanges(root: LayerRoot, options: ChangesOptions): Promise<LayerChange[]> {
  const names = (await readRegularText(root.seen, { lossy: true })).split("\0");
  const { dev } = await lstat(root.root);
  const comparison = new Comparison(root, { seen: new Set(names), device: dev }, options);
  if (options.from === undefined) return comparison.in("", true);
  // The names of folders that no program wrote to were not listed.
  const parent = await writtenAt(join(root.upper, dirname(options.from)));
  return parent?.kind === "folder" ? comparison.at(options.from, true) : [];
}

class Comparison {
  readonly #root: LayerRoot;
  /** `./a/b` for every name in a folder that was written to. */
  readonly #seen: ReadonlySet<string>;
  /** The disk of the project. What is mounted into the project is not in the layer: programs saw an empty folder there. */
  readonly #device: number;
  readonly #options: ChangesOptions;

  constructor(
    root: LayerRoot,
    { seen, device }: { seen: ReadonlySet<string>; device: number },
    options: ChangesOptions,
  ) {
    this.#root = root;
    this.#seen = seen;
    this.#device = device;
    this.#options = options;
  }

  /** `isBelow`: the project has the folder too. What a link of the project leads to is not below. */
  async in(folder: string, isBelow: boolean): Promise<LayerChange[]> {
    this.#options.signal.throwIfAborted();
    const written = await entriesOf(join(this.#root.upper, folder));
    const below = isBelow ? await entriesOf(join(this.#root.root, folder)) : [];
    const names = new Set([...written.map(({ name }) => name), ...this.#gone(folder, below)]);
    const changes: LayerChange[] = [];
    for (const name of [...names].toSorted()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      changes.push(...(await this.at(path, isBelow)));
    }
    return changes;
  }

  /** What a folder that was made anew has no more. */
  #gone(folder: string, below: readonly Dirent[]): string[] {
    const prefix = folder === "" ? "./" : `./${folder}/`;
    return below.map(({ name }) => name).filter((name) => !this.#seen.has(prefix + name));
  }

  async at(path: string, isBelow: boolean): Promise<LayerChange[]> {
    const [before, after] = await Promise.all([
      isBelow ? writtenAt(join(this.#root.root, path), this.#device) : undefined,
      this.#seen.has(`./${path}`) ? writtenAt(join(this.#root.upper, path)) : undefined,
    ]);
    if (before === undefined && after === undefined) return this.#nameless(path, isBelow);
    if (this.#options.isSkipped(path)) return [{ path, before, after }];
    if (before?.kind === "folder" && after?.kind === "folder") {
      return [...(before.mode === after.mode ? [] : [{ path, before, after }]), ...(await this.in(path, true))];
    }
    if (await this.#isSame(path, before, after)) return [];
    const inside = before?.kind === "folder" ? await this.#below(path) : [];
    const made = after?.kind === "folder" ? await this.in(path, false) : [];
    return [{ path, before, after }, ...inside, ...made];
  }

  /** A name that is no UTF-8 is known by a spelling alone, by which nothing can be looked up. */
  async #nameless(path: string, isBelow: boolean): Promise<LayerChange[]> {
    const name = basename(path);
    if (!name.includes("\uFFFD")) return [];
    const has = async (root: string): Promise<boolean> =>
      (await entriesOf(join(root, dirname(path)))).some((entry) => entry.name === name);
    const before: Written | undefined = isBelow && (await has(this.#root.root)) ? { kind: "other" } : undefined;
    const after: Written | undefined = this.#seen.has(`./${path}`) ? { kind: "other" } : undefined;
    return before === undefined && after === undefined ? [] : [{ path, before, after }];
  }

  async #isSame(path: string, before: Written | undefined, after: Written | undefined): Promise<boolean> {
    if (before?.kind === "link" && after?.kind === "link") return before.target === after.target;
    if (before?.kind !== "file" || after?.kind !== "file") return false;
    if (before.size !== after.size || before.mode !== after.mode) return false;
    const both = [this.#root.root, this.#root.upper].map((folder) => readRegularBytes(join(folder, path)));
    // A file that is too long to be compared is taken as changed.
    const [old, now] = await Promise.all(both).catch(() => []);
    return old !== undefined && now !== undefined && old.equals(now);
  }

  /** Everything in a folder that is gone. */
  async #below(folder: string): Promise<LayerChange[]> {
    this.#options.signal.throwIfAborted();
    const changes: LayerChange[] = [];
    for (const { name } of await entriesOf(join(this.#root.root, folder))) {
      const path = `${folder}/${name}`;
      const before = await writtenAt(join(this.#root.root, path), this.#device);
      if (before === undefined) continue;
      changes.push({ path, before, after: undefined });
      if (before.kind === "folder" && !this.#options.isSkipped(path)) changes.push(...(await this.#below(path)));
    }
    return changes;
  }
}

/**
 * Contract: no link is followed, and a folder of another disk than `device`, where one is named, is not taken as a
 * folder.
 */
async function writtenAt(absolute: string, device?: number): Promise<Written | undefined> {
  const stats = await lstat(absolute).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (stats.isFile()) return { kind: "file", mode: modeOf(stats), size: stats.size };
  if (device !== undefined && stats.dev !== device) return { kind: "other" };
  if (stats.isDirectory()) return { kind: "folder", mode: modeOf(stats) };
  if (stats.isSymbolicLink()) return { kind: "link", target: await readlink(absolute) };
  return { kind: "other" };
}

function modeOf({ mode }: Stats): number {
  return mode & 0o777;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
