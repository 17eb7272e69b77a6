/**
 * Which files an answer may show, of those that the compiler reads: files that really are in a workspace folder,
 * installed packages, and the language's own declarations; no file that may hold secrets. The compiler itself reads
 * whatever an import, a link or a tsconfig leads to.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { forEachYielding } from "../yielding.ts";
import { linkStatsOf } from "../../workspace/file-names.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import { isShown } from "../../workspace/shown-path.ts";
import { isWithin } from "../../workspace/within.ts";

/** A path with its links followed; for what is not there, as far as the folders above exist. */
interface Followed {
  readonly real: string;
  readonly is: "plain" | "link" | "missing";
}

interface Verdict {
  readonly hides: boolean;
  /** The real folder by which the file was judged. */
  readonly folder: string;
  readonly is: Followed["is"];
}

export class ShownFiles {
  readonly #folders: readonly string[];
  readonly #compilerHome: string;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #realFolders = new Map<string, Followed>();

  /** `compilerHome` is the real folder of the language's own declarations. */
  constructor(folders: readonly string[], compilerHome: string) {
    this.#compilerHome = compilerHome;
    this.#folders = folders.map((folder) => this.#follow(folder).real);
  }

  /**
   * Those of the files that no answer may show, of files that a compiler has read. A file that is not there hides as well,
   * but for a text that somebody gave the compiler: nobody can say any more where a link led when the compiler read it.
   */
  async hiddenAmong(files: Iterable<string>, isText: (file: string) => boolean): Promise<ReadonlySet<string>> {
    const hidden = new Set<string>();
    await forEachYielding(files, (file) => {
      const verdict = this.#verdictOn(file);
      if (verdict?.hides === true || (verdict?.is === "missing" && !isText(file))) hidden.add(file);
    });
    return hidden;
  }

  /** A file that is not there is judged by its folders. */
  hides(file: string): boolean {
    return this.#verdictOn(file)?.hides ?? false;
  }

  /** A link may lead elsewhere than before. */
  forget(changed: readonly string[]): void {
    if (changed.length === 0) return;
    this.#realFolders.clear();
    for (const [file, { hides, is }] of this.#verdicts) if (hides || is === "link") this.#verdicts.delete(file);
    for (const file of changed) this.#verdicts.delete(file);
  }

  /** Undefined for the compiler's own names of what is in no file, `bundled:///libs/lib.d.ts`. */
  #verdictOn(file: string): Verdict | undefined {
    if (!isAbsolute(file)) return undefined;
    const folder = this.#follow(dirname(file));
    const known = this.#verdicts.get(file);
    if (known !== undefined && known.folder === folder.real) return known;
    const { real, is } = followLast(folder, basename(file));
    const hides = !isShown(real, file, this.#folders) && !isWithin(real, this.#compilerHome);
    const verdict = { hides, folder: folder.real, is };
    // What is not there may be a link in a moment.
    if (is === "missing") this.#verdicts.delete(file);
    else this.#verdicts.set(file, verdict);
    return verdict;
  }

  #follow(folder: string): Followed {
    const known = this.#realFolders.get(folder);
    if (known !== undefined) return known;
    const parent = dirname(folder);
    if (parent === folder) return { real: folder, is: "plain" };
    const followed = followLast(this.#follow(parent), basename(folder));
    if (followed.is !== "missing") this.#realFolders.set(folder, followed);
    return followed;
  }
}

function followLast(folder: Followed, name: string): Followed {
  const path = join(folder.real, name);
  const stats = folder.is === "missing" ? undefined : linkStatsOf(path);
  if (stats === undefined) return { real: path, is: "missing" };
  if (!stats.isSymbolicLink()) return { real: path, is: "plain" };
  const real = realPathOf(path);
  return { real: real?.path ?? path, is: real?.exists === true ? "link" : "missing" };
}
