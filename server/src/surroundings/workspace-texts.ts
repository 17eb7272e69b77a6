/** The texts of the workspace that a conversation is told of: never one that no tool may read. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorText } from "../base/errors.ts";
import type { Documents } from "../workspace/documents.ts";
import { FileError } from "../workspace/regular-file.ts";
import type { WorkspacePath, WorkspacePaths } from "../workspace/workspace-paths.ts";
import type { FindInstructions } from "./instruction-files.ts";

export interface WorkspaceText {
  readonly uri: string;
  /** Relative to the workspace folder. */
  readonly path: string;
  readonly text: string;
  /** Open in the editor with a text that the disk does not hold. */
  readonly isUnsaved: boolean;
}

/** Why something cannot or must not be had, in a sentence. */
export interface Refused {
  readonly reason: string;
}

export interface FoundPlace extends Pick<WorkspaceText, "uri" | "path"> {
  readonly kind: "file" | "folder";
}

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

  /** The present text of a place that may be read. Never rejects. */
  async at({ uri, relative }: Pick<WorkspacePath, "uri" | "relative">): Promise<WorkspaceText | Refused> {
    try {
      const document = await this.#documents.read(uri, relative);
      if (document === undefined) return { reason: `${relative} does not exist.` };
      const isUnsaved = await this.#documents.isUnsaved(document.uri);
      return { uri: document.uri, path: relative, text: document.text, isUnsaved };
    } catch (error) {
      return { reason: errorText(error) };
    }
  }

  /**
   * Undefined where there is no such document any more, or where it cannot be read. `known` is the text that was just read of
   * the document: the disk need not be asked again. Never rejects.
   */
  async seen(name: string, known?: string): Promise<WorkspaceText | undefined> {
    const resolution = this.#paths.resolve(name);
    if (!resolution.ok) return undefined;
    const { uri, relative } = resolution.path;
    if (known !== undefined && this.#documents.get(uri) === undefined) {
      return { uri, path: relative, text: known, isUnsaved: false };
    }
    const document = await this.at(resolution.path);
    return "reason" in document ? undefined : document;
  }

  /** What is at a path of the workspace, on the disk or in the editor; undefined for nothing. Never rejects. */
  async placeAt(name: string): Promise<FoundPlace | Refused | undefined> {
    const resolution = this.#paths.resolve(name);
    if (!resolution.ok) return resolution;
    const { absolute, uri, relative: path } = resolution.path;
    if (this.#documents.get(uri) !== undefined) return { kind: "file", uri, path };
    const stats = await stat(absolute).catch(() => undefined);
    return stats && { kind: stats.isDirectory() ? "folder" : "file", uri, path };
  }

  /** Calls the listener for every document of the workspace that is open, now and later. */
  onOpened(listener: (document: Omit<WorkspaceText, "isUnsaved">) => void): void {
    this.#documents.subscribe({
      didOpen: ({ uri, text }) => {
        const resolution = this.#paths.resolve(uri);
        if (resolution.ok) listener({ uri, text, path: resolution.path.relative });
      },
    });
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
    const open = this.#documents.all().flatMap(({ uri }) => {
      const resolution = uri.startsWith("file:") ? this.#paths.resolve(fileURLToPath(uri)) : undefined;
      return resolution?.ok === true ? [{ uri, path: resolution.path.relative }] : [];
    });
    return Promise.all(
      open.slice(0, COMPARED).map(async ({ uri, path }) => ({ path, isUnsaved: await this.#documents.isUnsaved(uri) })),
    );
  }
}
