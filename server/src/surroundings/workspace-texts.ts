/** The texts of the workspace that a conversation is told of: never one that no tool may read. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Documents } from "../workspace/documents.ts";
import { FileError } from "../workspace/regular-file.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import type { FindInstructions } from "./instruction-files.ts";

/** Each is compared with its file. */
const COMPARED = 40;

export class WorkspaceTexts {
  readonly #documents: Documents;
  readonly #paths: WorkspacePaths;

  constructor(documents: Documents, paths: WorkspacePaths) {
    this.#documents = documents;
    this.#paths = paths;
  }

  /** Undefined where nothing can be read. */
  async read(path: string): Promise<string | undefined> {
    const resolution = this.#paths.resolve(path);
    if (!resolution.ok) return undefined;
    return (await this.#documents.read(resolution.path.uri).catch(() => undefined))?.text;
  }

  /** Undefined where there is no such file; the reason for one that is not read. */
  readonly findInstructions: FindInstructions = async (folder, name) => {
    const resolution = this.#paths.resolve(join(folder, name));
    const above = this.#paths.relative(folder);
    const path = above === "" ? name : `${above}/${name}`;
    if (!resolution.ok)
      return { absolute: join(folder, name), path, reason: "is not read: it leads to where no tool goes" };
    const { uri, absolute } = resolution.path;
    try {
      const document = await this.#documents.read(uri);
      return document && { absolute, path, text: document.text, sha256: document.sha256 };
    } catch (error) {
      return { absolute, path, reason: error instanceof FileError ? error.finding : "cannot be read" };
    }
  };

  /** The documents that are open in the editor. */
  async open(): Promise<{ path: string; isUnsaved: boolean }[]> {
    const open = this.#documents.all().flatMap(({ uri, text }) => {
      const resolution = uri.startsWith("file:") ? this.#paths.resolve(fileURLToPath(uri)) : undefined;
      return resolution?.ok === true ? [{ uri, text, path: resolution.path.relative }] : [];
    });
    return Promise.all(
      open.slice(0, COMPARED).map(async ({ uri, text, path }) => ({
        path,
        isUnsaved: (await this.#documents.readDisk(uri)) !== text,
      })),
    );
  }
}
