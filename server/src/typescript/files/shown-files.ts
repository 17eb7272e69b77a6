/**
 * Which files an answer may show, of those that the compiler reads: files that really stand in a workspace folder,
 * installed packages, and the language's own declarations; no file that may hold secrets. The compiler itself reads
 * whatever an import, a link or a tsconfig leads to.
 */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { forEachYielding } from "../yielding.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import { isShown, isWithin } from "../../workspace/shown-path.ts";

export class ShownFiles {
  readonly #folders: readonly string[];
  readonly #compilerHome: string;
  readonly #hidden = new Map<string, boolean>();
  readonly #realFolders = new Map<string, string>();

  /** `compilerHome` is the real folder of the language's own declarations. */
  constructor(folders: readonly string[], compilerHome: string) {
    this.#compilerHome = compilerHome;
    this.#folders = folders.map((folder) => this.#realFolder(folder));
  }

  /** Those of the files that no answer may show. */
  async hiddenAmong(files: Iterable<string>): Promise<ReadonlySet<string>> {
    const hidden = new Set<string>();
    await forEachYielding(files, (file) => {
      if (this.hides(file)) hidden.add(file);
    });
    return hidden;
  }

  hides(file: string): boolean {
    // The compiler's own names of what stands in no file, `bundled:///libs/lib.d.ts`.
    if (!isAbsolute(file)) return false;
    const known = this.#hidden.get(file);
    if (known !== undefined) return known;
    const hides = this.#judge(file);
    this.#hidden.set(file, hides);
    return hides;
  }

  /** A link may lead elsewhere than before. */
  forget(changed: readonly string[]): void {
    if (changed.length === 0) return;
    this.#realFolders.clear();
    for (const [file, hides] of this.#hidden) if (hides) this.#hidden.delete(file);
    for (const file of changed) this.#hidden.delete(file);
  }

  #judge(file: string): boolean {
    const real = this.#realFile(file);
    return !isShown(real, file, this.#folders) && !isWithin(real, this.#compilerHome);
  }

  /** The path with its links followed; for a file that is not there, as far as its folders exist. */
  #realFile(file: string): string {
    const path = join(this.#realFolder(dirname(file)), basename(file));
    try {
      return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
    } catch {
      return path;
    }
  }

  #realFolder(folder: string): string {
    const known = this.#realFolders.get(folder);
    if (known !== undefined) return known;
    const parent = dirname(folder);
    const real =
      realPathOf(folder)?.path ?? (parent === folder ? folder : join(this.#realFolder(parent), basename(folder)));
    this.#realFolders.set(folder, real);
    return real;
  }
}
