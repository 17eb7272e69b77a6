/** What is installed for a workspace: which packages are in its `node_modules` folders, and whether that changed. */
import { existsSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import { dirname, join } from "node:path";
import { isFresh, stampFrom, stampOf } from "../file-stamps.ts";
import { statsOf } from "../../../workspace/file-names.ts";

/** Package managers touch one of these whenever they change what is installed. */
const INSTALL_MARKS = [
  "node_modules/.package-lock.json",
  "node_modules/.modules.yaml",
  "node_modules/.pnpm/lock.yaml",
  "node_modules/.yarn-state.yml",
  ".pnp.cjs",
];

/** A package put there by hand, or a link made or turned, leaves none of the marks: so the entries are compared too. */
export class InstalledPackages {
  readonly #homes = new Set<string>();
  /** By folder: its own stamp, and the packages in it. */
  readonly #entries = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>();
  #state = "";
  #isFirst = true;

  /** Packages are also found in the folders above a workspace. */
  constructor(folders: readonly string[]) {
    for (const folder of folders) {
      this.addHome(folder);
      for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
        if (existsSync(join(at, "node_modules"))) this.addHome(at);
      }
    }
  }

  /** A folder that has, or may get, a `node_modules`. */
  addHome(home: string): void {
    this.#homes.add(home);
  }

  /** Every folder whose entries are looked at. */
  folders(): string[] {
    return [...this.#entries.keys()];
  }

  isIn(folder: string): boolean {
    return this.#entries.has(folder);
  }

  /** True when packages came, went or were exchanged since the last look. */
  look(): boolean {
    const parts: string[] = [];
    for (const home of this.#homes) {
      for (const mark of INSTALL_MARKS) parts.push(stampOf(join(home, mark)) ?? "");
      this.#read(join(home, "node_modules"), parts);
    }
    const state = parts.join("\n");
    const changed = !this.#isFirst && state !== this.#state;
    this.#state = state;
    this.#isFirst = false;
    return changed;
  }

  #read(folder: string, parts: string[]): void {
    const lookedAt = Date.now();
    const stats = statsOf(folder);
    if (stats === undefined) {
      this.#entries.delete(folder);
      return;
    }
    const stamp = stampFrom(stats);
    const known = this.#entries.get(folder);
    const names = known?.stamp === stamp ? known.names : namesIn(folder);
    this.#entries.set(folder, { stamp: isFresh(stats, lookedAt) ? "" : stamp, names });
    parts.push(folder, ...names);
    for (const name of names) if (name.startsWith("@") && !name.includes(" ")) this.#read(join(folder, name), parts);
  }
}

/** Scopes by name; packages with the target of their link, or the identity of their folder. */
function namesIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  const named = entries.filter(({ name }) => !name.startsWith("."));
  return named.map((entry) => identityOf(folder, entry)).toSorted();
}

function identityOf(folder: string, entry: Dirent): string {
  if (entry.name.startsWith("@") && entry.isDirectory()) return entry.name;
  const path = join(folder, entry.name);
  try {
    return `${entry.name} ${entry.isSymbolicLink() ? readlinkSync(path) : String(statsOf(path)?.ino)}`;
  } catch {
    return `${entry.name} ?`;
  }
}
