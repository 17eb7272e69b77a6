/** The paths by which modules name others, read from the text alone: enough to rule out nearly all files of a project. */
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import type { Project } from "typescript/unstable/async";
import { readRegularTextSync } from "../../../workspace/regular-file.ts";
import { fileTextNow } from "../file-text.ts";
import type { View } from "../../view.ts";
import { forEachYielding } from "../../yielding.ts";

const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`]([^"'`\n]+)["'`]/g;

/** The texts behind `from`, `import` and `require`, in order; a comment may add some. */
export function specifiersIn(text: string): string[] {
  return [...text.matchAll(SPECIFIER)].map(([, name = ""]) => name);
}

/** The last part of a path, without the ending of a module, and without the sign of an alias. */
export function stemOf(path: string): string {
  return basename(path).replace(/(?:\.d)?\.[cm]?[jt]sx?$|\.json$|^[#@~]/g, "");
}

/**
 * `./money.js`, `../money` and `money` name the file money.ts; its folder, or a package, names an index file, and `paths`
 * of a tsconfig name any file as they like.
 */
export function stemsNaming(view: View, file: string): string[] {
  const stem = stemOf(file);
  const isIndex = stem === "index" || stem === "main";
  const folders = isIndex ? [basename(dirname(file)), basename(dirname(dirname(file))), "", "."] : [];
  const names = view.programs.flatMap(({ project }) => aliasesOf(project, file)).map(stemOf);
  return [...new Set([stem, ...folders, ...names, ...packageNames(view, file)])];
}

/** The specifiers that `paths` give a file. */
function aliasesOf({ compilerOptions, configFileName }: Project, file: string): string[] {
  // The folder of the tsconfig that has the paths, which another one may extend.
  const { pathsBasePath: base = dirname(configFileName) } = compilerOptions as { readonly pathsBasePath?: string };
  return Object.entries(compilerOptions.paths ?? {}).flatMap(([alias, targets]) =>
    targets.flatMap((target) => {
      const [start = "", end] = join(isAbsolute(target) ? "/" : base, target).split("*");
      if (end === undefined) return start === file ? alias : [];
      const path = file.endsWith(end) ? file : file.replace(/\.[cm]?[jt]sx?$/, "");
      const isMeant = path.startsWith(start) && path.endsWith(end) && path.length >= start.length + end.length;
      return isMeant ? alias.replace("*", path.slice(start.length, path.length - end.length)) : [];
    }),
  );
}

/** The last part of the name of the package that holds the file. */
function packageNames({ state: { packageFiles } }: View, file: string): string[] {
  const holding = packageFiles.filter((each) => file.startsWith(dirname(each) + sep));
  const [nearest] = holding.toSorted((a, b) => b.length - a.length);
  if (nearest === undefined) return [];
  try {
    const { name } = JSON.parse(readRegularTextSync(nearest, { lossy: true })) as { readonly name?: unknown };
    return typeof name === "string" ? [stemOf(name)] : [];
  } catch {
    return [];
  }
}

/** By stem, the own files that name a module so. A file's text is read once until the file changes. */
export class SpecifierIndex {
  readonly #stems = new Map<string, readonly string[]>();
  /** Kept while neither a text nor the list of files changes. */
  #naming: { readonly files: readonly string[]; readonly byStem: ReadonlyMap<string, readonly string[]> } | undefined;

  forget(files: readonly string[]): void {
    if (files.length === 0) return;
    for (const file of files) this.#stems.delete(file);
    this.#naming = undefined;
  }

  /** The own files that may import one of these. */
  async naming(view: View, files: readonly string[]): Promise<string[]> {
    const byStem = await this.#byStem(view);
    return [...new Set(files.flatMap((file) => stemsNaming(view, file)).flatMap((stem) => byStem.get(stem) ?? []))];
  }

  async #byStem(view: View): Promise<ReadonlyMap<string, readonly string[]>> {
    const files = view.ownFiles();
    const known = this.#naming;
    if (known !== undefined && isSameList(known.files, files)) return known.byStem;
    const byStem = new Map<string, string[]>();
    await forEachYielding(
      files,
      (file) => {
        const stems = this.#stems.get(file) ?? [...new Set(specifiersIn(fileTextNow(view, file)).map(stemOf))];
        this.#stems.set(file, stems);
        for (const stem of stems) {
          const own = byStem.get(stem);
          if (own === undefined) byStem.set(stem, [file]);
          else own.push(file);
        }
      },
      view.signal,
    );
    this.#naming = { files, byStem };
    return byStem;
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
