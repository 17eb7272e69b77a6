/** Files as the model reads them: relative to the workspace folder, with `/`; and the way back. */
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { showHiddenInPath } from "../../workspace/hidden-characters.ts";
import { withNamesOnDisk } from "../../workspace/same-letters.ts";

const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|[.\-_](?:test|spec|test-d|e2e)\.[cm]?[jt]sx?$/;

const MAX_SHOWN = 50_000;

export class DisplayPaths {
  readonly folders: readonly string[];
  /** An answer names the same few files again and again. */
  readonly #shown = new Map<string, string>();

  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  /**
   * `src/a.ts`; with several folders `folder/src/a.ts`; a dependency from its `node_modules/` on, `lib.dom.d.ts` by name;
   * anything else outside by its way there from the first folder: `../core/src/a.ts`.
   */
  show(file: string): string {
    const known = this.#shown.get(file);
    if (known !== undefined) return known;
    const shown = showHiddenInPath(this.#show(file));
    if (this.#shown.size >= MAX_SHOWN) this.#shown.clear();
    this.#shown.set(file, shown);
    return shown;
  }

  #show(file: string): string {
    const folder = this.folderOf(file);
    if (folder !== undefined) {
      const path = relative(folder, file).split(sep).join("/");
      if (path === "") return basename(folder);
      return this.folders.length > 1 ? `${basename(folder)}/${path}` : path;
    }
    const slashed = file.split(sep).join("/");
    // The language's own declarations are known by their file name alone.
    if (/\/typescript[^/]*\/lib\/lib\.[^/]+$/.test(slashed)) return basename(file);
    const modules = slashed.lastIndexOf("/node_modules/");
    if (modules >= 0) return slashed.slice(modules + 1);
    const [home] = this.folders;
    return home === undefined || !isAbsolute(file) ? slashed : relative(home, file).split(sep).join("/");
  }

  /** A text of the compiler's with the paths in it as the reader knows them. */
  showIn(text: string): string {
    return this.folders.reduce((shown, folder) => {
      const name = this.folders.length > 1 ? `${basename(folder)}/` : "";
      return shown.replaceAll(`${folder.split(sep).join("/")}/`, name);
    }, text);
  }

  /** Whether the file is the project's own: inside a workspace folder and not an installed package. */
  isOwn(file: string): boolean {
    return this.folderOf(file) !== undefined && !file.split(sep).includes("node_modules");
  }

  folderOf(file: string): string | undefined {
    return this.folders.find(
      (folder) => file === folder || file.startsWith(folder.endsWith(sep) ? folder : folder + sep),
    );
  }

  /** Test files by the usual names, which is what splits callers into code and tests. */
  isTest(file: string): boolean {
    // Only the path inside the workspace matters: the workspace itself may be in a folder called `test`.
    return TEST_FILE.test(this.show(file));
  }

  /** The absolute paths a shown path may mean. */
  candidates(shown: string): string[] {
    if (isAbsolute(shown)) return [withNamesOnDisk(shown)];
    const path = shown.replace(/^\.\//, "");
    const named = this.folders.flatMap((folder) => {
      const name = `${basename(folder)}/`;
      const direct = join(folder, path);
      return path.startsWith(name) ? [direct, join(folder, path.slice(name.length))] : [direct];
    });
    return named.map(withNamesOnDisk);
  }
}
