/** Which loaded module was compiled from a source, as `dist/cart.js` from `src/cart.ts`: the module's source map says so. */
import { oneSourceMap } from "../child/wire/one-source-map.ts";
import type { ModuleTable } from "./module-table.ts";
import type { ProjectSources } from "./project-sources.ts";

const COMMENT = /\/\/# sourceMappingURL=(\S+)\s*$/;

export class CompiledOutputs {
  readonly #table: Pick<ModuleTable, "all">;
  readonly #sources: Pick<ProjectSources, "read" | "isReadable">;
  /** The source of each text that was looked at. */
  readonly #known = new Map<string, { readonly text: string; readonly source: string | undefined }>();

  constructor(table: Pick<ModuleTable, "all">, sources: Pick<ProjectSources, "read" | "isReadable">) {
    this.#table = table;
    this.#sources = sources;
  }

  /** The path of the loaded module; undefined where none, or more than one, was compiled from the source. */
  of(source: string): string | undefined {
    const found = this.#table
      .all()
      .filter(({ path, text }) => text !== undefined && path !== source && this.#sourceOf(path, text) === source);
    return found.length === 1 ? found[0]?.path : undefined;
  }

  #sourceOf(path: string, text: string): string | undefined {
    const known = this.#known.get(path);
    if (known?.text === text) return known.source;
    const [, url = ""] = COMMENT.exec(text) ?? [];
    const read = (file: string): string => (this.#sources.isReadable(file) ? this.#sources.read(file) : "");
    const source = oneSourceMap(path, url, read)?.source;
    this.#known.set(path, { text, source });
    return source;
  }
}
