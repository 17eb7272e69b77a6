/** Layers that outlive their run, so that a later run goes on where that one ended. Few, and not for long. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularText } from "../../workspace/regular-file.ts";
import { removeTree, type Layer, type LayerRoot } from "./layer.ts";

export interface KeptLayer {
  readonly id: string;
  readonly layer: Layer;
  /** When the first run over it began, in milliseconds since 1970. */
  readonly begunAt: number;
  /** When its last run ended. */
  readonly keptAt: number;
}

const MOST = 3;
const LONGEST_MS = 30 * 60_000;

export class KeptLayers {
  readonly #drop: (layer: Layer) => Promise<void>;
  #kept: readonly KeptLayer[] = [];
  #count = 0;

  /** `drop` disposes of a layer; must not reject. */
  constructor(drop: (layer: Layer) => Promise<void>) {
    this.#drop = drop;
  }

  /** Answers the id by which the layer can be taken: the one that it had, where it was kept before. */
  async keep(layer: Layer, begunAt: number, id = String((this.#count += 1))): Promise<string> {
    const all = [...this.#kept, { id, layer, begunAt, keptAt: Date.now() }];
    this.#kept = all.slice(-MOST);
    await Promise.all(all.slice(0, -MOST).map((old) => this.#drop(old.layer)));
    setTimeout(() => void this.#dropOld(), LONGEST_MS + 1).unref();
    return id;
  }

  /** From now on the layer belongs to the caller. Answers why there is none. */
  take(id: string, roots: readonly string[]): KeptLayer | string {
    const found = this.#kept.find((each) => each.id === id);
    if (found === undefined) {
      const ids = this.#kept.map((each) => each.id).join(", ");
      const which = ids === "" ? "No run can be continued now" : `Runs that can be continued: ${ids}`;
      return `there is no run "${id}" to continue: the last ${MOST} that dropped something are kept, for 30 minutes, and one at a time goes on. ${which}.`;
    }
    this.#kept = this.#kept.filter((each) => each !== found);
    if (found.layer.roots.map(({ root }) => root).join("\0") === roots.join("\0")) return found;
    void this.#drop(found.layer);
    return "the workspace folders are others since that run.";
  }

  async #dropOld(): Promise<void> {
    const oldest = Date.now() - LONGEST_MS;
    const old = this.#kept.filter(({ keptAt }) => keptAt < oldest);
    this.#kept = this.#kept.filter((each) => !old.includes(each));
    await Promise.all(old.map(({ layer }) => this.#drop(layer)));
  }
}

/**
 * Takes everything but these paths out of a layer in which nothing runs: everywhere else programs then see the
 * project. Answers false and changes nothing where that is impossible: a folder that was made anew hides the
 * project's.
 */
export async function keepOnly(root: LayerRoot, kept: readonly string[]): Promise<boolean> {
  const wanted = new Set(kept);
  const onTheWay = new Set(kept.flatMap((path) => foldersAbove(path)));
  const seen = new Set((await readRegularText(root.seen)).split("\0"));
  for (const folder of onTheWay) if (folder !== "" && (await mayHide(root, folder, seen))) return false;
  for (const folder of onTheWay) {
    for (const name of await readdir(join(root.upper, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (!wanted.has(path) && !onTheWay.has(path)) await removeTree(join(root.upper, path));
    }
  }
  return true;
}

function foldersAbove(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index).join("/"));
}

/**
 * The kernel's mark of such a folder is no part of a file's contents: the folder is told by what shines through it,
 * or does not. A device marks a name that was deleted from a folder which hides nothing else.
 */
async function mayHide(root: LayerRoot, folder: string, seen: ReadonlySet<string>): Promise<boolean> {
  const below = await readdir(join(root.root, folder)).catch(() => []);
  const entries = await readdir(join(root.upper, folder), { withFileTypes: true }).catch(() => []);
  if (entries.some((entry) => entry.isCharacterDevice())) return false;
  const above = new Set(entries.map(({ name }) => name));
  return below.length > 0 && !below.some((name) => !above.has(name) && seen.has(`./${folder}/${name}`));
}
