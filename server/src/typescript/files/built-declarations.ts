/** Declaration files that stand for sources of the same workspace: what a build left, with a map that leads back. */
import { dirname, resolve } from "node:path";
import { readRegularText } from "../../workspace/regular-file.ts";
import { mapLimited } from "../yielding.ts";

const DECLARATIONS = /\.d\.[cm]?ts$/;

export class BuiltDeclarations {
  readonly #known = new Map<string, Promise<string | undefined>>();

  forget(files: Iterable<string>): void {
    for (const file of files) this.#known.delete(file);
  }

  /** By declaration file: the source it was built from, for those whose source is there. */
  async among(files: readonly string[], isSource: (file: string) => boolean): Promise<Map<string, string>> {
    const declarations = files.filter((file) => DECLARATIONS.test(file));
    const sources = await mapLimited(declarations, (file) => this.#sourceOf(file));
    return new Map(
      declarations.flatMap((file, index) => {
        const source = sources[index];
        return source !== undefined && isSource(source) ? [[file, source]] : [];
      }),
    );
  }

  #sourceOf(file: string): Promise<string | undefined> {
    const known = this.#known.get(file) ?? readMap(file);
    this.#known.set(file, known);
    return known;
  }
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
