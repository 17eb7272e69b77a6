/**
 * How many files are below each folder of a listing, and which of the listing's names are kept: what git ignores is
 * not.
 */
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { askGitForNames } from "../../process/git-names.ts";
import { FILLED_FOLDERS } from "../../workspace/file-names.ts";

export interface FileCount {
  readonly files: number;
  /** TypeScript and JavaScript, and components with such code inside. */
  readonly code: number;
}

const CODE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|astro)$/iu;
const NONE: FileCount = { files: 0, code: 0 };
/** A folder with so few files below is shown whole. */
const FEW = 40;
const GIT_LIMIT_MS = 15_000;
/** So many entries of folders are counted where git does not answer. */
const MAX_WALKED = 50_000;

/** All paths are relative to the listed folder, with forward slashes; "" is that folder. */
export class KeptFiles {
  readonly #counts = new Map<string, FileCount>();
  readonly #names = new Set<string>();
  readonly #first: string[] = [];
  readonly #asked: number | undefined;
  #depth: number;
  /**
   * Who decided which files are kept. Without git, and in a folder that git ignores, everything but node_modules is
   * kept.
   */
  readonly by: "git" | "nobody" | "ignored";
  /** False when there was more than is counted. */
  isComplete = true;

  constructor(depth: number | undefined, by: KeptFiles["by"]) {
    this.#asked = depth;
    this.#depth = depth ?? 1;
    this.by = by;
  }

  /** How many levels of folders are shown. */
  get depth(): number {
    return this.#depth;
  }

  /** A repository inside of the repository has a slash at its end, and is one file in the count. */
  add(name: string): void {
    const path = name.endsWith("/") ? name.slice(0, -1) : name;
    if (this.#first.length <= FEW) this.#first.push(path);
    this.#count(path);
  }

  /** Call it when all files are added: a small folder is shown whole where no depth was asked for. */
  settle(): void {
    if (this.#asked !== undefined || this.#first.length > FEW) return;
    this.#depth = Number.POSITIVE_INFINITY;
    this.#counts.clear();
    for (const path of this.#first) this.#count(path);
  }

  below(folder: string): FileCount {
    return this.#counts.get(folder) ?? NONE;
  }

  /** Of a path on a shown level. */
  has(path: string): boolean {
    return this.#names.has(path) || this.#counts.has(path);
  }

  #count(path: string): void {
    const code = isCode(path) ? 1 : 0;
    let level = 0;
    for (let end = 0; end !== -1 && level <= this.#depth; end = path.indexOf("/", end + 1), level += 1) {
      const folder = path.slice(0, end);
      const known = this.below(folder);
      this.#counts.set(folder, { files: known.files + 1, code: known.code + code });
    }
    if (level <= this.#depth) this.#names.add(path);
  }
}

export function isCode(path: string): boolean {
  return CODE.test(path);
}

/** Where git ignores the folder as a whole, or does not answer, all its files are kept but those of node_modules. */
export async function keptFiles(folder: string, depth: number | undefined, signal: AbortSignal): Promise<KeptFiles> {
  const kept = new KeptFiles(depth, "git");
  const ask = (args: readonly string[], onName: (name: string) => void): Promise<boolean> =>
    askGitForNames({ folder, args: ["ls-files", "-z", ...args], limitMs: GIT_LIMIT_MS, signal }, onName);
  // Git keeps the name of a file that is gone until somebody commits that.
  const gone = new Set<string>();
  await ask(["--deleted"], (name) => void gone.add(name));
  const isAnswered = await ask(["--cached", "--others", "--exclude-standard", "--deduplicate"], (name) => {
    if (!gone.has(name)) kept.add(name);
  });
  if (isAnswered && kept.below("").files > 0) return kept;
  const all = new KeptFiles(depth, isAnswered ? "ignored" : "nobody");
  await addAll(all, folder, signal);
  return all;
}

async function addAll(kept: KeptFiles, top: string, signal: AbortSignal): Promise<void> {
  let left = MAX_WALKED;
  const waiting = [""];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const opened = await opendir(join(top, folder)).catch(() => undefined);
    if (opened === undefined) continue;
    for await (const entry of opened) {
      signal.throwIfAborted();
      if ((left -= 1) < 0) {
        kept.isComplete = false;
        return;
      }
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (FILLED_FOLDERS.has(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else kept.add(path);
    }
  }
}
