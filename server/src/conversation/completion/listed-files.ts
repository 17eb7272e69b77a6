/** The files of the workspace that a prompt may name, listed anew after a while. */
import type { Documents } from "../../workspace/documents.ts";
import type { WorkspacePaths } from "../../workspace/workspace-paths.ts";

/** While somebody types, the files are listed once. */
const FRESH_MS = 5_000;

export class ListedFiles {
  readonly #documents: Pick<Documents, "all">;
  readonly #paths: Pick<WorkspacePaths, "folders" | "resolve">;
  #listed: { readonly at: number; readonly files: Promise<readonly string[]> } | undefined;

  constructor(documents: Pick<Documents, "all">, paths: Pick<WorkspacePaths, "folders" | "resolve">) {
    this.#documents = documents;
    this.#paths = paths;
  }

  /**
   * By their relative paths, open documents first. What one keystroke has cancelled is not missing at the next one. Never
   * rejects.
   */
  async all(signal: AbortSignal): Promise<readonly string[]> {
    if (this.#listed === undefined || Date.now() - this.#listed.at > FRESH_MS) {
      this.#listed = { at: Date.now(), files: this.#list() };
    }
    const files = await this.#listed.files.catch(() => []);
    return signal.aborted ? [] : files;
  }

  async #list(): Promise<readonly string[]> {
    const [{ listFiles }, { outermost }, { installedRipgrep }] = await Promise.all([
      import("../../search/list-files.ts"),
      import("../../workspace/within.ts"),
      import("../../search/ripgrep.ts"),
    ]);
    const folders = outermost(this.#paths.folders());
    const reach = { folders, within: undefined, glob: undefined, ignored: false };
    const { places } = await listFiles(installedRipgrep, reach, AbortSignal.timeout(FRESH_MS));
    const open = this.#documents.all().flatMap(({ uri }) => {
      const resolution = this.#paths.resolve(uri);
      return resolution.ok ? resolution.path.relative : [];
    });
    const all = new Set([...open, ...places.map(({ relative }) => relative)]);
    return [...all].filter((path) => folders.length < 2 || this.#paths.resolve(path).ok);
  }
}
