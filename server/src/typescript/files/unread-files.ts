/** Files that may use the project's code and that the compiler does not read: components and pages with code inside. */
import { join } from "node:path";

const UNREAD = /\.(?:vue|svelte|astro|mdx)$/;
/** Prose uses no code, but mentions it. */
const PROSE = /\.mdx?$/;

export class UnreadFiles {
  readonly #byFolder = new Map<string, readonly string[]>();
  readonly #proseByFolder = new Map<string, readonly string[]>();

  /** What is in a folder now, or nothing any more. Answers the files that came and those that went. */
  setFolder(folder: string, names: readonly string[]): { readonly came: string[]; readonly went: string[] } {
    const before = this.#byFolder.get(folder) ?? [];
    const prose = names.filter((name) => PROSE.test(name)).map((name) => join(folder, name));
    if (prose.length === 0) this.#proseByFolder.delete(folder);
    else this.#proseByFolder.set(folder, prose);
    const now = names.filter((name) => UNREAD.test(name)).map((name) => join(folder, name));
    if (now.length === 0) this.#byFolder.delete(folder);
    else this.#byFolder.set(folder, now);
    return {
      came: now.filter((file) => !before.includes(file)),
      went: before.filter((file) => !now.includes(file)),
    };
  }

  clear(): void {
    this.#byFolder.clear();
    this.#proseByFolder.clear();
  }

  proseFiles(): readonly string[] {
    return [...this.#proseByFolder.values()].flat().toSorted();
  }

  /** In a stable order. */
  files(): readonly string[] {
    return [...this.#byFolder.values()].flat().toSorted();
  }
}
