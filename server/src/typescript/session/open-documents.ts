/** The editor's open TypeScript and JavaScript buffers: the truth over what is on disk. */
import { isAbsolute } from "node:path";
import { readRegularText } from "../../workspace/regular-file.ts";
import { FileChange, type FileChangeType } from "../files/tracked-files.ts";
import { fileOfUri, uriOf } from "../../workspace/file-uri.ts";
import { statsOf } from "../../workspace/file-names.ts";

export interface OpenedDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
}

export interface LspNotification {
  readonly method: string;
  readonly params: unknown;
}

/** What changed since the compiler was last told, as the notifications that tell it. */
export interface DocumentChanges {
  readonly notifications: readonly LspNotification[];
  readonly files: readonly string[];
}

const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;
const SCRIPT_LANGUAGES = new Set(["typescript", "typescriptreact", "javascript", "javascriptreact"]);

export class OpenDocuments {
  readonly #open = new Map<string, OpenedDocument>();
  /** The compiler's own versions: an editor may count again from 1 after it closed and reopened a file. */
  #version = 0;
  /** What the compiler was told last, by file. */
  #told = new Map<string, OpenedDocument>();
  readonly #all: boolean;

  /** With `all`, also documents that are scripts by their language alone: unsaved ones, files of any other name. */
  constructor({ all = false }: { readonly all?: boolean } = {}) {
    this.#all = all;
  }

  didOpen(document: OpenedDocument): void {
    const file = this.#keyOf(document.uri);
    if (file === undefined) return;
    const isScript = SCRIPT_FILE.test(file) && file !== document.uri;
    if (!isScript && !(this.#all && SCRIPT_LANGUAGES.has(document.languageId))) return;
    this.#open.set(file, isScript ? { ...document, languageId: languageOf(file) } : document);
  }

  didChange(document: { readonly uri: string; readonly version: number; readonly text: string }): void {
    const file = this.#keyOf(document.uri);
    if (file === undefined) return;
    const before = this.#open.get(file);
    if (before !== undefined) this.#open.set(file, { ...before, version: document.version, text: document.text });
  }

  didClose(document: { readonly uri: string }): void {
    const file = this.#keyOf(document.uri);
    if (file !== undefined) this.#open.delete(file);
  }

  isOpen(file: string): boolean {
    return this.#open.has(file);
  }

  files(): string[] {
    return [...this.#open.keys()].filter(isAbsolute);
  }

  /** The URIs of all open documents, also of those that are no files. */
  uris(): string[] {
    return [...this.#open.values()].map(({ uri }) => uri);
  }

  /** The text of a file longer than `limit`, open or on disk; undefined for a smaller one. */
  async readLarge(file: string, limit: number): Promise<string | undefined> {
    const open = this.#told.get(file)?.text;
    if (open !== undefined) return open.length > limit ? open : undefined;
    const size = statsOf(file)?.size ?? 0;
    return size > limit ? readRegularText(file, { lossy: true }).catch(() => undefined) : undefined;
  }

  /** The texts the compiler was told last, by file. */
  toldTexts(): ReadonlyMap<string, string> {
    return new Map([...this.#told].map(([file, { text }]) => [file, text]));
  }

  hasChanges(): boolean {
    if (this.#open.size !== this.#told.size) return true;
    for (const [file, document] of this.#open) if (this.#told.get(file) !== document) return true;
    return false;
  }

  /** The notifications that bring the compiler up to date; the compiler is taken as told from here on. */
  takeChanges(): DocumentChanges {
    const notifications: LspNotification[] = [];
    const files: string[] = [];
    for (const [file] of this.#told) {
      if (this.#open.has(file)) continue;
      files.push(file);
      notifications.push(closed(file));
    }
    for (const [file, document] of this.#open) {
      const told = this.#told.get(file);
      if (told === document) continue;
      files.push(file);
      this.#version += 1;
      notifications.push((told === undefined ? opened : changed)(file, document, this.#version));
    }
    this.#told = new Map(this.#open);
    return { notifications, files };
  }

  /** The notifications that close a document and open it again with the text that the compiler was told last. */
  openedAgain(file: string): LspNotification[] {
    const told = this.#told.get(file);
    if (told === undefined) return [];
    this.#version += 1;
    return [closed(file), opened(file, told, this.#version)];
  }

  /** A new process knows nothing: everything open is told again. */
  forgetTold(): void {
    this.#told = new Map();
  }

  /** The file; for a document that has none, its URI. */
  #keyOf(uri: string): string | undefined {
    return fileOfUri(uri) ?? (this.#all ? uri : undefined);
  }
}

function closed(file: string): LspNotification {
  return { method: "textDocument/didClose", params: { textDocument: { uri: uriOfKey(file) } } };
}

function opened(file: string, { languageId, text }: OpenedDocument, version: number): LspNotification {
  return {
    method: "textDocument/didOpen",
    params: { textDocument: { uri: uriOfKey(file), languageId, version, text } },
  };
}

function changed(file: string, { text }: OpenedDocument, version: number): LspNotification {
  return {
    method: "textDocument/didChange",
    params: {
      textDocument: { uri: uriOfKey(file), version },
      contentChanges: [{ text }],
    },
  };
}

/** Editors name languages in many ways; the compiler knows these four. */
function languageOf(file: string): string {
  if (/\.[cm]?ts$/.test(file)) return "typescript";
  if (file.endsWith(".tsx")) return "typescriptreact";
  return file.endsWith(".jsx") ? "javascriptreact" : "javascript";
}

function uriOfKey(key: string): string {
  return isAbsolute(key) ? uriOf(key) : key;
}

/**
 * After a change of exactly one open file 7.0.2 reads every installed package, to have auto-imports ready for an editor's
 * completions. Where no editor asks for completions, the server sends a second change, for a file that does not exist.
 */
export function secondChange(files: readonly string[]): { uri: string; type: FileChangeType }[] {
  const [file] = files;
  return file === undefined || files.length > 1 ? [] : [{ uri: `${uriOf(file)}.none.ts`, type: FileChange.changed }];
}
