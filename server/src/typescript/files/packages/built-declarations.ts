/**
 * Declaration files that stand for sources of the same workspace: what a build left. A map beside such a file leads back;
 * without a map the source is found where builds take it from.
 */
import { basename, dirname, join, resolve, sep } from "node:path";
import { readRegularText } from "../../../workspace/regular-file.ts";
import { mapLimited } from "../../yielding.ts";
import type { Project } from "typescript/unstable/async";

const DECLARATIONS = /\.d\.([cm]?)ts$/;
/** What a build makes of a source. */
const MADE = /(?:\.d)?\.([cm]?)[jt]sx?$/;
/** Folders into which declarations are built. A declaration file elsewhere was written by hand, as far as its name tells. */
const BUILT = new Set(["dist", "build", "out", "output", "lib", "esm", "cjs", "es", "types"]);

/** Where a project writes its declarations, and the folder of which that is the image. */
export interface BuildOutput {
  readonly folder: string;
  readonly root: string;
}

export class BuiltDeclarations {
  readonly #known = new Map<string, Promise<string | undefined>>();

  forget(files: Iterable<string>): void {
    for (const file of files) this.#known.delete(file);
  }

  /** By declaration file: the source it was built from, for those whose source is there. */
  async among(
    files: readonly string[],
    outputs: readonly BuildOutput[],
    isSource: (file: string) => boolean,
  ): Promise<Map<string, string>> {
    const declarations = files.filter((file) => DECLARATIONS.test(file));
    const sources = await mapLimited(declarations, (file) => this.#sourceOf(file));
    return new Map(
      declarations.flatMap((file, index) => {
        const source = [sources[index], ...likelySources(file, outputs)].find(
          (each) => each !== undefined && each !== file && isSource(each),
        );
        return source === undefined ? [] : [[file, source]];
      }),
    );
  }

  #sourceOf(file: string): Promise<string | undefined> {
    const known = this.#known.get(file) ?? readMap(file);
    this.#known.set(file, known);
    return known;
  }
}

/** Without `rootDir` the compiler takes the folder that all sources have in common: of that the files' names tell enough. */
export function outputsOf({ configFileName, compilerOptions }: Project): BuildOutput[] {
  const { outDir, declarationDir, rootDir = dirname(configFileName) } = compilerOptions;
  return [outDir, declarationDir].flatMap((folder) => (folder === undefined ? [] : [{ folder, root: rootDir }]));
}

/** `dist/text/title.d.ts` is built from `src/text/title.ts`, and so is `dist/esm/text/title.d.ts`. */
export function likelySources(file: string, outputs: readonly BuildOutput[]): string[] {
  const kind = MADE.exec(file)?.[1] ?? "";
  const stem = file.replace(MADE, "");
  const stems = outputs.flatMap(({ folder, root }) =>
    stem.startsWith(folder + sep) ? [root + stem.slice(folder.length)] : [],
  );
  const parts = dirname(stem).split(sep);
  const at = parts.findLastIndex((part, index) => BUILT.has(part) && !BUILT.has(parts[index - 1] ?? ""));
  const home = parts.slice(0, Math.max(0, at)).join(sep);
  const inside = at > 0 ? parts.slice(at + 1) : [];
  for (const from of at > 0 ? [...inside.keys(), inside.length] : []) {
    const rest = join(...inside.slice(from), basename(stem));
    stems.push(join(home, "src", rest), join(home, rest));
  }
  return stems.flatMap((each) => [`${each}.${kind}ts`, `${each}.ts`, `${each}.tsx`]);
}

/** The one source that the map beside a declaration file names. */
async function readMap(file: string): Promise<string | undefined> {
  try {
    const { sourceRoot = "", sources } = JSON.parse(await readRegularText(`${file}.map`, { lossy: true })) as {
      sourceRoot?: string;
      sources?: unknown;
    };
    const [source] = Array.isArray(sources) ? (sources as unknown[]) : [];
    return typeof source === "string" ? resolve(dirname(file), sourceRoot, source) : undefined;
  } catch {
    return undefined;
  }
}
