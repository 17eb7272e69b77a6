/** Files that may use the project's code and that the compiler does not read: components and pages with code inside. */
import { join } from "node:path";

const UNREAD = /\.(?:vue|svelte|astro|mdx)$/;
export class UnreadFiles {
  readonly #byFolder = new Map<string, readonly string[]>();

  /** What stands in a folder now, or nothing any more. Answers the files that came and those that went. */
  setFolder(folder: string, names: readonly string[]): { readonly came: string[]; readonly went: string[] } {
    const before = this.#byFolder.get(folder) ?? [];
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
  }

  /** In a stable order. */
  files(): readonly string[] {
    return [...this.#byFolder.values()].flat().toSorted();
  }
}
